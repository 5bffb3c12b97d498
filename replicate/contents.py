"""The table of contents: which papers and studies there are, and which text of each paper was read.

``python replicate/contents.py`` prints the table, one row per line: that is how the Makefile reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Row(NamedTuple):
    """A paper that is replicated, or a study of our own."""

    floor: str
    """``"papers"`` or ``"studies"``: the folder of its package."""
    name: str
    prefix: str
    """What ids of its claims and errata begin with: ``"PS-T1"``."""
    notebook: str
    title: str
    """The heading of its notebook."""


CONTENTS = (
    Row("papers", "prefix_softmax", "PS", "01_prefix_softmax", "Randomised-prefix softmax"),
    Row("papers", "noisy_leader", "NL", "02_noisy_leader", "The noisy leader"),
    Row("papers", "tracking", "TR", "03_tracking", "Tracking the best expert"),
    Row("papers", "bandits", "BA", "04_bandits", "Private adversarial bandits"),
    Row("papers", "distribution_learning", "DL", "05_distribution_learning",
        "Distribution learning with local privacy"),
    Row("studies", "synopsis", "SY", "06_synopsis", "Synopsis: which algorithm should I use?"),
    Row("studies", "price_of_privacy", "MM", "07_price_of_privacy", "The exact price of privacy"),
    Row("studies", "audit_bench", "AU", "08_audit_bench", "Is it really private?"),
)  # fmt: skip

PAPERS = {row.name: row.notebook for row in CONTENTS}
"""Papers and studies, each with the name of its notebook."""
PREFIXES = {row.prefix: row.name for row in CONTENTS}
HOMES = {row.name: f"replicate.{row.floor}.{row.name}" for row in CONTENTS}
"""Each with its package."""


@dataclass(frozen=True, kw_only=True)
class Text:
    """The text of a paper that was read: places refer to it.

    Attributes
    ----------
    authors, year, title
        As printed.
    version
        Where it appeared, or the number of its preprint.
    sha256
        Of the text as converted for reading: another version of the paper has another one.
    later
        Which later versions were not read: what is wrong in print may be right there.
    """

    authors: str
    year: int
    title: str
    version: str
    sha256: str
    later: str = ""

    @property
    def short(self) -> str:
        """Authors and year, of more than three authors the first: ``"Wu & Wang 2025"``."""
        authors = self.authors if self.authors.count(",") < 2 else f"{self.authors.split(',')[0]} et al."
        return f"{authors} {self.year}"


TEXTS = {
    "prefix_softmax": Text(
        authors="Cesari & Colomboni",
        year=2026,
        title="Optimal Gap-Dependent Regret for Private Stochastic Decision-Theoretic Online Learning",
        version="arXiv 2605.29148, version 1",
        sha256="e09f2e0276e4ff82006c065ee2265dffc2735e507f4a42317f6c86e5c4d60dc0",
    ),
    "noisy_leader": Text(
        authors="Wu & Wang",
        year=2025,
        title="New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy",
        version="arXiv 2502.10997, version 1",
        later="Version 2, published as Improved Regret in Stochastic Decision-Theoretic Online Learning under "
        "Differential Privacy (ALT 2026, PMLR 313:1-22), was not read.",
        sha256="fd304f4e5d7b62246531c83dda19f690add3fffe5700082c5ca038e3345b3e37",
    ),
    "tracking": Text(
        authors="Asi, Raman & Saha",
        year=2025,
        title="Tracking the Best Expert Privately",
        version="ICML 2025, PMLR 267, with appendices",
        sha256="09a2e372c0210db161713bd8707cdb9e90d25bec6cb551a5cc87b5565f03f22a",
    ),
    "bandits": Text(
        authors="Asi, Raman & Talwar",
        year=2025,
        title="Faster Rates for Private Adversarial Bandits",
        version="arXiv 2505.21790; ICML 2025, PMLR 267",
        sha256="6e9ce10f8ae10fa934734643be005fa82e4f052286db5989057fbfe253d4a471",
    ),
    "distribution_learning": Text(
        authors="Sima, Wu, Milenkovic & Szpankowski",
        year=2024,
        title="Online Distribution Learning with Local Privacy Constraints",
        version="AISTATS 2024, with supplement",
        sha256="d843b7872e32b6649cc0056d0fcb3b632507a68688a975c3719420e0a40cadd6",
    ),
}
"""The text of each paper."""


OWN = "own"
"""In the place of a paper: a claim of the reader's own, about a learner of the reader's own."""


def paper_of(name: str) -> str:
    """Return the paper of a claim or an erratum by its id, `OWN` for any other prefix."""
    return PREFIXES.get(name.partition("-")[0], OWN)


if __name__ == "__main__":
    print("\n".join(":".join(row[:4]) for row in CONTENTS))
