"""The paper's claims, in its order."""

from __future__ import annotations

import math

from replicate.claims import Claim
from replicate.papers.prefix_softmax.checks import lemmas, privacy, regret

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="PS-T1", source="Theorem 1, (1)", kind="regret upper",
        statement=r"For every horizon, $\mathrm{Reg}_T \le 1 + 800 \log K/\Delta + 16 \log K/\eta$, $\eta=\min(\varepsilon/2, 1/8)$.",
        check=regret.theorem_1, stated={"form": "(1)", "learner": "prefix softmax"},
        control={"learner": "uniform play"},
    ),
    Claim(
        id="PS-T1b", source="Theorem 1, (2)", kind="regret upper",
        statement=r"For every horizon, $\mathrm{Reg}_T \le 1000(\log K/\Delta + \log K/\varepsilon)$.",
        check=regret.theorem_1, stated={"form": "(2)", "learner": "prefix softmax"},
        control={"learner": "uniform play"},
    ),
    Claim(
        id="PS-C1", source="Corollary 1", kind="regret upper",
        statement=r"The regret grows like $\log K/\Delta + \log K/\varepsilon$: linearly in $1/\Delta$, $1/\varepsilon$ and $\log K$, each where its term dominates.",
        check=regret.rate, stated={"noise_power": 0}, control={"noise_power": 1},
        control_name="noise multiplied by log K",
        remark="Checked as an upper rate. The matching lower bound is quoted by the paper; its explicit form is in the report-noisy-max paper.",
    ),
    Claim(
        id="PS-P1", source="Proposition 1", kind="privacy",
        statement=r"The whole sequence of actions is $2\eta \le \varepsilon$ differentially private at event level.",
        check=privacy.sequence_loss, stated={"readers": 1}, control={"readers": 2},
        control_name="each block read by two selections",
    ),
    Claim(
        id="PS-L3", source="Lemma 3", kind="privacy",
        statement=r"Softmax of a data-independent prefix is $2\eta$ differentially private; long blocks attain $2\eta$.",
        check=privacy.selection_loss, stated={"rate_factor": 1}, control={"rate_factor": 4},
        control_name="four times the learning rate",
    ),
    Claim(
        id="PS-A1", source="Proposition 1", kind="privacy", verdict="our finding",
        statement=r"Samples of the learner's actions on two neighbouring tables certify no more than the declared $\varepsilon = 1/4$.",
        check=privacy.certified_by_sampling, stated={"learner": "prefix softmax"},
        control={"learner": "its non-private twin"},
        control_name="a twin that follows the leader of the same random prefixes",
        remark="A certified lower limit, wrong with probability 1e-9; it must also reach a quarter of the pair's exact loss. The literal learner is sampled as well, on a hundredth of the runs.",
    ),
    Claim(
        id="PS-A2", source="Lemma 3", kind="privacy", verdict="our finding",
        statement=r"The closed form of a block's worst loss is what a search over all real-valued blocks, all replaced vectors and all actions ends at.",
        check=privacy.worst_block_by_search, stated={"closed_form_reads": "random prefix"},
        control={"closed_form_reads": "whole block"},
        control_name="the closed form for a learner that reads whole blocks",
        remark=r"Blocks of up to 4 rounds, $\eta = 1/8$. The sequence of actions costs what its worst block costs: PS-P1.",
    ),
    Claim(
        id="PS-L1", source="Lemma 1", kind="lemma",
        statement=r"$P(\sum_{s\le m} U_s \le m\mu/2) \le e^{-m\mu^2/8}$ for independent $U_s\in[-1,1]$ with mean $\mu>0$.",
        check=lemmas.lemma_1, stated={"divisor": 8}, control={"divisor": 4},
        control_name="exponent twice as large",
    ),
    Claim(
        id="PS-L2", source="Lemma 2", kind="lemma",
        statement=r"Five elementary inequalities, (i) $1-e^{-x}\ge x/2$ on $[0,1]$ to (v) $\log(K+1)\le 2\log K$.",
        check=lemmas.lemma_2, stated={"largest_x": 1}, control={"largest_x": 2}, control_name="(i) on [0, 2]",
    ),
    Claim(
        id="PS-L4", source="Lemma 4", kind="lemma",
        statement=r"$\mathrm{Reg}_T \le 1 + 4\sum_m F_m$: the dyadic clock costs a factor 4.",
        check=lemmas.lemma_4, stated={"factor": 4}, control={"factor": 3},
        remark=r"Nearly an equality: without a horizon the difference is exactly $1 - \bar\Delta + 2F_1$, $\bar\Delta$ the mean gap.",
    ),
    Claim(
        id="PS-E4", source="(4)", kind="lemma",
        statement=r"$E[P_{m,j}] \le 2e^{-m\Delta_j^2/8}$ for gaps $\Delta_j \le 4\eta$.",
        check=lemmas.equation_4, stated={"divisor": 8}, control={"divisor": 1},
        control_name="exponent eight times as large",
    ),
    Claim(
        id="PS-E4d", source="proof of Lemma 5", kind="lemma",
        statement=r"The potential falls: $E[\log Z_{m+1} - \log Z_m \mid \mathcal F_m] \le -\eta V_m/4$ when all gaps exceed $4\eta$.",
        check=lemmas.drift, stated={"constant": 0.25}, control={"constant": 1.0}, control_name="constant 1",
    ),
    Claim(
        id="PS-L5", source="Lemma 5", kind="lemma",
        statement=r"$\sum_m F_m \le 200\log K/\Delta + 4\log K/\eta$.",
        check=lemmas.lemma_5, stated={"constants": (200, 4)}, control={"constants": (1 / 4, 1 / 200)},
        control_name="constants 1/4 and 1/200",
    ),
    Claim(
        id="PS-E5", source="(5)", kind="lemma",
        statement=r"Actions with $\Delta_j \le 4\eta$ contribute at most $200 \log K/\Delta$ to $\sum_m F_m$.",
        check=lemmas.equation_5, stated={"constant": 200}, control={"constant": 2},
    ),
    Claim(
        id="PS-E6", source="(6)", kind="lemma",
        statement=r"Actions with $\Delta_j > 4\eta$ contribute at most $4\log K/\eta$ to $\sum_m F_m$.",
        check=lemmas.equation_6, stated={"constant": 4}, control={"constant": 1 / 2}, control_name="constant 1/2",
    ),
    Claim(
        id="PS-H", source="Theorem 1", kind="regret upper", constants="derived",
        statement=r"The regret does not depend on the horizon: it stops growing.",
        check=regret.horizon_free, stated={"temperature": "constant"}, control={"temperature": "largest sum"},
        control_name="temperature proportional to the block's largest sum",
        remark=r"Limit: what (4) and Lemma 2 (iv) leave for the rounds after $2^{24}$.",
    ),
    Claim(
        id="PS-D", source="Section 3", kind="regret upper",
        statement=r"Only independence across time is used: (1) covers comonotone, antithetic and one-hot loss vectors.",
        check=regret.dependent, stated={"learner": "prefix softmax"}, control={"learner": "uniform play"},
    ),
    Claim(
        id="PS-X", source="Section 6", kind="figure", constants="derived", verdict="our finding",
        statement=r"The random prefix is credited with removing a factor $\log K$. Report-noisy-max with Gumbel noise and no prefix also grows like $\log K$, not $\log^2 K$, on the instances tried, and has less regret.",
        check=regret.noisy_max_growth, stated={"log_factors": 0}, control={"log_factors": 1},
        control_name="one more factor log K",
        remark="The extra logarithm of the earlier analysis is not visible in the numbers: what the prefix improves is the proof.",
    ),
    Claim(
        id="PS-W", source="Theorem 1, (2)", kind="regret upper", constants="derived", verdict="our finding",
        statement=r"On deterministic losses the constant 1000 can be replaced by $32 + 1/\log 2$: $F_m$ decreases in $m$, so $\sum_m F_m \le \log K/\eta$.",
        check=regret.largest_ratio, stated={"constant": 32 + 1 / math.log(2)}, control={"constant": 16},
    ),
    Claim(
        id="PS-CAP", source="Section 4", kind="figure", constants="derived", verdict="our finding",
        statement=r"The cap $\eta \le 1/8$ leaves privacy unused for $\varepsilon > 1/4$; at $\varepsilon = 1$ it multiplies the regret by more than 4.",
        check=regret.cap, stated={"epsilon": 1.0}, control={"epsilon": 0.2},
        control_name="ε = 0.2, where the cap is idle",
    ),
)
