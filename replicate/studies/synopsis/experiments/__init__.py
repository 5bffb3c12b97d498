"""Data frames behind claims and figures."""
