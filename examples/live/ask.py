"""Ask a theorem's bound at your own sizes: this page runs the package itself, as `python -m replicate ask` does.

Try PS-S1, NL-T1, NL-F7 or NL-T4 in the place of PS-T1. Claims without sizes of their own are checked by
replicate(["claims", "NL-S1"]).
"""

from replicate.__main__ import main as replicate


def main(claim="PS-T1", K=17, gap=0.1, T=2**30, epsilon=0.5):
    """Measure the regret on losses with this gap and hold it against the bound."""
    sizes = ["--actions", str(K), "--gap", str(gap), "--rounds", str(T), "--epsilon", str(epsilon)]
    assert replicate(["ask", claim, *sizes]) == 0
