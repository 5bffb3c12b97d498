"""The formal proofs: their record, the statements that readers see, and the numbers that Coq computes."""

import hashlib
import json
import math
import os
import re
import runpy
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from replicate import registered
from replicate.claims import register
from replicate.learners import dyadic
from replicate.papers import noisy_leader, prefix_softmax

ROOT = Path(__file__).parent.parent
FORMAL = ROOT / "formal"
CHECK = runpy.run_path(str(FORMAL / "check.py"))
RECORD = (FORMAL / "checked.txt").read_text(encoding="utf-8")
NUMBERS = json.loads((FORMAL / "numbers.json").read_text(encoding="utf-8"))
ETA = math.log(2)
"""Weights are then powers of 1/2, and Coq computes laws of actions in rationals."""


def recorded(kind):
    """Lines of the record of one kind, as pairs."""
    return dict(re.findall(rf"^{kind} (.*?): (.*)$", RECORD, flags=re.MULTILINE))


def test_no_file_changed_since_it_was_checked():
    assert recorded("file") == {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in CHECK["files"]().items()
    }


def test_no_proof_is_left_out():
    assert {
        name: CHECK["left_out"](text) for name, text in CHECK["files"]().items() if CHECK["left_out"](text)
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        "Theorem t : 1 = 2. Proof. Admitted.",
        "Lemma l : 1 = 2. Proof. admit. Qed.",
        "Axiom a : 1 = 2.",
        "Section S. Variable x : nat. End S.\nHypothesis h : 1 = 2.",
        "Unset Guard Checking.",
    ],
)
def test_a_proof_that_is_left_out_is_seen(text):
    assert CHECK["left_out"](text)
    assert not CHECK["left_out"](f"(* {text} (* nested *) *)")


def test_quoted_statements_are_those_of_the_files():
    proved = {name: CHECK["statements"](text) for name, text in CHECK["files"]().items()}
    said = {(s["file"], s["name"]): " ".join(s["text"].split()) for s in CHECK["quoted"]()}
    assert said == {(file, name): text for file, found in proved.items() for name, text in found.items()}


def test_statements_rest_on_the_axioms_of_the_reals():
    reals = set(CHECK["REALS"])
    groups = {group: set(used.split(", ")) for group, used in recorded("axioms").items()}
    assert groups == {"reals": reals, "reals and machine integers": reals | {"machine integers"}}
    assert recorded("theorem") == {s["name"]: s["rests_on"] for s in CHECK["quoted"]()}
    assert set(recorded("theorem").values()) == set(groups)


def test_statements_name_claims_and_theorems_that_exist():
    claims = set(register())
    keys = {theorem.key for theorem in registered("theorems")}
    for said in CHECK["quoted"]():
        assert set(said["claims"]) <= claims
        assert {said.get("theorem", "prefix")} <= keys


def test_the_page_of_theorems_names_statements_with_their_limits():
    page = (ROOT / "reports" / "theorems.md").read_text(encoding="utf-8")
    for said in CHECK["quoted"]():
        limits = f" *Limits:* {said['limits']}" if "limits" in said else ""
        assert (f"- `{said['name']}`: {said['says']}{limits}\n" in page) == ("theorem" in said)


def checked_with(folder):
    """Run the check where `folder` is all that the machine has of programs."""
    command = [sys.executable, FORMAL / "check.py"]
    env = {**os.environ, "PATH": str(folder)}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_without_coq_one_line_says_what_to_install(tmp_path):
    done = checked_with(tmp_path)
    assert done.returncode == 2
    assert done.stdout.count("\n") == 1
    assert "coq libcoq-coquelicot libcoq-interval" in done.stdout


def test_an_axiom_of_our_own_fails_the_check(tmp_path):
    coq = tmp_path / "coqc"
    coq.write_text("#!/bin/sh\nprintf '@ reals\\nAxioms:\\nprefix.cheat : False\\n'\n", encoding="utf-8")
    coq.chmod(0o755)
    done = checked_with(tmp_path)
    assert done.returncode == 1
    assert "statements that rest on reals rest on prefix.cheat too" in done.stderr


# What Coq computes, and what Python plays.


def test_epochs_are_those_of_the_learners():
    starts, stops = dyadic.blocks(len(NUMBERS["epochs"]))
    lengths = stops - starts
    assert NUMBERS["epochs"] == np.repeat(np.arange(len(lengths)), lengths).tolist()


def follows(learner, epochs):
    """Whether a learner plays in each epoch what was best in the epoch before."""
    played = []
    for epoch in epochs:
        played.append(learner.act() == 1 - epoch % 2)
        learner.observe([1.0, 0.0] if epoch % 2 else [0.0, 1.0])
    return all(played[1:])


def test_the_learner_plays_by_these_epochs():
    for epochs, agrees in ((NUMBERS["epochs"], True), (NUMBERS["epochs"][1:], False)):
        learner = noisy_leader.NoisyLeader(2, epsilon=1e6, rng=np.random.default_rng(0))
        assert follows(learner, epochs) == agrees


def test_prefix_lengths_are_those_of_the_learner():
    for r, lengths in enumerate(NUMBERS["prefixes"]):
        expected = np.isin(np.arange(1, 2**r + 1), lengths) / len(lengths)
        assert prefix_softmax.privacy.prefix_weights(r) == pytest.approx(expected)
        drawn = prefix_softmax.algorithms.random_prefix(r, 4000, np.random.default_rng(r))
        assert sorted(set(drawn.tolist())) == lengths


def laws(name):
    """Laws of an epoch's action by the losses of the epoch before: {losses: law}, losses of shape (rounds, K)."""
    _, k, q = name.split()
    bits = 2 ** int(q) * int(k)
    rows = ([code >> i & 1 for i in range(bits)] for code in range(2**bits))
    return {
        tuple(tuple(row[i : i + int(k)]) for i in range(0, bits, int(k))): [Fraction(*pair) for pair in law]
        for row, law in zip(rows, NUMBERS[name], strict=True)
    }


def sequence(table, learner, eta=ETA):
    """The law in Python of the actions that a table determines."""
    if learner == "prefix":
        return prefix_softmax.privacy.sequence_law(table, eta=eta)
    return noisy_leader.privacy.sequence_law(np.asarray(table), noise="gumbel", scale=1 / eta, resample=False)


def farthest(learner, k, eta=ETA):
    """The largest difference between Python's and Coq's chance of two actions, over all tables of three rounds."""
    first, second = (laws(f"{learner} {k} {q}") for q in (0, 1))
    pairs = list(product(first.items(), second.items()))
    ours = [sequence([*a, *b], learner, eta) for (a, _), (b, _) in pairs]
    theirs = [[float(x * y) for x in p for y in q] for (_, p), (_, q) in pairs]
    return np.abs(np.array(ours) - theirs).max()


@pytest.mark.parametrize("learner", ["whole", "prefix"])
@pytest.mark.parametrize("k", [2, 3])
def test_laws_of_action_sequences_agree(learner, k):
    assert farthest(learner, k) < 1e-14
    assert farthest(learner, k, eta=0.99 * ETA) > 1e-3


@pytest.mark.parametrize("learner", ["whole", "prefix"])
def test_laws_after_four_rounds_agree(learner):
    for rows, law in laws(f"{learner} 2 2").items():
        joint = np.reshape(sequence([[0, 0]] * 3 + list(rows), learner), (4, 2))
        assert joint.sum(axis=0) == pytest.approx([float(p) for p in law], abs=1e-14)


def test_a_random_prefix_is_not_the_whole_epoch():
    assert laws("prefix 2 2") != laws("whole 2 2")


def regret_over_bound(eta, log_k):
    """Regret of softmax of whole epochs in units of ln K/epsilon, losses 0 and 1, one good action, T large."""
    n = 2.0 ** np.arange(40)
    return 2 * eta * (2 * n / (1 + np.exp(np.minimum(eta * n - log_k, 700)))).sum() / log_k


def test_the_8_of_steady_losses_is_no_smaller_constant():
    etas = 1e-7 * 2.0 ** np.linspace(0, 1, 1001)
    worst = max(regret_over_bound(eta, 600.0) for eta in etas)
    assert 7.9 < worst < 8
