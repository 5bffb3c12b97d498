"""What is audited, on which inputs, and the sizes of the profiles."""
