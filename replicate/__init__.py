"""Five papers on private online learning, replicated: algorithms, bounds, exact audits and checked claims."""

__version__ = "0.1.0"
