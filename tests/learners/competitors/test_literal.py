"""Simulators against literal learners, game by game on one stream: the same actions, or the same laws of them."""

import math

import numpy as np
import pytest

from replicate import environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import entries_bandit
from replicate.streams import stream
from tests.agreement import compares

PAPERS = ("htinf", "exp3", "ftpl", "per_round_exp3", "batch_mean_tsallis_inf", "tsallis_inf", "plain_exp3")
STEPPED = [e.name for e in (*entries_bandit.LOCAL, *entries_bandit.LAZY, *entries_bandit.NOT_PRIVATE)]
STEPPED += PAPERS
PHASED = [entry.name for entry in entries_bandit.CENTRAL]
GAMES = {
    ("hedge_", "leader_tree"): ({"epsilon": 20.0, "delta": 1e-3}, (2, 3, 20, 90)),
    ("fixed_share_",): ({"epsilon": 1.0, "n_switches": 2}, (2, 18, 251)),
    ("fixed_share_cube", "fixed_share_laplace"): ({"epsilon": 1.0, "n_switches": 0}, (1, 251)),
    ("coordinate_",): ({"epsilon": 2.0, "n_switches": 2}, (250,)),
    ("last_batch",): ({"epsilon": 1.0, "n_switches": 2}, (251,)),
    ("last_batch_leader",): ({"epsilon": 1.0, "n_switches": 0}, (251,)),
    ("bit_exp3_s", "batch_bit"): ({"epsilon": 0.15, "n_switches": 1}, (61,)),
    ("adahedge",): ({"epsilon": math.inf}, (1, 2, 60)),
    tuple(STEPPED): ({"epsilon": 0.9}, (61,)),
    tuple(PHASED): ({"epsilon": 0.9}, (2, 3, 4, 50, 6000)),
}
"""By the beginnings of names: words of the game, and horizons, of which learners at other rates play the last."""
CASES = [
    (name, t, words)
    for names, (words, horizons) in GAMES.items()
    for name in registry.register()
    if (name in names if names[0] in (*STEPPED, *PHASED) else name.startswith(names))
    for t in (horizons[-1:] if name.endswith(("_half", "_twice", "_fourfold")) else horizons)
]
DRAWLESS = ("adahedge", "dp_se", "kl_ucb")
"""Beginnings of names of learners on which a stream leaves no mark: no draw decides, or none in so few rounds."""


def paid(learner, table):
    """Losses of the actions of all rounds; of a law where the learner tells it, in the mean."""
    found = []
    for row in table:
        law = learner.probabilities() if hasattr(learner, "probabilities") else None
        action = learner.act() if law is None else 0
        found.append(row[action] if law is None else law @ row)
        learner.observe(row if learner.feedback == "full" else row[action])
    return np.array(found)


@compares(*{f"simulator: {name}" for name, _, _ in CASES})
@pytest.mark.parametrize(("name", "horizon", "words"), CASES)
def test_a_simulator_plays_as_its_literal_learner_on_one_stream(name, horizon, words):
    """The best action changes, the last batch is short; of another stream, or a round late, games are others."""
    table, entry = stream(11, "table").random((horizon, 3)), registry.entry(name)
    table[: horizon // 2, 0] /= 3
    words = words | {"n_switches": min(words.get("n_switches", 0), horizon - 1)}
    words["epsilon"] = words["epsilon"] if entry.private else math.inf
    setting = Setting(n_actions=3, horizon=horizon, **words)
    run = entry.simulate(environments.Table(table), setting, replicates=3, rng=stream(12, name))
    best, found = table[:, table.sum(axis=0).argmin()], []
    for rng in stream(12, name).spawn(4):
        learner = entry.build(setting, rng)
        batch = getattr(learner, "batch", getattr(getattr(learner, "tuning", None), "batch", 1))
        assert horizon < 61 or batch == 1 or horizon % batch
        found.append(np.cumsum(paid(learner, table) - best))
    np.testing.assert_allclose(run.regret, np.array(found)[:3, run.rounds - 1], rtol=1e-9, atol=1e-8)
    if horizon > 50:
        late = np.cumsum(
            paid(entry.build(setting, stream(12, name).spawn(1)[0]), np.roll(table, 1, axis=0)) - best
        )
        other = late if name.startswith(DRAWLESS) else found[3]
        assert np.abs(run.regret - other[run.rounds - 1]).max() > 1e-6
