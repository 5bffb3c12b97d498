"""Time SMPyBandits' EXP3; run by the peer's own interpreter as ``peer_exp3.py ROUNDS K [K ...]``; prints JSON."""

import contextlib
import io
import json
import sys
import time
import warnings
from importlib.metadata import version

warnings.filterwarnings("ignore")
with contextlib.redirect_stdout(io.StringIO()):
    from SMPyBandits.Policies import Exp3


def play(n_actions, rounds):
    """Seconds and final trust of ROUNDS rounds with losses 0.3, 0.5, ..., 0.5."""
    policy = Exp3(n_actions, gamma=0.01)
    losses = [0.3] + [0.5] * (n_actions - 1)
    policy.startGame()
    start = time.process_time()
    for _ in range(rounds):
        arm = policy.choice()
        policy.getReward(arm, 1 - losses[arm])
    return time.process_time() - start, policy.trusts.tolist()


ROUNDS = int(sys.argv[1])
play(2, 1000)
answer = {"versions": {name: version(name) for name in ("SMPyBandits", "numpy", "scipy")}, "learners": {}}
for count in map(int, sys.argv[2:]):
    runs = [play(count, ROUNDS) for _ in range(10)]
    answer["learners"][count] = {
        "ns a round": 1e9 * min(seconds for seconds, _ in runs) / ROUNDS,
        "trusts": runs[-1][1],
    }
print(json.dumps(answer))
