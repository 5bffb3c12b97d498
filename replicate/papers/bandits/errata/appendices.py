"""Errata of the appendices, and of definitions."""

from __future__ import annotations

from replicate.claims.errata import Erratum, route
from replicate.claims.scope import for_all, measured, named
from replicate.papers.bandits.checks import errata as checks
from replicate.papers.bandits.checks import lemmas, regret

APPENDICES: tuple[Erratum, ...] = (
    Erratum(
        id="BA-SLIP-7", source="Corollary 22, Theorems 9 and 10", section="E.1, F.3, F.4", effect="harmless",
        claims=("BA-S22",),
        scope=(
            for_all("n_actions", 2, tried=[10**6], inside=[10]), for_all("n_experts", 2, tried=[10**9]),
            for_all("epsilon", 0, 1, tried=[1e-3]), for_all("margin", 1, tried=[1.1, 1e9], letter="T/T_0"),
        ),
        at=lemmas.mixing_at, definition="a mixing γ is a probability",
        shown_at="K = 10, εT = 8 (Corollary 22); N = 100, K = 10, ε = 0.001, T = 12 (Theorem 9)",
        printed=r"The tunings are valid for every $\varepsilon\le1$ and every $T$.",
        true=r"In Corollary 22 $\gamma\le1$ exactly when $\varepsilon T\ge\frac{16}{22}K\log K$, and $\eta$ is undefined for $\varepsilon\le1/(KT)$; in Theorem 9 $\gamma\le1$ where $T\ge\frac{16}{30}K\log N$, in Theorem 10 where $U\le L^{1/3}T$ and $12V\le T$.",
        consequence=r"Where a tuning is undefined the bound exceeds $T$: in Theorem 10 for $\delta\le e^{-1}$, with the corrected $\gamma$ (BA-SLIP-2) for every $\delta$.",
        correction="A clear error where the mixing would exceed 1.",
        reading="the bounds, not the tunings, for every level",
        example=(
            "from math import log, sqrt\n"
            "k, rounds = 10, 8  # rounds = epsilon T\n"
            "eta = sqrt(log(k) / (22 * k * rounds * log(k * rounds) ** 2))\n"
            "4 * eta * k * log(k * rounds) > 1"
        ),
        routes=(
            route("exact", lemmas.mixing_range, margin=(0.5, 1.02),
                  how="the mixing from its formula, at half the threshold; corrected: a fiftieth above it"),
            route("symbolic", checks.mixing_exactly, rounds=(8, 17),
                  how="its square, in rationals, at εT=8; corrected: at 17"),
            route("exact", checks.mixing_of_theorem_9, margin=(0.5, 1.02),
                  how="Theorem 9's mixing from its formula, at half its threshold; corrected: a fiftieth above it"),
        ),
    ),
    Erratum(
        id="BA-SLIP-8", source="Lemma 23", section="E.1", effect="broken as printed", claims=("BA-S23", "BA-L23"),
        scope=(named("losses", "any real, by the proof of Lemma 23"), measured("runs", r"losses (0, 100) and (0, 1000), $K=2$")),
        definition="expected regret of EXP3 on losses in ℝ, as the lemma is stated",
        shown_at="losses (0, 100), K = 2, η = 10⁻⁴, γ = 1/2, T = 1000; no privacy in it",
        printed=r"The lemma allows losses in $\mathbb R$, with mixing cost $2\gamma T$.",
        true=r"The mixing costs $\gamma\sum_t(\frac1K\sum_i\ell_t(i)-\ell_t(i^\star))$, up to $\gamma T$ times the losses' range.",
        consequence="Corollary 22 survives: its noise has mean 0, so the expected mixing cost is that of bounded losses.",
        correction=r"Losses in $[-1,1]$, or the true mixing cost.", reading=r"losses in $[-1,1]$",
        example=(
            "from math import log\n"
            "eta, gamma, rounds, size = 1e-4, 0.5, 1000, 100.0\n"
            "least_regret = gamma / 2 * size * rounds  # action 2 is played with probability gamma / 2 or more\n"
            "least_regret > 2 * gamma * rounds + log(2) / eta + eta * rounds * size**2"
        ),
        routes=(
            route("exact", checks.exp3_enumerated, largest_loss=(1000.0, 36.0),
                  how="regret over all action sequences of 14 rounds, losses (0, 1000); corrected: (0, 36)"),
            route("sampled", checks.exp3_certified, largest_loss=(100.0, 20.0),
                  how="lower limit of the regret of 1,000 rounds, losses (0, 100); corrected: (0, 20)"),
        ),
    ),
    Erratum(
        id="BA-SLIP-9", source="Corollary 24, Lemma 25", section="E.2", effect="unproved as printed",
        claims=("BA-S24", "BA-C24", "BA-C24p"),
        scope=(measured("sizes", r"$\lambda=1$, $K=2$ to 1000, $T=10^3$ to $10^{12}$"),),
        definition="the noisy regret R̃ at noise scale λ, by the sum that the proof displays",
        shown_at="the sum at λ = 1, K = 2 to 1000, T = 10³ to 10¹²",
        printed=r"The noisy regret is at most $11\lambda\sqrt{KT}\log K\log KT+10\sqrt{KT}$; Corollary 24 has the constant 32, and has $10\sqrt{KT}$ without its factor $2/\varepsilon$.",
        true=r"The displayed sum contains $6\log K(1+4\lambda\log T)\sqrt{KT}$, which is up to $24\lambda\sqrt{KT}\log K\log T$. The constant is 77 in place of 32 at $K=2$, and 57 at $K=10$.",
        consequence="The rate holds; 32 is neither proved nor refuted, and holds wherever we test it.",
        correction=r"The bound that the displayed sum gives, $(2/\varepsilon)\tilde R+2/\varepsilon$.",
        cost="bound: 77 in place of 32 at K = 2, 57 at K = 10; regret: none",
        reading="as bounds up to a constant, the rate being right",
        example=(
            "from math import log, sqrt\n"
            "k, t = 10**3, 10**12\n"
            "first_term = 6 * log(k) * sqrt(k * t) * (1 + 4 * log(t))  # 6 log K / eta\n"
            "first_term > sqrt(k * t) * (11 * log(k) * log(k * t) + 10)"
        ),
        routes=(
            route("exact", regret.chain_of_lemma_25, factor=(1.0, 3.4), knob="factor",
                  how="the displayed sum at its own η over the printed bound, 40 pairs (K, T); corrected: 3.4 times it"),
            route("symbolic", checks.second_branch, factor=(1.0, 1.8), knob="factor",
                  how="its first term alone, from rational limits of log 10; corrected: 1.8 times the bound"),
        ),
    ),
    Erratum(
        id="BA-SLIP-10", source="Algorithm 4", section="E.2", effect="broken as printed",
        claims=("BA-S4", "BA-C24", "BA-C24p"),
        scope=(measured("state", r"losses (1, 1) at estimated losses $(0,4/\eta)$, $M=1000$"),),
        definition="the estimate of the loss is unbiased up to truncation, as the proof of Lemma 25 needs",
        shown_at="losses (1, 1) at estimated losses (0, 4/η), M = 1000; no privacy in it",
        printed=r"A resample hits when the action is the arg max, no hit counts 0, and $M=\sqrt{\varepsilon KT}$ is no integer.",
        true=r"It hits when the action is the arg min again, no hit counts $M$, and $M$ is rounded up.",
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
            route("exact", lemmas.estimate_bias, calibration=("printed", "corrected"),
                  how="expected estimates of losses (1, 1) at one state, in closed form"),
            route("sampled", checks.resampling_certified, calibration=("printed", "corrected"),
                  how="lower limit of the leader's expected estimate, from the learner's resampling"),
        ),
    ),
    Erratum(
        id="BA-SLIP-11", source="Appendix G.2, proof of Lemma 11", section="G.2", effect="unproved as printed",
        claims=("BA-L11", "BA-L11r"),
        scope=(measured("learners", r"one that probes once in ten rounds, $\varepsilon=0.6$, $p=1$"),),
        definition="ε-privacy of a bandit algorithm, Definition 3",
        shown_at="a 0.6-private learner that probes once in 10 rounds, p = 1",
        printed="The probability over a set of rounds that depends on the learner's bits is at most the supremum over fixed sets.",
        true="It can be larger: a learner that probes in a random round meets the improved arm with certainty.",
        consequence="Lemma 11 holds for pure privacy (BA-L11r).",
        correction="Group privacy prefix by prefix: the probability of a prefix depends on at most p losses of arm 2.",
        reading="learners whose probing rounds are fixed",
        example=(
            "from fractions import Fraction as F\n"
            "after_zero, after_one, rounds = F(9, 20), F(1, 4), 10\n"
            "random_set = after_zero\n"
            "best_fixed_set = after_zero / rounds + after_one * (1 - F(1, rounds))\n"
            "random_set > best_fixed_set"
        ),
        routes=(
            route("symbolic", checks.fixed_set_exactly, step=("fixed sets", "prefixes"),
                  how="a learner that probes once, in rationals; corrected: against e^(εp) times the unimproved probability"),
            route("sampled", checks.fixed_set_sampled, step=("fixed sets", "prefixes"),
                  how="runs of that learner, against upper limits over all fixed sets"),
        ),
    ),
    Erratum(
        id="BA-SLIP-12", source="Sections 1 and 2.3, regret", section="2.3", effect="wording",
        scope=(measured("sizes", "$K=N=2$, one round, all advice and losses in halves; $K=N=3$, 50 rounds"),),
        definition="regret, as the proofs use it", shown_at="two experts that name the same action, one round",
        printed=r"Regret subtracts an arg min; expert regret sums $\mu_t^i(j)\ell_t(i)$.",
        true=r"Regret subtracts the min; expert regret sums $\mu_t^j(i)\ell_t(i)$.", consequence="None: the proofs use the right forms.",
        correction="The right forms.", reading="the right forms, plainly meant",
        example=(
            "mu, loss = [[1, 0], [1, 0]], [1, 0]  # mu[j][i]: expert j, action i; both name action 0\n"
            "right = min(sum(mu[j][i] * loss[i] for i in range(2)) for j in range(2))\n"
            "printed = min(sum(mu[i][j] * loss[i] for i in range(2)) for j in range(2))\n"
            "(right, printed) == (1, 0)"
        ),
        routes=(
            route("symbolic", checks.swapped_indices, formula=("printed", "corrected"),
                  how="the best expert's loss by either formula, in rationals"),
            route("exact", checks.swapped_indices_drawn, formula=("printed", "corrected"),
                  how="the same on a table of 50 rounds, in floats"),
        ),
    ),
    Erratum(
        id="BA-SLIP-13", source="Corollary 22, proof", section="E.1", effect="harmless",
        claims=("BA-C22", "BA-C22s"),
        scope=(for_all("n_actions", 2, tried=[10**6]), for_all("horizon", 1, tried=[2, 1e30]), measured("noise_scale", 1, letter=r"\lambda")),
        at=lemmas.dropped_term_at, definition="the inequality between two displayed sums",
        shown_at="λ = 1, K = 2, T = 1000",
        printed=r"The term $8\eta\lambda KT\log(KT)$ is dropped from a sum that is said to be the smaller one.",
        true=r"At $\lambda=1$ the sum is larger by that term, and the bound on $\tilde R$ grows by up to $1/(5\log KT)$ of itself.",
        consequence="The displayed bound on the noisy regret is not proved; the corollary holds, because 36 has room.",
        correction=r"The sum with its term: 24.6 in place of 36 (BA-C22s).",
        reading=r"$\lambda\log KT$ small, or another constant in the bound on $\tilde R$",
        example=(
            "from math import log, sqrt\n"
            "k, t = 2, 1000\n"
            "eta = sqrt(log(k) / (2 * t * k * (1 + 10 * log(k * t) ** 2)))\n"
            "8 * eta * k * t * log(k * t) > 1"
        ),
        routes=(
            route("exact", lemmas.dropped_term, coefficient=(8.0, 0.0),
                  how="the sum with the term, over the bound printed next; corrected: without a term"),
            route("symbolic", checks.dropped_exactly, coefficient=(8.0, 0.12),
                  how="the term's square from rational limits of logarithms; corrected: 0.12 for its 8"),
        ),
    ),
    Erratum(
        id="BA-SLIP-14", source="Lemma 25, second value of η", section="E.2", effect="unproved as printed",
        claims=("BA-S25", "BA-S24"),
        scope=(
            for_all("exponent", 0, 0.58, tried=[0.26], letter=r"\log K/\log T"), for_all("horizon", 2, tried=[1000, 1e30]),
            for_all("noise_scale", 0, tried=[1e-3, 1, 1e3], letter=r"\lambda"), measured("failing", r"$K=T=1000$, $\lambda=1$"),
        ),
        at=lemmas.step_of_lemma_25_at,
        definition="the proof's own condition, that exp(x) is at most 1 + 2x: true up to x = 1.256",
        shown_at="K = T = 1000, λ = 1, noise at the limit that the proof allows",
        printed=r"$\eta\le1/(M(1+4\lambda\log T))$.",
        true=r"$\eta\le1/(M(1+4\lambda\log KT))$ is needed: the noise is limited by $\sqrt{10}\,\lambda\log KT$.",
        consequence=r"Where the printed value is the smaller of the two, the proof's step fails for large $K$, by a factor up to $\frac{\sqrt{10}}4(1+\log K/\log T)$, as at $K=T=1000$; for $K\le T^{0.58}$ it holds as printed, whatever $T\ge2$ and $\lambda$.",
        correction=r"$\log KT$; our runs have $K\le T^{0.26}$, where nothing changes.",
        cost="the first term of the sum grows with log KT in place of log T", reading=r"$K\le T^{0.58}$",
        example=(
            "from math import log, sqrt\n"
            "k, t = 1000, 1000\n"
            "(1 + sqrt(10) * log(k * t)) / (1 + 4 * log(t)) > 1.5"
        ),
        routes=(
            route("exact", lemmas.step_of_lemma_25, n_actions=(1000, 62),
                  how="η M (1 + noise) from both values of η, K=1000, T=1000; corrected: K=62"),
            route("symbolic", checks.step_exactly, actions_power=(3.0, 1.8),
                  how="the quotient from rational limits of log 10; corrected: K=10^1.8"),
        ),
    ),
    Erratum(
        id="BA-SLIP-18", source="Lemma 25, proof", section="E.2", effect="harmless", claims=("BA-S24", "BA-C24"),
        scope=(
            for_all("estimate", -30, 30, tried=[-1e-3, 1e-3, -1, 1], letter=r"\eta\hat\ell"),
            for_all("lead", -30, 30, tried=[0.5], inside=[0], letter=r"\eta\cdot\text{lead}"),
            measured("sizes", r"two arms; the displayed mean at losses (1, 1), $T=4000$"),
        ),
        at=checks.signed_estimate_at, definition="the displayed inequalities themselves, before the last display",
        shown_at="K = 2, losses (1, 1) without noise, T = 4,000; and any negative estimate",
        printed=r"$E\sum_t\hat\ell_t(I_t)-\hat\ell_t(i^\star)\le\frac{6\log K}\eta+\dots$; and $\hat\ell(P_t-P_{t+1})\le\hat\ell P_t(e^{\eta\lVert\hat\ell\rVert}-1)$.",
        true=r"The estimate at the played action has mean $\sum_i\ell_t(i)$, up to $K$ times the loss; with $\sum_iP_t(i)\hat\ell_t(i)$ in its place the first inequality is right. The second holds with $\lvert\hat\ell\rvert$ on the right; for negative estimates its right side is negative, its left is not.",
        consequence="None: with both put right the proof goes on to the same sum.",
        correction=r"$\sum_iP_t(i)\hat\ell_t(i)$, and $\lvert\hat\ell_t(i)\rvert$.",
        reading=r"$\hat\ell_t(I_t)$ as short for the mean over an action drawn afresh, and non-negative estimates",
        example=(
            "K, law = 4, [0.25] * 4\n"
            "played = sum(p * (1 / p) for p in law)  # losses 1: mean estimate at the played action\n"
            "weighted = sum(p * p * (1 / p) for p in law)\n"
            "(played, weighted) == (K, 1)"
        ),
        routes=(
            route("sampled", checks.displayed_mean, summed=("at the played action", "over actions"),
                  how="lower limit of the first left side over its right side, from runs of Algorithm 4, T=4,000; corrected: weighted"),
            route("exact", checks.negative_estimate, size=("signed", "absolute"),
                  how="left less right side of the second, at an estimate of -1/(2η)"),
        ),
    ),
    Erratum(
        id="BA-SLIP-15", source="Lemma 11, last sentence, and section 5.2", section="5.2",
        effect="unproved as printed", claims=("BA-S52p", "BA-R52", "BA-L11s"),
        scope=(
            for_all("epsilon", 0, 1, tried=[1e-3]), for_all("exponent", 0, 0.6931, tried=[0.01, 0.3748], letter=r"\varepsilon p"),
            for_all("mixing", 0, 0.5, tried=[1e-6]), for_all("delay", 0, tried=[50], closed=True, letter=r"\tau"),
        ),
        at=regret.root_of_lemma_11_at, definition="Lemma 11's own right-hand side", shown_at="p = 1/ε at every ε",
        printed=r"$p=O(1/\varepsilon)$, or $p=1/\varepsilon$, gives regret $\Omega(\sqrt{T/\varepsilon})$.",
        true=r"Lemma 11 gives this for $p$ between $c/\varepsilon$ and $C/\varepsilon$, $0<c<C<\ln2$.",
        consequence="The rate is right with a legal p; batched EXP3 needs another argument, and its slow drop of an arm (BA-SLIP-5) a condition.",
        correction=r"$p=0.3748/\varepsilon$; for batches of $1/\varepsilon$ rounds BA-R52, without group privacy.",
        cost=r"constant 0.0799 in the bound $\sqrt{T/\varepsilon}$",
        reading=r"$p=c/\varepsilon$ with a constant $c<\ln2$, plainly meant",
        example="from math import exp\n1 - exp(1) / 2 < 0",
        routes=(
            route("exact", regret.illegal_pulls, pulls_times_epsilon=(1.0, 0.69),
                  how="first term of Lemma 11 over its maximum at γ=1e-6; corrected: p = 0.69/ε"),
            route("symbolic", checks.pulls_exactly, pulls_times_epsilon=(1.0, 0.69),
                  how="half the exponential's series, in rationals; corrected: p = 0.69/ε"),
        ),
    ),
    Erratum(
        id="BA-SLIP-16", source="Theorem 10, proof, last step", section="F.4", effect="harmless",
        claims=("BA-T10u", "BA-T10"),
        scope=(
            for_all("n_actions", 2, tried=[10**6]), for_all("share", 0, 1, tried=[1e-6], letter="100U/T"),
            named("others", r"$N$, $\varepsilon$, $\delta$, $T$ enter by $U$ only"),
        ),
        at=regret.informative_theorem_10_at, definition="the inequality between the last two displays",
        shown_at="K = 100, N = 10, ε = 1, δ = 10⁻⁶, T = 100, where both sides exceed T",
        printed=r"$95U+(95NL)^{1/3}\cdots\le100U+W$, $W=\sqrt{NL}\log(NT)\log N/\varepsilon$.",
        true=r"$V^2=\sqrt K\,UW$: the last term lacks $\sqrt K$. The coefficient of $V$ is 12.",
        consequence=r"None: wherever $100U\le T$ the proof's $95U+12V$ is below $100U$ (BA-T10u).",
        correction=r"$100U$, or $\sqrt K\,W$.", reading=r"horizons at which the theorem says anything",
        example=(
            "k, u = 100, 1.0\n"
            "v = 2.8 * u\n"
            "w = v**2 / (u * k**0.5)\n"
            "95 * u + 95 ** (1 / 3) * v > 100 * u + w"
        ),
        routes=(
            route("exact", regret.last_step_of_theorem_10, horizon=(100.0, 138.5),
                  how="both sides at K=100, N=10, T=100; corrected: T=138.5"),
            route("symbolic", checks.last_step_exactly, root_actions=(10, 1),
                  how="both sides in units of U at V = 2.8 U, in rationals; corrected: with √K"),
        ),
    ),
)
