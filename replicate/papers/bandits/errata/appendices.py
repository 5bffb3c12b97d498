"""Errata of the appendices, and of definitions."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.bandits.checks import errata as found
from replicate.papers.bandits.checks import lemmas, regret
from replicate.papers.bandits.errata.shared import erratum

ERRATA: tuple[Erratum, ...] = (
    erratum(
        id="BA-SLIP-6",
        source="Appendix D, after Definition 10",
        printed=r"Noisy losses have second moment at most $2+4\lambda^2$.",
        true=r"At most $1+2\lambda^2$.",
        effect="harmless",
        consequence=r"Corollary 2 is true; its constant 208 could be 147 with $\sigma=\sqrt3$.",
        correction=r"none for the theorem; BA-T21 runs $\sigma^2=1+2\lambda^2$.",
        cost=r"none: it saves a factor $\sqrt2$ of the bound",
        reading="as an upper bound it is true",
        example=(
            "scale = 1.0\ntrue_moment = 1 + 2 * scale**2  # E[(1 + Z)^2]\n2 + 4 * scale**2 == 2 * true_moment"
        ),
        routes=(
            Route(
                kind="symbolic", how="claimed over true second moment, in rationals",
                check=found.second_moment_exactly, stated={"factor": 2}, control={"factor": 1},
            ),
            Route(
                kind="sampled", how="claimed second moment over the upper limit of the sampled one",
                check=found.second_moment_sampled, stated={"factor": 2}, control={"factor": 1},
            ),
        ),
        claims=("BA-S6", "BA-T21"),
    ),
    erratum(
        id="BA-SLIP-7",
        source="Corollary 22",
        printed=r"The tuning is valid for every $\varepsilon\in[1/T,1]$; the proof drops a term $8\eta\lambda KT\log(KT)$.",
        true=r"$\gamma\le1$ exactly when $\varepsilon T\ge\frac{16}{22}K\log K$; $\eta$ is undefined for $\varepsilon\le1/(KT)$.",
        effect="harmless",
        consequence="Where the tuning is undefined the bound exceeds T; 36 has room for the dropped term.",
        correction="A clear error where the mixing would exceed 1.",
        cost="none",
        reading="the bound, not the tuning, for every level",
        example=(
            "from math import log, sqrt\n"
            "k, rounds = 10, 8  # rounds = epsilon T\n"
            "eta = sqrt(log(k) / (22 * k * rounds * log(k * rounds) ** 2))\n"
            "4 * eta * k * log(k * rounds) > 1"
        ),
        routes=(
            Route(
                kind="exact", how="the mixing from its formula, at half the threshold; corrected: a fiftieth above it",
                check=lemmas.mixing_range, stated={"margin": 0.5}, control={"margin": 1.02},
            ),
            Route(
                kind="symbolic", how="its square, in rationals, at εT=8; corrected: at 17",
                check=found.mixing_exactly, stated={"rounds": 8}, control={"rounds": 17},
            ),
        ),
        claims=("BA-S22", "BA-C22"),
    ),
    erratum(
        id="BA-SLIP-8",
        source="Lemma 23",
        printed=r"Losses in $\mathbb R$, mixing cost $2\gamma T$.",
        true=r"The mixing costs $\gamma\sum_t(\frac1K\sum_i\ell_t(i)-\ell_t(i^\star))$, up to $\gamma T$ times the losses' range.",
        effect="broken as printed",
        consequence="Corollary 22 survives: its noise has mean 0, so the expected mixing cost is that of bounded losses.",
        correction=r"Losses in $[-1,1]$, or the true mixing cost.",
        cost="none",
        reading=r"losses in $[-1,1]$",
        example=(
            "from math import log\n"
            "eta, gamma, rounds, size = 1e-4, 0.5, 1000, 100.0\n"
            "least_regret = gamma / 2 * size * rounds  # action 2 is played with probability gamma / 2 or more\n"
            "least_regret > 2 * gamma * rounds + log(2) / eta + eta * rounds * size**2"
        ),
        routes=(
            Route(
                kind="exact",
                how="regret over all action sequences of 14 rounds, losses (0, 1000); corrected: (0, 36)",
                check=found.exp3_enumerated, stated={"largest_loss": 1000.0}, control={"largest_loss": 36.0},
            ),
            Route(
                kind="sampled",
                how="lower limit of the regret of 1,000 rounds, losses (0, 100); corrected: (0, 20)",
                check=found.exp3_certified, stated={"largest_loss": 100.0}, control={"largest_loss": 20.0},
            ),
        ),
        claims=("BA-S23", "BA-L23"),
    ),
    erratum(
        id="BA-SLIP-9",
        source="Corollary 24, Lemma 25",
        printed=r"$11\lambda\sqrt{KT}\log K\log KT+10\sqrt{KT}$; constant 32; $10\sqrt{KT}$ without its factor $2/\varepsilon$.",
        true=r"The displayed sum has $6\log K(1+4\lambda\log T)\sqrt{KT}$ in it, up to $24\lambda\sqrt{KT}\log K\log T$: about 78.",
        effect="unproved as printed",
        consequence="The rate stands; 32 is neither proved nor refuted, and holds wherever we test it.",
        correction=r"The bound that the displayed sum gives, $(2/\varepsilon)\tilde R+2/\varepsilon$.",
        cost="bound: 78 in place of 32; regret: none",
        reading="none found",
        example=(
            "from math import log, sqrt\n"
            "k, t = 10**3, 10**12\n"
            "first_term = 6 * log(k) * sqrt(k * t) * (1 + 4 * log(t))  # 6 log K / eta\n"
            "first_term > sqrt(k * t) * (11 * log(k) * log(k * t) + 10)"
        ),
        routes=(
            Route(
                kind="exact",
                how="the displayed sum at its own η over the printed bound, 40 pairs (K, T); corrected: 3.4 times it",
                check=regret.chain_of_lemma_25, stated={"factor": 1.0}, control={"factor": 3.4}, knob="factor",
            ),
            Route(
                kind="symbolic", how="its first term alone, from rational limits of log 10; corrected: 1.8 times the bound",
                check=found.second_branch, stated={"factor": 1.0}, control={"factor": 1.8}, knob="factor",
            ),
        ),
        claims=("BA-S24", "BA-C24", "BA-C24p"),
    ),
    erratum(
        id="BA-SLIP-10",
        source="Algorithm 4",
        printed=r"A resample hits when the action is the arg max; no hit counts 0; $M=\sqrt{\varepsilon KT}$, no integer.",
        true=r"It hits when the action is the arg min again; no hit counts $M$; $M$ rounded up.",
        effect="broken as printed",
        consequence="As printed the estimates are off by a factor that grows with the leader's lead; Corollary 24 needs the arg min.",
        correction=r"Arg min, $M_t=\min(\text{Geometric},M)$, $M=\lceil\sqrt{\varepsilon KT}\rceil$.",
        cost="none: the printed test doubles the regret on losses 0 and 1",
        reading="arg max of the negated scores",
        example=(
            "from math import exp\n"
            "leader = 1 - exp(-4) * 6 / 4  # P(arg min) at estimated losses (0, 4 / eta)\n"
            "estimate = leader * 1 / (1 - leader)  # P(played) times the mean wait for the arg max, loss 1\n"
            "estimate > 10"
        ),
        routes=(
            Route(
                kind="exact", how="expected estimates of losses (1, 1) at one state, in closed form",
                check=lemmas.estimate_bias, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="sampled", how="lower limit of the leader's expected estimate, from the learner's resampling",
                check=found.resampling_certified, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("BA-S4", "BA-C24", "BA-C24p"),
    ),
    erratum(
        id="BA-SLIP-11",
        source="Appendix G.2, proof of Lemma 11",
        printed="The probability over a set of rounds that depends on the learner's bits is at most the supremum over fixed sets.",
        true="It can be larger: a learner that probes in a random round meets the improved arm with certainty.",
        effect="unproved as printed",
        consequence="Lemma 11 stands for pure privacy.",
        correction="Group privacy prefix by prefix: the probability of a prefix depends on at most p losses of arm 2.",
        cost="none",
        reading="learners whose probing rounds are fixed",
        example=(
            "from fractions import Fraction as F\n"
            "after_zero, after_one, rounds = F(9, 20), F(1, 4), 10\n"
            "random_set = after_zero\n"
            "best_fixed_set = after_zero / rounds + after_one * (1 - F(1, rounds))\n"
            "random_set > best_fixed_set"
        ),
        routes=(
            Route(
                kind="symbolic",
                how="a learner that probes once, in rationals; corrected: against e^(εp) times the unimproved probability",
                check=found.fixed_set_exactly, stated={"step": "fixed sets"}, control={"step": "prefixes"},
            ),
            Route(
                kind="sampled", how="runs of that learner, against upper limits over all fixed sets",
                check=found.fixed_set_sampled, stated={"step": "fixed sets"}, control={"step": "prefixes"},
            ),
        ),
        claims=("BA-L11",),
    ),
    erratum(
        id="BA-SLIP-12",
        source="Sections 1 and 2.3; Appendix A",
        printed=r"Regret subtracts an arg min; expert regret sums $\mu_t^i(j)\ell_t(i)$; Lemma 14 repeats Lemma 13.",
        true=r"The min; $\mu_t^j(i)\ell_t(i)$; one lemma.",
        effect="wording",
        consequence="None: the proofs use the right forms.",
        correction="The right forms.",
        cost="none",
        reading="the right forms, plainly meant",
        example=(
            "mu, loss = [[1, 0], [1, 0]], [1, 0]  # mu[j][i]: expert j, action i; both name action 0\n"
            "right = min(sum(mu[j][i] * loss[i] for i in range(2)) for j in range(2))\n"
            "printed = min(sum(mu[i][j] * loss[i] for i in range(2)) for j in range(2))\n"
            "(right, printed) == (1, 0)"
        ),
        routes=(
            Route(
                kind="symbolic", how="the best expert's loss by either formula, in rationals",
                check=found.swapped_indices, stated={"formula": "printed"}, control={"formula": "corrected"},
            ),
            Route(
                kind="exact", how="the same on a table of 50 rounds, in floats",
                check=found.swapped_indices_drawn, stated={"formula": "printed"}, control={"formula": "corrected"},
            ),
        ),
    ),
)
