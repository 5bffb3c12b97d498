"""Claims on one randomised bit a label: what Remark 1 conjectures, proved; and where pairs of hypotheses fail."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.papers.distribution_learning.checks import lemmas, privacy, regret

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="DL-TEST", source="this workbook", kind="lemma", constants="derived", verdict="our finding",
        grade="certified",
        statement=r"For every class of laws whose differences span $n\le K-1$ dimensions there are tests $\varphi_k$ of the label, with values $\pm1$, such that $\|u\|_1^2\le2n\cdot\frac1N\sum_k\langle\varphi_k,u\rangle^2$ for every $u$ in the span; no tests have a factor below $n$ in the place of $2n$.",
        check=lemmas.price, stated={"limit": 2.0, "tests": "signs"}, control={"tests": "pairs"},
        control_name=r"the tests $\{f_i>f_j\}$ of all pairs",
        remark=r"Proved in `algorithms.bits`: signs of Gaussian combinations, in the position of Lewis, by Sheppard's formula; the lower limit is a trace. Checked for each class by a certificate, a largest eigenvalue, and from below by ascent.",
    ),
    Claim(
        id="DL-R1c", source="Remark 1", kind="regret upper", constants="derived", verdict="our finding",
        section="6", grade="certified", proof_uses=("DL-TEST",), stands_by=("DL-BITp",),
        statement=r"The rate that Remark 1 asks for is attained: with the number of a random test of each label, its value as one randomised bit, and Bayes' rule, the averaged total variation is at most $\frac1{\tanh(\varepsilon/2)}\sqrt{(K-1)\log K/T}$, on every class, for any number of labels and contexts in any order.",
        check=regret.bits_bound, stated={"quantity": "tv", "constant": 1.0, "weights": "learned"},
        control={"weights": "uniform"}, control_name="the uniform mixture", knob="constant",
        remark=r"Proved in `bounds.bits_tv`, in four steps: predictions of messages have divergences of sum $\log K$; a bit's divergence is at least twice the squared difference of its means; $f-\hat p$ lies in the span; Cauchy and Schwarz. Private coins, no interaction, pure privacy: the paper's setting; no logarithm of $T$, and no need to know $T$. For $\varepsilon\le1$ it is at most $2.17\sqrt{K\log K/T}/\varepsilon$; for larger $\varepsilon$, where Theorem 2 stops as well, one bit no longer gains like $1/\varepsilon$. Measured on classes that get harder with $T$.",
    ),
    Claim(
        id="DL-R1x", source="Remark 1", kind="regret upper", constants="derived", verdict="our finding",
        section="6", grade="exact", proof_uses=("DL-TEST",), stands_by=("DL-R1c",),
        statement=r"The inequality behind it, $\sum_t\mathbb E\,|f-\hat p_t|_{TV}^2\le\kappa\log K/(2\tanh^2(\varepsilon/2))$, $\kappa$ the price of the tests, without sampling: two coins, $\kappa=1$, every gap.",
        check=regret.exact_bits, stated={"constant": 1.0, "weights": "learned"}, control={"weights": "uniform"},
        control_name="the uniform mixture", knob="constant",
        remark="A second route: sums over the binomial law of the bits, no code shared with the simulation.",
    ),
    Claim(
        id="DL-R1k", source="Theorem 2", kind="regret upper", constants="derived", verdict="our finding",
        section="1.1", grade="certified", proof_uses=("DL-R1c",), stands_by=("DL-BITp",),
        statement=r"The same scheme has risk at most $\frac1{\tanh(\varepsilon/2)}\sqrt{(K-1)T\log K}\,\sqrt{(2+\log K)^2+1}$: Theorem 2 without logarithms of $T$.",
        check=regret.bits_bound, stated={"quantity": "risk", "constant": 1.0, "weights": "learned"},
        control={"weights": "uniform"}, control_name="the uniform mixture", knob="constant",
        remark=r"Proved in `bounds.bits_risk`. At $K=4$, $\varepsilon=1$ it is informative from $T\approx10^2$ on, where Theorem 5 takes $10^8$. Only classes count on which the uniform mixture breaks the bound.",
    ),
    Claim(
        id="DL-R1l", source="Remark 1", kind="regret lower", constants="derived", verdict="our finding",
        section="6", grade="certified", proof_uses=("DL-LB",), stands_by=("DL-LB",),
        statement=r"And no scheme does better by more than a factor of order $\sqrt{\log K}$: on a class of $2K$ laws the averaged total variation of every $\varepsilon$-LDP scheme is at least $\frac3{32}\sqrt{2K/(TV)}$ in the mean over the class, $V=\frac45(e^{\varepsilon/2}-1)^2$, $T\ge9K/(8V)$.",
        check=regret.distance_lower, stated={"constant": 1.0, "learners": ("randomized_response", "sign_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"Proved in `bounds.tv_lower_bound`. For $\varepsilon\le1$ and classes of $K$ laws the two bounds are about $0.2\sqrt{K/T}/\varepsilon$ and $2\sqrt{K\log K/T}/\varepsilon$.",
    ),
    Claim(
        id="DL-R1p", source="Remark 1, comparison-based arguments", kind="regret lower", constants="derived",
        verdict="our finding", section="6", grade="certified", stands_by=("DL-R1c",),
        statement=r"Comparing random pairs of hypotheses is not enough: on 32 pairs of coins, each pair on labels of its own, one bit of a random set $\{f_i>f_j\}$ has an averaged total variation at least 20 times that of DL-R1c, at $\varepsilon=1$, $T=10^6$.",
        check=regret.pairs_fail, stated={"factor": 20.0, "learner": "pair_bits"}, control={"learner": "sign_bits"},
        control_name="signs of random combinations", knob="factor",
        remark=r"Only the pair itself cuts its block: one message in $K(K-1)/2$ says anything, and the rate is $K/(\varepsilon\sqrt T)$. Without interaction; interactive tournaments choose their pairs. On Dirichlet classes random pairs do as well as random signs.",
    ),
    Claim(
        id="DL-BITp", source="this workbook", kind="privacy", constants="derived", verdict="our finding",
        grade="exact",
        statement=r"The messages of one randomised bit, and of randomised response on merged labels, have an exact privacy loss of at most $\varepsilon$ about each label.",
        check=privacy.bits_loss, stated={"level": 1.0}, control={"level": 1.02}, control_name="bits for 1.02 ε",
        remark=r"The test is drawn without looking at the label; the bit is right with probability $e^\varepsilon/(1+e^\varepsilon)$. The worst over all pairs of labels, from the law of the message given each label.",
    ),
    Claim(
        id="DL-MERGE", source="this workbook", kind="lemma", constants="derived", verdict="our finding",
        grade="exact",
        statement=r"Labels whose probabilities are proportional, by one factor for all hypotheses, can be merged without loss: every $\varepsilon$-private channel on labels has an $\varepsilon$-private one on classes with the same laws of messages.",
        check=lemmas.merging, stated={"classes": "proportional"}, control={"classes": "neighbours"},
        control_name="other labels merged",
        remark="Proved in `algorithms.bayes`. So randomised response need not count copies: DL-M's growth in M is that of a user who does not look at the hypotheses.",
    ),
)
