"""Simulators against literal learners: game by game on one stream, and in law where losses are drawn."""

import math

import numpy as np
import pytest

from replicate import certify, environments
from replicate.learners import Setting, registry
from replicate.learners.competitors import entries_bandit
from replicate.streams import stream
from tests.agreement import apart, compares, laws, played
from tests.conftest import FALSE_ALARM

PAPERS = ("htinf", "exp3", "ftpl", "per_round_exp3", "per_round_htinf", "tsallis_inf", "plain_exp3")
STEPPED = [e.name for e in (*entries_bandit.LOCAL, *entries_bandit.NOT_PRIVATE)]
STEPPED += PAPERS
PHASED = [entry.name for entry in entries_bandit.CENTRAL]
GAMES = {
    ("hedge_",): ({"epsilon": 20.0, "delta": 1e-3}, (2, 3, 20, 90)),
    ("fixed_share_",): ({"epsilon": 1.0, "n_switches": 2}, (2, 18, 251)),
    ("fixed_share_cube",): ({"epsilon": 1.0, "n_switches": 0}, (1, 251)),
    ("coordinate_",): ({"epsilon": 2.0, "n_switches": 2}, (250,)),
    ("coordinate_share", "coordinate_leader"): ({"epsilon": 9.0, "n_switches": 2}, (250,)),
    ("few_leaders", "fading_batches"): ({"epsilon": 8.0, "n_switches": 2}, (251,)),
    ("bit_exp3_s", "batch_bit"): ({"epsilon": 0.15, "n_switches": 1}, (61,)),
    ("adahedge",): ({"epsilon": math.inf}, (1, 2, 60)),
    ("exp3_s",): ({"epsilon": math.inf, "n_switches": 1}, (61,)),
    tuple(STEPPED): ({"epsilon": 0.9}, (61,)),
    tuple(PHASED): ({"epsilon": 0.9}, (2, 3, 4, 50, 6000)),
}
"""By the beginnings of names: words of the game, and horizons, of which learners at other rates play the last."""
CASES = [
    (name, t, words)
    for names, (words, horizons) in GAMES.items()
    for name in registry.register()
    if (name in names if names[0] in (*STEPPED, *PHASED) else name.startswith(names))
    for t in (horizons[-1:] if name.endswith(("_half", "_twice", "_fourfold", "_eightfold")) else horizons)
]
DRAWLESS = ("adahedge", "fixed_share_fourfold", "fixed_share_eightfold")
"""Beginnings of names of learners on which a stream leaves no mark: no draw decides, or none in so few rounds."""


def paid(learner, table):
    """Losses of all rounds, in the mean over the law where the learner tells it."""
    return (laws(learner, table) * table).sum(axis=1)


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


FULL, BANDIT = (2**13, 200), (2, 2**14 + 99)
LONG = {
    "fading_batches": (1e4, *FULL), "fixed_share_cube": (1e4, *FULL), "coordinate_share": (9.0, *FULL),
    "coordinate_leader": (9.0, *FULL), "bit_tsallis_inf": (0.4, *BANDIT), "bit_exp3_s": (0.4, *BANDIT),
}  # fmt: skip
"""Epsilon, and so many actions or rounds that losses are drawn in parts of the game."""


@pytest.mark.parametrize("name", LONG)
def test_a_simulator_knows_what_it_learnt_before_the_losses_that_are_drawn_at_once(name):
    (epsilon, k, rounds), entry = LONG[name], registry.entry(name)
    setting = Setting(n_actions=k, horizon=rounds, epsilon=epsilon, n_switches=1)
    table, lost = stream(1, "many").random((rounds, k)), 0.0
    run = entry.simulate(environments.Table(table), setting, replicates=1, rng=stream(2, name))
    learner = entry.build(setting, stream(2, name).spawn(1)[0])
    told = hasattr(learner, "probabilities")
    for row in table:
        action = 0 if told else learner.act()
        lost += learner.probabilities() @ row if told else row[action]
        learner.observe(row if learner.feedback == "full" else row[action])
    assert run.final[0] == pytest.approx(lost - table.sum(axis=0).min(), abs=1e-6)


MEANS = [0.2, 0.5, 0.9]
SCATTERED = {
    "joint": environments.antithetic(MEANS), "beta": environments.Beta([1.0, 2.0, 3.0], [2.0, 2.0, 1.0]),
    "grid": environments.Grid([0.0, 0.4, 1.0], [[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]]),
    "phases": environments.Shifting([(9, environments.antithetic(MEANS)), (99, environments.Bernoulli(MEANS))]),
}  # fmt: skip
PLAYED = ("exp3_s", "thompson", "bit_thompson", "bit_tsallis_inf", "coordinate_share", "coordinate_leader")


@pytest.mark.parametrize("law", SCATTERED)
@pytest.mark.parametrize("name", PLAYED)
def test_a_simulator_meets_losses_that_are_drawn_and_not_their_means(name, law):
    """One stream: the losses of the game first, as the environment draws them, then what the learner draws."""
    entry, env, rounds = registry.entry(name), SCATTERED[law], 60
    setting = Setting(n_actions=3, horizon=rounds, epsilon=9.0 if entry.private else math.inf)
    run = entry.simulate(env, setting, replicates=4, rng=stream(5, name))
    t, found = np.arange(rounds), []
    cost = env.mean_sums(t, t + 1)
    cost = cost - cost[:, [cost.sum(axis=0).argmin()]]
    for rng in stream(5, name).spawn(4):
        table = env.losses(0, rounds, rng=rng)
        found.append((laws(entry.build(setting, rng), table) * cost).sum())
    np.testing.assert_allclose(run.final, found, rtol=1e-9, atol=1e-9)


ENVIRONMENTS = {
    "bernoulli": environments.Bernoulli(MEANS),
    "joint": environments.antithetic(MEANS),
    "fixed": environments.Deterministic(MEANS),
}
BOTH = ("thompson", "bit_tsallis_inf")
"""Compiled learners on losses and on bits, which stand for the others where losses are means."""
DRAWN = [
    *((name, "bernoulli", 25, 350, 1.5, 6.0) for name in STEPPED if name not in PAPERS),
    *((name, "fixed", 25, 350, 1.5, 6.0) for name in BOTH),
    *((name, "joint", 40, 300, 1.0, 4.0) for name in ("coordinate_share", "coordinate_leader")),
    ("coordinate_share", "joint", 40, 100, 9.0, 1.0),
    *((name, "joint", 40, 100, 3.0, 0.3) for name in ("bit_exp3_s", "bit_exp4", "batch_bit_tsallis_inf")),
    *((name, "joint", 150, 70, 0.9, None) for name in PHASED),
    ("dp_imed_restarted", "joint", 150, 120, 0.9, 3.0),
]
"""Names, laws of the losses, rounds, games, epsilon and that of a twin; without it the twin has other losses."""


@compares(*{f"simulator: {name}" for name, *_ in DRAWN})
@pytest.mark.parametrize(("name", "law", "rounds", "games", "epsilon", "twin"), DRAWN)
def test_a_simulator_has_the_law_of_its_literal_learner_on_drawn_losses(name, law, rounds, games, epsilon, twin):
    """Regrets at the end and before; losses of one round may depend on each other."""
    env, rng, entry = ENVIRONMENTS[law], stream(3, name, law), registry.entry(name)
    twin = twin if entry.private else None
    gaps, other = env.means - env.means.min(), environments.Bernoulli([0.1, 0.9, 0.95])
    slow = []
    for _ in range(games):
        setting = Setting(n_actions=3, horizon=rounds, epsilon=epsilon if entry.private else math.inf)
        slow.append(np.cumsum(laws(entry.build(setting, rng), env.losses(0, rounds, rng=rng)) @ gaps))

    def fast(losses, level):
        setting = Setting(n_actions=3, horizon=rounds, epsilon=level if entry.private else math.inf)
        return entry.simulate(losses, setting, replicates=2 * games, rng=rng)

    def at(regrets, known):
        return {"regret": np.array(regrets)[:, known]}

    run = fast(env, epsilon)
    shown = [np.searchsorted(run.rounds, t) for t in (4, 10, rounds)] if rounds == 25 else [-1]
    known = run.rounds[shown] - 1
    assert apart(at(slow, known), at(run.regret, shown)) > FALSE_ALARM
    changed = fast(env, twin) if twin else fast(other, epsilon)
    assert apart(at(slow, known), at(changed.regret, shown)) < FALSE_ALARM


@pytest.mark.parametrize("name", [*STEPPED, *PHASED])
def test_the_regret_of_phases_adds_what_the_best_fixed_action_misses(name):
    halves = [(300, environments.Bernoulli(MEANS)), (301, environments.Bernoulli(MEANS[::-1]))]
    env, entry, finals = environments.Shifting(halves), registry.entry(name), []
    for switches in (0, 1):
        level = 0.9 if entry.private else math.inf
        setting = Setting(n_actions=3, horizon=601, epsilon=level, n_switches=switches)
        finals.append(entry.simulate(env, setting, replicates=3, rng=stream(9, name)).final)
    np.testing.assert_allclose(finals[1] - finals[0], env.mean_sums(0, 601).min() - 601 * 0.2)


@compares("simulator: uniform")
def test_uniform_play_costs_the_mean_of_what_it_may_play():
    table = stream(1, "table").random((61, 3))
    run = registry.simulate(
        "uniform", environments.Table(table), epsilon=1.0, horizon=61, replicates=2, rng=stream(7)
    )
    np.testing.assert_allclose(run.final, table.sum(axis=0).mean() - table.sum(axis=0).min())
    learner = registry.learner("uniform", n_actions=3, epsilon=1.0, horizon=3000, rng=stream(8))
    seen = np.bincount(played(learner, np.zeros((3000, 3))))
    assert certify.goodness_of_fit(seen, np.full(3, 1 / 3)) > FALSE_ALARM


@pytest.mark.parametrize("switches", [1, 3, 9])
def test_exp3_s_is_tuned_to_the_code_of_a_sequence_that_switches(switches):
    """At its least the bound is sqrt(2 D K T), D = log K + S log(K - 1) + (T - 1) h(S / (T - 1)) nats."""
    k, rounds, share = 4, 10_000, switches / 9_999
    entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
    code = math.log(k) + switches * math.log(k - 1) + (rounds - 1) * entropy
    setting = Setting(n_actions=k, horizon=rounds, epsilon=math.inf, n_switches=switches)
    bound = registry.entry("exp3_s").bound(setting, 0.1)
    assert bound == pytest.approx(math.sqrt(2 * code * k * rounds), rel=1e-9)
