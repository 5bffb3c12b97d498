"""The commands of ``python -m replicate``: each module declares `arguments` and has a `main` that takes them."""
