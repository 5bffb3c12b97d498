"""Learners of the literature that the register does not have, as papers list them, made private where needed.

Every class is built from a `replicate.learners.entries.Setting` and a generator. What it spends of epsilon is said
where it is not plain: fresh noise on what one loss is part of, in the largest number of places that it is part of.
"""

from __future__ import annotations

import math
from itertools import count

import numpy as np

from replicate.learners.competitors.noisy_sums import hedge_tuning
from replicate.learners.competitors.random_bit import RandomBit
from replicate.learners.entries import Entry
from replicate.mechanisms import AboveThreshold, sample_pmf, softmax_pmf
from replicate.mechanisms.tree_sums import TreeSums
from replicate.mechanisms.vector_noise import private_noise


class _Player:
    """Sizes of a setting, and its level of privacy."""

    feedback = "full"

    def __init__(self, setting, rng):
        self.n_actions, self.horizon, self.epsilon = setting.n_actions, setting.horizon, setting.epsilon
        self.rng = rng


class _OnTree(_Player):
    """Acts by ``law()``, from noisy prefix sums of a signed tree with cube noise."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.tree = TreeSums(self.n_actions, n_rounds=self.horizon, noise="cube", epsilon=self.epsilon, rng=rng)
        self.noisy = np.zeros(self.n_actions)

    def act(self):
        return int(sample_pmf(self.law(), rng=self.rng))

    def observe(self, losses):
        self.noisy = self.tree.add(losses)


class AdaHedgeOnTree(_OnTree):
    """AdaHedge (de Rooij, van Erven, Grünwald and Koolen 2014) on the differences of noisy prefix sums."""

    lost, mixed = 0.0, 0.0

    @property
    def rate(self):
        gap = self.lost - self.mixed
        return math.log(self.n_actions) / gap if gap > 0 else math.inf

    def law(self):
        least = self.noisy == self.noisy.min()
        return softmax_pmf(-self.noisy, scale=1 / self.rate) if self.rate < 1e9 else least / least.sum()

    def observe(self, losses):
        law, before = self.law(), self.noisy.copy()
        super().observe(losses)
        step, rate = self.noisy - before, min(self.rate, 1e9)
        self.lost += float(law @ step)
        low = float(step[law > 0].min())
        self.mixed += low - math.log(float(law @ np.exp(-rate * np.maximum(step - low, 0)))) / rate


class EuclideanLeader(_OnTree):
    """Follow the regularised leader, squared norm, on noisy sums (Agarwal and Singh 2017; noise that is pure)."""

    def law(self):
        # projection of -rate * sums on the simplex: losses less 1/2 have norm sqrt(K) / 2 at most
        point = -2 / math.sqrt(self.horizon * self.n_actions) * self.noisy
        falling = np.sort(point)[::-1]
        level = (np.cumsum(falling) - 1) / np.arange(1, self.n_actions + 1)
        law = np.maximum(point - level[np.flatnonzero(falling > level)[-1]], 0)
        return law / law.sum()


class HonakerHedge(_Player):
    """Hedge on Honaker's binary tree (2015): a node's estimate joins its own noise with its children's."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        levels = self.horizon.bit_length()
        self.noise = private_noise("cube", n_actions=self.n_actions, epsilon=self.epsilon, releases=levels)
        tuned = hedge_tuning(
            "tree_cube", n_actions=self.n_actions, horizon=self.horizon, epsilon=self.epsilon, delta=0.0
        )
        self.rate, self.nodes = 2 * tuned.parameter, []

    def act(self):
        sums = sum((estimate for _, _, estimate, _ in self.nodes), np.zeros(self.n_actions))
        return int(sample_pmf(softmax_pmf(-sums, scale=1 / self.rate), rng=self.rng))

    def observe(self, losses):
        height, exact = 0, np.asarray(losses, dtype=float)
        node = (height, exact, exact + self.noise.draw(self.rng), self.noise.variance)
        while self.nodes and self.nodes[-1][0] == node[0]:  # two of one height are the children of the next
            other = self.nodes.pop()
            exact, both, variance = other[1] + node[1], other[2] + node[2], other[3] + node[3]
            share = variance / (variance + self.noise.variance)
            noisy = exact + self.noise.draw(self.rng)
            node = (node[0] + 1, exact, share * noisy + (1 - share) * both, share * self.noise.variance)
        self.nodes.append(node)


class SparseLeader(_Player):
    """Leave the leader when a noisy test says that it has lost much (Asi, Feldman, Koren and Talwar 2023).

    Half of epsilon is for the tests, each round in one of them; half for the selections, 8 at most.
    """

    selections = 8

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.sums, self.left = np.zeros(self.n_actions), self.selections
        self._select()

    def _select(self):
        share = self.epsilon / 2 / self.selections
        self.action = int(sample_pmf(softmax_pmf(-self.sums, scale=2 / share), rng=self.rng))
        self.left, self.since, self.start = self.left - 1, 0.0, self.sums.min()
        self.test = AboveThreshold(epsilon=self.epsilon / 2, threshold=math.sqrt(self.horizon), rng=self.rng)

    def act(self):
        return self.action

    def observe(self, losses):
        self.sums += losses
        self.since += losses[self.action] - losses.min()
        if self.left and self.test.above(self.since):
            self._select()


class CubeHedge(_Player):
    """Hedge on the whole loss vector, randomised at once on the cube (Duchi, Jordan and Wainwright 2013), local.

    A point of {-1, 1}^K with the vector's means is answered by a uniform one on its side of the cube with
    probability e^epsilon / (1 + e^epsilon), else by one on the other side; ties of K even are on both.
    """

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        k = self.n_actions
        # mean of a coordinate on the side of a point: C(k - 1, (k - 1) // 2) / 2^(k - 1), over the side's share
        side = math.comb(k - 1, (k - 1) // 2) / 2 ** (k - 1)
        share = 0.5 + (math.comb(k, k // 2) / 2 ** (k + 1) if k % 2 == 0 else 0.0)
        self.keep = (math.exp(self.epsilon) * share) / (math.exp(self.epsilon) * share + 1 - share)
        mean = side * (self.keep * 0.5 / share - (1 - self.keep) * 0.5 / (1 - share))
        self.radius, self.sums = 0.5 / mean, np.zeros(k)
        self.rate = math.sqrt(2 * math.log(k) / self.horizon) / self.radius

    def act(self):
        return int(sample_pmf(softmax_pmf(-self.sums, scale=1 / self.rate), rng=self.rng))

    def observe(self, losses):
        point = np.where(self.rng.random(self.n_actions) < losses, 1, -1)
        same = self.rng.random() < self.keep
        while True:
            answer = self.rng.choice([-1, 1], size=self.n_actions)
            if (answer @ point >= 0) == same:
                self.sums += self.radius * answer
                return


class _Arms(_Player):
    """A bandit learner that plays every arm once, then the smallest ``index(t)``."""

    feedback = "bandit"

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.pulls, self.sums = np.zeros(self.n_actions), np.zeros(self.n_actions)
        self.order, self.round = rng.permutation(self.n_actions), 0

    def act(self):
        first = self.round < self.n_actions
        self.action = int(self.order[self.round]) if first else int(np.argmin(self.index(self.round)))
        return self.action

    def observe(self, loss):
        self.round += 1
        self.pulls[self.action] += 1
        self.sums[self.action] += loss


class TreeUcb(_Arms):
    """UCB on a noisy tree for every arm (Mishra and Thakurta 2015); a loss is in one arm's tree."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        size = {"n_rounds": self.horizon, "noise": "laplace", "epsilon": self.epsilon, "rng": rng}
        self.trees = [TreeSums(1, **size) for _ in range(self.n_actions)]
        self.spread = math.sqrt(self.trees[0].noise.variance * self.trees[0].tree.nodes)

    def observe(self, loss):
        super().observe(loss)
        self.sums[self.action] = self.trees[self.action].add([loss])[0]

    def index(self, t):
        width = np.sqrt(math.log(t) / (2 * self.pulls)) + self.spread * math.sqrt(2 * math.log(t)) / self.pulls
        return self.sums / self.pulls - width


class LazyUcb(_Arms):
    """Anytime-Lazy-UCB (Hu, Huang and Mehta 2021): means of an arm's last batch, batches double, Laplace noise."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.size, self.mean = np.ones(self.n_actions), np.zeros(self.n_actions)

    def observe(self, loss):
        super().observe(loss)
        i = self.action
        if self.pulls[i] == self.size[i]:
            self.mean[i] = (self.sums[i] + self.rng.laplace(scale=1 / self.epsilon)) / self.size[i]
            self.size[i], self.pulls[i], self.sums[i] = 2 * self.size[i], 0, 0.0

    def index(self, t):
        seen = self.size / 2
        return self.mean - np.sqrt(math.log(t) / (2 * seen)) - math.log(t) / (self.epsilon * seen)


class NoisyUcb(_Arms):
    """LDP-UCB-L (Ren, Zhou, Liu and Shroff 2020): Laplace noise on every loss, local."""

    def observe(self, loss):
        super().observe(loss + self.rng.laplace(scale=1 / self.epsilon))

    def index(self, t):
        spread = 0.25 + 2 / self.epsilon**2  # variance of a loss and its noise
        return self.sums / self.pulls - np.sqrt(2 * spread * math.log(t) / self.pulls)


class ExploreFirst(_Player):
    """Explore every arm equally often, then commit to the least noisy sum; a loss is in one sum."""

    feedback = "bandit"

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        each = (self.horizon / self.n_actions) ** (2 / 3) * math.log(max(self.horizon, 3)) ** (1 / 3)
        self.each, self.sums = (
            max(int(min(each, self.horizon / (2 * self.n_actions))), 1),
            np.zeros(self.n_actions),
        )
        self.round, self.best = 0, None

    def act(self):
        exploring = self.round < self.each * self.n_actions
        self.action = self.round % self.n_actions if exploring else self.best
        return self.action

    def observe(self, loss):
        self.sums[self.action] += loss
        self.round += 1
        if self.round == self.each * self.n_actions:
            noise = self.rng.laplace(scale=1 / self.epsilon, size=self.n_actions)
            self.best = int(np.argmin(self.sums + noise))


class _BitsOf:
    """A bandit learner for losses 0 and 1, on one random bit of every loss, local."""

    def __init__(self, base):
        self.base = base

    def __call__(self, setting, rng):
        return RandomBit(self.base(setting, rng), epsilon=setting.epsilon, rng=rng)


class Moss(_Arms):
    """MOSS (Audibert and Bubeck 2009)."""

    def index(self, t):
        log = np.log(np.maximum(self.horizon / (self.n_actions * self.pulls), 1))
        return self.sums / self.pulls - np.sqrt(log / self.pulls)


class SlidingUcb(_Arms):
    """Sliding-window UCB (Garivier and Moulines 2011), the window as tuned for S switches."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        switches = max(setting.n_switches, 1)
        self.window = max(int(2 * math.sqrt(self.horizon * math.log(self.horizon) / switches)), self.n_actions)
        self.seen = []

    def observe(self, loss):
        super().observe(loss)
        self.seen.append((self.action, loss))
        if self.round > self.window:
            arm, old = self.seen[self.round - self.window - 1]
            self.pulls[arm] -= 1
            self.sums[arm] -= old

    def index(self, t):
        pulls = np.maximum(self.pulls, 1e-9)
        return self.sums / pulls - np.sqrt(0.6 * math.log(min(t, self.window)) / pulls)


class DiscountedUcb(_Arms):
    """Discounted UCB (Kocsis and Szepesvári 2006; Garivier and Moulines 2011)."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.discount = 1 - math.sqrt(max(setting.n_switches, 1) / self.horizon) / 4

    def observe(self, loss):
        self.pulls *= self.discount
        self.sums *= self.discount
        super().observe(loss)

    def index(self, t):
        return self.sums / self.pulls - 2 * np.sqrt(0.15 * math.log(max(self.pulls.sum(), 2)) / self.pulls)


class Exp3Ix(_Player):
    """EXP3-IX (Neu 2015): estimates that are biased a little, and tame."""

    feedback = "bandit"

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.sums, self.seen = np.zeros(self.n_actions), 0
        self.rate = math.sqrt(2 * math.log(self.n_actions) / (self.horizon * self.n_actions))

    def act(self):
        self.law = softmax_pmf(-self.sums, scale=1 / self.rate)
        self.action = int(sample_pmf(self.law, rng=self.rng))
        return self.action

    def observe(self, loss):
        self.sums[self.action] += loss / (self.law[self.action] + self.rate / 2)


class Rexp3(Exp3Ix):
    """Rexp3 (Besbes, Gur and Zeevi 2014): EXP3, begun anew after batches whose length fits S switches."""

    def __init__(self, setting, rng):
        super().__init__(setting, rng)
        self.batch = max(int(self.horizon / (2 * (setting.n_switches + 1))), 1)
        self.rate = math.sqrt(2 * math.log(self.n_actions) / (self.batch * self.n_actions))

    def observe(self, loss):
        super().observe(loss)
        self.seen += 1
        if self.seen % self.batch == 0:
            self.sums[:] = 0.0


_number = count()


def _entry(label, build, covers=("iid",), **facts):
    one = build.base if isinstance(build, _BitsOf) else build
    return Entry(
        name=f"rival_{next(_number)}", label=label, colour="#555555", summary=one.__doc__.splitlines()[0],
        feedback=one.feedback, proved_for=covers, build=build, **facts,
    )  # fmt: skip


_ANY = ("iid", "fixed")
RIVALS = (
    _entry("AdaHedge on a tree", AdaHedgeOnTree, _ANY),
    _entry("Euclidean leader on a tree", EuclideanLeader, _ANY),
    _entry("Hedge on Honaker's tree", HonakerHedge, _ANY),
    _entry("leader left by sparse vector", SparseLeader, ()),
    _entry("Hedge on the randomised cube", CubeHedge, (*_ANY, "reactive"), local=True),
    _entry("UCB on trees", TreeUcb),
    _entry("Anytime-Lazy-UCB", LazyUcb),
    _entry("explore first", ExploreFirst),
    _entry("LDP-UCB-L", NoisyUcb, local=True),
    _entry("MOSS on one random bit", _BitsOf(Moss), local=True),
    _entry("EXP3-IX on one random bit", _BitsOf(Exp3Ix), _ANY, local=True),
    _entry("sliding-window UCB on one random bit", _BitsOf(SlidingUcb), ("iid", "shifting"), local=True),
    _entry("discounted UCB on one random bit", _BitsOf(DiscountedUcb), ("iid", "shifting"), local=True),
    _entry("Rexp3 on one random bit", _BitsOf(Rexp3), (*_ANY, "switching"), local=True),
)
