"""Exact laws of small games, and limits certified from sampled actions."""
