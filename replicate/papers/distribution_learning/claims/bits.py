"""Claims on one randomised bit per label: what Remark 1 asks for, proved; and where pairs of hypotheses fail."""

from __future__ import annotations

import math

from replicate.claims import Claim, Sharper
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.distribution_learning.checks import lemmas, privacy, regret

_K = for_all("n_hypotheses", 2, tried=[3, 2**20])
_EPSILON = for_all("epsilon", 0, tried=[1e-3, 50], inside=[1])
_TO_ONE = for_all("epsilon", 0, 1, tried=[1e-3])
_FROM_ONE = for_all("horizon", 1, tried=[2**59], inside=[2])
_CLASSES = named("classes", "all of that size, with contexts in any order")


def _resolved(n_hypotheses: int, epsilon: float) -> float:
    """Least horizon at which the gap of DL-FANO is at most 1."""
    rho = 2 / 3 * (1 - math.log(2) / math.log(n_hypotheses))
    return (1 + 1e-12) * rho * n_hypotheses * math.log(n_hypotheses) / math.sinh(epsilon / 2) ** 2


def _resolved_with_interaction(n_hypotheses: int, epsilon: float) -> float:
    """Least horizon at which the gap of DL-INTA is at most 1/2."""
    r = 1 - 1 / n_hypotheses
    return (1 + 1e-12) * 90 / 16 * r**2 * n_hypotheses / math.sinh(epsilon / 2) ** 2

def _shared(n_hypotheses: int, epsilon: float) -> float:
    """Least horizon at which one of the two masses of DL-INTAk is at most 1/(1 + e^epsilon)."""
    r, e = 1 - 1 / n_hypotheses, math.exp(epsilon)
    sharp = 90 / 64 * r**2 * n_hypotheses * e * (1 + e) / math.expm1(epsilon / 2) ** 2
    crude = 90 / 16 * r**2 * n_hypotheses * (1 + e) ** 2 / math.expm1(epsilon) ** 2
    return (1 + 1e-9) * min(sharp, crude)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="DL-TEST", source="this workbook", kind="lemma", constants="derived", verdict="our finding",
        known=("kiefer1960: the least price of a distribution of tests is n", "lewis1978: the weights"), new="none",
        scope=(for_all("n_hypotheses", 2, tried=[3, 16]), for_all("n_labels", 2, tried=[64]), _CLASSES), at=lemmas.price_at,
        grade="certified",
        statement=r"For every class of distributions whose differences span $n\le K-1$ dimensions there are tests $\varphi_k$ of the label, with values $\pm1$, such that $\|u\|_1^2\le2n\cdot\frac1N\sum_k\langle\varphi_k,u\rangle^2$ for every $u$ in the span; no tests have a factor below $n$ in place of $2n$. ($N$ is the number of tests.)",
        check=lemmas.price, stated={"limit": 2.0, "tests": "signs"}, control={"tests": "pairs"},
        control_name=r"the tests $\{f_i>f_j\}$ of all pairs",
        remark=r"The proof in `algorithms.bits` takes signs of Gaussian combinations in the position of Lewis and uses Sheppard's formula; the lower limit is a trace. A certificate, a largest eigenvalue, checks each class; an ascent checks it from below.",
    ),
    Claim(
        id="DL-R1c", source="Remark 1", kind="regret upper", constants="derived", verdict="our finding",
        known=("gopi2020: for batches Õ(K/(ε²α²)) labels, without interaction where one distribution of the class is to be named", "sima2024: T^(−1/4), and the question",), new="the bound online, on every class, with pure privacy and without interaction or logarithms of T",
        scope=(_K, _EPSILON, _FROM_ONE, _CLASSES), at=regret.bits_tv_at,
        section="6", grade="certified", proof_uses=("DL-TEST",), stands_by=("DL-BITp",),
        statement=r"The rate that Remark 1 asks for is attained. Each user draws a random test and sends its value on the label as one randomised bit, and the learner uses Bayes' rule; then the averaged total variation is at most $\frac1{\tanh(\varepsilon/2)}\sqrt{(K-1)\log K/T}$, on every class, for any number of labels and contexts in any order.",
        sharpens=(Sharper(claim="DL-T6", constant="√((K − 1) log K/T)/tanh(ε/2), by another scheme"),),
        check=regret.bits_bound, stated={"quantity": "tv", "constant": 1.0, "uniform": 0.0},
        control={"uniform": 0.0149}, knob="constant",
        remark=r"This is theorem “one-bit” of reports/theorems.md. The scheme has private coins, no interaction and pure privacy, which is the paper's setting; the bound has no logarithm of $T$, and the scheme need not know $T$. For $\varepsilon\le1$ it is at most $2.17\sqrt{K\log K/T}/\varepsilon$; for larger $\varepsilon$, where Theorem 2 stops as well, one bit no longer gains like $1/\varepsilon$. The measurements are on classes that get harder with $T$.",
    ),
    Claim(
        id="DL-TAc", source="Section 6, online to batch", kind="regret upper", constants="derived",
        scope=(for_all("n_hypotheses", 2, tried=[3, 1024]), for_all("epsilon", 0, tried=[0.01, 50], inside=[1]), for_all("alpha", 0, 1, tried=[1e-2]), _CLASSES), at=regret.few_samples_at,
        known=("gopi2020: Õ(K/(ε²α²)) labels without interaction where one distribution of the class is to be named", "pour2024: the lower bound K log K/(α² min{ε², 1}) without interaction is quoted"), new="the explicit number, without interaction, for an averaged prediction",
        verdict="our finding", section="6", grade="exact", proof_uses=("DL-R1c",), stands_by=("DL-BITp",),
        statement=r"So $T_\alpha=(K-1)\log K/(\alpha^2\tanh^2(\varepsilon/2))$ labels are enough for an averaged prediction within total variation $\alpha$ of the true distribution, in the mean, on every class and without interaction. Section 6 has $\tilde O(K/(\varepsilon^2\alpha^4))$.",
        check=regret.few_samples, stated={"share": 1.0}, control={"share": 0.02},
        control_name="a fiftieth of the labels",
        remark=r"This is theorem “one-bit”. It is optimal up to a constant among schemes without interaction for $\varepsilon\le1$, by the lower bound $K\log K/(\alpha^2\min\{\varepsilon^2,1\})$ that Pour, Ashtiani and Asoodeh (COLT 2024) quote; with interaction they have the rate without $\log K$.",
    ),
    Claim(
        id="DL-R1x", source="Remark 1", kind="regret upper", constants="derived", verdict="our finding",
        new="the exact sum",
        scope=(_EPSILON, for_all("gap", 0, 0.5, tried=[1e-3], inside=[0.1]), for_all("horizon", 1, tried=[300], inside=[2])), at=regret.coins_at,
        section="6", grade="exact", proof_uses=("DL-TEST",), stands_by=("DL-R1c",),
        statement=r"The inequality behind DL-R1c is $\sum_t\mathbb E\,|f-\hat p_t|_{TV}^2\le\kappa\log K/(2\tanh^2(\varepsilon/2))$, where $\kappa$ is the factor of the tests. On two coins, where $\kappa=1$, it holds at every gap, computed without sampling.",
        check=regret.exact_bits, stated={"constant": 1.0, "uniform": 0.0}, control={"uniform": 0.00079}, knob="constant",
        remark="This is a second route: it sums over the binomial distribution of the bits and shares no code with the simulation.",
    ),
    Claim(
        id="DL-R1k", source="Theorem 2", kind="regret upper", constants="derived", verdict="our finding",
        known=("sima2024: the rate with logarithms of T",), new="the bound without them",
        scope=(_K, _EPSILON, _FROM_ONE, _CLASSES), at=regret.bits_risk_at,
        section="1.1", grade="certified", proof_uses=("DL-R1c",), stands_by=("DL-BITp",),
        statement=r"The scheme of DL-R1c has risk at most $\frac1{\tanh(\varepsilon/2)}\sqrt{(K-1)T\log K}\,\sqrt{(2+\log K)^2+1}$: this is Theorem 2 without logarithms of $T$.",
        sharpens=(Sharper(claim="DL-T5", constant="no log T, by another scheme"),),
        check=regret.bits_bound, stated={"quantity": "risk", "constant": 1.0, "uniform": 0.0},
        control={"uniform": 0.0395}, knob="constant",
        remark=r"The proof is in `bounds.bits_risk`. At $K=4$, $\varepsilon=1$ the bound is informative from $T\approx10^2$ on, where Theorem 5 takes $10^8$. Only classes count on which the uniform mixture breaks the bound.",
    ),
    Claim(
        id="DL-R1l", source="Remark 1", kind="regret lower", constants="derived", verdict="our finding",
        known=("gopi2020: for batches the lower bound K/(ε²α²) with interaction", "edmonds2020: Parseval's identity for such classes",), new="the constant, online, for schemes that change with time",
        scope=(for_all("n_pairs", 1, tried=[3, 2**20]), _TO_ONE, for_all("horizon", Border(r"9K/(8V)", lambda n_pairs, epsilon: 9 * n_pairs / (8 * 0.8 * math.expm1(epsilon / 2) ** 2)), tried=[2**59])), at=regret.distance_lower_at,
        section="6", grade="illustrated", proof_uses=("DL-LB",), stands_by=("DL-LB",),
        statement=r"For $\varepsilon\le1$ no scheme without interaction does better by more than a factor of order $\sqrt{\log K}$: on a class of $2K$ distributions the averaged total variation of every such $\varepsilon$-LDP scheme is at least $\frac3{32}\sqrt{2K/(TV)}$ in the mean over the class, for $T\ge9K/(8V)$, where $V=\frac45(e^{\varepsilon/2}-1)^2$.",
        check=regret.distance_lower, stated={"constant": 1.0, "learners": ("randomized_response", "sign_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"This is theorem “pairs”; the lower bound itself holds for every $\varepsilon$, but for large ones DL-R1c has $\tanh(\varepsilon/2)$ where it has $e^{\varepsilon/2}$, and nothing follows. For $\varepsilon\le1$ and classes of $K$ distributions the two bounds are about $0.2\sqrt{K/T}/\varepsilon$ and $2\sqrt{K\log K/T}/\varepsilon$.",
    ),
    Claim(
        id="DL-FANOi", source="Remark 1", kind="lemma", constants="derived", verdict="our finding",
        known=("duchi2013: Fano's and Le Cam's methods behind private channels", "edmonds2020: Parseval's identity for such classes", "asoodeh2022: contraction of divergences behind private channels",), new="the constant of this class for every ε, attained",
        scope=(for_all("n_hypotheses", 3, tried=[7]), for_all("epsilon", 0, tried=[1e-2, 20], inside=[1]), for_all("gap", 0, 1, tried=[0.01], letter="a")), at=lemmas.signed_information_at,
        section="6", grade="certified",
        statement=r"Let the distributions be $(1+aH_j)/N$, where $H_1,\dots,H_K$ are the rows, except the constant one, of a Hadamard matrix of $N=K+1$ columns. A message of any $\varepsilon$-private channel has at most $\frac{a^2}K\sinh^2(\varepsilon/2)$ nats of information on a uniform $j$. This is a bound on chi squares, which subset selection attains if the subset has a share of $1/(1+e^\varepsilon)$. With mass $b$ on these labels, mass $1-b$ on a common one, and $a=1$, the information is at most $\frac{b^2}K\min\{\frac{(e^{\varepsilon/2}-1)^2}{1-b},\frac{(e^\varepsilon-1)^2}4\}$. The mean divergence of the uniform distribution to distribution $j$, after the channel, is at most $\frac45$ of the chi square if $a\le\frac12$ or $b\le1/(1+e^\varepsilon)$.",
        check=lemmas.signed_information, stated={"constant": 1.0}, control={"constant": 0.98}, knob="constant",
        remark=r"These are steps (i) of theorems “no-interaction” and “interaction”.",
    ),
    Claim(
        id="DL-FANO", source="Remark 1", kind="regret lower", constants="derived", verdict="our finding",
        known=("pour2024: for batches a lower bound K log K/(α² min{ε², 1}) without interaction is quoted, which gives this rate by the step from online to batch", "duchi2013: Fano's and Le Cam's methods behind private channels", "ullman2018: K log K for selection without interaction",), new="the explicit constant, online",
        scope=(for_all("n_hypotheses", 3, tried=[7, 2**20 - 1]), _TO_ONE, for_all("horizon", Border(r"\rho K\log K/\sinh^2(\varepsilon/2)", _resolved), tried=[2**59])), at=regret.fano_at,
        section="6", grade="illustrated", proof_uses=("DL-FANOi",), stands_by=("DL-FANOi",),
        statement=r"Without interaction and for $\varepsilon\le1$ DL-R1c has the best rate, with its $\sqrt{\log K}$: on the distributions of DL-FANOi, $K=2^m-1$, with gap $a=\sqrt{\rho K\log K/T}/\sinh(\varepsilon/2)\le1$, the averaged total variation of every non-interactive $\varepsilon$-LDP scheme is at least $\frac14\rho^{3/2}\sqrt{K\log K/T}/\sinh(\varepsilon/2)$ in the mean over the class, $\rho=\frac23(1-\log2/\log K)$.",
        check=regret.hadamard_lower,
        stated={"quantity": "tv", "interaction": False, "constant": 1.0, "learners": ("randomized_response", "sign_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"This is theorem “no-interaction”. As a bound for batches the rate was known (Pour, Ashtiani and Asoodeh, COLT 2024). DL-R1c is $4\rho^{-3/2}\cosh(\varepsilon/2)\sqrt{1-1/K}$ times as much: 12.5 for $K=15$, $\varepsilon=1$, and at most $7.35\cosh(\varepsilon/2)$ in the limit of large $K$.",
    ),
    Claim(
        id="DL-FANOk", source="Theorem 3", kind="regret lower", constants="derived", verdict="our finding",
        scope=(for_all("n_hypotheses", 3, tried=[7, 2**20 - 1]), _EPSILON, for_all("horizon", 1, tried=[2**59], inside=[2])), at=regret.fano_risk_at,
        known=("pour2024: for batches a lower bound K log K/(α² min{ε², 1}) without interaction is quoted, which gives this rate by the step from online to batch",), new="the risk, with an explicit constant",
        section="1.1", grade="illustrated", proof_uses=("DL-FANOi",), stands_by=("DL-FANO",),
        statement=r"The risk of a non-interactive $\varepsilon$-LDP scheme is not $O(\sqrt{KT}/\varepsilon)$ on every class: on the distributions of DL-FANOi with a common label, for every $T$ and $\varepsilon$, it is at least $\frac\rho4bT$ in the mean over the class, with $b=\sqrt{\rho K\log K(1-b)/T}/(e^{\varepsilon/2}-1)$: at least $\frac14\rho^{3/2}\sqrt{KT\log K(1-b)}/(e^{\varepsilon/2}-1)$.",
        check=regret.hadamard_lower,
        stated={"quantity": "risk", "interaction": False, "constant": 1.0, "learners": ("randomized_response", "sign_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"This is theorem “no-interaction”: the bound is $\sqrt{\log K}$ times the form of Theorem 3. Between it and DL-R1k a factor of order $\log K$ is left for $\varepsilon\le1$. If $b=2\sqrt{\rho K\log K/T}/(e^\varepsilon-1)$ is larger and at most 1, it may replace the $b$ above.",
    ),
    Claim(
        id="DL-INTA", source="Remark 1", kind="regret lower", constants="derived", verdict="our finding",
        known=("gopi2020: for batches the lower bound K/(ε²α²) with interaction",), new="the explicit constant, online",
        scope=(for_all("n_hypotheses", 3, tried=[7, 2**20 - 1]), _TO_ONE, for_all("horizon", Border(r"\frac{90r^2}{16}K/\sinh^2(\varepsilon/2)", _resolved_with_interaction), tried=[2**59])), at=regret.interactive_at,
        section="6", grade="illustrated", proof_uses=("DL-FANOi",), stands_by=("DL-FANOi",),
        statement=r"For $\varepsilon\le1$ interaction can save no more than the $\sqrt{\log K}$ of DL-FANO and a constant: if channels may depend on earlier messages, the averaged total variation is at least $\frac{3r^2}{64}\sqrt{10K/T}/\sinh(\varepsilon/2)$ in the mean over the distributions of DL-FANOi with $a=\frac{3r}8\sqrt{10K/T}/\sinh(\varepsilon/2)\le\frac12$, $r=1-1/K$.",
        check=regret.hadamard_lower,
        stated={"quantity": "tv", "interaction": True, "constant": 1.0, "learners": ("randomized_response", "sign_bits", "greedy_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"This is theorem “interaction”. As a bound for batches the rate was known (Gopi et al., COLT 2020). From $K=7$ on it is larger than DL-R1l. The check is exact for a scheme that asks each user for the bit that it knows least.",
    ),
    Claim(
        id="DL-INTAk", source="Theorem 3", kind="regret lower", constants="derived", verdict="our finding",
        scope=(for_all("n_hypotheses", 3, tried=[7, 2**20 - 1]), _EPSILON, for_all("horizon", Border("T_0", _shared), tried=[2**59])), at=regret.interactive_risk_at,
        known=("gopi2020: for batches the lower bound K/(ε²α²) with interaction", "sima2024: Theorem 3, without interaction",), new="the risk with interaction, with an explicit constant",
        section="1.1", grade="illustrated", proof_uses=("DL-FANOi",), stands_by=("DL-INTA",),
        statement=r"The rate of Theorem 3 also holds for schemes that look at earlier messages: their risk is at least $\frac r8bT$ in the mean over the distributions of DL-FANOi with a common label, with $b=\frac{3r}8\sqrt{10K(1-b)/T}/(e^{\varepsilon/2}-1)\le1/(1+e^\varepsilon)$, $r=1-1/K$, or the larger $b=\frac{3r}4\sqrt{10K/T}/(e^\varepsilon-1)$ under the same limit.",
        check=regret.hadamard_lower,
        stated={"quantity": "risk", "interaction": True, "constant": 1.0, "learners": ("randomized_response", "sign_bits", "greedy_bits")},
        control={"learners": ("non_private",)}, control_name="the non-private mixture", knob="constant",
        remark=r"This is theorem “interaction”. It needs $T\ge\frac{90r^2}{64}Ke^\varepsilon(1+e^\varepsilon)/(e^{\varepsilon/2}-1)^2$ for the first $b$ ($T/K=1205,32.7,28.6,242$ at $\varepsilon=0.1,1,2,5$, $K=63$), $\frac{90r^2}{16}K(1+e^\varepsilon)^2/(e^\varepsilon-1)^2$ for the second. The paper's schemes and its Theorem 3 are without interaction.",
    ),
    Claim(
        id="DL-INTM", source="Remark 1", kind="lemma", constants="derived", verdict="our finding",
        known=("pour2024: accuracy of order √(K/n)/ε from n users with probability 2/3, with interaction",),
        new="the step to the mean, and what it says of predictions in every round",
        scope=(named("methods", "any, by the proof"), measured("sizes", "accuracies 0.01 and 0.005, wrong answers 0.5 and 1 away")),
        section="6", grade="certified", stands_by=("DL-INTA",),
        statement=r"A method that has accuracy $a_n=C\sqrt{K/n}/\varepsilon$ from any number $n$ of users with probability $\frac23$ gives one from $51n$ users whose mean error is at most $22a_n$. With that of Pour, Ashtiani and Asoodeh, which we have not proved, interaction saves the $\sqrt{\log K}$ of averaged distances, for one context and $\varepsilon\le1$.",
        check=lemmas.mean_of_batches, stated={"copies": "many"}, control={"copies": "one"},
        control_name="one copy at each level",
        remark=r"This is theorem “interaction”, (c): copies run on disjoint users at accuracies $a_n2^{j/2}$, and Lepski's method chooses among them.",
    ),
    Claim(
        id="DL-R1p", source="Remark 1, comparison-based arguments", kind="regret lower", constants="derived",
        known=("gopi2020: for batches Õ(K/(ε²α²)) labels, without interaction where one distribution of the class is to be named",), new="the measurement, on one class at one gap; comparisons that are chosen do better",
        scope=(measured("n_pairs", 32, letter="K/2"), measured("epsilon", 1.0), measured("horizon", 10**6), measured("gap", 0.06)),
        verdict="our finding", section="6", grade="certified", stands_by=("DL-R1c",),
        statement=r"Comparing random pairs of hypotheses is not enough: on 32 pairs of coins of probabilities $1/2\pm0.06$, each pair on two labels of its own, one bit of a random set $\{f_i>f_j\}$ has at least 20 times the averaged total variation of DL-R1c, at $\varepsilon=1$ and $T=10^6$.",
        proof="none",
        check=regret.pairs_fail, stated={"factor": 20.0, "learner": "pair_bits"}, control={"learner": "sign_bits"},
        control_name="signs of random combinations", knob="factor",
        remark=r"Only the pair itself cuts its block, so one message in $K(K-1)/2$ says anything, and the rate is $K/(\varepsilon\sqrt T)$. This is without interaction; interactive tournaments choose their pairs. On Dirichlet classes random pairs do as well as random signs.",
    ),
    Claim(
        id="DL-BITp", source="this workbook", kind="privacy", constants="derived", verdict="our finding",
        new="the exact computation; randomised response is classical",
        scope=(for_all("n_hypotheses", 2, tried=[3, 16]), for_all("epsilon", 0, tried=[0.01, 20], inside=[1]), _CLASSES), at=privacy.bits_loss_at,
        grade="exact",
        statement=r"The messages of one randomised bit, and of randomised response on merged labels, have an exact privacy loss of at most $\varepsilon$ about each label.",
        proof="by hand, ours",
        check=privacy.bits_loss, stated={"level": 1.0}, control={"level": 1.02}, control_name="bits for 1.02 ε",
        remark=r"The test is drawn without looking at the label; the bit is right with probability $e^\varepsilon/(1+e^\varepsilon)$. The check takes the worst over all pairs of labels, from the distribution of the message given each label.",
    ),
)
