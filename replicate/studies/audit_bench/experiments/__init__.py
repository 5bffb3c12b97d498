"""Data frames behind the claims and the figures."""
