"""Claims on noise, second-order inequalities and the lower bound."""

from __future__ import annotations

import math

from replicate.claims import Claim
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.bandits.checks import corners, lemmas, proofs
from replicate.papers.bandits.checks.regret import barriers
from replicate.papers.bandits.claims.shared import CORRECTED, FALSE, LESS_NOISE, OURS, PROVED, UNPROVED

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="BA-L18", source="Lemma 18", kind="lemma",
        section="B",
        statement=r"The hazard rate of Laplace$(\lambda)$ is non-decreasing and at most $1/\lambda$.",
        check=proofs.hazard, stated={"noise": "Laplace"}, control={"noise": "Gaussian"}, grade="proved",
        control_name="Gaussian noise",
        scope=(named("noise_scale", r"every $\lambda>0$: it is a unit only"),),
    ),
    Claim(
        id="BA-L19", source="Lemma 19", kind="lemma",
        section="B",
        statement=r"Noisy losses are truncated non-negative: $E[(\ell+Z)1\{\lvert\ell+Z\rvert>M\}]\ge0$ for $\ell\in[0,1]$.",
        check=proofs.truncated_mean, stated={"lowest": 0.0}, control={"lowest": -0.001}, grade="proved",
        control_name="losses from -0.001",
        scope=(for_all("loss", 0, 1, closed=True, letter=r"\ell"), for_all("cut", 0, tried=[0.5, 6], closed=True, letter="M"), for_all("noise_scale", 0, tried=[0.01, 1, 30], letter=r"\lambda"),),
        at=corners.truncated_mean,
    ),
    Claim(
        id="BA-L20", source="Lemma 20", kind="lemma",
        section="B",
        statement=r"$P(\exists t:\lVert Z_t\rVert_\infty^2\ge10\lambda^2\log^2(NT))\le1/T$ for $N$-vectors of Laplace noise.",
        check=proofs.lemma_20, stated={"factor": 10.0}, control={"factor": 3.9}, knob="factor", grade="proved",
        control_name="3.9 in place of 10",
        scope=(for_all("n_experts", 1, tried=[10**6]), for_all("horizon", 2, tried=[1e12]),),
        at=corners.lemma_20,
    ),
    Claim(
        id="BA-L23", source="Lemma 23", kind="lemma", **CORRECTED,
        section="E.1", error="BA-SLIP-8", grade="grid", proof_uses=("BA-L26",),
        statement=r"EXP3's second-order inequality, for all real losses and every admissible $\eta$, with mixing cost $\gamma\sum_t(\frac1K\sum_i\ell_t(i)-\ell_t(i^\star))$.",
        check=lemmas.lemma_23, stated={"constant": 1.0, "largest_loss": 30.0, "mixing_cost": "exact"},
        control={"mixing_cost": "printed"}, control_name="the printed mixing cost", knob="constant",
        remark=r"The printed cost $2\gamma T$ holds for losses in $[-1,1]$ (BA-L23b) and fails beyond (BA-S23). Corollary 22 survives: its noise has mean 0, so the mixing cost averages to the bounded case.",
        scope=(named("losses", "any real"), named("tuning", r"every admissible $\eta$, by the proof"), measured("sizes", r"$K=2$, $T\le8$, losses to 30, $\gamma=0.02$, $0.2$, 1"),),
    ),
    Claim(
        id="BA-L23b", source="Lemma 23", kind="lemma",
        section="E.1", grade="grid",
        statement=r"EXP3's second-order inequality with mixing cost $2\gamma T$, for losses in $[-1,1]$ and every admissible $\eta$.",
        check=lemmas.lemma_23, stated={"constant": 1.0, "largest_loss": 1.0, "mixing_cost": "printed"},
        control={"largest_loss": 13.2}, control_name="losses up to 13.2", knob="constant",
        scope=(named("losses", "any in $[-1,1]$"), named("tuning", r"every admissible $\eta$, by the proof"), measured("sizes", r"$K=2$, $T\le8$, $\gamma=0.02$, $0.2$, 1"),),
    ),
    Claim(
        id="BA-L26", source="Lemma 26", kind="lemma",
        section="F",
        statement=r"Multiplicative weights: regret at most $\log N/\eta+\eta\sum_t\sum_jP_t(j)\ell_t(j)^2$ whenever $-\eta\ell_t(j)\le1$.",
        check=proofs.lemma_26, stated={"constant": 1.0, "eta_times_loss": 1.0}, control={"eta_times_loss": 1.85},
        control_name="-ηℓ up to 1.85, where the proof's inequality fails", knob="constant", grade="proved",
        scope=(named("losses", r"any with $-\eta\ell_t(j)\le1$, by the proof"), measured("sizes", r"$N=2$ to 1000, $T\le500$"),),
    ),
    Claim(
        id="BA-L11", source="Lemma 11", kind="regret lower", **PROVED,
        section="5.2", error="BA-SLIP-11", grade="illustrated", proof_uses=("BA-L17",), stands_by=("BA-L11r",),
        statement=r"An $\varepsilon$-DP algorithm that plays arm 2 at least $\gamma T$ times, and at most $p$ times in the $p/\gamma$ rounds after $\tau$, has regret at least $\max\{\gamma T/4,\ (1-e^{\varepsilon p}/2)\,p/(4\gamma)-\tau/2\}$.",
        check=barriers.lemma_11, stated={"constant": 1.0, "noise": "Laplace"}, control={"noise": "none"},
        control_name="a learner without noise, declared 0.00375-DP", knob="constant",
        remark=r"Tested on Algorithm 1 over a learner that settles and then rarely probes. True, by another step: the printed proof bounds a set of rounds that depends on the learner's bits by the worst fixed set; for pure DP this is repaired by applying group privacy to each prefix of actions, whose probability depends on at most $p$ losses of arm 2 (BA-L11r).",
        scope=(named("learners", r"every $\varepsilon$-DP one that satisfies (1) and (2)"), measured("runs", r"a probing learner at $\varepsilon=1$, $0.1$, $0.01$"),),
    ),
    Claim(
        id="BA-S52", source="Section 5.2", kind="regret lower", **FALSE,
        section="5.2", error="BA-SLIP-5", grade="certified",
        statement=r"Printed: EXP3 drops a bad arm to probability $O(\gamma)$ in $\log(1/\gamma)/\eta$ rounds.",
        check=barriers.late_plays, stated={"rate_over_mixing": 1000}, control={"rate_over_mixing": 10},
        control_name="γ = η / 10, where it is true",
        remark=r"With $\gamma\ll\eta$ the estimate of a rarely played arm stands still while the other's grows, so its probability climbs back to the order of $\eta$ until it is played again: after $10\log(1/\gamma)/\eta$ rounds it is still about 300 times $\gamma/2$ on average at $\gamma=\eta/1000$, after a hundred times as many still about 70 times. Survives for $\gamma$ of the order of $\eta$.",
        scope=(measured("runs", r"losses $\frac12$ and 1, $\eta=0.02$, $\gamma=\eta/1000$"),),
    ),
    Claim(
        id="BA-L11r", source="Lemma 11, proof", kind="privacy", **OURS,
        section="G.2", grade="exact",
        statement=r"Group privacy prefix by prefix: if arm 2 improves after $\tau$, an $\varepsilon$-DP bandit algorithm plays it more than $p$ times in a window with at most $e^{\varepsilon p}$ times the probability that it had.",
        proof="by hand, ours",
        check=barriers.prefixes, **LESS_NOISE,
        remark=r"Cut each sequence at play $p+1$: up to there it has seen $p$ losses of arm 2 in the window, so its probability is that of a table that differs in $p$ rounds. The prefixes exclude each other; add them. Attained.",
        known=("talwar2025: Lemma 11, by fixed sets of rounds",), new="group privacy prefix by prefix",
        scope=(named("learners", r"every $\varepsilon$-DP one"), measured("runs", r"$\varepsilon=0.5$, six rounds, more than 1, 2 or 3 plays after round 3 to 5"),),
    ),
    Claim(
        id="BA-L11s", source="Lemma 11", kind="lemma",
        section="5.2", grade="grid",
        statement=r"Lemma 11's maximum is at least $\sqrt{pT(1-e^{\varepsilon p}/2)/16}-\tau/2$, for $p<\ln2/\varepsilon$.",
        check=barriers.root_of_lemma_11, stated={"divisor": 16.0}, control={"divisor": 15.8},
        remark=r"The larger of two numbers is at least their geometric mean: equality at $\tau=0$, $\gamma=\sqrt{p(1-e^{\varepsilon p}/2)/T}$.",
        scope=(for_all("epsilon", 0, 1, tried=[1e-3]), for_all("exponent", 0, 0.6931, tried=[0.01, 0.3748], letter=r"\varepsilon p"), for_all("mixing", 0, 0.5, tried=[1e-6, Border(r"\sqrt{p(1-e^{\varepsilon p}/2)/T}", lambda exponent, **_: min(1e-3 * math.sqrt(exponent * (1 - math.exp(exponent) / 2)), 0.5))]), for_all("delay", 0, tried=[50], closed=True, letter=r"\tau"),),
        at=corners.root_of_lemma_11,
    ),
    Claim(
        id="BA-S52p", source="Section 5.2; Lemma 11, last sentence", kind="regret lower", **UNPROVED,
        section="5.2", error="BA-SLIP-15", grade="exact", proof_uses=("BA-L11", "BA-S52"), stands_by=("BA-R52",),
        statement=r"Printed: conditions (1) and (2) with $p=1/\varepsilon$ give regret $\Omega(\sqrt{T/\varepsilon})$ by Lemma 11, for batched EXP3 among others.",
        check=barriers.illegal_pulls, stated={"pulls_times_epsilon": 1.0}, control={"pulls_times_epsilon": 0.69},
        control_name="p = 0.69 / ε",
        remark=r"At $p=1/\varepsilon$ the factor $1-e^{\varepsilon p}/2$ is negative and Lemma 11 says $\gamma T/4$ only. With $p=0.3748/\varepsilon$, the best choice, it gives $0.0799\sqrt{T/\varepsilon}-\tau/2$.",
        scope=(named("epsilon", r"any: $p=1/\varepsilon$ gives the same factor"), measured("sizes", r"$\gamma=10^{-6}$, $\varepsilon=0.1$, $T=10^7$, $\tau=0$"),),
    ),
    Claim(
        id="BA-R52", source="Section 5.2", kind="regret lower", **OURS,
        section="5.2", grade="certified",
        statement=r"Section 5.2 without group privacy: a learner that sees losses at the end of batches of $\kappa$ rounds, plays arm 2 in $n$ rounds on average, and with probability $\frac12$ never in $W$ rounds after $\tau$, has regret at least $\max\{n/2,\,W/4-\tau/2\}$, private or not.",
        check=barriers.quiet_learner, stated={"constant": 1.0}, control={"constant": 1.68}, knob="constant",
        remark=r"With $n\ge\gamma T/2$ and $W=\kappa/(m\gamma)$, which Markov's inequality gives where arm 2 falls to $m\gamma/2$: at least $\frac14\sqrt{\kappa T/m}-\tau/2$. With Algorithm 1's batch $\kappa=1/\varepsilon$ that is $\sqrt{T/\varepsilon}$; a legal $p<\ln2/\varepsilon$ is less than a batch there. EXP3 as it stands drops no arm so fast (BA-S52).",
        known=("talwar2025: the argument by group privacy",), new="that batches are enough for it, without privacy",
        scope=(named("learners", "any that see losses at the end of batches, private or not"), measured("runs", r"a probing learner at $\varepsilon=1$, $0.1$, $0.01$"),),
    ),
    Claim(
        id="BA-G52", source="Section 5.2", kind="regret lower", constants="derived",
        section="5.2", grade="exact",
        statement=r"Batched EXP3 has regret of order $\gamma T+\kappa/\eta$ at least on losses $(\frac12,1)$: precisely $\frac{\gamma T}4+(1-\gamma)\frac\kappa\eta(\log2-E\log(1+e^D))$, $D$ the final log ratio of the weights.",
        check=barriers.potential, stated={"factor": 1.0}, control={"factor": 1.02}, knob="factor",
        remark=r"As an order: with constant 1 it would fail at $\gamma=1$, uniform play, whose regret is $T/4$. Independent noise of mean 0 on the losses changes nothing in the proof.",
        scope=(named("sizes of the proof", r"$0<\eta$, $0<\gamma\le1$, any $\kappa$ and $T$"), measured("sizes", r"12 decisions, $\eta=0.02$ to 1, $\gamma=0.01$ to $0.5$"),),
    ),
)
