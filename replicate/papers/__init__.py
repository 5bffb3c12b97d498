"""One folder for each paper: ``algorithms``, ``bounds``, ``experiments``, ``claims`` and ``figures``."""
