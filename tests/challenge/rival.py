"""A rival, as an example: half of the losses is thrown away, and what is left is followed with Gumbel noise."""

from replicate.learners import registry
from replicate.learners.entries import Entry


class EveryOther:
    """Gumbel noise on every other round."""

    feedback = "full"

    def __init__(self, setting, rng):
        sizes = {"n_actions": setting.n_actions, "horizon": setting.horizon, "epsilon": setting.epsilon}
        self.n_actions, self._inner = setting.n_actions, registry.learner("gumbel", **sizes, rng=rng)
        self._action, self._round = self._inner.act(), 0

    def act(self):
        return self._action

    def observe(self, losses):
        self._round += 1
        if self._round % 2 == 0:
            self._inner.observe(losses)
            self._action = self._inner.act()


ENTRY = Entry(
    name="every_other", label="every other round", colour="#555555", paper="baseline",
    summary="Gumbel noise on every other round", guarantee="iid losses", proved_for=("iid",), build=EveryOther,
)  # fmt: skip
