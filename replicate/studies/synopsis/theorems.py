"""Proved bounds of competitors that a reader can ask, of the registry, and the theorem on the signed tree."""

from __future__ import annotations

from replicate.claims.asking import Promise, by_rounds, of_learner
from replicate.claims.theorems import Theorem

_FIXED = {"epsilon": 1.0, "n_actions": 8, "gap": 0.9, "horizon": 16_384}
_PLAIN = {size: value for size, value in _FIXED.items() if size != "epsilon"}


def _promises(*learners: str, at: dict[str, float]) -> tuple[Promise, ...]:
    """Bounds of learners at the synopsis's sizes."""
    return tuple(of_learner("SY-B", learner, at=at, work=by_rounds(60)) for learner in learners)


PROMISES = (
    *_promises("hedge_tree_cube", "bit_tsallis_inf", at=_FIXED),
    *_promises("fixed_share_cube", at=_FIXED | {"n_switches": 3}),
    *_promises("hedge", "adahedge", at=_PLAIN),
)


_STATEMENT = r"""
Prefix sums of $x_1,\dots,x_N$ are released, each as a combination of noisy sums of intervals of rounds (*nodes*),
so that every round is in at most $a$ nodes and every release is made of at most $b$. Then $N\le
N(a,b)=(D(a,b)-1)/2$, where $D(a,b)=D(a-1,b)+D(a,b-1)+D(a-1,b-1)$, $D(a,0)=D(0,b)=1$ (Delannoy), and the signed
balanced tree has $N=N(a,b)$. It has the most releases of at most $i$ nodes for every $i\le b$ at once. With noise
of scale $a/\varepsilon$ in the norm that bounds a change of one $x_s$, all releases together are
$\varepsilon$-private, also when $x_t$ depends on the releases before round $t$.
"""

_SCOPE = r"""
Every $a,b\ge1$, real combinations, any nodes. Noise: independent vectors with density proportional to
$e^{-\|z\|/\sigma}$, $\sigma=a\max\|x_s-x'_s\|/\varepsilon$, any norm and $\varepsilon>0$; that of the cube has the
maximum norm, Laplace noise the sum of absolute values. Among integer combinations with noise of scale
$a/\varepsilon$ the variance of the worst release, proportional to $a^2b$, is least: a flow's squares add up to its
path's length at least. Nothing is said of fractional combinations' variance, of other scales, or of mechanisms that do
not add noise to intervals.
"""

_PROOF = r"""
*Paths.* Let the node of rounds $s+1,\dots,e$ be an edge between points $s$ and $e$ of a line; round $r$ is the cut
between $r-1$ and $r$. A combination of nodes is $\mathbf 1_{\{1,\dots,t\}}$ if and only if its coefficients are a
flow of value 1 from 0 to $t$ (take differences at every point). The support of a flow contains a path, so at most
$b$ edges lead from 0 to $t$. Take a breadth-first tree from 0 and number its points in their order: it is a tree
with depth at most $b$, each cut of which is crossed by at most $a$ edges, and its points are the releases and 0,
or more.

*Count.* Let $w(a,u)$ be the most points of such a tree of depth at most $u$ whose root may stand anywhere,
$v(a,u)$ with the root leftmost. The paths from the root to the leftmost and to the rightmost point cross every
cut. Without their edges every cut is crossed at most $a-1$ times, and a component hangs at each point of the
paths, with depth at most $u-i$ at a point of depth $i$; there are at most two of each depth $i\ge1$, and one root:
$$w(a,u)\le w(a-1,u)+2\sum_{i<u}w(a-1,i),\qquad v(a,u)\le v(a-1,u)+\sum_{i<u}w(a-1,i),$$
for with the root leftmost there is one path, and the root is leftmost in its component too. Since
$w(0,u)=w(a,0)=1$ and $D(a,u)=D(a-1,u)+2\sum_{i<u}D(a-1,i)$, by induction $w\le D$ and $v\le(D+1)/2$; 0 is not
released.

*Tree.* Put these components side by side along the line: to the right of the root's, those of the first, second,
... point of the right path, to the left likewise. Each edge of a path then crosses the cuts between its two ends
and no other edge of the paths does, so that a cut is crossed once by them: by induction both are equalities. Cut
off at depth $i$, the tree of $(a,b)$ is that of $(a,i)$.

*Privacy.* Let $A$ be the lower triangular matrix of ones, $L$ the signs of the nodes of each release, $R$ the
rounds of each node: $LR=A$, and releases are $y=Ax+Lz$. Fix the coins of the adversary who chooses $x$. Replace $x_s$ by
$x_s-d$ and $z$ by $z+R_sd$, $R_s$ the column of $s$. $LR_s=A_s$ is 0 before $s$ and 1 from $s$ on: releases before
$s$ stay, so $d$ stays, which depends on them; then in release after release the changes $-d$ and $d$ cancel and
the next vector stays. The transcript is the same. $d$ depends on $z$ through $(Lz)_{<s}$ alone, which the map does
not move: it is a shear with inverse $z-R_sd$ and Jacobian 1. The density ratio is at most
$e^{\|R_s\|_1\|d\|/\sigma}\le e^\varepsilon$. Noise added to releases afterwards, independent of all, is
post-processing.
"""

THEOREMS = (
    Theorem(
        key="signed-tree",
        title="The signed balanced tree has the most prefix sums",
        statement=_STATEMENT.strip(),
        scope=_SCOPE.strip(),
        proof=_PROOF.strip(),
        known=r"The trees, their count and that it is the largest: virtual paths from one end of a chain to all of it, "
        r"load $a$ and hop count $b$, on unrestricted paths (Zaks, *Duality in ATM layout problems*, LNCS 1767, 2000, "
        r"and the works named there, of which we read abstracts; shortest paths, so nodes that only add, $\binom{a+b}a$: "
        r"Gerstel, Wool and Zaks 1998). For private sums: signs, as digits of base $k$, Andersson, Pagh, Steiner and "
        r"Torkamani (FORC 2025), $.0618\log_2^3N$ in the mean of releases, $k=19$; one distribution for all releases, nodes that "
        r"only add, Andersson and Pagh (NeurIPS 2023).",
        new="Their use for private sums, that real combinations have no more releases, and privacy for vectors that "
        "react. We found the older problem late, and prove the count again.",
        checked_by="Derived twice. A search over all trees finds no more releases at shapes of up to 13; the tree as "
        "built is compared with the summing matrix up to 1,023 releases, transcripts of adaptive adversaries up to 188.",
        floor=r"$a^2b$, the variance in units of one Laplace variable of scale $1/\varepsilon$, is $.056\log_2^3N$ at "
        r"$N=2^{59}$ and $.04528\log_2^3N$ in the limit. For "
        r"the variance of the worst release, among all mechanisms with pure privacy, not even the power is known: packing "
        r"gives $\log^2N$. Another quantity, the expected largest error over all releases, is $\Omega(\log^{3/2}N)$ for "
        r"every private mechanism (Bairaktari and Larsen 2026, arXiv 2607.00876), which says nothing of one release.",
        claims=("SY-SIGN", "SY-SHEAR", "SY-VAR", "SY-P-TREE"),
    ),
)
