"""The audit on the benchmark of DP-Sniper: ``python -m tests.benchmarks.audit_bench``, or ``make audit-bench``."""
