"""Measured regrets that `tests.test_stated_constants` holds against the bounds."""
