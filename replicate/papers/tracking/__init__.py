"""Asi, Raman & Saha (2025): tracking the best expert privately."""
