"""Proved bounds on regret that a reader can ask at sizes of their own, and the theorem on the noisy leader."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import signature
from typing import Any

from replicate.claims.asking import Own, Promise, by_blocks, formula, of_learner
from replicate.claims.theorems import Theorem
from replicate.papers.noisy_leader import bounds

_AT = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}
_NANOSECONDS = {"gumbel": (300, 0.0), "exponential": (300, 0.6), "laplace": (8000, 1.3)}
"""Of a run, for an action and a block: see `by_blocks`."""
_SHORT = _AT | {"gap": 1.0, "horizon": 16}


def _promise(
    claim: str, noise: str, function: Callable[..., float], *, resample: bool = False, at: Any = None, **more: Any
) -> Promise:
    """A bound on one variant; formulas that read no noise, no gap or no horizon are not given it."""
    known = {name: noise for name in signature(function).parameters if name == "noise"}
    about = {name: more.pop(name) for name in ("fixed", "relation", "scope") if name in more}
    sizes = [name for name in signature(function).parameters if name in _AT]
    return of_learner(
        claim,
        f"{noise}_resampled" if resample else noise,
        bound=formula(function, *sizes, **known, **more),
        at=at or _AT,
        work=by_blocks(*_NANOSECONDS[noise]),
        **about,
    )


def potential(n_actions: int, epsilon: float, noise: str) -> float:
    """Return `bounds.potential` at the scale of an epsilon-private learner."""
    return bounds.potential(n_actions=n_actions, noise=noise, scale=2 / epsilon)


def for_some_means(n_actions: int, epsilon: float) -> float:
    """Return NL-T3a's lower bound, c_1 log K / epsilon with c_1 = ln(4/3) / ln 2."""
    return math.log(4 / 3) / math.log(2) * math.log(n_actions) / epsilon


def enough_rounds(own: Own) -> str:
    """NL-T3a is for T of at least ln K / epsilon."""
    return "" if own.horizon >= math.log(own.n_actions) / own.epsilon else "NL-T3a is for T of at least ln K / ε"


def largest_gap(own: Own) -> str:
    """The instances of Theorem 3 have losses 0 and 1."""
    return "" if own.gap == 1 else "the instances of Theorem 3 have gap 1"


def hard_instance(own: Own) -> str:
    """Return why rounds or losses are outside of NL-T3a, nothing where they are inside."""
    return enough_rounds(own) or largest_gap(own)


PROMISES = (
    _promise("NL-T1", "laplace", bounds.theorem_1),
    _promise("NL-T2", "laplace", bounds.theorem_2, resample=True),
    *(_promise("NL-C1", noise, bounds.theorem_2, resample=True) for noise in ("gumbel", "exponential")),
    *(_promise("NL-C2", noise, bounds.corollary_2, resample=True) for noise in bounds.NOISES),
    *(_promise("NL-F6", noise, bounds.optimal_rate, losses="any") for noise in bounds.NOISES),
    *(_promise("NL-F7", noise, bounds.optimal_rate) for noise in bounds.NOISES),
    *(_promise("NL-C3", noise, bounds.corollary_3, fixed=True) for noise in bounds.NOISES),
    *(_promise("NL-T4", noise, bounds.theorem_4, fixed=True) for noise in ("gumbel", "exponential")),
    *(_promise("NL-F2", noise, potential, fixed=True) for noise in bounds.NOISES),
    *(
        _promise(claim, noise, function, fixed=True, relation=">=", at=_SHORT, scope=scope)
        for claim, function, scope in (
            ("NL-T3", bounds.theorem_3, largest_gap),
            ("NL-T3i", bounds.theorem_3_integral, largest_gap),
            ("NL-T3a", for_some_means, hard_instance),
        )
        for noise in bounds.NOISES
    ),
)


_STATEMENT = r"""
In every $T\ge1$ rounds the pseudo-regret is at most
$$1+\frac{a\,(\ln(K-1)+1)}{\Delta}+\frac{c\,m_K}{\varepsilon},$$
the term in $1/\Delta$ only if a positive gap is below $\varepsilon$, with

| losses of one round | Gumbel $a$, $c$ | exponential $a$, $c$ | Laplace $a$, $c$ |
| --- | --- | --- | --- |
| independent over the actions | 18.3, 32/3 | 18.3, 32/3 | 20.5, 32/3 |
| of any joint distribution | 21.4, 16 | 21.4, 16.1 | 23.4, 16.1 |

On losses that do not fluctuate, $B=0$ and any noise with a mean, it is at most $1+8m_K/\varepsilon$.
"""

_SCOPE = r"""
Every $K\ge2$, $\varepsilon>0$, $T\ge1$ and gaps; $\Delta$ is the least positive one. Loss vectors are i.i.d. over the rounds,
entries in $[0,1]$, resampled as bits ($B=1$) or not ($B=0$): bits are such losses again, with the same means. After
$n=1,2,4,\dots$ rounds of the last epoch the learner plays $\arg\max_k(Q_k-S_k)$, $S$ the sums of these $n$ vectors, for the
next $2n$ rounds; its first action is uniform. $Q_k$ i.i.d.: Gumbel, Laplace or exponential of scale $1/\eta=2/\varepsilon$.
$m_K=\eta(E\max_{k\le K}Q_k-E\,Q_1)$: $\ln K$ for Gumbel, $H_K-1$ for exponential, at most $\ln K+0.06$ for Laplace noise. Where
all positive gaps are at least $\varepsilon$ only a mean of the noise is used and $(*)$: $f(q-h)\le e^{\eta h}f(q)$ for all $q$ and $h\ge0$, $f$ its density. So it
holds for every sum of an exponential variable of scale $1/\eta$ and an independent one with a mean, which is what $(*)$ says ($e^{\eta q}f(q)$ rises); then
$m_K\ge H_K-1$, by Jensen's inequality. With another noise than Gumbel $c$ is as for exponential noise. The term in $1/\Delta$ uses the tails of the three noises.
"""

_PROOF = r"""
Let action 1 be a best one, $B=\{k:\Delta_k\ge\varepsilon\}$ (so $\varepsilon\le1$, or $B$ is empty), $P_k(S)$ the chance of $k$ given $S$.

**Large gaps, independent losses.** Leaving actions out never lowers another one's chance: let only $B$ and 1 exist.
$\Phi(s)=E\max_k(Q_k-s_k)+s_1$ is convex, unchanged by $s+t\mathbf 1$, and $\partial_k\Phi=-P_k\le0$ for $k\ne1$, $\partial_1\Phi=1-P_1$;
$\Phi\ge E\,Q_1$ and $\Phi(0)-E\,Q_1\le m_K/\eta$.
(a) $P_k(s)=\int f(x+s_k)\prod_{i\ne k}F(x+s_i)\,dx$, so by $(*)$ $P_ke^{\eta s_k}$ rises with $s_k$: $\Phi$ is concave in $e^{-\eta s_k}$.
To raise $s_1$ by $h$ is to lower all others by $h$; then $f(x+s_j-h)\le e^{\eta h}f(x+s_j)$ while the $F$ fall, so
$1-P_1=\sum_{j\ne1}P_j$ grows by $e^{\eta h}$ at most: $\Phi$ is concave in $e^{\eta s_1}$.
(b) By Jensen's inequality, one independent coordinate after the other, $E\,\Phi(s+\ell)\le\Phi(s+x)$, where $x_1=0$ and
$x_k=-\frac1\eta\ln E\,e^{-\eta\ell_k}-\frac1\eta\ln E\,e^{\eta\ell_1}\ge\Delta_k-\frac\eta4$ (Hoeffding's lemma twice). After $n$ rounds
$E\,\Phi(S-v)\le\Phi(nx-v)$ for every fixed $v$.
(c) Let $v_1=0$, $v_k=n(\frac12\Delta_k-\frac\eta4)$. Convexity gives $\sum_kv_kP_k(S)\le\Phi(S-v)-\Phi(S)$; in the mean the first is at most
$\Phi(\frac n2\Delta)$ by (b), the second at least $\Phi(n\Delta)$ by Jensen. So $2n\,E\sum_BP_k(\Delta_k-\frac\eta2)\le4(\Phi(\frac n2\Delta)-\Phi(n\Delta))$.
(d) Over $n=1,2,4,\dots$ that telescopes to at most $4m_K/\eta=8m_K/\varepsilon$, and $\Delta_k-\frac\eta2\ge\frac34\Delta_k$ in $B$: together
$\frac{32}3m_K/\varepsilon$. Where losses do not fluctuate $x=\Delta$ without $(*)$, and $\frac\eta4$, $\frac\eta2$ are 0: $8m_K/\varepsilon$, all gaps.

**Any joint distribution.** *Gumbel:* $\Phi$ is $\frac1\eta\ln(1+\sum_ke^{-\eta(s_k-s_1)})$ and a constant, concave in the exponentials jointly:
(b) is one step, $x_k\ge\Delta_k-\frac\eta2$; $v_k=\frac n2(\Delta_k-\eta)$ and $\Delta_k-\eta\ge\frac12\Delta_k$ give $8m_K/\eta$.
*Others*, in units of $1/\eta$: $\partial_i\partial_k\Phi=-a_{ik}\le0$ for $i\ne k$, rows of the Hessian add to 0, $\sum_{i\ne k}a_{ik}\le P_k$ by (a). Let
$U=\eta(\mu-\ell)$, so all $U_l\ge\eta(\mu_1-1)$. For $\Delta_i\le\Delta_k$ put $y=\Delta_k-\Delta_i$, $v=\ell_k-\ell_i$ (of mean $y$), $A=2+\Delta_i+\Delta_k\le4$. By
$(*)$ $a_{ik}(s-tU)\le e^{t\eta(A-|v|)}a_{ik}(s)$, $0\le t\le1$: shift $x$ by $t\eta(\mu_1-1)$; the shifts of $i$ and $k$ that are left add up to
$t\eta(A-\ell_i-\ell_k)$, and $\ell_i+\ell_k\ge|v|$. By Taylor's formula $E\,\Phi(s+\eta\ell)\le\Phi(s+\eta\mu)+\eta^2\sum_{i<k}a_{ik}\,E\,(v-y)^2J(\eta(A-|v|))$,
$J(x)=(e^x-1-x)/x^2$. $J$ is convex, with $J(0)=J'(2)=\frac12$, and $\eta\le\frac12$:
$(v-y)^2(J(\eta(A-|v|))-J(\eta(A-1)))\le(1+|v|)^2\,\eta(1-|v|)\frac12\le(1-v^2)J(\eta(A-1))$, so the mean is at most $J(\eta(A-1))$ times that of $(v-y)^2+1-v^2$, which
is $1-y^2$. Pairs $(1,k)$ have $A=2+y$ and $y\ge2\eta$; $(1-y^2)J(\eta(1+y))$ falls in $y$, as $J'\le J$: at most $j=0.5043$. Pairs inside $B$: at most $J(\frac32)$,
but each stands in two of the sums over $i\ne k$, so half counts, and $\frac12J(\frac32)<j$. In all $\eta^2j\sum_BP_k\le\frac j2\langle\eta\Delta,P\rangle$, for
$\Delta_k\ge2\eta$, so by convexity $E\,\Phi(S+\ell)\le\Phi(S+(1-\frac j2)\Delta)$. With $v_k=nh\Delta_k$, $h=\frac34-\frac j2$, (c) has $\Phi(\frac n4\Delta)$ and
telescopes twice: $\frac2h\cdot2m_K/\eta=\frac8hm_K/\varepsilon$.

**Small gaps**, $0<\Delta_k<\varepsilon$. For every real $y$, $P(Q_k-Q_1\ge y/\eta)\le e^{-uy}$, $0\le u\le1$ (Laplace: $u\le0.88$). With $X=S_k-S_1$, $u=1$ or $0.88$
and $s=\frac u2\Delta_k\le u\eta$: $E\,P_k\le E\,e^{-sX}\le e^{-qn\Delta_k^2}$, $q=\frac u2-\frac{u^2}{16}$, or $\frac u2-\frac{u^2}8$ for any joint distribution. Let $G$ be the
gap of the played action if it is small, otherwise 0: $P(G>g)\le\min(1,(K-1)e^{-qn\max(g,\Delta)^2})$. Its integral $H(n)$ over $g\in[0,1]$ falls with $n$,
so $\sum2nH(n)\le4\int_0^\infty H\le\frac4q(\ln(K-1)+1)\int_0^1\max(g,\Delta)^{-2}dg\le\frac8q(\ln(K-1)+1)/\Delta$; $a=8/q$.

Round 1 costs at most 1, and every round at least 0: $T$ may lie inside an epoch. $\square$
"""

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="noisy-leader",
        title="Whole epochs have the optimal rate with every noise",
        statement=_STATEMENT.strip(),
        scope=_SCOPE.strip(),
        proof=_PROOF.strip(),
        known=r"Hu et al. (2021, version 1) announce the rate. The paper has $\log K/\Delta+\log^2K/\varepsilon$ with resampling, and asks whether the second logarithm is real; for Laplace noise without resampling Hu et al. have $\log K\log T/\varepsilon$. That the rate can be attained at all Cesari and Colomboni (2026) show, by a softmax of a random prefix of each epoch. The lower bounds $\log K/\varepsilon$ (Theorem 3) and $\log K/\Delta$ were known.",
        new=r"Whole epochs, as the paper's learner reads them, suffice, for all its noises, with explicit constants; dependent losses within a round; Laplace noise on losses that do not fluctuate, which the paper leaves open.",
        checked_by=r"Two derivations. Certified by machine: Hoeffding's lemma, $j$, $J'(2)$, the Laplace tail at 0.88. Computed: $(*)$, (b) on random product distributions, (c) exactly for three actions.",
        floor=r"$c$ cannot fall below 8 for fixed lengths of epochs; random ones have less (theorem “schedules”). Where all gaps are at least $\varepsilon$ the bound is at most 1.9 times an exact regret at $K=2$, 16, 256, each noise, $\varepsilon=10^{-3}$. For a joint distribution we know no loss that needs more than independent ones.",
        claims=("NL-F7", "NL-F6", "NL-F2", "NL-F4", "NL-F12", "NL-F13", "NL-F14"),
    ),
)
