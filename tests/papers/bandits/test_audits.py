"""What sampled audits ask: of which tables, how many runs, at which delta, with which share of the error."""

from itertools import cycle, pairwise, product

import numpy as np
import pytest
from scipy import integrate

from replicate import certify
from replicate.papers.bandits.checks import errata
from replicate.papers.bandits.checks import privacy as checks
from replicate.papers.bandits.privacy import exact, sampled
from replicate.papers.bandits.privacy.audited import AUDITED, EPSILON, SHARP

BATCH, STRAY = 2, 0.05
"""Rounds of a batch of Algorithm 5 under audit, and how often an expert names the other action."""
RUNS = {"quick": 200_000, "full": 400_000, "huge": 4_000_000}
"""Runs on each table."""


@pytest.mark.parametrize(
    ("name", "divisor", "profile"), [*zip(AUDITED, cycle((1.0, 4.0)), cycle(RUNS), strict=False)]
)
def test_runs_are_drawn_on_the_neighbouring_means_whose_laws_differ_most(
    name, divisor, profile, samplers, monkeypatch
):
    learner, drawn = AUDITED[name], []
    monkeypatch.setattr(sampled, "sample", lambda *args, **words: drawn.append((args, words)))
    assert sampled.certified.__wrapped__(name, profile, 5, noise_divisor=divisor) == 0.6
    [(pair, words)] = samplers
    rng = words.pop("rng")
    share = {"false_alarm": pytest.approx(1e-9 / 7), "score": "fitted"}
    assert words == {"samples": RUNS[profile], "delta": 1e-6 if name == "batched_exp4" else 0.0} | share
    for i, sampler in enumerate(pair):
        sampler(11 + i, rng)
    means = [args[1] for args, _ in drawn]
    assert [(a[0], a[2], a[3], w) for a, w in drawn] == [
        (learner, 11 + i, rng, {"noise_divisor": divisor}) for i in range(2)
    ]
    steps = np.linspace(0, 1, learner.plan.batch + 1)
    laws = {mean: exact.exact_law(learner, mean, noise_divisor=divisor) for mean in steps}
    losses = [np.abs(np.log(laws[a] / laws[b])).max() for a, b in pairwise(steps)]
    assert means[1] - means[0] == pytest.approx(1 / learner.plan.batch)
    assert np.abs(np.log(laws[means[0]] / laws[means[1]])).max() == pytest.approx(max(losses))


def test_with_all_noise_both_numbers_of_every_learner_are_held_against_epsilon(monkeypatch):
    limits = {"htinf": 0.4, "local_exp4": 0.3, "experts": 0.2}
    monkeypatch.setattr(checks, "certified", lambda name, *_, **__: limits[name])
    monkeypatch.setattr(checks.exact, "exact_loss", lambda learner, noise_divisor: (learner.plan.batch / 8, 0.0))
    found = checks.audited("quick", 1, learners=tuple(limits), noise_divisor=1.0)
    known = [AUDITED[name].plan.batch / 8 for name in limits] + list(limits.values())
    assert [piece.measured for piece in found.pieces] == known
    assert [piece.limit for piece in found.pieces] == pytest.approx([EPSILON] * 6)
    assert {piece.relation for piece in found.pieces} == {"<="}


@pytest.mark.parametrize(("noise", "profile"), [(0.0, "full"), (2.0, "quick")])
def test_actions_of_figure_1_are_drawn_on_its_two_tables(noise, profile, samplers):
    """All losses are 1, but for the first one of arm 2: without noise the actions have the exact law."""
    found = checks.figure_1_in_actions(profile, 5, noise=noise)
    assert (found.measured, found.limit, found.relation) == (0.6, 1.0, ">=")
    [(pair, words)] = samplers
    assert words["samples"] == RUNS[profile]
    tables = np.ones((2, 8, 2))
    tables[0, 0, 1] = 0.0
    for sampler, table in zip(pair, tables, strict=True):
        counts = np.bincount(sampler(50_000, np.random.default_rng(3)), minlength=256)
        fit = certify.goodness_of_fit(counts, exact.exp3_law(table, learning_rate=0.5, mixing=0.1))
        assert fit > 1e-6 if noise == 0 else fit < 1e-6


def switches(mean):
    """Probability that EXP3 changes its expert after a mean with noise of scale 1, by quadrature."""
    noise = 1 / (BATCH * EPSILON)

    def density(z):
        odds = np.exp(-np.clip(2 * SHARP * (mean + z), -700, 700))
        return np.exp(-abs(z) / noise) / (2 * noise) / (1 + odds)

    return integrate.quad(density, -40, 40, points=[-mean - 0.1, -mean, -mean + 0.1, 0], limit=500)[0]


@pytest.mark.parametrize(("swapped", "released"), [*product((False, True), ("chosen experts", "actions"))])
def test_what_is_released_with_advice_of_the_first_round_as_it_is_or_swapped(swapped, released):
    """An expert that names the arm of loss 0 in round 1 sees a mean of 1/2, the other one 1."""
    law = np.zeros(4)
    for first, other, moved, stray in product((0, 1), repeat=4):
        mean = ((first ^ other) + 1) / 2
        chance = STRAY if other ^ swapped else 1 - STRAY
        chance *= switches(mean) if moved else 1 - switches(mean)
        chance *= (STRAY if stray else 1 - STRAY) / 2
        second = first ^ moved
        law[2 * first + second if released == "chosen experts" else 2 * (first ^ other) + (second ^ stray)] += (
            chance
        )
    assert law.sum() == pytest.approx(1)
    codes = errata._advised(swapped, released, 100_000, np.random.default_rng(8))
    assert certify.goodness_of_fit(np.bincount(codes, minlength=4), law) > 1e-6


def test_advice_is_certified_as_it_is_against_swapped(samplers):
    found = errata.advice_certified("quick", 5, released="actions")
    assert (found.measured, found.limit, found.relation) == (0.6, EPSILON, ">=")
    [(pair, words)] = samplers
    assert words["samples"] == 10**5
    assert [part.args for part in pair] == [(False, "actions"), (True, "actions")]
