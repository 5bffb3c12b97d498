"""Tables of losses as people have them: how a file is read, and what becomes of short, tied and masked ones."""

import gzip

import numpy as np
import pandas as pd
import pytest

from replicate.environments import Table
from replicate.learners import protocol, registry
from tests.hostile_world.frame import Row

FRAME = pd.DataFrame([[0.1, 0.25, 3.2], [1.5, 0.2, 2.0], [0.5, 0.75, 1.0]], columns=["a", "b", "c"])
PLAIN = "0.1,0.2\n0.3,0.4\n"
HEDGE = "play t.csv --learner hedge"


def read(name, content, says, options="", *, exit=0):
    """A file, and what the command makes of it."""
    return Row("table", name, f"{HEDGE} {options}", says=says, exit=exit, files={"t.csv": content})


NUMBERED = pd.DataFrame(FRAME.to_numpy())
ABC = "3 rounds, 3 actions: a, b, c; losses from 0.1 to 3.2"
WIDE = "--range 0 4"
ROWS = [
    read("pandas without index", FRAME.to_csv(index=False), ABC, WIDE),
    read("pandas with index", FRAME.to_csv(), "column 1 has no name.*--index", WIDE, exit=2),
    read("pandas with index, said", FRAME.to_csv(), ABC, f"{WIDE} --index"),
    read("pandas' numbers for names", NUMBERED.to_csv(index=False), "--header .* --no-header", WIDE, exit=2),
    read("pandas' numbers, said", NUMBERED.to_csv(index=False), "3 actions: 0, 1, 2;", f"{WIDE} --header"),
    read("pandas' numbers and index, said", NUMBERED.to_csv(), "3 rounds, 3 actions: 0, 1, 2;",
         f"{WIDE} --header --index"),
    read("two numbers for names", "0,1\n" + PLAIN, "line 1 may hold names or losses: --header", exit=2),
    read("two numbers for names, said", "0,1\n" + PLAIN, "2 rounds, 2 actions: 0, 1;", "--header"),
    read("two numbers, a round", "0,1\n" + PLAIN, "3 rounds, 2 actions: 0, 1; losses from 0 to 1", "--no-header"),
    read("an index and no header", FRAME.to_csv(header=False), "column 1 seems to number the lines: --index", WIDE,
         exit=2),
    read("an index from 7", "i,a,b\n7,1,2\n8,1,2\n9,1,2\n", "column 1 seems to number", "--range 0 9", exit=2),
    read("dates", "day,a,b\n2020-01-01,0.1,0.2\n", "--index leaves out a column that names the rows", exit=2),
    read("dates, said", "day,a,b\n2020-01-01,0.1,0.2\n", "1 round, 2 actions: a, b", "--index"),
    read("row names of R", '"a","b"\n"x",0.1,0.2\n', "a name less .*--index", exit=2),
    read("row names of R, said", '"a","b"\n"x",0.1,0.2\n', "1 round, 2 actions: a, b", "--index"),
    read("some columns", FRAME.to_csv(), "3 rounds, 2 actions: c, a; losses from 0.1 to 3.2",
         f"{WIDE} --index --columns c a"),
    read("columns that are none", FRAME.to_csv(), "--columns must be different names among a, b, c",
         f"{WIDE} --index --columns a d", exit=2),
    read("a semicolon in a comment", "# a; b\n" + PLAIN, "2 rounds, 2 actions"),
    read("a byte order mark and Windows' lines", b"\xef\xbb\xbfa,b\r\n0.1,0.2\r\n", "1 round, 2 actions: a, b;"),
    read("old Macintosh's lines", "a,b\r0.1,0.2\r0.3,0.4\r", "2 rounds, 2 actions: a, b;"),
    read("separators in names", '"a, x","b;y"\n0.1,0.2\n', '1 round, 2 actions: "a, x", b;y'),
    read("decimal commas", "a;b\n0,1;0,2\n", "line 2, column 1 .* with a point for the decimals", exit=2),
    read("separators at the ends", "a,b,\n0.1,0.2,\n", "1 round, 2 actions: a, b"),
    read("separators at some ends", "a,b\n0.1,0.2,\n", "t.csv, line 1 must end with a separator", exit=2),
    read("one name twice", "a,a\n0.1,0.2\n", "t.csv, column 1 has the name of another one", exit=2),
    read("UTF-16", PLAIN.encode("utf-16"), "t.csv must be text in UTF-8, got a file that is UTF-16", exit=2),
    read("UTF-16 without its mark", PLAIN.encode("utf-16-le"), "t.csv must be text in UTF-8", exit=2),
    read("Latin letters", "ä,b\n0.1,0.2\n".encode("latin-1"), "t.csv must be text in UTF-8: line 1", exit=2),
    read("gzip", gzip.compress(PLAIN.encode()), "t.csv must be text in UTF-8, .* gzip", exit=2),
    read("an empty file", "", "t.csv must hold a line for each round", exit=2),
    read("one action", "a\n0.1\n0.2\n", "at least one round and two actions, got 2 and 1", exit=2),
    read("one round", "0.1,0.2\n", "1 round, 2 actions: 0, 1;"),
    Row("table", "a folder", "play . --learner hedge", says="error: .*'.'", exit=2),
    Row("table", "an exponent in the range", f"{HEDGE} --range -1e1 1e1", says="losses from 0.1 to 0.4",
        files={"t.csv": PLAIN}),
    Row("table", "an endless range", f"{HEDGE} --range 0 inf", says="--range must be two finite numbers", exit=2,
        files={"t.csv": PLAIN}),
    Row("table", "learners named twice", f"{HEDGE} --learner follow_the_leader hedge",
        says=r"(?s)hedge\nloss.*learner     follow_the_leader", files={"t.csv": PLAIN}),
    Row("table", "fewer rounds than actions", "advise --table t.csv --epsilon 1", exit=2,
        says="at least as many rounds as actions", files={"t.csv": "0,0.5,1\n0,1,0\n"}),
    Row("table", "an answer that would take hours", "ask TR-T36c --epsilon 30", exit=2,
        says="needs .*, and an answer may take 20 s"),
    Row("table", "no privacy at all", "ask PS-T1 --epsilon inf --json", exit=2, says="epsilon must be a finite"),
]  # fmt: skip


# A mistake in a file of private values: the message repeats none of them.
ROWS += [
    read(f"a value is not repeated: {kind}", line, r"\A(?s:(?!.*31415).*)\Z", exit=2)
    for kind, line in {
        "out of range": "a,b\n0.5,31415\n", "a word": "a,b\n0.5,x31415\n", "too many": "a,b\n0.5,31415,1\n",
    }.items()
]  # fmt: skip


def arrays(world):
    """A masked, a nullable, a read-only and a shared array meet the same constructor."""
    table = np.array([[0.25, 0.5], [0.75, 0.125], [0.5, 0.5]])
    for bad, says in (
        (np.ma.masked_less(table, 0.2), "masked"),
        (pd.DataFrame(table, columns=["a", "b"]).astype({"b": object}), "b: object"),
        (pd.DataFrame({"a": [0.25, 0.5], "b": pd.array([0.5, None], dtype="Float64")}), "b: Float64"),
    ):
        for asked in (Table, protocol.loss_table):
            with pytest.raises(ValueError, match=says) as caught:
                asked(bad)
            assert "0.25" not in str(caught.value)
    env, before = Table(table), table.copy()
    table[:] = 1
    np.testing.assert_array_equal(env.mean_sums(0, 3), before.sum(axis=0))
    env.losses(0, 3, rng=np.random.default_rng(1))[:] = 1
    np.testing.assert_array_equal(env.losses(0, 3, rng=np.random.default_rng(1)), before)
    before.setflags(write=False)
    learner = registry.learner("gumbel", n_actions=2, horizon=3, epsilon=1.0, rng=np.random.default_rng(1))
    assert protocol.play(learner, before).final.shape == (1,)


ROWS += [Row("table", "masked, nullable, read-only and shared arrays", arrays)]
