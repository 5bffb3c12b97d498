"""The bibliography: what claims of our own are held against, by key.

A claim's `known` says what was known before it, each entry a key and what that work has: ``"pour2024: ..."``.
"""

from __future__ import annotations

from collections.abc import Sequence

REFERENCES = {
    "hu2021v1": "Hu et al. 2021, version 1: Optimal Algorithms for Private Online Learning in a Stochastic "
    "Environment. arXiv 2102.07929, version 1",
    "hu2021": "Hu et al. 2021: Near-Optimal Algorithms for Differentially Private Online Learning in a "
    "Stochastic Environment. arXiv 2102.07929, the latest version; paper 2 cites an earlier title",
    "wu2025": "Wu and Wang 2025: New Rates in Stochastic Decision-Theoretic Online Learning under Differential "
    "Privacy. arXiv 2502.10997, version 1",
    "cesari2026": "Cesari and Colomboni 2026: Optimal Gap-Dependent Regret for Private Stochastic "
    "Decision-Theoretic Online Learning. arXiv 2605.29148, version 1",
    "sima2024": "Sima et al. 2024: Online Distribution Learning with Local Privacy Constraints. AISTATS 2024",
    "kiefer1960": "Kiefer and Wolfowitz 1960: The Equivalence of Two Extremum Problems. Canadian Journal of "
    "Mathematics 12",
    "lewis1978": "Lewis 1978: Finite Dimensional Subspaces of L_p. Studia Mathematica 63",
    "zaks2000": "Zaks 2000: Duality in ATM Layout Problems. LNCS 1767; its abstract was read, and those of works "
    "it names",
    "gopi2020": "Gopi et al. 2020: Locally Private Hypothesis Selection. COLT 2020, arXiv 2002.09465",
    "pour2024": "Pour, Ashtiani and Asoodeh 2024: Sample-Optimal Locally Private Hypothesis Selection and the "
    "Provable Benefits of Interactivity. COLT 2024, PMLR 247:4240-4275, arXiv 2312.05645",
    "edmonds2020": "Edmonds, Nikolov and Ullman 2020: The Power of Factorization Mechanisms in Local and Central "
    "Differential Privacy. STOC 2020",
    "duchi2013": "Duchi, Jordan and Wainwright 2013: Local Privacy and Statistical Minimax Rates. FOCS 2013",
    "ullman2018": "Ullman 2018: Tight Lower Bounds for Locally Differentially Private Selection. arXiv 1802.02638",
    "asoodeh2022": "Asoodeh and Zhang 2022: Contraction of Locally Differentially Private Mechanisms. arXiv "
    "2210.13386",
    "asi2025": "Asi, Raman and Saha 2025: Tracking the Best Expert Privately. ICML 2025, PMLR 267",
    "talwar2025": "Asi, Raman and Talwar 2025: Faster Rates for Private Adversarial Bandits. ICML 2025, PMLR 267",
    "chrobak2006": "Chrobak, Kenyon, Noga and Young 2006: Oblivious Medians via Online Bidding. LATIN 2006, LNCS "
    "3887",
    "herbster1998": "Herbster and Warmuth 1998: Tracking the Best Expert. Machine Learning 32",
    "koolen2008": "Koolen and de Rooij 2008: Combining Expert Advice Efficiently. COLT 2008",
    "gyorgy2012": "György, Linder and Lugosi 2012: Efficient Tracking of Large Classes of Experts. IEEE "
    "Transactions on Information Theory 58",
    "hazan2009": "Hazan and Seshadhri 2009: Efficient Learning Algorithms for Changing Environments. ICML 2009",
    "dwork2014": "Dwork and Roth 2014: The Algorithmic Foundations of Differential Privacy. Foundations and "
    "Trends in Theoretical Computer Science 9",
    "balle2018": "Balle and Wang 2018: Improving the Gaussian Mechanism for Differential Privacy. ICML 2018",
    "andersson2023": "Andersson and Pagh 2023: A Smooth Binary Mechanism for Efficient Private Continual "
    "Observation. NeurIPS 2023",
    "andersson2025": "Andersson, Pagh, Steiner and Torkamani 2025: Count on Your Elders: Laplace vs Gaussian "
    "Noise. FORC 2025",
    "warner1965": "Warner 1965: Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias. "
    "Journal of the American Statistical Association 60",
    "sajed2019": "Sajed and Sheffet 2019: An Optimal Private Stochastic-MAB Algorithm Based on Optimal Private "
    "Stopping Rule. ICML 2019",
    "azize2022": "Azize and Basu 2022: When Privacy Meets Partial Information: A Refined Analysis of "
    "Differentially Private Bandits. NeurIPS 2022",
    "derooij2014": "de Rooij, van Erven, Grünwald and Koolen 2014: Follow the Leader If You Can, Hedge If You "
    "Must. Journal of Machine Learning Research 15",
    "zimmert2021": "Zimmert and Seldin 2021: Tsallis-INF: An Optimal Algorithm for Stochastic and Adversarial "
    "Bandits. Journal of Machine Learning Research 22",
}  # fmt: skip
"""Works by key: how each is cited, its title, and where it appeared."""


def key(entry: str) -> str:
    """Return the key of an entry of `known`.

    Raises
    ------
    ValueError
        If it is none of the bibliography's, or says nothing.
    """
    name, _, what = entry.partition(": ")
    if name not in REFERENCES or not what:
        raise ValueError(f"known must hold texts like 'pour2024: what it has', got {entry!r:.200}")
    return name


def in_words(known: Sequence[str], new: str) -> str:
    """Return what was known and what is new in two sentences; nothing where neither is said.

    Examples
    --------
    >>> in_words(("ullman2018: a bound for selection",), "one for classes")
    'Known before: a bound for selection (Ullman 2018). New: one for classes.'
    """
    if not (known or new):
        return ""
    before = "; ".join(
        f"{entry.partition(': ')[2]} ({REFERENCES[key(entry)].partition(': ')[0]})" for entry in known
    )
    return f"Known before: {before or 'nothing that we found'}. New: {new}."
