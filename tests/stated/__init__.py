"""Where the regrets were measured that `tests.test_stated_constants` holds against the bounds."""
