"""Proved bounds on regret that a reader can ask at sizes of their own, and the theorem on expert advice.

The corollaries are for every table; independent losses are one of many.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicate.claims.asking import Own, Promise, formula, of_learner
from replicate.claims.theorems import Theorem
from replicate.papers.bandits import bounds

_AT = {"epsilon": 1.0, "n_actions": 8, "gap": 0.9, "horizon": 10**6}


def _promise(claim: str, learner: str, function: Callable[..., Any], nanoseconds: float) -> Promise:
    """A corollary on batches of 1 / epsilon rounds, and the time of a batch for an action."""

    def work(setting: Own) -> float:
        return 1e-9 * nanoseconds * setting.n_actions * setting.horizon * min(setting.epsilon, 1)

    return of_learner(
        claim, learner, bound=formula(function, "n_actions", "epsilon", "horizon"), at=_AT, work=work
    )


PROMISES = (
    _promise("BA-C2", "htinf", bounds.corollary_2, 17),
    _promise("BA-C22", "exp3", bounds.corollary_22, 11),
    _promise("BA-C24p", "ftpl", bounds.corollary_24, 70),
    _promise("BA-C24", "ftpl", bounds.corollary_24_chain, 70),
)


_PROOF = r"""
**Privacy.** The actions of a batch depend on earlier vectors only. Given them, one round's loss moves the batch's vector of expert
losses by at most $K/(\gamma\tau)$ in each of $N$ entries, so by $\sqrt NK/(\gamma\tau)$ in the Euclidean norm, which the noise hides by the choice of $s$.
Later batches have the same losses: they post-process.

**Regret.** Let $R=\lfloor T/\tau\rfloor$ and $E$ the event that some noise exceeds $\sigma x$, $x^2=2\log(NR(R+1))$. As $P(|Z|>\sigma x)\le e^{-x^2/2}$,
$P(E)\le1/(R+1)<\tau/T$: $E$ costs at most $\tau$. Outside $E$ the noise is at most $2\sigma\sqrt{\log NT}$, for $2R^2\le NT^2$; so $-\eta$ times a noisy loss is at
most 1, and the paper's Lemma 26 applies. The distribution of $Z$ outside $E$ is symmetric with second moment at most $\sigma^2$, where the printed
proof has the square of the maximum, $10\lambda^2\log^2$. The rest is its chain: $\tau\log N/\eta+\gamma T+\eta KT+\eta T\sigma^2$, $\tau$ for the last batch, and
$2\tau\le2\tau\log N/\eta$.

**Tuning.** With $a^3=\eta Ns^2K^2/\tau^2$ the terms in $\gamma$ are $\gamma T+a^3T/\gamma^2$, at most $1.89\,aT$ at $\gamma=2^{1/3}a$; $\tau\log N/\eta=\eta KT=aT=U$
at $\tau^3=Ns^2T/\log N$. To round $\tau\ge1$ up multiplies it by some $x\le2$, by at most $\frac{18}{17}$ if $\tau\ge17$, and $a$ by $x^{-2/3}$, with the same $\eta$:
$3x+1+1.89\,x^{-2/3}$ is convex, at most 8.2 on $[1,2]$ and at most 6 on $[1,\frac{18}{17}]$. $\square$
"""

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="gaussian-advice",
        title="Private advice with one Gaussian vector",
        statement=r"Algorithm 2 with $N(0,\sigma^2)$ in the place of its Laplace noise, $\sigma=s\sqrt NK/(\gamma\tau)$, is $(\varepsilon,\delta)$-private, and its regret is at most $\frac{3\tau\log N}\eta+\gamma T+\eta KT+\eta T\sigma^2$; tuned, at most $6U+2\sqrt{\log NT}\,V$ if $Ns^2T\ge4{,}913\log N$, and with 8.2 for 6 if $Ns^2T\ge\log N$, where $U=(Ns^2)^{1/6}\sqrt K\log^{1/3}N\,T^{2/3}$ and $V=(Ns^2)^{1/3}\sqrt K\log^{2/3}N\,T^{1/3}$.",
        scope=r"Every $T,K,N\ge2$, $\varepsilon>0$, $\delta\in(0,1)$ with $\eta\le\log N$ and $\gamma\ge2\eta Ks\sqrt{N\log NT}/\tau$; losses in $[0,1]$ fixed in advance, any advice; $s$ the least standard deviation that makes one number of sensitivity 1 $(\varepsilon,\delta)$-private.",
        proof=_PROOF.strip(),
        known=r"Theorem 10 of Asi, Raman and Talwar (2025): $95U$ with $\log^{1/3}(NT)$ in $U$. The exact Gaussian mechanism: Balle and Wang (2018).",
        new=r"One vector in the place of $N$ numbers composed, and the second moment of the noise in that of its maximum: 6 for 95, without $\log^{1/3}(NT)$, for every $\delta$. (In units of their $U$, which has $\sqrt{\log(1/\delta)}/\varepsilon$ where ours has $s$: 0.9 to 1.04 times 6 for $\varepsilon=1$.)",
        checked_by="Derived once, read again line by line; the privacy of the Gaussian vector exactly, by quadrature; the regret by simulation.",
        floor=r"Not known. The lower bound $\sqrt{KT\log N/\log K}$ holds without privacy.",
        claims=("BA-G10", "BA-G10p", "BA-G10s"),
    ),
)
