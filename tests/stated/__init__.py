"""What `tests.test_stated_constants` is made of: bounds by their constants, and where regrets were measured."""
