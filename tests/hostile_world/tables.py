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


def doubt(name, content, says, options="", **meant):
    """A file that can be read in several ways is refused, and each option that is advised gives what it says.

    Parameters
    ----------
    name, content
        Of the file.
    says
        Pattern in the refusal, which names every option.
    options
        Given each time.
    meant
        Options, without dashes, to what is then printed; what begins with the file's name is another refusal.
    """
    advised = {f"--{given.replace('_', '-')}": then for given, then in meant.items()}
    refusal = rf"(?=.*{says})" + "".join(rf"(?=.*{option}\b)" for option in advised)
    yield read(name, content, refusal, options, exit=2)
    for option, then in advised.items():
        words = f"{options} {option}" + " a b" * (option == "--columns")
        yield read(f"{name}, {option}", content, then, words, exit=2 * then.startswith("t.csv"))


NUMBERED = pd.DataFrame(FRAME.to_numpy())
ABC = "3 rounds, 3 actions: a, b, c; losses from 0.1 to 3.2"
WIDE = "--range 0 4"
FINE = np.random.default_rng(1).random((12, 3)).round(4)
"""Losses written with four decimals."""


def text(losses, head=""):
    """Lines of a file."""
    return head + "".join(",".join(map(str, row)) + "\n" for row in losses)


def beside(column):
    """A file in which a column of other numbers stands before losses."""
    return text(np.column_stack([column, FINE]), "i,a,b,c\n")


ROWS = [
    read("pandas without index", FRAME.to_csv(index=False), ABC, WIDE),
    *doubt("pandas with index", FRAME.to_csv(), "column 1 has no name", WIDE, index=ABC,
           no_index="3 rounds, 4 actions: column 1, a, b, c"),
    *doubt("pandas' numbers for names", NUMBERED.to_csv(index=False), "line 1 may hold", WIDE,
           header="3 actions: 0, 1, 2;", no_header="4 rounds, 3 actions: 0, 1, 2;"),
    read("pandas' numbers and index, said", NUMBERED.to_csv(), "3 rounds, 3 actions: 0, 1, 2;",
         f"{WIDE} --header --index"),
    *doubt("two numbers for names", "0,1\n" + PLAIN, "line 1 may hold names or losses",
           header="2 rounds, 2 actions: 0, 1;", no_header="3 rounds, 2 actions: 0, 1; losses from 0 to 1"),
    *doubt("an index and no header", FRAME.to_csv(header=False), "column 1 seems to number the lines", WIDE,
           index="3 rounds, 3 actions: 0, 1, 2;", no_index="3 rounds, 4 actions"),
    *doubt("an index from 7", "i,a,b\n7,1,2\n8,1,2\n9,1,2\n", "column 1 seems to number", "--range 0 9",
           index="3 rounds, 2 actions: a, b", no_index="3 rounds, 3 actions: i, a, b"),
    *doubt("dates", "day,a,b\n2020-01-01,0.1,0.2\n", "a column that names the rows",
           index="1 round, 2 actions: a, b"),
    *doubt("row names of R", '"a","b"\n"x",0.1,0.2\n', "a name less", index="1 round, 2 actions: a, b"),
    read("some columns", FRAME.to_csv(), "3 rounds, 2 actions: c, a; losses from 0.1 to 3.2",
         f"{WIDE} --index --columns c a"),
    read("columns that are none", FRAME.to_csv(), "--columns must be different names among a, b, c",
         f"{WIDE} --index --columns a d", exit=2),
    # kind: a line or column of other numbers is taken for losses, or losses for something else
    *doubt("a missing first cell", ",0.2,0.3\n0.1,0.2,0.3\n", "line 1 may hold names or losses",
           header="t.csv, column 1 has no name", no_header="t.csv, line 1, column 1 .* got nothing"),
    *doubt("a first round without values", "NA,n/a,-\n" + text(FINE), "line 1 holds no value",
           header="12 rounds, 3 actions: NA, n/a, -;", no_header="t.csv, line 1, column 1 must be a finite"),
    *doubt("quantiles for names", "0.1,0.5,0.9\n" + text(FINE.round(1)), "line 1 may hold names or losses",
           header="12 rounds, 3 actions: 0.1, 0.5, 0.9;", no_header="13 rounds"),
    *doubt("two quantiles for names", "0.05,0.9\n" + text(FINE[:, :2]), "line 1 may hold names or losses",
           header="12 rounds, 2 actions: 0.05, 0.9;", no_header="13 rounds"),
    *doubt("powers for names", "1,10,100\n" + text(FINE), "line 1 may hold names or losses", "--range 0 100",
           header="12 rounds, 3 actions: 1, 10, 100;", no_header="13 rounds"),
    *doubt("years for names", "2019,2021,2024\n" + text(FINE), "line 1 may hold names or losses", "--range 0 3000",
           header="12 rounds, 3 actions: 2019, 2021, 2024;", no_header="13 rounds"),
    *(
        row for kind, column in {
            "concatenated": [*range(6)] * 2, "in halves": np.arange(12) / 2, "scaled": np.arange(12) / 12,
            "of uneven times": np.sort(FINE[:, 0]), "of groups": np.repeat([1, 2, 3], 4),
            "falling": -np.arange(12),
        }.items()
        for row in doubt(f"an index {kind}", beside(column), "column 1 seems to number", "--range -12 12",
                         index="12 rounds, 3 actions: a, b, c", no_index="12 rounds, 4 actions: i, a, b, c")
    ),
    *doubt("an index that comes last", text(np.column_stack([FINE[:, :2], np.arange(12)]), "a,b,t\n"),
           "column 3 seems to number the lines", "--range 0 12", columns="12 rounds, 2 actions: a, b",
           no_index="12 rounds, 3 actions: a, b, t"),
    *doubt("rewards by their names", "a,profit\n1,2\n4,3\n", "may hold rewards", WIDE,
           rewards="(?s)rewards from 1 to 4; each loss is 4 - reward.*fixed action: a from round 1; loss 0.75",
           no_rewards="(?s)losses from 1 to 4.*fixed action: a from round 1; loss 1.25"),
    *doubt("logged decisions", "arm,reward,a,b\n0,1,0.5,0.5\n", "seems to hold logged decisions",
           columns="1 round, 2 actions: a, b;"),
    # kind: lines are left out in silence
    *doubt("a cell of a spreadsheet", "0.1,0.2\n#N/A,0.3\n", "line 2 starts with #",
           comments="1 round, 2 actions: .*; left out: 1 line after #",
           no_comments="t.csv, line 2, column 1 must be a finite number"),
    *doubt("names after a mark of comments", "# a,b\n0.1,0.2\n", "line 1 starts with #",
           comments="1 round, 2 actions: 0, 1", no_comments="1 round, 2 actions: a, b"),
    *doubt("names after a mark, between blanks", "# a b\n0.1 0.2\n", "line 1 starts with #",
           comments="1 round, 2 actions: 0, 1", no_comments="1 round, 2 actions: a, b"),
    read("a semicolon in a comment", "# a; b\n" + PLAIN, "2 rounds, 2 actions: .*; left out: 1 line"),
    read("an empty line between rounds", "0.1,0.2\n\n0.3,0.4\n\n", "2 rounds, .*left out: 1 line without values"),
    read("a line that names the separator", "sep=;\na;b\n0.1;0.2\n", "1 round, 2 actions: a, b"),
    # kind: advice that does not help
    *(
        read(kind, content, rf"\A(?!.*--index).*{says}", exit=2) for kind, content, says in (
            ("decimal commas", "a;b\n0,1;0,2\n", "line 2, column 1 .* with a point for the decimals"),
            ("decimal commas between blanks", "0,5 0,7\n0,1 0,2\n", "line 1, column 1 .* with a point"),
            ("marks between thousands", 'a,b\n"1,234",2\n', r"column 1 \(a\) .* no mark between thousands"),
            ("HTML", "<table><tr><td>0.1</td></tr></table>\n", "separated values for each round, got HTML"),
            ("JSON", "[[0.1, 0.2], [0.3, 0.4]]\n", "separated values for each round, got JSON"),
            ("a title", "Losses\na,b\n0.1,0.2\n", "line 1 must hold a name for each of the 2 columns"),
            ("another separator", "sep=|\na|b\n", "line 1 must name a semicolon, a tab or a comma"),
        )
    ),
    # kind: words of a file reach the terminal
    read("commands of a terminal for names", "\x1b[31ma,b\u202e\n0.1,0.2\n",
         r"(?s)actions: \\x1b\[31ma, b\\u202e;.*action: \\x1b\[31ma from"),
    read("commands of a terminal in a mistake", "\x1b[31ma,b\nx,0.2\n", r"\A[^\x1b]*column 1 \(\\x1b\[31ma\)",
         exit=2),
    read("a byte order mark and Windows' lines", b"\xef\xbb\xbfa,b\r\n0.1,0.2\r\n", "1 round, 2 actions: a, b;"),
    read("old Macintosh's lines", "a,b\r0.1,0.2\r0.3,0.4\r", "2 rounds, 2 actions: a, b;"),
    read("separators in names", '"a, x","b;y"\n0.1,0.2\n', '1 round, 2 actions: "a, x", b;y'),
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
    Row("table", "a folder", "play . --learner hedge", says=r"error: \.: Is a directory", exit=2),
    Row("table", "an exponent in the range", f"{HEDGE} --range -1e1 1e1", says="losses from 0.1 to 0.4",
        files={"t.csv": PLAIN}),
    Row("table", "an endless range", f"{HEDGE} --range 0 inf", says="--range must be two finite numbers", exit=2,
        files={"t.csv": PLAIN}),
    Row("table", "learners named twice", f"{HEDGE} --learner follow_the_leader hedge",
        says=r"(?s)hedge\nloss.*learner     follow_the_leader", files={"t.csv": PLAIN}),
    Row("table", "fewer rounds than actions", "advise --table t.csv --epsilon 1", exit=2,
        says="at least as many rounds as actions", files={"t.csv": "0,0.5,1\n0,1,0\n"}),
    Row("table", "no privacy at all", "ask PS-T1 --epsilon inf", exit=2, says="epsilon must be a finite"),
]  # fmt: skip


# kind: options, or learners, are read and dropped, or refused only after the work
LAWS = {"laws.csv": "1,2,3\n0.5,0.25,0.25\n0.25,0.5,0.25\n"}
LABELS = "play t.csv --hypotheses laws.csv --epsilon 1 --header"
TOSSED = {"t.csv": "0.5,0.5\n" * 60}


def dropped(command, says, **files):
    """An option that would not be read."""
    return Row("table", f"refused: {command}", command, rf"(?s)\A(?!.*learner  ).*{says}", exit=2,
               files=LAWS | {"t.csv": PLAIN} | files)  # fmt: skip


ROWS += [
    dropped(f"{LABELS} --range 0 2 --switches 1", "--range and --switches cannot be used with --hypotheses"),
    dropped("play --example eeg --no-header --columns a b", "--header and --columns cannot be used with"),
    dropped("advise --table t.csv --epsilon 1 --losses reactive", "table must be one of fixed losses"),
    dropped(f"{HEDGE} --numbered", "--numbered cannot be used without --hypotheses"),
    dropped("advise --actions 2 --rounds 9 --epsilon 1 --range 0 1", "--range cannot be used without --table"),
    dropped(f"{HEDGE} no_learner", "--learner must be one of"),
    dropped(f"{HEDGE} gumbel", r"--epsilon must be given: a positive number \(for gumbel\)"),
    dropped(f"{LABELS} --learner pure no_scheme", "--learner must be one of"),
    dropped("advise --table t.csv --epsilon 1 --seed -1", "--seed must be an integer"),
    dropped("advise --table t.csv --epsilon 1 --budget nan", "--budget must be a finite number"),
    # kind: a division by a number that may be 0
    *(
        Row("table", f"losses that are all the same: {asked}",
            f"advise --table t.csv --epsilon 1 --budget 0.5 {asked}",
            says="all actions lose the same in total" if "--all" not in asked else "uniform", files=TOSSED,
            long="--all" not in asked)
        for asked in ("--losses fixed", "--all", "--feedback bandit --local --rewards")
    ),
]  # fmt: skip


def labels(name, content, says, options="", *, exit=0):
    """A file of labels that are named 1, 2, 3."""
    return Row("table", f"labels {name}", f"{LABELS} {options}", says, exit, LAWS | {"t.csv": content})


ROWS += [
    labels("by number", "0\n1\n2\n", "3 labels: 1 times 1, 1 times 2, 1 times 3\n"),
    labels("by name", "1\n2\n3\n3\n", "4 labels: 1 times 1, 1 times 2, 2 times 3\n"),
    labels("by either", "1\n2\n", "--numbered .*--no-numbered ", exit=2),
    labels("by either, numbers", "1\n2\n", "2 labels: 0 times 1, 1 times 2, 1 times 3", "--numbered"),
    labels("by either, names", "1\n2\n", "2 labels: 1 times 1, 1 times 2, 0 times 3", "--no-numbered"),
    labels("that are missing", "1\n#N/A\n3\n", "line 2 starts with # .*--comments .*--no-comments", exit=2),
    labels(
        "that are missing, left out", "1\n#N/A\n3\n", "2 labels: 1 times 1, .*; left out: 1 line", "--comments"
    ),
    labels("that are missing, read", "1\n#N/A\n3\n", "t.csv, line 2 must hold a label", "--no-comments", exit=2),
]


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
