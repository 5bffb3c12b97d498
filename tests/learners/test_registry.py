"""Every learner of the register on a table of losses: privacy stated and shown somewhere, who covers a game."""

import pickle
import pydoc
import re
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest

from replicate import audit, claims, contents, environments
from replicate.learners import Setting, baselines, protocol, registry
from replicate.learners.competitors import adahedge
from replicate.learners.entries import LOSSES
from replicate.papers import bandits, noisy_leader, prefix_softmax, tracking
from replicate.papers.bandits.algorithms.literal import Advised
from replicate.papers.noisy_leader.algorithms import NOISES, noise_scale
from replicate.streams import stream
from tests import agreement

ENTRIES = registry.register()
ROUNDS, EPSILON, DELTA = 4000, 1.0, 0.01
"""Learners are told of so many rounds; the first of them are played."""
TABLE = stream(7, "catalogue").random((400, 2))


def make(name, *, seed=1, **changes):
    sizes = {"n_actions": 2, "horizon": ROUNDS, "delta": DELTA, "n_switches": 2, "rng": stream(seed, name)}
    return registry.learner(name, **(sizes | {"epsilon": EPSILON if ENTRIES[name].private else None} | changes))


def test_every_paper_that_plays_on_losses_is_listed():
    papers = {entry.paper for entry in ENTRIES.values()}
    playing = {name for name, home in contents.HOMES.items() if find_spec(f"{home}.learners")}
    assert papers == {*playing, "baseline"} - {"distribution_learning"}
    assert {scheme.paper for scheme in registry.schemes().values()} == {"distribution_learning"}


def test_words_and_logic_of_an_entry_agree():
    listed = {**ENTRIES, **registry.schemes()}
    assert len({method.label for method in listed.values()}) == len(listed)
    for method in listed.values():
        assert (method.privacy == "none") is not method.private
        assert all((method.summary, method.guarantee, method.cost))
    for name, entry in ENTRIES.items():
        assert make(name).feedback == entry.feedback
        assert entry.name == name


@pytest.mark.parametrize("name", ENTRIES)
def test_the_privacy_statement_names_epsilon_and_a_claim_of_the_register_or_a_proof(name):
    run = protocol.play(make(name), TABLE)
    text = str(run).splitlines()[-1]
    if not ENTRIES[name].private:
        assert run.privacy is protocol.NOT_PRIVATE
        assert "none" in text
        return
    assert (run.privacy.epsilon > 0) is (name != "uniform")
    assert run.privacy.epsilon <= EPSILON
    assert f"epsilon = {run.privacy.epsilon:.4g}, delta = {run.privacy.delta:.4g}, event level" in text
    corrected = ("exponential", "exponential_resampled", "restarts", "restarts_dyadic", "mirror_descent")
    assert ("corrected calibration" in text) is (name in (*corrected, "limited_updates", "batched_exp4"))
    cited = re.findall(r"\b[A-Z]{2}-\w+", run.privacy.source)
    shown = re.findall(r"replicate(?:\.\w+)+", run.privacy.source)
    assert cited or (shown and ENTRIES[name].paper == "baseline")
    assert set(cited) <= set(claims.register())
    assert all("Proof" in pydoc.locate(place).__doc__ for place in shown)


def test_statements_follow_the_calibration():
    rng = stream(3, "calibration")
    for noise in NOISES:
        for calibration in ("printed", "corrected"):
            learner = noisy_leader.NoisyLeader(2, epsilon=0.3, noise=noise, calibration=calibration, rng=rng)
            scale = noise_scale(noise, epsilon=0.3, calibration=calibration)
            exact = audit.report_noisy_max_privacy_loss(2, noise=noise, scale=scale)
            assert learner.privacy.epsilon == pytest.approx(exact)
            assert learner.privacy.calibration == (calibration if noise == "exponential" else "")
    for asked, kept in ((0.2, 0.2), (1.0, 0.25)):  # Section 4 caps the learning rate
        assert prefix_softmax.PrefixSoftmax(2, epsilon=asked, rng=rng).privacy.epsilon == pytest.approx(kept)
    restarts = tracking.Restarts(2, epsilon=0.4, horizon=50, calibration="printed", rng=rng)
    assert restarts.privacy.epsilon == pytest.approx(0.5)
    mirror = tracking.MirrorDescent(5, epsilon=0.4, horizon=50, n_switches=1, calibration="printed", rng=rng)
    assert mirror.privacy.epsilon == pytest.approx(5 * 0.4)
    free = tracking.MirrorDescent(5, epsilon=np.inf, horizon=50, n_switches=1, learning_rate=0.1, rng=rng)
    assert free.privacy is protocol.NOT_PRIVATE


def test_a_large_delta_does_not_hide_what_composition_costs():
    def stated(delta):
        return bandits.BatchedExp4(2, 2, epsilon=0.9, delta=delta, horizon=10**7, rng=stream(1, delta)).privacy

    assert stated(1e-6).epsilon == 0.9
    assert stated(0.99).epsilon > 10  # Lemma 15 with log(1 / delta) near 0


def test_advice_of_every_round_gives_the_regret_of_the_game_with_advice():
    """Advice whose mean over the experts differs from round to round, so that it matters which round it is for."""
    advice = stream(9, "advice").dirichlet([0.1, 0.1], size=(len(TABLE), 2))

    def learner():
        return bandits.LocalExp4(2, 2, epsilon=EPSILON, horizon=ROUNDS, rng=stream(5, "exp4"))

    run, reference = (
        protocol.play(Advised(learner(), advice), TABLE),
        bandits.play_experts(learner(), TABLE, advice),
    )
    np.testing.assert_array_equal(run.actions, reference.actions)
    with pytest.raises(ValueError, match="advice must go on"):
        protocol.play(Advised(learner(), advice[:10]), TABLE)


TOO_SHORT = {"exp3", "batched_exp4"}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_game_may_have_one_round(name):
    """Without a word on switches; learners whose tuning needs more rounds say so."""
    if name in TOO_SHORT:
        with pytest.raises(ValueError, match="horizon"):
            make(name, horizon=1, n_switches=None)
    else:
        run = protocol.play(make(name, horizon=1, n_switches=None), TABLE[:1])
        assert run.regret.tolist() == [[TABLE[0, run.actions[0, 0]] - TABLE[0].min()]]


@pytest.mark.parametrize("epsilon", [4.0, 16.0])
@pytest.mark.parametrize("name", [name for name, entry in ENTRIES.items() if entry.private and entry.bound])
def test_a_bound_is_that_of_the_level_that_is_spent(name, epsilon):
    """Who is private at a lower level than was asked plays at that, and cannot promise more."""
    sizes = {"n_actions": 3, "horizon": 5000, "delta": 1e-6, "n_switches": 1}
    spent = make(name, **sizes, epsilon=epsilon).privacy.epsilon
    stated, own = (ENTRIES[name].bound(Setting(**sizes, epsilon=x), 0.2) for x in (epsilon, spent or 1.0))
    assert spent <= epsilon * (1 + 1e-9)
    assert stated == pytest.approx(own)


def test_an_unknown_name_is_answered_with_those_like_it():
    with pytest.raises(ValueError, match=r"name must be one of exp3, exp3_s and \d+ others, got 'exp5'"):
        registry.learner("exp5", n_actions=2, horizon=10, rng=stream(1, "x"))


@pytest.mark.parametrize("name", [name for name, scheme in registry.schemes().items() if scheme.bound])
def test_bounds_of_schemes_read_delta_where_the_privacy_is_approximate(name):
    scheme, words = registry.schemes()[name], {"epsilon": 0.5, "horizon": 10**6}
    f = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]])
    unnamed, same, larger = (scheme.bound(f, **words, **more) for more in ({}, {"delta": 1e-6}, {"delta": 1e-3}))
    assert unnamed == same
    assert (larger < same) is scheme.approximate


EVERY_ROUND = ("thompson", "tsallis_inf", "bit_thompson")
"""Learners that choose an action in every round; others play one for a whole batch."""


@pytest.mark.parametrize(
    "name", [name for name, entry in registry.register().items() if entry.feedback == "bandit"]
)
def test_a_loss_before_an_action_is_refused_in_a_sentence(name):
    private = registry.entry(name).private
    learner = registry.learner(
        name, n_actions=2, horizon=10**7, epsilon=0.5 if private else None, rng=np.random.default_rng(1)
    )
    if name == "uniform":
        return
    for _ in range(2):  # nor does a refused loss count
        with pytest.raises(ValueError, match="needs an action first: call act"):
            learner.observe(0.5)
    assert learner.act() in (0, 1)
    learner.observe(0.5)
    if name in EVERY_ROUND:
        with pytest.raises(ValueError, match="needs an action first: call act"):
            learner.observe(0.5)


DRAWN = np.random.default_rng(0).random((40, 3))


@pytest.mark.parametrize("name", registry.register())
def test_a_learner_that_was_sent_plays_on(name):
    level = 1.0 if registry.entry(name).privacy != "none" else None
    horizon = 2**40 if name == "batched_exp4" else 2**16  # its tuning needs a long game
    sizes = {"n_actions": 3, "epsilon": level, "horizon": horizon, "n_switches": 1}
    learner = registry.learner(name, **sizes, rng=np.random.default_rng(1))
    agreement.played(learner, DRAWN[:20])
    sent = pickle.loads(pickle.dumps(learner))
    assert agreement.played(sent, DRAWN[20:]).tolist() == agreement.played(learner, DRAWN[20:]).tolist()


ONES = (np.random.default_rng(4).random((300, 3)) < [0.5, 0.9, 0.95]).astype(float)
TYPES = (bool, np.uint8, np.int8, np.int64, np.float16, np.float32, np.longdouble, ">f8")
"""Of losses 0 and 1: sums of 256 of them do not fit the smallest."""


@pytest.mark.parametrize("name", registry.register())
def test_a_loss_counts_as_a_number_whatever_its_type(name):
    """Every round's losses are of another type; the learner plays as on doubles."""
    level = 1.0 if registry.entry(name).privacy != "none" else None
    sizes = {
        "n_actions": 3,
        "epsilon": level,
        "horizon": 2**40 if name == "batched_exp4" else 300,
        "n_switches": 1,
    }
    rows = [row.astype(TYPES[t % len(TYPES)]) for t, row in enumerate(ONES)]
    found = [
        agreement.played(registry.learner(name, **sizes, rng=np.random.default_rng(1)), losses).tolist()
        for losses in (ONES, rows)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", TYPES)
def test_a_table_counts_as_numbers_whatever_its_type(kind):
    """Rewards that are turned over; also columns by columns in memory, and a list of lists."""
    table = (1 - ONES).astype(kind)
    for given in (table, np.asfortranarray(table), table[::-1][::-1], table.tolist()):
        for value in (
            lambda x: environments.Table(x).mean_sums(10, 299),
            lambda x: environments.Repeated(x).mean_sums(10, 2000),
            lambda x: baselines.hedge_losses(x, learning_rate=0.1),
            lambda x: baselines.leader_losses(x, restarts=[280]),
            lambda x: baselines.fixed_share_losses(x, learning_rate=0.1, share=0.1),
            lambda x: adahedge.adahedge_losses(x),
            lambda x: protocol.best_sequence(x, n_switches=3)[0],
            lambda x: protocol.play(make("follow_the_leader", n_actions=3), x, n_switches=2).final,
        ):
            np.testing.assert_array_equal(value(given), value(1 - ONES))


CELLS = tuple(product(("full", "bandit"), LOSSES, (False, True)))
LONG = 10**9
SWITCHING = ("shifting", "switching")


def guaranteed(feedback, losses, local):
    """Names of the private learners for a game whose bound at a billion rounds is below a hundredth of them."""
    setting = Setting(
        n_actions=8, horizon=LONG, epsilon=1.0, delta=0.0, n_switches=3 if losses in SWITCHING else 0
    )
    return [
        entry.name
        for entry in registry.register().values()
        if entry.private and not entry.approximate and entry.covers(losses) and entry.bound is not None
        if entry.feedback in ("bandit", feedback) and entry.local >= local
        if entry.bound(setting, 0.1) < LONG / 100
    ]


@pytest.mark.parametrize(("feedback", "losses", "local"), CELLS)
def test_every_game_has_a_learner_with_a_bound_below_uniform_play(feedback, losses, local):
    found = guaranteed(feedback, losses, local)
    assert found
    assert "uniform" not in found


def test_the_game_on_labels_has_a_scheme_with_a_bound():
    laws = [[0.6, 0.3, 0.1], [0.2, 0.2, 0.6]]
    found = [s for s in registry.schemes().values() if s.private and s.local and not s.approximate and s.bound]
    assert any(s.bound(laws, epsilon=1.0, delta=0.0, horizon=10**6) < 10**6 / 100 for s in found)
