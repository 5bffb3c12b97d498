"""Proved bounds on regret that a reader can ask, and theorems on the exact price of privacy.

A learner for every gap, what a small game says of long ones, and schedules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from replicate.claims.asking import Own, Promise, by_blocks, formula
from replicate.claims.theorems import Theorem
from replicate.environments import Deterministic
from replicate.studies.price_of_privacy.algorithms import lazy
from replicate.studies.price_of_privacy.algorithms import minimax as small
from replicate.validation import FloatArray, Generator


def _above_the_limit(learner: str) -> Promise:
    """The limit of a small game, below a learner's worst regret over tables of losses 0 and 1."""

    def play(own: Own, replicates: int, rng: Generator) -> FloatArray:
        worst = small.worst_regret(learner, n_actions=own.n_actions, horizon=own.horizon, epsilon=own.epsilon)
        return np.full(replicates, worst)

    return Promise(
        claim="MM-UP",
        subject=learner,
        relation=">=",
        exact=True,
        at={"epsilon": 1.0, "n_actions": 2, "horizon": 5},
        play=play,
        bound=lambda own: small.limit(own.n_actions, own.horizon, own.epsilon),
        uniform=lambda own: own.horizon * (1 - 1 / own.n_actions),
        losses="every table of losses 0 and 1",
        work=lambda own: small.admitted(own.n_actions, own.horizon, own.epsilon)[1] / 4,
        quantity="worst-case regret against the best fixed action",
    )


def seen(epsilon: float) -> float:
    """Return MM-LZ's limit, which is measured and not proved."""
    return 3 / epsilon


def where_seen(own: Own) -> str:
    """MM-LZ was measured on a range."""
    inside = 0.1 <= own.epsilon <= 1.17 and own.gap >= 2**-8
    return "" if inside else "MM-LZ was measured for ε from 0.1 to 1.17 and gaps of at least 1/256"


def _lazy_leader(claim: str, horizon: int, bound: Callable[[Own], float], **more: Any) -> Promise:
    """A bound on the regret of the lazy leader, which is tried on two actions whose losses do not change."""

    def play(own: Own, replicates: int, rng: Generator) -> FloatArray:
        env = Deterministic(np.array([0.0, own.gap]))
        return lazy.simulate(env, epsilon=own.epsilon, horizon=own.horizon, replicates=replicates, rng=rng).final

    return Promise(
        claim=claim,
        subject="lazy leader",
        at={"epsilon": 1.0, "horizon": horizon, "gap": 0.1},
        play=play,
        bound=bound,
        uniform=lambda own: own.horizon * own.gap / 2,
        losses="two actions, the gap apart in every round",
        work=by_blocks(1000),
        **more,
    )


PROMISES = (
    *map(_above_the_limit, small.EXACT),
    _lazy_leader("MM-LZt", 2**40, formula(lazy.gap_bound, "epsilon", "gap")),
    _lazy_leader("MM-LZ", 2**17, formula(seen, "epsilon"), scope=where_seen),
)


_LAZY = r"""
Write $n_r=2^{r-1}n_1$ for the length of block $r$, $L_r$ for the lead after it, $u=e^{-\varepsilon}$; let action 0 be the better one.

**One block.** Let $W$ be the sum of (loss of action 1 − loss of action 0) over a block of $n$ rounds, so $W\le n$, and $2G-n=W$. The
block adds $D=\mathrm{clip}(W+2X,-n,n)$ to the lead, $X=\lfloor G+U\rfloor-G+Z$. Since $W\le n$, $D\ge\min(W+2X,n)\ge W-2X^-$, where
$X^-=\max(-X,0)$. Let $f$ be the fractional part of $G$. Then $X=Z-f$ with probability $1-f$ and $X=Z+1-f$ otherwise, so
$P(X\le-y)=u^j(1-f+fu)/(1+u)$ for $j-1+f<y\le j+f$, $j\ge0$, $y>0$. At $y=j+g$, $g\in(0,1]$, that is largest over $f$ for $f=g$:
$X^-$ is stochastically at most a variable $\hat X$ with $P(\hat X\ge j+g)=u^j(1-g+gu)/(1+u)$, of mean $\sum_ju^j/2=\frac1{2(1-u)}$.

**All blocks.** Halving without the fraction keeps at least half of the lead less $\frac12$. With $N_r=\sum_{k<r}2^{-k}n_{r-k}=\frac43(n_r-n_1^2/4n_r)$,
$$L_r\ \ge\ \sum_{k<r}2^{-k}W_{r-k}-2Y_r-1,\qquad Y_r=\sum_{k<r}2^{-k}X_{r-k}^-\ \text{ stochastically at most }\ \hat Y=\sum_{k\ge0}2^{-k}\hat X_k,\quad E\,\hat Y=\tfrac1{1-u}.$$
*Fixed losses:* $W_i=n_i\Delta$, and block $r+1$ is played wrongly with probability at most $P(L_r\le0)\le P(\Delta N_r\le2\hat Y+1)$. It costs
$2n_r\Delta$ then. If $R$ is the last $r$ with $\Delta N_r\le2\hat Y+1$, the costs add up to at most
$\Delta\sum_{r\le R}2n_r=\Delta n_1(2^{R+1}-2)\le3\Delta N_R\le6\hat Y+3$, as $3N_R=n_1(2^{R+1}-2^{1-R})$ and $R\ge1$. The first block costs $n_1\Delta/2$. In the mean:
$\frac6{1-u}+3+\frac{n_1\Delta}2$.
*The same, sharper for small $\varepsilon$.* If $P(X\ge y)=\frac12e^{-\varepsilon y}$ for $y>0$, $X\ge0$, then $\sum_k2^{-k}X_k$ is exponential of rate $\varepsilon$: the moments
$(1-\frac s{2\varepsilon})/(1-\frac s\varepsilon)$ telescope. $\hat X$ is at most $X+\delta$ in distribution with $e^{\varepsilon\delta}=\frac{2\kappa}{1+u}$, $\kappa=\max_g(1-g+gu)u^{-g}$, so $P(2\hat Y+1\ge\Delta N_r)\le\min(1,Ae^{-\varepsilon\Delta N_r/2})$,
$A=(\frac{2\kappa}{1+u})^2e^{\varepsilon/2}$. As $2n_r=\frac32N_r+n_12^{-r}$, the cost is at most $\frac{3A}\varepsilon\sum_rf(x_r)+\Delta n_1$, $f(x)=xe^{-x}$, $x_r=\frac12\varepsilon\Delta N_r$, and $x_{r+1}\ge2x_r$, for
$N_{r+1}=2n_r+\frac12N_r$. Let $R$ be the last with $x_R\le1$ and $w=\min(1,\frac12x_{R+1})\ge x_R$: as $f$ rises to 1 and falls after, $f(x_r)\le f(2^{r-R}w)$ for
$r\le R$ and for $r>R$. So $\sum f(x_r)$ is at most the largest $\sum_{k\in\mathbb Z}f(2^kw)=1.44271$, and $3\cdot1.44271<4.33$.
*Iid loss vectors:* then $\sum_k2^{-k}W_{r-k}=\Delta N_r+S_r$, and $E\,e^{sS_r}\le e^{s^2v/2}$ with $v=\sum_k4^{-k}n_{r-k}\le\frac87n_r$ by Hoeffding's
lemma. Either $2\hat Y+1\ge\frac12\Delta N_r$, which costs twice as much as before, but for the terms with $n_1$; or $S_r\le-\frac12\Delta N_r$, of probability at most
$e^{-cn_r}$, $c=\frac7{64}\Delta^2$, as $N_r\ge n_r$. And $2\Delta\sum_rn_re^{-cn_r}\le4\Delta\sum_r\int_{n_r/2}^{n_r}e^{-cx}dx\le4\Delta/c\le37/\Delta$.

Every round costs at least 0, so $T$ may lie inside a block. $\square$

*Why forget.* Without halving $N_r=2n_r-n_1$ is of the same order, but $\hat Y$ has a term of mean $\frac1{2(1-u)}$ for every block.
"""

_SCALED = r"""
Take a learner for $mT$ rounds at level $\varepsilon/m$, and a table of $T$ letters, each repeated $m$ times. In a game of $T+1$ rounds play, in
round $t+1$, the action of a uniformly drawn round of the $t$-th block: it has seen no letter but the first $t$. Play $a_1$ uniformly.
To replace a letter is to replace $m$ rounds: this learner is $\varepsilon$-private. Its regret is $\frac12$ for round 1 and, for the others, one
$m$-th of that of the long game. So $V_{T+1}(\varepsilon)\le\frac12+\frac1mV_{mT}(\varepsilon/m)$: the lower bound.
For the upper bound play a learner for $T$ rounds at level $E$ on $T$ batches of $m$ rounds: one action per batch, and as its letter one
uniformly drawn round of the batch. Let $A,A'$ be the distributions of the actions if the replaced round is drawn, before and after, and $B$
that if it is not: $A-A'\le(e^E-1)\min(A',B)$, so the distribution of the actions grows by a factor of at most $1+(e^E-1)/m=:e^\varepsilon$. The action of a
batch does not depend on its letter, so the regret is $m$ times that of the short game: $V_{mT}(\varepsilon)\le mV_T(E)$.
As $m\to\infty$, $m\varepsilon\to e^E-1$. With $V_\infty=\sup_TV_T$, and between whole multiples because $V$ falls in $\varepsilon$,
$$E\,(V_\infty(E)-\tfrac12)\ \le\ \liminf_{\varepsilon\to0}\varepsilon V_\infty(\varepsilon)\ \le\ \limsup_{\varepsilon\to0}\varepsilon V_\infty(\varepsilon)\ \le\ (e^E-1)\,V_\infty(E)\qquad\text{for every }E,$$
The left end, as $E\to0$ through a sequence on which it is largest, says that limsup is at most liminf.
*The numbers.* The right end at a small $E$ is 2.02, from the lazy leader's exact regrets (MM-CU, in floating point). For 1.08 measure time in
$1/\varepsilon$, cut it into windows of lengths $w_k$, and look once in each, after a fraction $\theta$ of it. A learner that plays, for window $k$, its action
at a random time in the $\frac1m$ of the window before $\theta=\frac jm$ has seen no later letters; between two looks lie $\theta w_k+(1-\theta)w_{k-1}$ units of time,
so by group privacy it plays a finite game with letters of these privacy levels and weights $w_k$. The mean of these games' values over $j=1,\dots,m$ bounds
$C$; five windows are enough for 1.08, by multipliers of a linear program that are verified in fractions (MM-CL). $\square$
"""

_SCHEDULES = r"""
Let a round's pseudo-regret, after a selection that read $n$ rounds, be at most $h(n)$ in the mean, $h$ falling on $(0,\infty)$ with $h\le1$.

**Random epochs.** Let $x_r=e^{r+U}$, $r\ge-1$. Epoch $r$ has $N_r=\lceil x_r\rceil$ rounds, $N_{-1}=1$, and is played with the selection from epoch $r-1$. As $h$
falls, the rounds after the first cost at most $\sum_{r\ge-1}N_{r+1}h(N_r)\le\sum_{r\ge-1}(e\,x_r+1)\,h(x_r)$. In the mean over $U$ a sum over $r$ of
$g(e^{r+U})$ is $\int_{1/e}^\infty g(x)\frac{dx}x$. So the cost is at most $e\int_0^\infty h+\int_{1/e}^\infty h\frac{dx}x$. With $X=e\int_0^\infty h$ and
$c=h(\frac1e)$ the second integral has $h\le c$ and a mass of at most $(X-c)/e$ from $\frac1e$ on; it is largest if $h=c$ as long as that lasts: at most $c\ln\frac Xc$
with $c\le\min(1,X)$, so at most $\ln X$, or $X/e$ if $X\le e$, and in both cases at most $\ln(1+X)$. Round 1 costs at most 1. Epochs that double have
$2n\,h(n)\le4\int_{n/2}^nh$, so $4\int h$.

**What $h$ is**, in the words of the proof of theorem “noisy-leader”; $\rho\in(0,1)$. *Losses that do not fluctuate:*
$h(x)=\sum_k\Delta_kP_k(x\Delta)=-\frac d{dx}\Phi(x\Delta)$ falls, as $\Phi$ is convex, and $\int h\le m_K/\eta$: $X=2e\,m_K/\varepsilon$. *Large gaps:* (c) there with
$\rho$ for $\frac12$ is $\kappa\,n\,E\sum_BP_k\Delta_k\le\Phi(\rho n\Delta)-\Phi(n\Delta)$, where $\kappa=\frac78-\rho$ if losses are independent
($\frac\eta4\le\frac18\Delta_k$), and $1-\frac j2-\rho$, or $\frac34-\rho$ with Gumbel noise, for any joint distribution. The right side over $n$ falls in $n$, a mean of
$-\frac d{dx}\Phi(x\Delta)$ over $[\rho n,n]$, and $\int_0^\infty(\Phi(\rho x\Delta)-\Phi(x\Delta))\frac{dx}x\le\ln\frac1\rho\cdot m_K/\eta$ (Frullani):
$X=\frac{2e}\kappa\ln\frac1\rho\cdot m_K/\varepsilon$, at $\rho=0.545$ and $0.38$ $10.0$ and $14.3$. *Small gaps:* $H$ falls, $\int H\le\frac2q(\ln(K-1)+1)/\Delta$:
$a=2e/q$. All gaps: $h=\min(1,\cdot)$ of the sum.

**Fixed lengths**, $b_0\le b_1\le\dots$: equal gaps $\Delta$, Gumbel noise, no fluctuation. The chance of a wrong action after $n$ rounds is
$(K-1)/(K-1+e^{\eta n\Delta})$, at least $1-(K-1)^{-\delta}$ for $n\le(1-\delta)n^*$, $n^*=\ln(K-1)/(\eta\Delta)$. Take $\Delta$ with $(1-\delta)n^*=b_r$: epochs
$0,\dots,r+1$ cost $\Delta S_{r+1}$ and less by a share of $(K-1)^{-\delta}+1/K$ at most, $S_r=b_0+\dots+b_r$, so at least
$(1-o(1))(1-\delta)\frac{\ln K}\eta\cdot S_{r+1}/b_r$. If $S_{r+1}\le c\,b_r=c\,(S_r-S_{r-1})$ for all large $r$, then $t_r=S_{r+1}/S_r\le c\,(1-1/t_{r-1})$. For $c<4$
the right side is less than $t_{r-1}$ by a positive amount, as $t^2-ct+c>0$, so some $t_r$ falls below 1, which cannot be. Hence $\limsup S_{r+1}/b_r\ge4$: regrets of
$(8-o(1))\ln K/\varepsilon$, the $r$ as large as $\Delta\le1$ asks. For random lengths the same reduction and the bound $e$ of Chrobak et al. give $2e$. $\square$
"""

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="lazy-leader",
        title="A leader that forgets costs a constant over ε, at every gap",
        statement=r"Two actions. For every $T$ the lazy leader has regret at most the smaller one of $$\frac{4.33}\varepsilon\Big(\frac{2\kappa}{1+u}\Big)^2e^{\varepsilon/2}+\frac{3\Delta}2\lceil1.4/\varepsilon\rceil\qquad\text{and}\qquad\frac6{1-u}+3+\frac\Delta2\lceil1.4/\varepsilon\rceil,\qquad u=e^{-\varepsilon},\ \kappa=\frac{1-u}\varepsilon e^{\varepsilon/(1-u)-1},$$ where every round has the same losses, $\Delta$ apart: $(4.33+2.1\Delta)/\varepsilon$ as $\varepsilon\to0$. Where the loss vectors are iid, with means $\Delta$ apart, all terms without $\lceil1.4/\varepsilon\rceil$ double and $37/\Delta$ is added. Its actions are $\varepsilon$-private for any losses, also for losses chosen after seeing them.",
        scope=r"Every $T\ge1$, $\varepsilon>0$, $\Delta\in(0,1]$; losses in $[0,1]$; i.i.d. over rounds, of any joint distribution within a round. The learner plays action 0 while its lead $L$ is positive, 1 while it is negative, a fair coin's at 0. $L=0$ at first; blocks of $n_1=\lceil1.4/\varepsilon\rceil,2n_1,4n_1,\dots$ rounds; at the end of each the lead becomes $\mathrm{trunc}(L/2)+\mathrm{clip}(2(\lfloor G+U\rfloor+Z)-n,-n,n)$, with $G$ the sum of $(1+\ell(1)-\ell(0))/2$ over the block, $U$ uniform, $P(Z=z)\propto e^{-\varepsilon|z|}$. Two actions only; no claim for losses that change.",
        proof=_LAZY.strip(),
        known=r"The rate $\log K/\Delta+\log K/\varepsilon$ for every $K$ (papers 1 and 2), and lower bounds of that order. On losses 0 and 1 the optimum is between $1.08/\varepsilon$ and $2.02/\varepsilon$ as $\varepsilon\to0$ (MM-CL, MM-CU).",
        new=r"The learner, and a constant for every gap. Leads that add up, which are better at gap 1, have no such constant: $\varepsilon$ times the regret is 2.2 at gap 1, 4.7 at gap 0.005, and grows like $\log(1/\Delta)$.",
        checked_by=r"Derived once with its constant, and once, by exponential moments, without. By machine: the distribution of $X^-$ against its dominating one, the sum of the $n_r$, the bound against exact regrets.",
        floor=r"Measured, fixed losses: $2.8/\varepsilon$ at the gaps tried, at most $3/\varepsilon$ between them, for $\varepsilon$ of 0.1, 1 and 1.17; as $\Delta$ and $\varepsilon$ fall it tends, but for ripples of $10^{-5}$, to $\frac3{\ln2}E\,Y^+=2.64$, $Y=\sum2^{-k}Z_k$ with Laplace $Z_k$ of scale 1. So 4.33 could fall to 2.8, as $\varepsilon\to0$: what loses is $X^-$ for $X$. The first bound is the smaller one at every gap for $\varepsilon\le0.13$, at gaps up to 0.3 for $\varepsilon\le0.41$; at $\varepsilon=0.1$, $\Delta=0.05$ it has 51.4, the second 66.4, exact is 25.9.",
        claims=("MM-LZt", "MM-LZ", "MM-LZp", "MM-LZv"),
    ),
    Theorem(
        key="scaling",
        title="One small game bounds all longer ones at higher privacy",
        statement=r"Let $V_T(\varepsilon)$ be the least worst-case regret of $\varepsilon$-private learners where one of two actions has loss 0 and the other loss 1 in every round, the same one in all; private for tables in which it may change. Then $V_{mT}(\varepsilon/m)\ge m\,(V_{T+1}(\varepsilon)-\frac12)$, and $C=\lim_{\varepsilon\to0}\varepsilon V_\infty(\varepsilon)$ exists, with $E\,(V_\infty(E)-\frac12)\le C\le(e^E-1)V_\infty(E)$ for every $E>0$; $1.08\le C\le2.02$.",
        scope=r"Every $m,T\ge1$ and $\varepsilon>0$; pure privacy of the sequence of actions, tables fixed in advance.",
        proof=_SCALED.strip(),
        known=r"Group privacy (paper 2, Theorem 3) gives $C\ge\ln2$. That a uniform round of a batch amplifies privacy is standard.",
        new=r"The limit, and that it exceeds $\frac32\ln2$.",
        checked_by=r"Derived once, read again line by line. The certificates are verified in integers and fractions.",
        floor=r"Between 1.08 and 2.02; six windows and eight looks give 1.26 in minutes, which no test repeats.",
        claims=("MM-LBc", "MM-CL", "MM-CU", "MM-B"),
    ),
    Theorem(
        key="schedules",
        title="Which schedule? Epochs are online bidding",
        statement=r"The noisy leader of theorem “noisy-leader” whose epochs have $1,\lceil e^U\rceil,\lceil e^{1+U}\rceil,\dots$ rounds, $U$ uniform in $[0,1)$ and drawn once, has regret at most $1+X+\ln(1+X)$ in every $T$ rounds, $X=a\,(\ln(K-1)+1)/\Delta+c\,m_K/\varepsilon$. On losses that do not fluctuate $a=0$ and $c=2e=5.44$, where epochs that double have 8. If losses of one round are independent, $c=10.0$ and $a=12.5$ (Laplace noise 13.9); if they have any joint distribution, $c=14.3$ and $a=14.5$ (15.9). For all $K$ and gaps no fixed lengths have a $c$ below 8, and no random ones below $2e$.",
        scope=r"As for theorem “noisy-leader”: every $K\ge2$, $\varepsilon>0$, $T\ge1$ and gaps, the three noises, the term in $1/\Delta$ only if a positive gap is below $\varepsilon$. $\varepsilon$-private as there, as $U$ does not depend on losses. The lower bounds are for learners that play, through each epoch, one action selected with Gumbel noise of scale $2/\varepsilon$ from the last whole epoch alone, lengths chosen before the game, fixed ones not falling; $K\to\infty$.",
        proof=_SCHEDULES.strip(),
        known=r"Online bidding: bids until one reaches an unknown threshold cost at best 4 times it, random ones $e$ times (Chrobak, Kenyon, Noga and Young, LATIN 2006, who name older work; we read the abstract and the introduction).",
        new=r"That schedules of epochs are online bidding, which answers whether 8 is least; the learner and its constants. Measured at the worst gap, times $m_K/\varepsilon$, Gumbel noise: doubling 5.77 at $K=2$, 5.89 at 256, 6.48 at $10^6$, 7.0 at $10^{12}$; random epochs 5.44 always.",
        checked_by="Derived twice, the second time with a smaller logarithm. By machine: exact regrets of both schedules over an octave of gaps, the learner's simulator against the literal learner, its privacy.",
        floor=r"$2e$ is sharp for losses that do not fluctuate. Of fluctuating losses we know no regret above it. Learners that read more than the last epoch may have less.",
        claims=("SY-SCHED", "SY-B-RAND", "SY-P-LAST"),
    ),
)
