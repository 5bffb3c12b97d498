"""Exact distributions of small games, and lower limits on epsilon certified from sampled actions."""
