"""The checks behind the claims."""
