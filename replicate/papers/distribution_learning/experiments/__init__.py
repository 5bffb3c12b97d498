"""Data frames behind the paper's claims and figures."""
