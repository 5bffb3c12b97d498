"""The claims about the limit: values, what meets them, what does not."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.studies.price_of_privacy.checks import lemmas, privacy, regret

HIGH_PRIVACY = ("1/10", "1/2", "log 2")


def _found(name: str, source: str, statement: str, **rest: Any) -> Claim:
    """Return a claim of ours."""
    about: dict[str, Any] = {"constants": "derived", "verdict": "our finding", "kind": "regret lower"} | rest
    return Claim(id=f"MM-{name}", source=source, statement=statement, **about)


CLAIMS: tuple[Claim, ...] = (
    _found(
        "V", "this workbook",
        r"The table of values $V_T(\varepsilon)$: the optimum of every game's linear program, solved anew, lies within $10^{-9}$ of the bounds that its certificate proves.",
        kind="table", grade="proved",
        check=regret.value_table, stated={"constraints": "sequence"}, control={"constraints": "group"},
        control_name="group privacy between constant tables alone",
        remark="Certificates are verified in integers at every size; programs are solved anew up to T = 7. Group privacy alone gives the sum of paper 2's Theorem 3, which is less.",
    ),
    _found(
        "R", "this workbook",
        r"Every certificate proves its value within $10^{-9}$: a learner, private in exact arithmetic, and an adversary with multipliers.",
        kind="table", grade="proved",
        check=privacy.certificates, stated={"tampered": "nothing"}, control={"tampered": "policy"},
        control_name="one probability of each learner changed by 1/1000",
        remark="In four of five certificates the change breaks privacy, and the checker says so; in most others it costs regret.",
    ),
    _found(
        "RL", "this workbook",
        r"The adversaries of the certificates are optimal: their bounds meet those of the learners.",
        kind="table", grade="proved",
        check=privacy.certificates, stated={"tampered": "nothing"}, control={"tampered": "law"},
        control_name="the largest weight of each adversary's law cut by a hundredth",
        remark="Any adversary gives a valid bound; a changed one gives less.",
    ),
    _found(
        "VR", "this workbook",
        r"At $\varepsilon=\ln 2$ two actions have $V_2=\frac56$, $V_3=\frac76$, $V_4=\frac{25}{18}$.",
        kind="table", grade="proved",
        check=privacy.rational, stated={"epsilon": "log 2"}, control={"epsilon": "1"},
        remark=r"Where $e^\varepsilon$ is rational, the program is, and so are its values.",
    ),
    _found(
        "M", "this workbook",
        r"Privacy of each round's action alone is another, easier game: with two actions and deterministic losses its rounds cost $\frac12, q, \frac12e^{-\varepsilon}, e^{-\varepsilon}q, \frac12e^{-2\varepsilon},\dots$, $q=1/(1+e^\varepsilon)$. The sequence of actions reveals more than its parts.",
        grade="exact",
        check=regret.one_action, stated={"constraints": "round"}, control={"constraints": "sequence"},
        control_name="privacy of the whole sequence",
    ),
    _found(
        "LB", "paper 2, Theorem 3, sum form",
        r"At $T=2$ the sum form of paper 2's lower bound is the value on deterministic losses, for $K=2,3,4$ and every $\varepsilon$ of the table.",
        grade="proved",
        check=regret.tight_form, stated={"form": "sum", "horizon": 2}, control={"horizon": 3},
        control_name="T = 3",
        remark="The other two forms are smaller than the sum.",
    ),
    _found(
        "LBn", "paper 2, Theorem 3",
        r"From $T=3$ on no form of paper 2's lower bound is tight: the value exceeds the largest of them, the sum, by 0.4 % and more for $K=2,3,4$ and every finite $\varepsilon$ of the table.",
        grade="proved",
        check=regret.loose_form, stated={"form": "sum", "horizon": 3}, control={"horizon": 2},
        control_name="T = 2",
        remark=r"Largest excess at $T=3$: 22 %, $K=4$, $\varepsilon=2$. The gap grows with $T$: 60 % at $K=2$, $T=8$, $\varepsilon=1$.",
    ),
    _found(
        "LBc", "paper 2, Theorem 3",
        r"$\ln K/\varepsilon$ is not the constant: with two actions and $\varepsilon=\ln2/m$, $m=1,2,\dots$, every private learner has a regret of at least $1.06/\varepsilon$, which is $1.53\ln2/\varepsilon$, on deterministic losses from $T=7m$ on.",
        grade="proved",
        check=regret.scaled_constant, stated={"horizon": 8}, control={"horizon": 4}, control_name="from V at T = 4",
        remark=r"$V_{mT}(\varepsilon/m)\ge m(V_{T+1}(\varepsilon)-\frac12)$, proved in `bounds.formulas.scaled`, and the certificate of $V_8(\ln2)$.",
    ),
    _found(
        "C", "this workbook",
        r"Closed form, two actions, deterministic losses, $u=e^{-\varepsilon}$, $q=u/(1+u)$: rounds $2k+2$ and $2k+3$ cost $c_k$ each, $c_k=qS_k+u\sum_{j\le k}(S_{j-1}-S_j)c_{k-j}$ with $S=1,\,q,\,qu,\,qu^2(1-uq)$. It is the value for every $\varepsilon$ of the table to $T=5$, and to $T=8$ from $\varepsilon=\ln2$ on.",
        grade="proved",
        check=lemmas.closed_form, stated={"third": 1}, control={"third": 0},
        control_name=r"$S_3=qu^2$, which first matters at T = 8",
        remark=r"$c=q,\ 2q^2,\ q^3(4+u-u^2),\ q^4(8+4u-4u^2-u^3+u^4)$. At $\varepsilon=1/2$ the value is less from $T=7$ on, at $1/10$ from $T=6$ on: other waiting times are better there.",
    ),
    _found(
        "C7", "this workbook",
        r"A learner with proved privacy attains the closed form to $T=7$ for every $\varepsilon$: randomised response to the first letter, then cycles that may end after 2 or 4 letters.",
        kind="privacy", grade="proved",
        check=lemmas.attained, stated={"u": "1/2"}, control={"u": "49/100"},
        control_name=r"the learner of $e^{-\varepsilon}=0.49$",
        remark="Enumerated in fractions at ε = ln 2. A letter lies in one cycle, so cycles that are private each give a private sequence.",
    ),
    _found(
        "C3", "this workbook",
        r"Three rounds, two actions, any losses, $E=e^\varepsilon$: $V_3=\max\{\frac12+2q,\ \frac{3E}{2(2E-1)}\}$ with full information and $\max\{\frac12+2q,\ \frac{3(E+1)(2E-1)}{2(4E^2-E-1)}\}$ for bandits. Privacy decides the first, ignorance the second.",
        grade="grid",
        check=lemmas.third_value, stated={"bandit_form": "bandit"}, control={"bandit_form": "full"},
        control_name="the formula of full information for bandits",
        remark=r"The regimes meet at $E=5$ and at $E=2+\sqrt5$. The first is proved to be a lower bound; the others were recognised from exact values, and agree with the certificates at seven levels.",
    ),
    _found(
        "CL", "paper 2, Theorem 3",
        r"As $\varepsilon\to0$, $\varepsilon V_\infty(\varepsilon)$ tends to a constant of more than $\frac32\ln2$: two actions, deterministic losses.",
        grade="proved",
        check=lemmas.limit_lower, stated={"looks": 2}, control={"looks": 1},
        remark=r"In fractions, proof in `algorithms.windows`. Six windows and eight looks give 1.263, that is $1.82\ln2$, in minutes.",
    ),
    _found(
        "CU", "this workbook",
        r"That constant is less than 2.02: a lazy leader whose blocks depend on its lead attains less.",
        kind="lemma", grade="exact",
        check=lemmas.limit_upper, stated={"blocks": "by the lead"}, control={"blocks": "doubling"},
        control_name="blocks that double",
        remark=r"$C\le(e^E-1)V_\infty(E)$ for every $E$, `lemmas.limit_bounds`.",
    ),
    _found(
        "LZ", "papers 1 and 2",
        r"A learner for long games of two actions, the lazy leader: on deterministic losses its regret is at most $2.2/\varepsilon$, less than that of exponential noise.",
        kind="figure", grade="exact",
        check=lemmas.long_games, stated={"learner": "lazy leader"}, control={"learner": "exponential"},
        control_name="exponential noise",
        remark=r"Gumbel noise has $4.0/\varepsilon$, the limit lies between $1.04/\varepsilon$ and $2.02/\varepsilon$. Exact regrets, $T=2^{17}$.",
    ),
    _found(
        "LZb", "this workbook",
        r"Its regret on losses $(0,1)$ is at most $\sum_r\frac{n_r}2\prod_{i<r}u^{n_i/2}(1+n_i\tanh\frac\varepsilon2)$, $n_r$ the length of block $r$, which stays below $4/\varepsilon$ for every $T$.",
        kind="lemma", grade="exact",
        check=lemmas.long_bound, stated={"divisor": 1}, control={"divisor": 1.8}, control_name="the learner at ε/1.8",
        remark="Proved in `lazy.regret_bound`.",
    ),
    _found(
        "LZp", "this workbook",
        r"Every block of the lazy leader is $\varepsilon$-private, and a round lies in one block: so is the sequence of actions.",
        kind="privacy", grade="exact",
        check=lemmas.block_privacy, stated={"level": 1.0}, control={"level": 1.03}, control_name="noise for 1.03",
    ),
    _found(
        "SK", "paper 2",
        r"For any number of actions, the sticky leader: one good action, losses 0 and 1, $\varepsilon=0.1$: at most 0.9 times the regret of exponential noise, $K=2$ to 64.",
        kind="figure", grade="exact",
        check=lemmas.against_exponential, stated={"learner": "sticky_leader"}, control={"learner": "laplace"},
        control_name="Laplace noise",
        remark="Not on every instance: where two actions differ by 0.1 without noise it has 3 % more. No guarantee beyond privacy is proved.",
    ),
    _found(
        "SKp", "this workbook",
        r"Every selection of the sticky leader is $\varepsilon$-private, and a round enters one: so is the sequence of actions.",
        kind="privacy", grade="exact",
        check=privacy.one_selection, stated={"level": 1.0}, control={"level": 1.03}, control_name="noise for 1.03",
    ),
    _found(
        "BF", "this workbook",
        r"Two actions, $\varepsilon\le\ln2$, $T\le5$: bandit feedback is free. The least regret is the same whether the other loss is seen or not.",
        grade="proved",
        check=regret.free_bandits, stated={"epsilons": HIGH_PRIVACY}, control={"epsilons": (*HIGH_PRIVACY, "1")},
        control_name="ε = 1 as well, where the values part at T = 5",
        remark=r"Of $\varepsilon\in\{1/10,1/2,\ln2\}$. At $T=6$ they part at $\ln 2$ too.",
    ),
    _found(
        "BF3", "this workbook",
        r"Three actions, $T=2$ and $3$: bandit feedback costs 0.4 % and more at every finite $\varepsilon$ of the table.",
        grade="proved",
        check=regret.dear_bandits, stated={"n_actions": 3}, control={"n_actions": 2}, control_name="two actions",
    ),
    _found(
        "UP", "all papers",
        r"No private learner of the register falls below the limit: worst-case regrets over all tables of losses 01 and 10, two actions.",
        kind="figure", grade="certified",
        check=regret.above_the_limit, stated={"learner": "all"}, control={"learner": "optimum for 2 epsilon"},
        control_name="the optimal learner for twice the privacy level",
        remark="Learners on blocks exactly, the others by upper confidence limits. Approximate privacy is held against the value of the (ε, δ) program.",
    ),
    _found(
        "UPn", "papers 1 to 3",
        r"Where $\varepsilon\le1$ and $T\le5$, exponential noise has the least worst-case regret of prefix softmax and the three noises.",
        kind="figure", grade="exact",
        check=regret.nearest, stated={"learner": "exponential"}, control={"learner": "gumbel"},
        control_name="Gumbel noise",
    ),
    _found(
        "UPe", "paper 2",
        r"There its regret is at most 1.15 times the limit: no learner whatever can improve on it by more than 15 %.",
        kind="figure", grade="exact",
        check=regret.near_the_limit, stated={"learner": "exponential", "factor": 1.15},
        control={"learner": "uniform play"},
        remark="At T = 6 the doubling clock of the blocks can be exploited: the ratio is 1.6 at ε = 1 and 2.7 at ε = 2.",
    ),
    _found(
        "ST", "this workbook",
        r"Two actions, deterministic losses, $T\le5$: an optimal learner may repeat its action at rounds 3 and 5.",
        grade="exact",
        check=regret.lazy, stated={"resting": "odd"}, control={"resting": "even"},
        control_name="rest at round 4",
        remark=r"So rounds cost the same in pairs. At $T=6$ this is so from $\varepsilon=1/2$ on, not at $1/10$. The optimum is not unique.",
    ),
    _found(
        "P", "this workbook",
        r"The optimal learners are $\varepsilon$-private on any losses: exact privacy loss over all tables with losses $0,\frac12,1$.",
        kind="privacy", grade="exact",
        check=privacy.optimum, stated={"level": 1.0}, control={"level": 1.01}, control_name="the optimum for 1.01",
    ),
    _found(
        "B", "this workbook",
        r"A policy for $T$ rounds at level $\varepsilon'$ plays $mT$ rounds in batches at level $\ln(1+(e^{\varepsilon'}-1)/m)$, with at most $m$ times the regret.",
        kind="privacy", grade="exact",
        check=privacy.batches, stated={"batch": 2}, control={"batch": 1}, control_name="no batches",
        remark="Proof in `OptimalLearner`: one uniformly drawn round of a batch is seen.",
    ),
    _found(
        "DR", "paper 3",
        r"The more switches the comparator may make, the less privacy adds to the least regret: $V_T(\varepsilon)-V_T(\infty)$ falls from $S=0$ to 1 to 2, two actions, $T=4,5,6$.",
        grade="proved",
        check=regret.price_of_switches, stated={"measure": "price"}, control={"measure": "share"},
        control_name="the price as a share of what uniform play adds, which rises",
        remark="At these sizes the best sequence is nearly out of reach without privacy too: there is less to lose.",
    ),
)
