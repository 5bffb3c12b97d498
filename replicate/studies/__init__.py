"""Studies of our own: across the papers, and beyond them."""
