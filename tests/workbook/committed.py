"""Every committed figure, drawn from the data that are committed with it."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replicate.papers.bandits import figures as bandits
from replicate.papers.distribution_learning import figures as distribution_learning
from replicate.papers.distribution_learning import hadamard_class
from replicate.papers.noisy_leader import figures as noisy_leader
from replicate.papers.prefix_softmax import figures as prefix_softmax
from replicate.papers.tracking import figures as tracking
from replicate.studies.audit_bench import figures as audit_bench
from replicate.studies.price_of_privacy import experiments
from replicate.studies.price_of_privacy import figures as price_of_privacy
from replicate.studies.synopsis import figures as synopsis
from replicate.studies.synopsis import lemmas as sums
from tests.benchmarks import picture

FOLDER = Path(__file__).parent.parent.parent / "figures"
Draw = Callable[[pd.DataFrame], Figure]


def read(name: str) -> pd.DataFrame:
    """Return the data of a committed figure."""
    return pd.read_csv(FOLDER / f"{name}.csv")


def drawn(name: str) -> Figure:
    """Draw a committed figure from its data."""
    return DRAWN[name](read(name))


def _growth(exact: pd.DataFrame) -> Figure:
    """The right panel's samples are not committed: lines of the names that are drawn stand for them."""
    counts = np.unique(exact["n_actions"])
    rising = 3 + np.linspace(-0.1, 0.1, 24)[:, None] + np.log(np.log(counts))
    return noisy_leader.growth(exact, counts, {str(noise): rising for noise in exact["noise"].unique()})


def _detection(queries: pd.DataFrame) -> Figure:
    """The delays are not committed: two rows for each kind of window stand for them."""
    gaps = [0.6, 0.6, 0.9, 0.9]
    delays = [
        pd.DataFrame({"windows": name, "gap": gaps, "delay": [20_000, 22_000, 8_000, 9_000]})
        for name in ("all", "dyadic")
    ]
    return tracking.detection(queries, pd.concat(delays))


def _lower_bounds(printed: pd.DataFrame) -> Figure:
    table = read("price_of_privacy/values")
    games = table[(table["game"] == "deterministic losses") & (table["K"] == 2)]
    limits = games.melt(id_vars=["game", "K", "T"], var_name="epsilon", value_name="value")
    limits["level"] = limits["epsilon"].str.removeprefix("ε = ").str.replace("ln", "log").map(experiments.level)
    return price_of_privacy.lower_bounds(limits.rename(columns={"T": "horizon"}), printed)


def _cost(data: pd.DataFrame) -> Figure:
    """The page keeps its numbers whole; the table of the figure is made from them."""
    return picture.cost(json.loads((FOLDER / "benchmarks/results.json").read_text(encoding="utf-8")))[0]


DRAWN: dict[str, Draw] = {
    "audit_bench/1_bets": audit_bench.bets,
    "audit_bench/2_zoo": audit_bench.zoo,
    "audit_bench/3_benchmark": audit_bench.benchmark,
    "bandits/1_regret_over_time": bandits.over_time,
    "bandits/2_regret_over_epsilon": bandits.against_epsilon,
    "bandits/3_separation": bandits.separation,
    "bandits/4_winners": bandits.winners,
    "bandits/5_exp3_leakage": bandits.leakage,
    "bandits/6_lower_bound": bandits.lower_bound,
    "benchmarks/cost": _cost,
    "distribution_learning/1_risk_over_horizons": distribution_learning.risk_over_horizons,
    "distribution_learning/2_truth_weights": distribution_learning.truth_weights,
    "distribution_learning/3_size_sweep": distribution_learning.size_sweep,
    "distribution_learning/4_hadamard_class": lambda data: distribution_learning.hadamard_class(
        hadamard_class(4, 0.4), data
    ),
    "distribution_learning/5_privacy_losses": distribution_learning.privacy_losses,
    "distribution_learning/7_tv_over_horizons": lambda data: distribution_learning.tv_over_horizons(
        data, data, data
    ),
    "distribution_learning/8_label_sweep": distribution_learning.label_sweep,
    "noisy_leader/1_one_score_vector": noisy_leader.one_score_vector,
    "noisy_leader/2_privacy_curves": noisy_leader.privacy_curves,
    "noisy_leader/3_late_growth": lambda data: noisy_leader.late_growth(data, data),
    "noisy_leader/4_sandwich": noisy_leader.sandwich,
    "noisy_leader/5_resampling_cost": noisy_leader.resampling_cost,
    "noisy_leader/6_growth": _growth,
    "noisy_leader/7_six_variants": noisy_leader.six_variants,
    "prefix_softmax/1_regret_over_time": prefix_softmax.regret_over_time,
    "prefix_softmax/2_rate_maps": prefix_softmax.rate_maps,
    "prefix_softmax/3_potential": prefix_softmax.potential,
    "prefix_softmax/4_proof_chain": prefix_softmax.proof_chain,
    "prefix_softmax/5_cost_of_the_cap": prefix_softmax.cost_of_the_cap,
    "prefix_softmax/6_against_noisy_max": prefix_softmax.against_noisy_max,
    "price_of_privacy/1_limit": lambda data: price_of_privacy.limits(data, read("price_of_privacy/2_ratios")),
    "price_of_privacy/2_ratios": price_of_privacy.ratios,
    "price_of_privacy/4_lower_bounds": _lower_bounds,
    "price_of_privacy/5_lazy_policy": lambda data: price_of_privacy.tree(data, epsilon="1"),
    "synopsis/1_map_of_winners": lambda data: synopsis.winners(
        data.fillna({"not_private": "", "beaten": "", "second": ""})
    ),
    "synopsis/2_regret_over_time": synopsis.over_time,
    "synopsis/3_price_of_privacy": synopsis.noise_price,
    "synopsis/4_regret_over_switches": synopsis.over_switches,
    "synopsis/5_clock_trap": synopsis.clock_trap,
    "synopsis/6_price_of_bandit_feedback": synopsis.feedback,
    "synopsis/7_what_rests_on_what": lambda data: synopsis.proofs(data.fillna("")),
    "synopsis/8_variance_of_sums": lambda data: synopsis.variance_of_sums(data, sums.LIMITS),
    "tracking/1_shift_story": tracking.shift_run,
    "tracking/2_detection": _detection,
    "tracking/3_sweeps": tracking.sweeps,
    "tracking/4_meta_experts": tracking.meta_experts,
    "tracking/5_privacy": tracking.privacy,
    "tracking/6_adversaries": tracking.adversaries,
}
"""Name of every committed figure to the function that draws it."""
