"""Meanings of the columns of figures' data, which a notebook shows under the first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

MEANINGS: Mapping[str, str] = {
    "accuracy": "the bound that holds for the noise of the queries",
    "adversary": "the adversary, or a replay of the losses that it chose",
    "algorithm": "the result of the paper whose guarantee is compared",
    "axis": "the quantity that varies",
    "bet": "the number of the bet",
    "bound": "the bound of the paper at this row's sizes",
    "bound_1": "bound (1) of Theorem 1",
    "bound_2": "bound (2) of Theorem 1",
    "calibration": "whether the noise is as printed or corrected",
    "capped": "the exact regret with learning rate min(ε/2, 1/8)",
    "case": "the algorithm and its sizes",
    "certified_corrected": "the level that the audit certifies for the corrected version",
    "certified_wrong": "the level that the audit certifies for the version with the error",
    "chance": "the probability of action 1",
    "claimed_growth": "the growth from round 2^30 on that the printed rate allows",
    "corollary_3": "the bound of Corollary 3",
    "corrected": "the certified level of the corrected version divided by the declared level",
    "correction": "the change that corrects the error",
    "declared": "the declared privacy level",
    "delta": "δ of the privacy guarantee",
    "epsilon": "the privacy level",
    "error": "the error",
    "eta_sum_v": "η times the sum of the expected gaps up to sample m",
    "exact": "the exact privacy loss",
    "exact_corrected": "the exact privacy loss of the corrected version",
    "exact_wrong": "the exact privacy loss of the version with the error",
    "expert": "the expert that is played",
    "exponential": "the exact regret with exponential noise",
    "fails": "the claim that fails",
    "family": "the kind of losses",
    "first": "the probability of action 2 on the first sequence of losses",
    "form": "the form of the lower bound",
    "fraction": "the share of the horizon that has been played",
    "gap": "the gap of the mean losses",
    "growth": "the upper confidence limit of the growth of the regret from round 2^30 to the end",
    "gumbel": "the exact regret with Gumbel noise",
    "half_width": "the half width of the 99% interval of the mean regret",
    "high": "the upper end of the 99% interval of the mean",
    "horizon": "the number of rounds or users of the game",
    "how": "the verdict on the claim that fails",
    "instance": "the name of the losses or of the class of distributions",
    "label": "the learner's name in words",
    "lag": "how far the action lags behind its rival, in summed losses",
    "laplace": "the exact regret with Laplace noise",
    "lead": "the sum of the action's losses minus that of the best action",
    "learner": "the learner or scheme",
    "letters": "the losses of the rounds so far: + if action 0 has loss 0, - otherwise",
    "level": "the privacy level as a number",
    "limit": "the least regret of any private learner",
    "log10_wealth": "the logarithm to base 10 of the wealth of the bet",
    "log_z": "the mean of log Z, the potential",
    "loss": "the exact privacy loss",
    "low": "the lower end of the 99% interval of the mean",
    "lower": "the lower confidence limit",
    "m": "the number of samples",
    "mean": "the mean risk of the runs, in nats",
    "mean_over_log3": "*mean* divided by the cube of log₂ of the number of releases",
    "mechanism": "the mechanism",
    "median": "the median of the weight of the true distribution over the runs",
    "member": "the short name of the mechanism",
    "method": "the learner",
    "n_actions": "the number of actions",
    "n_experts": "the number of experts",
    "n_labels": "the number of labels",
    "n_pairs": "the number of pairs of distributions in the class",
    "n_switches": "the number of changes of the best action",
    "name": "the name of the mechanism in words",
    "neighbour": "the same probability on the neighbouring sequence",
    "noise": "the kind of noise",
    "not_private": "the best learner without privacy",
    "of_uniform": "the regret divided by that of uniform play",
    "ours_high": "the largest of our lower limits over the seeds",
    "ours_low": "the smallest of our lower limits over the seeds",
    "ours_median": "the median of our lower limits over the seeds",
    "over": "the claims through which the failure reaches the other claim",
    "paper": "the paper",
    "played": "the expert that is played",
    "potential": "our bound from the potential of the noise",
    "prefix_softmax": "the exact regret of paper 1's learner",
    "probability": "the exact probability that the action is selected",
    "published": "DP-Sniper's limit in print",
    "q10": "the 10% quantile of the weight of the true distribution over the runs",
    "q90": "the 90% quantile of the weight of the true distribution over the runs",
    "query": "the largest query over all windows",
    "rate": "the regret divided by the number of rounds",
    "ratio": "*regret* divided by *limit*",
    "regret": "the mean regret of the runs, or the exact one",
    "releases": "the number N of releases",
    "replicate": "the number of the run",
    "replicates": "the number of runs",
    "resampled": "whether losses are replaced by bits (B = 1)",
    "restart": "whether the learner has restarted since the row before",
    "round": "the round",
    "rounds": "the number of rounds that have been played",
    "runs": "the number of runs so far, of both inputs together",
    "samples": "the number of runs on each input",
    "scheme": "the way to add noisy sums",
    "second": "the learner with the next larger regret",
    "seconds": "the time of one audit on one core, in seconds",
    "seeds": "the number of seeds",
    "shape_of_mean": "the tree whose mean release has the least variance",
    "shape_of_worst": "the tree whose worst release has the least variance",
    "sharper": "our bound with smaller constants",
    "shift": "the round at which the distribution of the losses changes",
    "situation": "the assumptions about losses and feedback",
    "source": "the publication or report that has the error",
    "stands_by": "the claims that prove it in another way",
    "step": "the step of the proof whose bound the row has",
    "switches": "the number of switches that a sequence has used",
    "t": "the round",
    "theorem_3": "the lower bound of Theorem 3",
    "theorem_3_sum": "the sum in the proof of Theorem 3, a larger lower bound",
    "theorem_4": "the bound of Theorem 4",
    "theorem_6": "the bound of Theorem 6",
    "to_not_private": "the winner's regret divided by that of the best learner without privacy",
    "to_second": "the regret of *second* divided by the winner's",
    "touches": "the claim whose printed proof uses the failing one",
    "uncapped": "the exact regret with learning rate ε/2",
    "uniform": "the regret or risk of uniform play or of the uniform mixture",
    "upper": "the upper confidence limit",
    "value": "the least worst-case regret of any private learner",
    "verdict": "the verdict on that claim",
    "weight": "the posterior weight of the expert and the number of switches",
    "window": "the length of the window with the largest query, in rounds",
    "worst": "the variance of the worst release; that of a single release is 1",
    "wrong": "the certified level of the version with the error divided by the declared level",
    "B = 0": "the exact regret without resampling of the losses",
    "B = 1": "the mean regret with resampling of the losses to bits",
    "B = 1, at least": "the lower confidence limit of that mean, without normality",
    "beaten": "the learners whose regret is larger than the winner's, by the interval of the difference",
    "regret_2^20": "the mean regret after 2^20 rounds",
    "regret_2^24": "the mean regret after 2^24 rounds",
    "regret_2^40": "the mean regret after 2^40 rounds",
}
"""Meanings of columns, by name."""

_LOW, _HIGH = "the 10% quantile of the regret over the runs", "the 90% quantile of the regret over the runs"
_SPREAD = {"low": _LOW, "high": _HIGH}
OF_FIGURES: Mapping[str, Mapping[str, str]] = {
    "prefix_softmax/1_regret_over_time": {**_SPREAD, "bound": "the bound of Theorem 1"},
    "prefix_softmax/2_rate_maps": {"rate": "log K/Δ + log K/ε"},
    "prefix_softmax/4_proof_chain": {"value": "the bound after this step, or the exact regret"},
    "prefix_softmax/5_cost_of_the_cap": {"rate": "log K/Δ + log K/ε"},
    "noisy_leader/3_late_growth": {"bound": "the bound of Theorem 1"},
    "noisy_leader/6_growth": {
        "regret": "the largest exact regret that was found, times ε",
        "potential": "our bound from the potential of the noise, times ε",
        "theorem_4": "the bound of Theorem 4, times ε",
        "corollary_3": "the bound of Corollary 3, times ε",
    },
    "noisy_leader/5_resampling_cost": {"low": "the lower end of the 99% interval of *B = 1*"},
    "tracking/2_detection": {"regret": "the regret of that window", "restart": "the round of the first restart"},
    "tracking/3_sweeps": {**_SPREAD, "bound": "the printed bound of Theorem 3.6"},
    "tracking/4_meta_experts": {"expert": "the expert at which a sequence is"},
    "tracking/5_privacy": {
        "lower": "the privacy loss of one event, divided by ε",
        "upper": "the proved bound on the privacy loss, divided by ε",
    },
    "tracking/6_adversaries": {"regret": "the dynamic regret of the run"},
    "bandits/1_regret_over_time": _SPREAD,
    "bandits/2_regret_over_epsilon": {"regret": "the regret of the run"},
    "bandits/3_separation": {
        "upper": "the upper confidence limit of *rate*",
        "lower": "the lower confidence limit of *rate*",
        "bound": "the bound of Corollary 2 divided by the number of rounds",
    },
    "bandits/4_winners": {"rate": "the mean regret divided by the number of rounds"},
    "bandits/6_lower_bound": {"bound": "the lower bound on the larger of the regrets on the two instances"},
    "price_of_privacy/4_lower_bounds": {"bound": "the value of the lower bound"},
    "distribution_learning/3_size_sweep": {"value": "the value of that quantity"},
    "distribution_learning/4_hadamard_class": {"lower": "the lower confidence limit of the mean risk"},
    "distribution_learning/5_privacy_losses": {"loss": "the exact privacy loss of a message, divided by ε"},
    "distribution_learning/7_tv_over_horizons": {"mean": "the mean of the averaged total variation"},
    "price_of_privacy/1_limit": {"low": "the proved lower bound", "high": "the proved upper bound"},
    "price_of_privacy/2_ratios": {
        "regret": "the regret on the worst table",
        "upper": "its upper confidence limit",
    },
    "synopsis/1_map_of_winners": {"learner": "the winner's name in code", "rounds": "the rounds of the game"},
    "synopsis/8_variance_of_sums": {
        "mean": "the mean variance of the releases; that of a single release is 1",
        "worst_over_log3": "*worst* divided by the cube of log₂ of the number of releases",
    },
}  # fmt: skip
"""Meanings in one figure, where they differ: by paper and figure."""


def meanings(columns: Iterable[str], figure: str) -> dict[str, str]:
    """Return what columns of a figure's data mean.

    Parameters
    ----------
    columns
        Names of the columns.
    figure
        Paper and name, such as ``"synopsis/1_map_of_winners"``.

    Returns
    -------
    Meanings by name, in the order of the columns; a column without one is left out.

    Examples
    --------
    >>> meanings(["rounds", "low", "else"], "bandits/1_regret_over_time")
    {'rounds': 'the number of rounds that have been played', 'low': 'the 10% quantile of the regret over the runs'}
    """
    known = {**MEANINGS, **OF_FIGURES.get(figure, {})}
    return {name: known[name] for name in columns if name in known}
