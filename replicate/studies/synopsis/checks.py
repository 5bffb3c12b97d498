"""Checks of the claims across papers; the same function, given another learner, is the control."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product, takewhile
from typing import Any

import numpy as np

from replicate import audit, certify, mechanisms
from replicate.claims.evidence import EXACT, Evidence, at_least, at_most, grid, over, worst
from replicate.learners import registry
from replicate.learners.competitors import epochs, few_leaders, random_epochs
from replicate.mechanisms.signed_tree import Tree, releases_of
from replicate.studies.synopsis import lemmas, privacy
from replicate.studies.synopsis.experiments import decisions, regret
from replicate.validation import FloatArray

# The decision table


@worst
def recommended(
    profile: str, seed: int, *, row: str, learners: tuple[str, ...], limit: float
) -> Iterator[Evidence]:
    """Largest ratio of the regret of the better of these learners to that of each other one with a guarantee.

    Of a rival that left the race counts the regret of the shorter game, which is taken to be at most that of the
    whole one. Where the worst table ranks, a rival's regret is at least what it pays on any table: the one counts
    where it surely pays most. Rivals with the very regrets of the learner are the same learner on these losses.
    """
    measured = decisions.samples(profile, seed, row)
    ours = min((measured[name] for name in learners), key=lambda s: (-s.rounds, s.regrets.mean()))
    asked, rivals = decisions.question(profile, row), [name for name in measured if name not in learners]
    alarm = certify.share(len(rivals) * len(learners))
    for theirs in (measured[name] for name in rivals):
        n, paired = min(len(ours.regrets), len(theirs.regrets)), ours.rounds == theirs.rounds
        if paired and np.array_equal(ours.regrets[:n], theirs.regrets[:n]):
            continue
        ratio = min(
            certify.ratio_upper(
                ours.regrets, regrets, false_alarm=alarm / theirs.instances,
                paired=paired and number == ours.instance,
            )
            for number, regrets in theirs.by_instance.items()
        )  # fmt: skip
        detail = (
            f"Largest of {len(rivals)} learners: {ours.label} {ours.regrets.mean():,.0f} after {ours.rounds:,} "
            f"rounds, {theirs.label} {theirs.regrets.mean():,.0f} after {theirs.rounds:,}; "
            f"K = {asked.n_actions}, ε = {asked.epsilon:g}."
        )
        yield at_most(ratio, limit, detail)


# Independent, identically distributed losses


@worst
def schedule(profile: str, seed: int, *, lengths: str) -> Iterator[Evidence]:
    """Largest regret over an octave of gaps of losses that do not fluctuate, over m / epsilon.

    Against the bound of theorem "schedules": exponential noise on the last epoch, one good action, exactly.
    Lengths are ``"random"``, the mean over U, or ``"double"``.
    """
    epsilon, start = 1e-5, (np.arange(32)[:, None] + 0.5) / 32
    epochs = np.ceil(np.exp(np.arange(44) + start)) if lengths == "random" else 2.0 ** np.arange(1, 60)[None]
    for k in (2, 2**10, 2**20):
        unit, counts = float((1 / np.arange(2, k + 1)).sum()) / epsilon, np.array([1, k - 1])
        bound = random_epochs.regret_bound(n_actions=k, gap=1.0, epsilon=epsilon, horizon=1e40, losses="steady")
        for gap in 2.0 ** -np.arange(1, 2, 0.125):
            read = np.insert(epochs, 0, 1.0, axis=1)[:, :-1]
            law = mechanisms.report_noisy_max_pmf(
                np.stack([0 * read, -gap * read], axis=-1), noise="exponential", scale=2 / epsilon,
                multiplicity=counts,
            )  # fmt: skip
            cost = gap * (1 - 1 / k) + gap * float((epochs * (k - 1) * law[..., 1]).sum(axis=1).mean())
            detail = f"K = {k:,}, gap {gap:.3g}, ε = {epsilon:g}, {lengths} epochs."
            yield at_most(cost / unit, bound / unit, detail, unit="regret over m/ε")


@worst
def vanishing_epsilon_at(n_actions: int, *, on_blocks: str = "gumbel") -> Iterator[Evidence]:
    """Distance of epsilon Reg from 8 log K (prefix softmax) and from 4 log2 K (`on_blocks`), relative."""
    for learner, limit in (("prefix_softmax", 8 * math.log(n_actions)), (on_blocks, 4 * math.log2(n_actions))):
        distance = abs(regret.small_epsilon(n_actions, learner) / limit - 1)
        yield at_most(distance, 1e-3, f"Largest at {learner}; exact, mean over an octave of ε near 10⁻⁵.")


vanishing_epsilon = over(vanishing_epsilon_at, *grid(n_actions=(2, 4, 16, 64, 256)))


# Losses without a distribution


@worst
def trap(profile: str, seed: int, *, learners: tuple[str, ...], table: str, limit: float) -> Iterator[Evidence]:
    """Smallest ratio of the learners' regret on a trap to that of uniform play: at least `limit`."""
    for learner in learners:
        samples, uniform, least = regret.trapped(profile, seed, learner, table)
        low = float(certify.betting_lower(samples, low=least, false_alarm=certify.share(len(learners))))
        detail = (
            f"Smallest: {learner}, {samples.mean():,.0f} against {uniform:,.0f} of uniform play, K = 2, ε = 1."
        )
        yield at_least(low / uniform, limit, detail)


# What is not seen


@worst
def advice(profile: str, seed: int, *, learner: str, limit: float) -> Iterator[Evidence]:
    """Regret a round of a learner with advice, over that of each of the other two, horizons as long or longer."""
    data = decisions.advised(profile, seed).set_index("learner").drop(index="bit_exp4")
    chosen, rest = data.loc[learner], data.drop(index=learner)
    high = chosen["upper"] / chosen["horizon"] / (rest["lower"] / rest["horizon"])
    low = chosen["lower"] / chosen["horizon"] / (rest["upper"] / rest["horizon"])
    for other in rest.index:
        known: dict[str, Any] = {"opposite": float(low[other]), "unit": "ratio of regrets per round"}
        yield at_most(float(high[other]), limit, f"{learner} against {other}.", **known)


@worst
def labels(
    profile: str, seed: int, *, winner: str, rivals: tuple[str, ...], classes: tuple[str, ...], limit: float
) -> Iterator[Evidence]:
    """Largest ratio of the risk of a scheme, an upper limit, to that of each rival, a lower limit."""
    data = decisions.labelled(profile, seed).set_index(["place", "learner"])
    names = {name: scheme.label for name, scheme in registry.schemes().items()}
    for place, rival in product(classes, rivals):
        one, other = data.loc[(place, winner)], data.loc[(place, rival)]
        sizes = f"K={one['n_hypotheses']:.0f}, M={one['n_labels']:,.0f}; T = 10¹⁰, ε = 1"
        means = f"{names[winner]} {one['regret']:.3g}, {names[rival]} {other['regret']:.3g}"
        detail = f"{place}, {sizes}; in the mean: {means}."
        known: dict[str, Any] = {"opposite": float(one["lower"] / other["upper"]), "unit": "ratio of risks"}
        yield at_most(float(one["upper"] / other["lower"]), limit, detail, **known)


@worst
def proved_bounds(
    profile: str, seed: int, *, learners: tuple[str, ...], constant: float, play: str = "their own"
) -> Iterator[Evidence]:
    """Regret of learners, an upper limit from bets, against `constant` times the bounds in the registry.

    `play` is ``"their own"`` or ``"uniform play"``, whose regret is exact.
    """
    for name in learners:
        game = regret.GAMES[name]
        result = regret.against_bound(profile, seed, name, len(learners))
        detail = (
            f"{name}, {game.losses}, K=2, gap {game.gap:g}, T={game.horizon:,}, ε=1: mean {result.mean:.1f}, "
            f"at most {result.upper:.1f}; bound {result.bound:.1f}, uniform play {result.uniform:,.0f}."
        )
        known: dict[str, Any] = {"unit": "regret", "uniform": result.uniform}
        if play == "their own":
            known |= {"opposite": result.lower, "estimate": result.mean}
        yield at_most(
            result.upper if play == "their own" else result.uniform, constant * result.bound, detail, **known
        )


_LEVELS = (1.0, 0.1)
_DELTA = 1e-6
_ROUNDS = {"quick": 32, "full": 64, "huge": 64}
"""Rounds of the games in which prefix sums are released."""
_SEPARATE = 500
"""Rounds of the games in which sums are released one by one."""


@worst
def spent(profile: str, seed: int, *, learners: tuple[str, ...], noise_divisor: float) -> Iterator[Evidence]:
    """Exact privacy loss of what a learner reads, or its exact delta, over what it declares: at most 1."""
    for name, epsilon in product(learners, _LEVELS):
        share, said = _share(name, epsilon, _ROUNDS[profile], noise_divisor)
        yield at_most(share, 1 + EXACT, f"{name}, ε={epsilon:g}: {said}.")


def _share(name: str, epsilon: float, rounds: int, noise_divisor: float) -> tuple[float, str]:
    """Share of its privacy that a learner spends, its noise divided, by what it reads."""
    entry = registry.entry(name)
    less: Any = {"noise_divisor": noise_divisor}
    sizes: dict[str, Any] = {"n_actions": 3, "epsilon": epsilon}
    if name.startswith(("bit_", "batch_bit_", "coordinate_")):
        loss = privacy.log_odds(entry, epsilon=epsilon, epsilon_factor=noise_divisor)
        return loss / epsilon, f"exact loss of a bit {loss:.4f}, one loss is 0 or 1"
    if entry.approximate:
        delta = privacy.delta_of_prefixes(entry, **sizes, horizon=rounds, delta=_DELTA, **less)
        return delta / _DELTA, f"K=3, {rounds:,} rounds: exact δ {delta:.4g}, declared {_DELTA:g}"
    trees = "_tree_" in name
    horizon = rounds if trees else _SEPARATE
    learner: Any = registry.learner(name, **sizes, horizon=horizon, rng=np.random.default_rng(1))
    if trees:
        loss, declared = privacy.loss_of_prefixes(entry, **sizes, horizon=rounds, **less), learner.privacy.epsilon
        return loss / declared, f"K=3, {rounds:,} rounds: exact loss {loss:.4f}, declared {declared:.4f}"
    if isinstance(learner, epochs.EpochLeader):
        return _selected(learner.noise / noise_divisor, learner.weights, "any number of rounds", epsilon)
    if isinstance(learner, few_leaders.FewLeaders):
        plan, batches = learner.tuning, -(-horizon // learner.tuning.batch)
        weights = plan.memory ** np.arange(batches - 1)
        return _selected(plan.noise / noise_divisor, weights[weights > 0], f"{horizon:,} rounds", epsilon)
    sizes["n_actions"] = 3 if entry.feedback == "full" else 2
    loss, sums = privacy.loss_of_sums(entry, **sizes, n_rounds=horizon, **less)
    said = f"K={sizes['n_actions']}, {horizon:,} rounds: exact loss {loss:.4f} of {sums} noisy sums"
    return loss / epsilon if sums > 1 else math.inf, said


def _selected(noise: float, weights: FloatArray, rounds: str, epsilon: float) -> tuple[float, str]:
    """Share of epsilon that selections with exponential noise spend, each reading a round with its weight."""
    losses = [audit.report_noisy_max_privacy_loss(3, noise="exponential", scale=noise / float(w)) for w in weights]
    loss = math.fsum(losses)
    return loss / epsilon, f"K=3: exact loss {loss:.4f} of {len(losses)} selections, {rounds}"


_SEARCHED = {"quick": ((1, 3), (4, 1), (2, 2)), "full": ((1, 3), (4, 1), (2, 2), (2, 3))}
_BUILT = {"quick": 200, "full": 1023}
_SHEARED = {"quick": 30, "full": 188}
_RELEASES = {"quick": (10**6, 10**7), "full": (10**6, 2**59)}


@worst
def most_releases(profile: str, seed: int, *, more: int) -> Iterator[Evidence]:
    """Most releases of a tree that a search finds, and that the tree has as built, against N(a, b) + `more`."""
    size = "quick" if profile == "quick" else "full"
    for shape in _SEARCHED[size]:
        tree, n = Tree(*shape), releases_of(Tree(*shape))
        while lemmas.fits(tree, n + 1):
            n += 1
        detail = f"a={tree.depth}, b={tree.nodes}: a search over all trees finds {n} releases at most."
        claimed = releases_of(tree) + more
        yield at_most(n, claimed, detail)
        yield at_least(n, claimed, detail)
    for a, b in product(range(1, 32), repeat=2):
        tree = Tree(a, b)
        if releases_of(tree) <= _BUILT[size]:
            signs, rounds = lemmas.factors(lemmas.parents(tree))
            sums = np.tril(np.ones(signs.shape))
            right = np.array_equal(signs @ rounds, sums)
            right &= bool(rounds.sum(axis=0).max() <= tree.depth and np.abs(signs).sum(axis=1).max() <= tree.nodes)
            detail = f"a={tree.depth}, b={tree.nodes}: the tree as built has {len(signs)} right releases."
            claimed = releases_of(tree) + more
            yield at_least(len(signs) if right else 0, claimed, detail)


@worst
def same_transcript(
    profile: str, seed: int, *, noises: tuple[str, ...], move: str, noise_divisor: float = 1.0
) -> Iterator[Evidence]:
    """Largest change of a transcript when a round is replaced and its nodes' noises move, and what that costs."""
    n = _SHEARED["quick" if profile == "quick" else "full"]
    for noise in noises:
        change, cost = lemmas.shear(noise, n, seed=seed, move=move), lemmas.cost(noise, n)
        where = f"{noise} noise, {n} rounds, K=3, each round replaced in turn"
        yield at_most(change, EXACT, f"{where}: releases change by {change:.1e} at most.")
        yield at_most(noise_divisor * cost, 1 + EXACT, f"{where}: loss {cost:.4f} over ε.")


@worst
def smallest_variance_at(
    releases: int, scheme: str = "signed balanced tree", worst: float = 2 / 3, mean: float = 0.9
) -> Iterator[Evidence]:
    """Variance of a scheme over the least of the others', of the worst release and of the mean one."""
    shapes = lemmas.best_shapes(releases)
    for column, limit, i in (("worst", worst, 0), ("mean", mean, 1)):
        values = {name: float(of[i][i]) for name, of in shapes.items()}
        ours = values.pop(scheme)
        best, least = min(values.items(), key=lambda item: item[1])
        detail = f"N={releases:,}, {column} release: {ours:,.6g}, of {best} {least:,.6g}."
        yield at_most(ours / least, limit, detail)


@worst
def smallest_variance(profile: str, seed: int, *, scheme: str, worst: float, mean: float) -> Iterator[Evidence]:
    """Variance of a scheme over the least of the other schemes, of the worst release and of the mean one.

    Between two sizes N(a, b) of the signed balanced tree its own variances stay and the others' rise: the ratio is
    largest just above such a size. Quick up to 10^7 releases.
    """
    low, high = _RELEASES["quick" if profile == "quick" else "full"]
    sizes = {low, high}
    for a in range(1, 60):  # N(a, b) grows with b
        sizes.update(takewhile(high.__ge__, (releases_of(Tree(a, b)) + 1 for b in range(1, 200))))
    for n in sorted(sizes):
        if low <= n:
            yield smallest_variance_at(n, scheme=scheme, worst=worst, mean=mean)
