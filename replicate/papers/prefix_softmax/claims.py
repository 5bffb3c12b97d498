"""The paper's claims, in its order."""

from __future__ import annotations

import math

from replicate.claims import Claim, Sharper
from replicate.claims.evidence import beside
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.prefix_softmax import proofs
from replicate.papers.prefix_softmax.checks import corners, lemmas, regret

_K, _GAP = for_all("n_actions", 2, tried=[3, 4096]), for_all("gap", 0, 1, tried=[1e-3], inside=[0.1])
_EPSILON = for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.25, 1])
_T = for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])
_FOUR_ETA = Border(r"4\eta", lambda learning_rate, **_: min(4 * learning_rate, 1.0))
_CAPPED = for_all("learning_rate", 0, 1 / 8, tried=[1e-3, 0.05])
_LOSSES = named("losses", "i.i.d. over rounds, in $[0,1]$")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="PS-T1", source="Theorem 1, (1)", kind="regret upper",
        scope=(_K, _GAP, _EPSILON, _T, _LOSSES), at=corners.theorem_1,
        statement=r"For every horizon, $\mathrm{Reg}_T \le 1 + 800 \log K/\Delta + 16 \log K/\eta$, where $\eta=\min(\varepsilon/2, 1/8)$.",
        check=regret.theorem_1, stated={"form": "(1)", "uniform": 0.0, "constant": 1.0},
        control={"uniform": 8.26e-15}, knob="constant",
        section="4", grade="certified", proof_uses=("PS-L4", "PS-L5"), stands_by=("PS-S1",),
    ),
    Claim(
        id="PS-T1b", source="Theorem 1, (2)", kind="regret upper",
        scope=(_K, _GAP, _EPSILON, _T, _LOSSES), at=corners.theorem_1_rate,
        statement=r"For every horizon, $\mathrm{Reg}_T \le 1000(\log K/\Delta + \log K/\varepsilon)$.",
        check=regret.theorem_1, stated={"form": "(2)", "uniform": 0.0, "constant": 1000},
        control={"uniform": 1.45e-14}, knob="constant",
        section="4", grade="certified", proof_uses=("PS-T1",), stands_by=("PS-S1",),
    ),
    Claim(
        id="PS-C1", source="Corollary 1", kind="regret upper", verdict="reproduced with correction",
        scope=(
            _K, _GAP, for_all("epsilon", 0, Border(r"1\text{ if }\Delta>1/2", lambda gap, **_: 1.0 if gap > 0.5 else 1000.0), tried=[1e-3]),
            measured("sizes", r"$\Delta$ from $10^{-4}$ to $3\cdot10^{-3}$", r"$\varepsilon$ from $10^{-3}$ to 1/4", r"$K$ to $2^{14}$ for the growth"),
        ), at=corners.rate,
        statement=r"Printed: the optimal rate is $\Theta(\log K/\Delta + \log K/\varepsilon)$, without a range. True: this holds for $\Delta \le 1/2$, and for $\varepsilon \le 1$ at every gap. Measured: the regret grows like $1/\Delta$, $1/\varepsilon$ and $\log K$, each over a range where its term dominates: the log-log slopes are below 1.3, nearer to 1 than to 2.",
        check=regret.rate, stated={"noise_power": 0.0}, control={"noise_power": 0.3},
        control_name="noise multiplied by (log K)^0.3",
        remark=r"Theorem 1 is the upper half, at every gap. The lower half needs the range: at $\Delta = 1$ and $\varepsilon \ge 4\log K$ a private learner has regret about 1, whatever $K$. With it, constants 1/73 and 1000 (26 without the cap) enclose the rate.",
        section="4", grade="weak", error="PS-SLIP-1", proof_uses=("PS-T1b",), stands_by=("PS-LB", "PS-LBp"),
    ),
    Claim(
        id="PS-P1", source="Proposition 1", kind="privacy",
        scope=(_K, _EPSILON, for_all("horizon", 1, tried=[2**10], inside=[2, 3, 4]), named("losses", "in $[0,1]$, any table")), at=corners.sequence_loss,
        statement=r"The whole sequence of actions is $2\eta$-differentially private at event level, and $2\eta \le \varepsilon$.",
        check=beside(proofs.proposition_1, lemmas.sequence_loss), stated={"readers": 1}, control={"readers": 2}, grade="proved",
        control_name="each block read by two selections",
        section="5.2", proof_uses=("PS-L3",),
    ),
    Claim(
        id="PS-L3", source="Lemma 3", kind="privacy",
        scope=(_K, _EPSILON, for_all("block", 0, tried=[6, 12], closed=True, letter="r"), named("losses", "in $[0,1]$, any table")),
        at=corners.selection_loss,
        statement=r"Softmax of a data-independent prefix is $2\eta$-differentially private; blocks much longer than $1/\eta$ attain $2\eta$.",
        check=beside(proofs.lemma_3, lemmas.selection_loss), stated={"noise_divisor": 1.0}, control={"noise_divisor": 1.04}, grade="proved",
        control_name="noise divided by 1.04",
        section="5.2",
    ),
    Claim(
        id="PS-L1", source="Lemma 1", kind="lemma",
        scope=(for_all("rounds", 1, tried=[10**6], letter="m"), for_all("mean", 0, 1, tried=[1e-3, 0.05], letter=r"\mu")), at=corners.lemma_1,
        statement=r"$P(\sum_{s\le m} U_s \le m\mu/2) \le e^{-m\mu^2/8}$ for independent $U_s\in[-1,1]$ with mean $\mu>0$.",
        check=beside(proofs.lemma_1, lemmas.lemma_1), stated={"divisor": 8, "constant": 1.0}, control={"divisor": 7.8},
        control_name="divisor 7.8 of the exponent for 8", knob="constant", grade="proved",
        section="5.1",
    ),
    Claim(
        id="PS-L2", source="Lemma 2", kind="lemma",
        scope=(for_all("x", 0, 1, tried=[1e-6], inside=[0.5]), _K), at=corners.lemma_2,
        statement=r"Five elementary inequalities hold, from (i) $1-e^{-x}\ge x/2$ on $[0,1]$ to (v) $\log(K+1)\le 2\log K$.",
        check=beside(proofs.lemma_2, lemmas.lemma_2), stated={"largest_x": 1}, control={"largest_x": 1.6}, control_name="(i) on [0, 1.6]", grade="proved",
        section="5.1",
    ),
    Claim(
        id="PS-L4", source="Lemma 4", kind="lemma",
        scope=(_K, _GAP, _EPSILON, _T, _LOSSES), at=corners.lemma_4,
        statement=r"$\mathrm{Reg}_T \le 1 + 4\sum_m F_m$, where $F_m$ is the expected gap of the action that softmax selects after $m$ rounds: the doubling blocks cost a factor 4.",
        check=beside(proofs.lemma_4, lemmas.lemma_4), stated={"factor": 4}, control={"factor": 3.9}, grade="proved",
        remark=r"This is nearly an equality: without a horizon the difference is exactly $1 - \bar\Delta + 2F_1$, where $\bar\Delta$ is the mean gap.",
        section="5.3",
    ),
    Claim(
        id="PS-E4", source="(4)", kind="lemma",
        scope=(_K, _CAPPED, for_all("gap", 0, _FOUR_ETA, tried=[1e-4]), for_all("rounds", 1, tried=[512], inside=[2], letter="m"), _LOSSES),
        at=corners.equation_4,
        statement=r"$E[P_{m,j}] \le 2e^{-m\Delta_j^2/8}$ for gaps $\Delta_j \le 4\eta$, where $P_{m,j}$ is the softmax weight of action $j$ after $m$ rounds.",
        check=beside(proofs.equation_4, lemmas.equation_4), stated={"divisor": 8, "constant": 2}, control={"divisor": 4.45},
        control_name="divisor 4.45 of the exponent for 8", knob="constant", grade="proved",
        section="5.4", proof_uses=("PS-L1",),
    ),
    Claim(
        id="PS-E4d", source="proof of Lemma 5", kind="lemma",
        scope=(_CAPPED, for_all("gap", _FOUR_ETA, 1), _LOSSES), at=corners.drift,
        statement=r"The potential $\log Z_m$ falls: $E[\log Z_{m+1} - \log Z_m \mid \mathcal F_m] \le -\eta V_m/4$ if all gaps exceed $4\eta$. Here $Z_m$ is the normaliser of softmax after $m$ rounds, $V_m$ the expected gap under its weights, and $\mathcal F_m$ the past.",
        check=beside(proofs.drift, lemmas.drift), stated={"constant": 0.25}, control={"constant": 0.9}, knob="constant", grade="proved",
        section="5.4", proof_uses=("PS-L2",),
    ),
    Claim(
        id="PS-L5", source="Lemma 5", kind="lemma",
        scope=(_K, _GAP, _EPSILON, _LOSSES), at=corners.lemma_5,
        statement=r"$\sum_m F_m \le 200\log K/\Delta + 4\log K/\eta$, with the $F_m$ of Lemma 4.",
        check=lemmas.lemma_5, stated={"factor": 1.0}, control={"factor": 0.197},
        control_name="constants 39.4 and 0.788", knob="factor",
        section="5.4", grade="certified", proof_uses=("PS-E5", "PS-E6"), stands_by=("PS-S5",),
    ),
    Claim(
        id="PS-E5g", source="proof of Lemma 5, before (5)", kind="lemma",
        scope=(_K, _CAPPED, for_all("gap", 0, _FOUR_ETA, tried=[1e-4]), _LOSSES), at=corners.one_group,
        statement=r"A group $H_\ell$ of actions with gaps from $2^{\ell-1}\Delta$ to $2^\ell\Delta$, all at most $4\eta$, contributes at most $(32\log(|H_\ell|+1)+18)/(2^{\ell-1}\Delta)$ to $\sum_m F_m$.",
        check=lemmas.one_group, stated={"constant": 32}, control={"constant": 0.71},
        section="5.4", grade="grid", proof_uses=("PS-E4", "PS-L2"),
        remark=r"The check has deterministic losses and four sets of groups. With the integral over the gap in place of dyadic groups, the constant 200 of (5) falls below 7 (PS-S5).",
    ),
    Claim(
        id="PS-E5", source="(5)", kind="lemma",
        scope=(_K, _CAPPED, for_all("gap", 0, _FOUR_ETA, tried=[1e-4]), _LOSSES), at=corners.equation_5,
        statement=r"Actions with $\Delta_j \le 4\eta$ contribute at most $200 \log K/\Delta$ to $\sum_m F_m$.",
        check=lemmas.equation_5, stated={"constant": 200}, control={"constant": 4.2}, knob="constant",
        section="5.4", grade="grid", proof_uses=("PS-E5g", "PS-L2"),
    ),
    Claim(
        id="PS-E6", source="(6)", kind="lemma",
        scope=(_K, _CAPPED, for_all("gap", _FOUR_ETA, 1), _LOSSES), at=corners.equation_6,
        statement=r"Actions with $\Delta_j > 4\eta$ contribute at most $4\log K/\eta$ to $\sum_m F_m$.",
        check=lemmas.equation_6, stated={"constant": 4}, control={"constant": 1.05}, knob="constant",
        section="5.4", grade="grid", proof_uses=("PS-E4d",),
    ),
    Claim(
        id="PS-H", source="Theorem 1", kind="regret upper", constants="derived",
        scope=(_K, _GAP, _EPSILON, for_all("rounds", 1, tried=[2**40], inside=[64]), _LOSSES), at=corners.horizon_free,
        statement=r"The regret does not depend on the horizon: it stops growing.",
        check=regret.horizon_free, stated={"temperature": "constant"}, control={"temperature": "largest sum"},
        control_name="temperature proportional to the block's largest sum",
        remark=r"The limit on the growth after round $4n$ is $4\sum_{m>n}F_m$ on deterministic losses; on Bernoulli losses of two actions it is what (4) and Lemma 2 (iv) leave.",
        section="4", grade="certified", proof_uses=("PS-T1",),
    ),
    Claim(
        id="PS-D", source="Section 3", kind="regret upper",
        scope=(_K, _GAP, _EPSILON, _T, named("losses", *corners.COINS)), at=corners.dependent,
        statement=r"Only independence across time is used: (1) covers comonotone, antithetic and one-hot loss vectors.",
        check=regret.dependent, stated={"uniform": 0.0, "constant": 1.0},
        control={"uniform": 1.67e-12}, knob="constant",
        section="3", grade="certified", proof_uses=("PS-T1",),
    ),
    Claim(
        id="PS-X", source="Section 6", kind="figure", constants="derived", verdict="our finding",
        known=("wu2025: log K/Δ + log² K/ε without a prefix, and the guess that the square is not real",), new="the measurement; the proof is NL-F6 and NL-F7",
        scope=(measured("n_actions", "powers of two from 16 to the profile's largest"),),
        statement=r"The paper credits the random prefix with removing a factor $\log K$. The regret of report-noisy-max with Gumbel noise and without a prefix also grows like $\log K$, not $\log^2 K$ (slope below 1.5), and is smaller on the instances measured.",
        check=regret.noisy_max_growth, stated={"noise_power": 0.0}, control={"noise_power": 0.5},
        control_name="noise multiplied by √(log K)",
        remark=r"The prefix cannot be the cause: whole blocks have the rate without it on all i.i.d. losses, of any joint distribution within a round (NL-F6). The prefix improves the constant that is proved: with $\frac{64}3(\log(K-1)+1)/\Delta$ in both bounds it has $\frac{16}3\log K/\eta$ beside it (PS-S5, $c=2$), and whole blocks $8\log K/\eta$; for independent actions they have $\frac{16}3$ too (NL-F7).",
        section="6", grade="nominal", stands_by=("PS-XD", "NL-F6"),
    ),
    Claim(
        id="PS-E6d", source="proof of Lemma 5", kind="lemma", constants="derived", verdict="our finding",
        known=("cesari2026: the drift with 1/4 for c = 4, η ≤ 1/8",), new="the share 1 − 1/(2c) for every η, and that no larger one does",
        scope=(
            for_all("split", 1, tried=[64.0], inside=[4.0], letter="c"),
            for_all("learning_rate", 0, Border("1/c", lambda split, **_: 1 / split), tried=[0.01]),
            for_all("gap", Border(r"c\eta", lambda split, learning_rate, **_: min(1.0, split * learning_rate)), 1), _LOSSES,
        ), at=corners.sharper_drift,
        statement=r"If all gaps exceed $c\eta$, $c \ge 1$, then $E[\log Z_{m+1} - \log Z_m \mid \mathcal F_m] \le -(1 - \frac1{2c})\,\eta V_m$ for every $\eta > 0$, and no larger factor than $1-\frac1{2c}$ holds for all $\eta$ ($Z_m$, $V_m$, $\mathcal F_m$ as in PS-E4d). With the paper's $c = 4$ the $1/4$ becomes $7/8$, the 4 of (6) becomes $8/7$ and the 16 of (1) $32/7$.",
        sharpens=(Sharper(claim="PS-E4d", constant="7/8"), Sharper(claim="PS-E6", constant="8/7"),),
        check=lemmas.sharper_drift, stated={"factor": 1.0}, control={"factor": 1.01}, knob="factor",
        section="5.4", grade="grid", remark="The proof is in `bounds.sharper_drift`: it compares powers of η and does not use the cap.",
    ),
    Claim(
        id="PS-S5", source="Lemma 5", kind="lemma", constants="derived", verdict="our finding",
        known=("cesari2026: 200 and 4, η ≤ 1/8",), new="the constants, without dyadic groups and without a cap on η",
        scope=(
            _K, _GAP, for_all("learning_rate", 0, tried=[5e-5, 100], inside=[0.125, 1]), for_all("split", 1, tried=[64.0], letter="c"), _LOSSES,
        ), at=corners.sharper_lemma_5,
        statement=r"For every $\eta > 0$ and $c \ge 1$, $\sum_m F_m \le \frac{4c^2}{2c-1}\frac{\log(K-1)+1}{\Delta} + \frac{2c}{2c-1}\frac{\log K}{\eta}$: with $c = 1$ the constants 200 and 4 become at most 6.2 and 2.",
        sharpens=(
            Sharper(claim="PS-L5", constant="6.2 for 200 and 2 for 4"),
            Sharper(claim="PS-E5", constant="6.2"),
        ),
        check=lemmas.sharper_lemma_5, stated={"factor": 1.0}, control={"factor": 0.98}, knob="factor",
        section="5.4", grade="certified", remark="The proof is in `bounds.sharper_lemma_5`. It needs neither dyadic groups nor the cap on η.",
    ),
    Claim(
        id="PS-S1", source="Theorem 1", kind="regret upper", constants="derived", verdict="our finding",
        known=("cesari2026: 800 and 16, η ≤ 1/8, and 1000 in all",), new="the constants 16 and 8, and that the cap is not needed",
        scope=(_K, _GAP, _EPSILON, _T, _LOSSES), at=corners.sharper_theorem_1,
        statement=r"For every horizon and every $\eta > 0$, $\mathrm{Reg}_T \le 1 + 16(\log(K-1)+1)/\Delta + 8\log K/\eta$. So the cap is not needed: at $\eta = \varepsilon/2$ the regret is at most $26(\log K/\Delta + \log K/\varepsilon)$. The paper's learner, with its cap, has at most $76(\log K/\Delta + \log K/\varepsilon)$.",
        sharpens=(
            Sharper(claim="PS-T1", constant="16 for 800 and 8 for 16, log(K − 1) + 1 for the first log K"),
            Sharper(claim="PS-T1b", constant="76 for the paper's learner; 26 without its cap"),
        ),
        check=regret.sharper_theorem_1, stated={"uniform": 0.0, "constant": 1.0},
        control={"uniform": 2.31e-16}, knob="constant",
        section="4", grade="certified", remark="The proof is in `bounds.sharper_theorem_1`.",
    ),
    Claim(
        id="PS-LB", source="Corollary 1", kind="regret lower", constants="derived", verdict="our finding",
        known=("hu2021: lower bounds of both terms",), new="the constant 1/45; the rate without privacy is classical",
        scope=(for_all("n_actions", 2, tried=[3, 4, 2**16]), for_all("gap", 0, 0.5, tried=[0.1])), at=corners.statistical_lower_bound,
        statement=r"For $\Delta \le 1/2$ and $T \ge \log K/(2\Delta^2)$ every learner, private or not, has regret at least $\log K/(45\Delta)$ on some instance.",
        check=regret.statistical_lower_bound, stated={"factor": 1 / 45}, control={"factor": 0.153}, knob="factor",
        section="4", grade="grid", remark="The proof in `bounds.lower_bound` uses Fano's inequality and the affinity of two points. The check compares it with the exact least regret of all learners.",
    ),
    Claim(
        id="PS-LBp", source="Corollary 1", kind="regret lower", constants="derived", verdict="our finding",
        known=("hu2021: lower bounds of both terms",), new="the constant 1/28 and the range of T; group privacy is standard",
        scope=(_K, for_all("gap", 0, 1, tried=[0.1]), for_all("epsilon", 0, tried=[0.02, 100], inside=[1])), at=corners.private_lower_bound,
        statement=r"For every gap and $T \ge 1 + \log K/(\varepsilon\Delta)$ every $\varepsilon$-private learner has regret at least $\log K/(28\varepsilon)$ on some instance of that gap.",
        check=regret.private_lower_bound, stated={"noise_power": 0.0}, control={"noise_power": 0.75},
        control_name="noise of scale ε^(-1/4)",
        section="4", grade="grid", remark="The proof in `bounds.lower_bound_privacy` uses group privacy. The check has two private learners at gap 1; the control's noise is not enough for ε.",
    ),
    Claim(
        id="PS-XD", source="Section 6", kind="regret upper", constants="derived", verdict="our finding",
        known=("wu2025: log K/ε on such losses for Gumbel noise",), new="the comparison with the prefix, and the constant 4",
        scope=(for_all("log_k", math.log(2), tried=[math.log(4096), 230.0], letter=r"\log K"), _GAP, for_all("learning_rate", 0, tried=[1e-3, 100], inside=[0.125, 1]),
            named("losses", "the same vector in each round")), at=corners.whole_blocks,
        statement=r"On deterministic losses, softmax of whole blocks has at every horizon at most the regret of softmax of a random prefix, and at most $1 + 4\log K/\eta$.",
        check=regret.whole_blocks, stated={"constant": 4.0}, control={"constant": 3.0},
        section="6", grade="grid", remark=r"The proof is in `lemmas.whole_blocks`. At $K=4096$ the largest constant that is needed at eight levels of privacy is 3.04; at $K=10^{100}$ with all gaps 1 it is 3.89, and no constant below 4 is enough for all $K$.",
    ),
    Claim(
        id="PS-XP", source="Section 6", kind="figure", constants="derived", verdict="our finding",
        new="the example",
        scope=(measured("gap", 1e-5, 0.05), measured("learning_rate", 0.125), measured("n_actions", 3)),
        statement=r"The random prefix helps where $F_m$ rises: if the best action has no noise and two rivals toss opposite coins, $F_m$ rises from $\frac23\Delta$ towards $\Delta$ while $m \ll 1/\Delta^2$. At $\eta = 1/8$ reading whole blocks then costs 2% more until $T = 4095$; once the blocks are long enough it costs 28% less.",
        check=regret.where_the_prefix_helps, stated={"dependence": "opposite"}, control={"dependence": "equal"},
        control_name="rivals with the same coin",
        section="6", grade="exact", remark=r"With two actions and losses 0 and 1, dependent or not, $F_m$ falls for every distribution of a grid, computed exactly.",
    ),
    Claim(
        id="PS-W", source="Theorem 1, (2)", kind="regret upper", constants="derived", verdict="our finding",
        known=("cesari2026: 1000",), new="the constant on such losses",
        scope=(_K, _GAP, _EPSILON, named("losses", "the same vector in each round")), at=corners.largest_ratio,
        statement=r"On deterministic losses the constant 1000 can be replaced by $32 + 1/\log 2$: $F_m$ decreases in $m$, so $\sum_m F_m \le \log K/\eta$.",
        sharpens=(Sharper(claim="PS-T1b", constant="33.4 on deterministic losses", alike=True),),
        check=regret.largest_ratio, stated={"constant": 32 + 1 / math.log(2)}, control={"constant": 31}, knob="constant",
        section="4", grade="grid",
    ),
    Claim(
        id="PS-CAP", source="Section 4", kind="figure", constants="derived", verdict="our finding",
        new="the measurement",
        scope=(measured("n_actions", 16), measured("epsilon", 1.0), measured("gap", 1.0)),
        statement=r"The cap $\eta \le 1/8$ leaves privacy unused for $\varepsilon > 1/4$; at $\varepsilon = 1$ it multiplies the regret by more than 4 on losses 0 and 1, $K = 16$.",
        check=regret.cap, stated={"epsilon": 1.0, "factor": 4.0}, control={"epsilon": 0.9},
        control_name="ε = 0.9", knob="factor",
        remark="On Bernoulli losses, 15 arms at 1/2 and a better one, the factor falls with the gap: about 2.2 at gap 0.1 and 1.05 at 0.01.",
        section="4", grade="exact", stands_by=("PS-S1",),
    ),
)
