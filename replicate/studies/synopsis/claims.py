"""The claims across papers: the rows of the decision table, and what else the comparison shows."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured, named
from replicate.learners.registry import entry
from replicate.studies.synopsis import checks
from replicate.studies.synopsis.experiments.regret import GAMES, PRIVATE_BLOCK
from replicate.studies.synopsis.instances import SITUATIONS


def _finding(name: str, source: str, statement: str, **rest: Any) -> Claim:
    """Return an entry that no paper states: our finding, with our constants."""
    about: dict[str, Any] = {"constants": "derived", "verdict": "our finding", "kind": "figure"} | rest
    return Claim(id=f"SY-{name}", source=source, statement=statement, **about)


def _spends(name: str, source: str, statement: str, *, learners: tuple[str, ...], **rest: Any) -> Claim:
    """Return the claim that learners spend no more than they declare; the control has a fiftieth less noise."""
    return _finding(
        name, source, statement, kind="privacy", grade="exact", check=checks.spent,
        stated={"learners": learners, "noise_divisor": 1.0},
        control={"noise_divisor": 1.02}, control_name="noise divided by 1.02", **rest,
    )  # fmt: skip


def _keeps_bound(
    name: str, source: str, statement: str, *, learners: tuple[str, ...], remark: str, **rest: Any
) -> Claim:
    """Return the claim that the regret of learners is at most their bounds, which uniform play exceeds."""
    return _finding(
        name, source, statement, kind="regret upper", grade="certified", check=checks.proved_bounds,
        stated={"learners": learners, "constant": 1.0, "play": "their own"},
        control={"play": "uniform play"}, knob="constant", remark=remark, **rest,
    )  # fmt: skip


def _row(
    situation: str, learners: tuple[str, ...], rivals: tuple[str, ...], *, limit: float = 1.5, more: str = ""
) -> Claim:
    """Return the claim of one row of the decision table: who wins, and who is named as the winner in the control."""
    winner, other = (" or ".join(f"“{entry(name).label}”" for name in names) for names in (learners, rivals))
    text, times = SITUATIONS[situation].text, f"{limit:g} times " if limit != 1 else ""
    return _finding(
        f"ROW-{situation}", "the decision table",
        f"For “{text}” the regret of {winner} is at most {times}that of every other listed learner "
        r"with a guarantee for such losses, at $K=8$, $\varepsilon=1$, on the advisor's instances.",
        grade="nominal",
        check=checks.recommended, stated={"row": situation, "learners": learners, "limit": limit}, knob="limit",
        control={"learners": rivals}, control_name=f"{other} named as the winner",
        scope=(
            named("rivals", "listed learners with a guarantee for such losses"),
            measured("n_actions", 8), measured("epsilon", 1),
            measured("horizon", 512 if situation == "REACT" else 2**14), measured("instances", "the advisor's"),
        ),
        remark=f"{_LEFT}{more}",
    )  # fmt: skip


_LEFT = (
    "For learners that left the race early the regret of a shorter game counts; we assume that it is at most that "
    "of the whole game."
)
ROWS = (
    _row("IID", ("weighted_epochs", "random_epochs"), ("prefix_softmax",)),
    _row("SHIFT", ("fading_batches", "fading_batches_twice"), ("restarts",), limit=1.0),
    _row(
        "FIX", ("hedge_tree_cube_fourfold",), ("bit_exp3_s",), limit=4.0,
        more=" Below about 16,000 rounds Fixed Share on batches is about as good.",
    ),
    _row("FIXD", ("hedge_factorized_twice",), ("dartboard",), limit=2.0),
    _row("SWITCH", ("fixed_share_cube_twice", "fixed_share_cube_fourfold"), ("mirror_descent",), limit=1.1),
    _row("REACT", ("fixed_share_cube", "fixed_share_cube_twice"), ("mirror_descent",), limit=2.0),
    _row("BIID", ("dp_imed",), ("bit_tsallis_inf",), limit=2.0),
    _row("BFIX", ("bit_tsallis_inf",), ("htinf",)),
    _row("LIID", ("bit_thompson",), ("bit_tsallis_inf",), limit=1.25),
    _row("LFIX", ("bit_tsallis_inf",), ("per_round_htinf",)),
    _row("BSHIFT", ("bit_exp3_s", "batch_bit_exp3_s"), ("uniform",)),
)
"""The winners of the decision table's rows: the table computes them, these claims say who they are."""
CLAIMS: tuple[Claim, ...] = (
    *ROWS,
    _finding(
        "ZERO", "papers 1 and 2",
        r"As $\varepsilon\to0$, on losses 0 and 1 with one good action, the regret of prefix softmax is $8\log K/\varepsilon$ and that of Gumbel noise, averaged over an octave of $\varepsilon$, $4\log_2K/\varepsilon$, to within 0.1%: the random prefix costs a factor $2\log2=1.386$.",
        kind="lemma", grade="exact",
        check=checks.vanishing_epsilon, stated={"on_blocks": "gumbel"}, control={"on_blocks": "exponential"},
        control_name="exponential noise for Gumbel noise",
        remark=r"Both are softmax of $m$ rounds with $\sum_m F_m\approx\int F=\log K/\eta$, $\eta=\varepsilon/2$. Prefixes visit every $m$ with weight 4; whole blocks visit $m=2^r$ with weight $2m$, which is $2/\log2$ times the integral on average.",
        known=("cesari2026: the prefix", "wu2025: whole epochs",), new="the two limits, and their ratio",
        scope=(for_all("n_actions", 2, 4096, inside=[3]),),
        at=checks.vanishing_epsilon_at,
    ),
    _finding(
        "TRAP", "papers 1 and 2",
        r"A table that is fixed in advance traps every listed learner on doubling blocks, at $\varepsilon=1$ and without privacy: the action that was best in one block loses in the next, and the learner's regret exceeds 3 times that of uniform play.",
        grade="certified",
        check=checks.trap, stated={"learners": (*PRIVATE_BLOCK, "no_noise"), "table": "clock", "limit": 3.0},
        knob="limit", control={"learners": ("dartboard",)}, control_name="the dartboard",
        scope=(named("learners", "the listed ones on doubling blocks"), measured("runs", r"$K=2$, $\varepsilon=1$, the clock trap"),),
    ),
    _finding(
        "TRAPR", "paper 3",
        r"Restarts are no protection against an adversary: a table, fixed in advance, on which the block trap begins anew at every restart raises their regret above 3 times that of uniform play, at $\varepsilon=1$.",
        grade="certified",
        check=checks.trap, stated={"learners": ("restarts",), "table": "restart", "limit": 3.0}, knob="limit",
        control={"learners": ("htinf",)}, control_name="HTINF in batches",
        remark="This does not contradict Theorem 3.6, which is about stochastic phases. The table is built on a copy of the learner; noise moves the learner's restarts by a few rounds only.",
        scope=(named("restarts", "each of this learner in the runs"), measured("runs", r"$K=2$, $\varepsilon=1$, the restart trap"),),
    ),
    _finding(
        "ADV", "paper 4",
        r"With the advice of eight experts, the regret per round of HTINF over experts is less than a fifth of that of either private EXP4, at $T=10^6$, and for EXP4 in batches at a horizon a thousand times longer.",
        grade="nominal", check=checks.advice, stated={"learner": "htinf", "limit": 0.2}, knob="limit",
        control={"learner": "local_exp4"}, control_name="EXP4 with noise on every round",
        remark="Local EXP4 is private towards the learner too; the others need a trusted one.",
        scope=(measured("runs", r"$N=8$, $K=2$, $\varepsilon=1$, $T=10^6$, and $10^9$ for batches"),),
    ),
    _finding(
        "LAB", "paper 5",
        r"Under local privacy, with labels that cannot be merged (Dirichlet(1) classes) and $T=10^{10}$, one randomised bit of a random sign test has at most a third of the risk of randomised response, of Bayes' rule on Algorithm 2's messages, and of Algorithm 2 itself, with very many labels ($K=4$) and with 64 labels ($K=16$).",
        grade="certified", check=checks.labels,
        stated={
            "winner": "sign_bits", "rivals": ("merged_response", "posterior", "pure"),
            "classes": ("many labels", "more hypotheses"), "limit": 1 / 3,
        },
        knob="limit", control={"winner": "posterior"}, control_name="Bayes' rule on Algorithm 2's messages named",
        remark="All schemes use Bayes' rule; only Algorithm 2 itself has its worst-case learning rate. With 8 labels and 4 hypotheses the ratio of means to randomised response is about one half. A random pair of hypotheses does as well on these classes, and has no bound for all (DL-R1p).",
        scope=(measured("runs", r"Dirichlet(1) classes, $\varepsilon=1$, $T=10^{10}$, $K=4$ with very many labels, $K=16$ with 64"),),
    ),
    _finding(
        "MERGE", "paper 5",
        r"On 32,768 labels that are copies of eight, randomised response after equivalent labels are merged has less than $10^{-4}$ of the risk of randomised response on the labels, and of Algorithm 2.",
        grade="certified", check=checks.labels,
        stated={
            "winner": "merged_response", "rivals": ("randomized_response", "pure"), "classes": ("copies",), "limit": 1e-4,
        },
        knob="limit", control={"winner": "pure"}, control_name="Algorithm 2 named",
        remark="The hypotheses are public, so anyone may merge: a comparison on such labels says nothing of their number.",
        scope=(measured("runs", r"$\varepsilon=1$, $T=10^{10}$, $K=4$, $M=32{,}768$ copies of eight labels"),),
    ),
    _finding(
        "SIGN", "the signed balanced tree",
        r"If noisy sums of intervals may be added and subtracted, every round is in at most $a$ of them, and every prefix sum is made of at most $b$ of them, then there are at most $N(a,b)=(D(a,b)-1)/2$ prefix sums, where $D$ are the Delannoy numbers. The signed balanced tree has exactly as many.",
        kind="lemma", grade="exact",
        check=checks.most_releases, stated={"more": 0}, control={"more": 1}, control_name="N(a, b) + 1 claimed",
        remark=r"Theorem `signed-tree`. The search is over all trees, at shapes of up to 13 releases; as built, trees are compared with the summing matrix up to 1,023 releases. As virtual paths from one end of a chain of switches to all of it, by load and hop count, the problem is solved since the nineties (Zaks 2000). Andersson, Pagh, Steiner and Torkamani (2025) let nodes count negatively, Andersson and Pagh (2023) gave all releases noise of one distribution.",
        known=("zaks2000: the tree, its count and that it is the largest, for paths along a chain", "andersson2025: releases with digits of either sign", "andersson2023: noise of one distribution for all releases",),
        new="its use for private sums, and that real combinations have no more",
        scope=(named("trees", "any, by the proof"), measured("sizes", "all trees of up to 13 releases; built ones up to 1,023"),),
    ),
    _finding(
        "SHEAR", "the signed balanced tree",
        r"The signed balanced tree is private also if vectors depend on earlier releases: if round $s$ is replaced by a vector that differs by $d$, and the noises of the nodes that hold it move by $\pm d$, the whole transcript stays as it was, and the log density of the noises changes by at most $\varepsilon$.",
        kind="privacy", grade="exact",
        check=checks.same_transcript, stated={"noises": ("laplace", "cube"), "move": "every node"},
        control={"move": "all nodes but one"}, control_name="one node is not moved",
        remark=r"The adversary answers every release with the next vector. Which nodes hold a round is read from the mechanism. $d$ depends on releases before $s$ alone, so the map of the noises is a shear and keeps volumes. That a release is a sum of noisy nodes does not prove this: a node may be in use before its last round is known.",
        scope=(named("vectors", "any within the mechanism's bound, chosen from earlier releases"), measured("sizes", "the transcripts that were played"),),
    ),
    _finding(
        "VAR", "the signed balanced tree",
        r"Under pure privacy, for any number of prefix sums from $10^6$ to $2^{59}$, the variance of the signed balanced tree is at most $\frac23$ of the least variance of three other trees for the worst release, and at most $.9$ of it in the mean over releases.",
        grade="exact",
        check=checks.smallest_variance, stated={"scheme": "signed balanced tree", "worst": 2 / 3, "mean": 0.9},
        control={"scheme": "digits of either sign"}, control_name="digits of either sign named",
        remark=r"The others: base $k$, base $k$ with digits of either sign, the balanced tree, each at its best shape. In units of $\log_2^3N$ the limits are $.04528$, and $.06180$ and $.08426$ of the last two; they are far away, $.0559$ at $2^{59}$. For fewer releases, from $10^3$ on, the two ratios are at most $.73$ and $.97$ (at 1,313 and 1,652).",
        scope=(for_all("releases", 10**6, 2**59, tried=[1225613, 2756481, 8490932801], letter="N"),),
        at=checks.smallest_variance_at,
    ),
    _spends(
        "P-TREE", "noisy prefix sums, pure",
        r"Hedge on tree sums spends what it declares: replacing one round's losses moves the log density of all prefix sums that it acts on by exactly the stated $\varepsilon$.",
        proof="by hand, ours",
        learners=("hedge_tree_cube",),
        remark=r"What noises and rounds add to the sums is read from the learner. The loss is $\min\sum_k|b_k|$ over shifts $b$ of the noises that look like the replaced round, in units of the noise: a linear program for each round. One noise of the cube hides a change of all $K$ coordinates.",
        new="the exact losses, read from the learner",
        scope=(named("epsilon", "any: it is the unit of the noise"), measured("sizes", r"$K=3$, 64 rounds, $\varepsilon=0.1$, 1"),),
    ),
    _spends(
        "P-SUMS", "the other competitors",
        r"The other private competitors spend exactly what they declare. For bandits in phases and Fixed Share on batches, one loss changes one noisy sum. For Gaussian prefix sums, $\delta$ is that of one Gaussian vector. One bit of the mean loss $\bar\ell$ of $b$ rounds is 1 with probability $\frac12+r(\bar\ell-\frac12)$, $r=1/(1+2/(b(e^\varepsilon-1)))$, so that its log odds change by $\varepsilon$.",
        proof="by hand, ours",
        learners=(
            "dp_imed", "dp_imed_4", "fixed_share_cube", "hedge_factorized", "bit_tsallis_inf",
            "bit_thompson", "bit_exp3_s", "bit_exp4", "batch_bit_exp3_s", "batch_bit_tsallis_inf",
            "coordinate_share", "coordinate_leader",
        ),
        remark=r"Given the noisy sums, actions do not depend on losses. At $b=1$, $r=\tanh(\varepsilon/2)$, a bit is private towards everyone; of a random coordinate too. $\delta$ is Balle and Wang's, at the least Euclidean norm of a shift of the noises.",
        known=("azize2022: the phases", "warner1965: randomised response", "balle2018: the exact Gaussian mechanism",),
        new="the exact losses, read from the learners",
        scope=(named("epsilon", "any: it is the unit of the noise"), measured("sizes", r"$K=2$ or 3, 64 to 500 rounds, $\varepsilon=0.1$, 1"),),
    ),
    _spends(
        "P-LAST", "leaders of batches and epochs",
        r"The leaders of all batches, of fading batches and of weighted or random epochs spend exactly $\varepsilon$: every round is part of one sum, which is read in selections with exponential noise, with weights that add up to $\varepsilon/2$ times the noise's mean.",
        proof="by hand, ours",
        learners=("few_leaders", "fading_batches", "weighted_epochs", "random_epochs"),
        new="the exact losses, read from the learners",
        scope=(named("rounds", "each: by the listing"), measured("sizes", r"$K=3$, $\varepsilon=0.1$, 1"),),
    ),
    _keeps_bound(
        "B", "the competitors",
        r"The regret of the other listed competitors, and of the listed learners without privacy, is at most the bound that the list states with all constants, at sizes where uniform play exceeds it.",
        learners=tuple(name for name in GAMES if name != "random_epochs"),
        remark=r"Each plays losses for which its bound is proved. The bounds and their proofs: `noisy_sums.hedge_tuning`, `batched_share.tuning`, `few_leaders.tuning`, `epochs.epochs_bound`, `coordinate_bit.tuning` and `leader_bound`, `random_bit.regret_bound`, `bit_exp4.tuning`. For losses that may react: all but the leaders, and Hedge on prefix sums.",
        known=(
            "herbster1998: Fixed Share", "derooij2014: AdaHedge", "zimmert2021: Tsallis-INF", "wu2025: one epoch, doubled",
            "warner1965: randomised response",
        ),
        new="the bounds with noise, on batches, weighted epochs and random bits, with all constants",
        scope=(named("losses", "those of each theorem"), measured("runs", r"$K=2$, $\varepsilon=1$; the clock trap, four phases, one good arm, $T=200$ to $5{,}000$"),),
    ),
    _keeps_bound(
        "B-RAND", "leaders of epochs",
        r"On i.i.d. losses of any joint distribution, the regret of the leader of epochs of 1, $\lceil e^U\rceil$, $\lceil e^{1+U}\rceil$, ... rounds with exponential noise ($U$ uniform on $[0,1)$) is at most $1+X+\ln(1+X)$ at every $T$, with $X=14.5\,(\ln(K-1)+1)/\Delta+14.3\,(H_K-1)/\varepsilon$; the term in $1/\Delta$ is present only if a positive gap is below $\varepsilon$.",
        learners=("random_epochs",),
        remark="Theorem “schedules” of reports/theorems.md.",
        known=("chrobak2006: online bidding, a random start",),
        new="the learner and the bound",
        scope=(named("losses", "i.i.d. in $[0,1]$, of any joint distribution"), measured("runs", r"$K=2$, gap 0.9, $T=1{,}000$, $\varepsilon=1$"),),
    ),
    _finding(
        "SCHED", "paper 2, Section 3",
        r"On losses that do not fluctuate, with $m=H_K-1$, the leader of random epochs has regret at most $1+X+\ln(1+X)$, where $X=2e\,m/\varepsilon=5.44\,m/\varepsilon$. Epochs that double have more at the worst gap: $5.77\,m/\varepsilon$ at $K=2$, and $6.5\,m/\varepsilon$ at $K=2^{20}$.",
        kind="regret upper", grade="exact",
        check=checks.schedule, stated={"lengths": "random"}, control={"lengths": "double"},
        control_name="epochs that double",
        remark="Theorem “schedules” of reports/theorems.md. No fixed lengths have less than 8 at every K, no random ones less than 2e.",
        known=("chrobak2006: online bidding, 4 for fixed bids and e for random ones",),
        new="that schedules of epochs are online bidding, and the bound",
        scope=(measured("n_actions", 2, 2**10, 2**20), measured("epsilon", 1e-5), named("gap", "an octave, one good action")),
    ),
)
