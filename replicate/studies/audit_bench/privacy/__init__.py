"""Exact privacy losses on one pair of inputs, and what samples certify of them."""
