"""Proved bounds on regret that a reader can ask at sizes of their own, and the theorem on Algorithm 1."""

from __future__ import annotations

import math

from replicate.claims.asking import Own, by_blocks, by_rounds, formula, of_learner
from replicate.claims.theorems import Theorem
from replicate.papers.tracking import bounds

_SIZES = ("n_actions", "horizon", "epsilon")
_STATIC = {"epsilon": 1.0, "n_actions": 10, "gap": 0.1, "horizon": 2**40}


def restarts(n_actions: int, horizon: int, n_switches: int, epsilon: float, windows: str) -> float:
    """Return the bound of the corrected Algorithm 2: the theorem counts S + 1 distributions for S switches."""
    return bounds.theorem_3_6(
        n_actions=n_actions, horizon=horizon, n_switches=n_switches + 1, epsilon=epsilon, windows=windows
    )


def whole_game(n_actions: int, horizon: int, epsilon: float, *, proved: bool = False) -> float:
    """Return Theorem 3.1's bound for the window of all rounds, beta = 1 / T: 1 more in expectation."""
    formula = bounds.proved_regret if proved else bounds.adaptive_regret
    constant, root = formula(n_actions=n_actions, horizon=horizon, epsilon=epsilon, failure=1 / horizon)
    return constant + root * math.sqrt(horizon) + 1


def below_one(own: Own) -> str:
    """Theorem 5.2 is for epsilon < 1."""
    return "" if own.epsilon < 1 else "Theorem 5.2 is for epsilon below 1"


_WORK = by_blocks(300, 0.6)

PROMISES = (
    of_learner("TR-T31", "limited_updates", at=_STATIC, work=_WORK, bound=formula(whole_game, *_SIZES)),
    of_learner(
        "TR-T31p", "limited_updates", at=_STATIC, work=_WORK, bound=formula(whole_game, *_SIZES, proved=True)
    ),
    of_learner(
        "TR-T36c",
        "restarts",
        bound=formula(restarts, *_SIZES, "n_switches", windows="all"),
        work=lambda own: 3e-12 * own.n_actions * own.horizon**2,
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 65_536, "n_switches": 1},
    ),
    of_learner(
        "TR-T36d",
        "restarts_dyadic",
        bound=formula(restarts, *_SIZES, "n_switches", windows="dyadic"),
        work=by_rounds(80),
        at={"epsilon": 1.0, "n_actions": 10, "gap": 0.9, "horizon": 800_000, "n_switches": 1},
    ),
    of_learner(
        "TR-T41r",
        "meta_experts",
        work=by_rounds(60),
        at={"epsilon": 1.0, "delta": 1e-6, "n_actions": 8, "gap": 0.9, "horizon": 500_000, "n_switches": 2},
    ),
    of_learner(
        "TR-B2",
        "mirror_descent",
        work=by_rounds(45),
        at={"epsilon": 0.9, "n_actions": 4, "gap": 0.9, "horizon": 10**6, "n_switches": 1},
        scope=below_one,
    ),
)


_STATEMENT = r"""
With probability at least $1-\beta$, for all windows $t,\dots,t+w$ of rounds, $1\le w\le T-t$, at once, the regret of Algorithm 1
(with arg min for the printed arg max) over the window is at most
$$\frac{10.9\,L}{\varepsilon}+8.5\sqrt{wL},\qquad L=\ln\frac{NT}\beta,$$
and with Gumbel noise of the same scale, or for $T\ge66{,}000$, at most $\frac{32}3L/\varepsilon+8.5\sqrt{wL}$. This is Theorem 3.1, with its constants 16 and 9.
The noise alone costs less: with $V_r\ge0$ of the proof, $E\sum_r\frac8\varepsilon V_r\le8m_N/\varepsilon$ at $\frac12$ for $\frac34$, in any window, $m_N\le\ln N+0.06$.
"""

_SCOPE = r"""
Every $N\ge2$, $T\ge2$, $\varepsilon>0$, $\beta\in(0,1]$ and distribution of a round's losses in $[0,1]^N$, i.i.d. over the rounds, of any joint distribution over the
experts. The probability is over losses and noise. Algorithm 1: for $n=1,2,4,\dots$ it plays $J=\arg\min_k(S_k+Z_k)$ in the rounds $2n,\dots,4n-1$,
$S$ the sums of the losses of rounds $n,\dots,2n-1$ and $Z_k$ i.i.d. Laplace$(2/\varepsilon)$, as printed, or Gumbel$(2/\varepsilon)$ subtracted.
"""

_PROOF = r"""
Let $\eta=\varepsilon/2$, $\Delta_k=\mu_k-\min\mu$, $X=n\Delta_J$; $B\le\log_2T$ blocks, $n_r=2^r$. Of its $2n_r$ rounds block $r$ has a share $\varphi_r\in[0,1]$ in
the window, $\sum2n_r\varphi_r\le k=w+1$, so that the plays' means exceed $k\min\mu$ by at most $1+\sum2\varphi_rX_r$, the 1 for round 1.

**Short windows.** If $k\le8.5\sqrt{wL}$ nothing is to be shown. Otherwise $k\ge498$, as $L\ge\ln2k$: so $T\ge498$ and $40B\le T$.

**Chance.** With probability $1-\beta/20$ all $|S_k-n\mu_k|\le g_r=\sqrt{n_rL/2}$ (Hoeffding, $2NB$ events, $40NB/\beta\le NT/\beta$). As $\varphi_r\sqrt{n_r}$ adds up
$1/(2\sqrt{n_r})$ over rounds, and this falls, $\sum\varphi_r\sqrt{n_r}\le\frac{1+\sqrt2}{\sqrt2}\sqrt k$ (TR-BLK). With probability $1-0.376\beta$ no window's losses
exceed the means of the plays by $\sqrt{kL}$ (Azuma), nor do an expert's fall short of its means by as much (Hoeffding): $\frac12T(T+1)(1+N)e^{-2L}$.

**Laplace noise, pathwise.** Let $U_r(x)=\min_k(\eta xn_r\Delta_k+\eta Z_k)$, which rises with $x$. Since $J$ is the minimiser,
$\eta X+\eta Z_J\le U_r(1)+2\eta g_r$, and $U_r(\frac14)\le\frac14\eta X+\eta Z_J$. Hence $\frac34\eta X_r\le V_r+2\eta g_r$, $V_r=U_r(1)-U_r(\frac14)\ge0$, and
$$\sum2\varphi_rX_r\le\frac{16}{3\varepsilon}\sum V_r+\frac{16}3\sum\varphi_rg_r,$$
where all blocks' $V_r$ serve for every window. The last sum is at most $\frac{1+\sqrt2}2\sqrt{kL}$.
*Moments.* $U_r(1)$ and $U_r(\frac14)$ rise with every $Z_k$, so $E\,e^{\theta V_r}\le E\,e^{\theta U_r(1)}\,E\,e^{-\theta U_r(1/4)}$ (Harris), and $U_r(\frac14)$ has
the distribution of $U_{r-2}(1)$. In the product over $r$ the blocks $r\le B-3$ have a pair $E\,e^{\theta U_r(1)}E\,e^{-\theta U_r(1)}\le e^c$; two factors
$E\,e^{\theta U}\le E\,e^{\theta\eta Z_1}=\frac1{1-\theta^2}$ and two $E\,e^{-\theta U}=E\,e^{\theta M}$ are left, $M=\max_k(\eta Z_k-a_k)$ with some $a_k=0$ and all
$a_k\ge0$. As $P(M>m)\le\min(1,\frac N2e^{-m})$ for every $m$, $E\,e^{\theta M}=\int\theta e^{\theta m}P(M>m)\,dm\le(\frac N2)^\theta/(1-\theta)$:
$\ln E\,e^{\theta\sum V_r}\le2\theta\ln\frac N2-2\ln(1-\theta)-2\ln(1-\theta^2)+c\,(B-2)$.
*The constant $c$.* $M$ has the distribution function $G=\prod_kF(\cdot+a_k)$, $F$ of Laplace$(1)$, some $a_k=0$. So $G'/G\ge f/F=1$
below 0, and $G'/G=\sum f/F\ge-\sum\ln F=-\ln G$ from 0 on, for $f/F\ge-\ln F$ there: $G'\ge u\min(1,\ln\frac1u)$ where $G=u$. A variable $W$ with
distribution function $e^{w-1}$ for $w\le0$ and $e^{-e^{-w}}$ for $w\ge0$ has equality. So quantiles of $M$ are nowhere further apart than those of $W$, and
$E\,e^{\theta M}E\,e^{-\theta M}=E\cosh\theta(M-M')\le E\cosh\theta(W-W')=E\,e^{\theta W}E\,e^{-\theta W}$, $M'$, $W'$ independent copies: with
$\gamma(s)=\int_0^1y^{s-1}e^{-y}dy$ this is $\big(\frac{1/e}{1+\theta}+\gamma(1-\theta)\big)\big(\frac{1/e}{1-\theta}+\gamma(1+\theta)\big)=e^c$: $c\le0.6321$ at
$\theta=0.49$, $c\le0.6619$ at $\theta=\frac12$.
*Markov*, with failure $0.574\beta$:
$\frac{16}{3\varepsilon}\sum V_r\le\frac{16}{3\theta\varepsilon}\big(2\theta\ln\frac N2+c(\log_2T-2)-2\ln(1-\theta)(1-\theta^2)+\ln\frac1{0.574\beta}\big)$. At
$\theta=0.49$ the coefficients of $\ln N$, $\ln T$ and $\ln\frac1\beta$ are below 10.9, so $N=2$, $T=498$, $\beta=1$ is the worst case: at most $10.9L/\varepsilon$.
Likewise $\frac{32}3L/\varepsilon$ at $\theta=\frac12$ from $T=66{,}000$ on.

**Gumbel noise.** $J$ has chances proportional to $e^{-\eta S_k}$, so $E\,e^{\frac34\eta X_r}\le e^{2\eta g_r}Z(\frac14n_r)/Z(n_r)$ given the losses,
$Z(x)=\sum_ke^{-\eta x\Delta_k}$. These ratios, at least 1, have over all $r$ a product of at most $N^2$, and so have their powers $\varphi_r$ (Jensen). By Markov's
inequality, for fixed $\varphi$, $\sum2\varphi_rX_r\le\frac{16}3\sum\varphi_rg_r+\frac{16}{3\varepsilon}(2\ln N+\ln\frac1b)$ but for probability $b$. In $\varphi$ this
is linear: it suffices for sets of consecutive whole blocks, $\frac12B(B+1)$ of them, with $b=\beta/(B(B+1))$; then $2\ln N+\ln\frac1b\le2L$.

**Together.** The events fail with probability at most $(0.574+\frac1{20}+0.376)\beta$, and
$1+(\frac83(1+\sqrt2)+2)\sqrt{kL}\le8.5\sqrt{wL}$ for $k\ge498$. In the mean: $\frac12$ for $\frac34$ gives $2\varphi X\le\frac8\varepsilon(U(1)-U(\frac12))$ and
chance, which telescopes. $\square$
"""

_COROLLARY = r"""
*Theorem 3.6, with higher thresholds.* The losses of different rounds are independent, and their distribution is the same within each of $S$ phases
whose ends are fixed in advance. Run Algorithm 2 with Algorithm 1 at $\varepsilon/2$, AboveThreshold at $\varepsilon/3$, $L=\ln(NT/\beta)$,
$\mathrm{Reg}_w=cL/\varepsilon+r\sqrt{wL}$ for some $c\ge21.8$ and $r\ge8.5$, and $\alpha=24(3\ln T+\ln\frac2\beta)/\varepsilon$; a new instance starts in the round
after an alarm. Then Algorithm 2 is $\varepsilon$-private. With probability at least $1-2S\beta$ its regret against every sequence of experts with at most
$S-1$ switches is at most $r\sqrt{2STL}+2S(cL/\varepsilon+2\alpha+1)$ if $\varepsilon\le6$, and at most $S-1$ more if $\varepsilon>6$. With $\beta=1/T$ the
expected regret is at most $2S$ more, since no regret exceeds $T$: this is the order of Theorem 3.6. TR-T36c has $c=32$ and $r=9$. The paper prints $c=16$, for
which we have no proof.

*Privacy.* A round is read by one instance only. Its Algorithm 1 is $\frac\varepsilon2$-private (TR-P1). If one round's losses change, every window query
moves within one interval of length 2, so AboveThreshold at $\frac\varepsilon3$ has privacy loss at most $1.5\cdot\frac\varepsilon3=\frac\varepsilon2$ (TR-SLIP-5).
The sum is $\varepsilon$, and later instances read this round through the moment of the alarm alone.

*Good events.* Given all that came before it, let an instance start in some phase, and let the losses of that phase go on after its end. By the theorem
at $\frac\varepsilon2$, with probability at least $1-\beta$, every window of such an instance has regret at most $\mathrm{Reg}_w$. It asks at most $T(T+1)/2$ queries.
By Lemma 2.4, with probability at least $1-\beta/T$, each query that is answered "above" is at least $-\alpha$, and each other one is at most
$\alpha'=24\big(\ln\frac{T(T+1)}2+\ln\frac{2T}\beta\big)/\varepsilon\le\alpha$. Both hold for the first $S$ instances with probability at least $1-2S\beta$.

*Few alarms (Lemma 3.4).* If an alarm comes after round $t$, then the query of some window that ends with $t$ is at least $-\alpha$, so the regret of this window is at least
$\mathrm{Reg}_w+1$. A window of one round has regret at most 1; if the instance had seen one phase only, longer ones would have at most $\mathrm{Reg}_w$. So the
phase changes within the instance. Instances are disjoint, and there are $S-1$ changes: at most $S-1$ alarms, so at most $S$ instances.

*Windows (Lemma 3.5).* A window that ends with no alarm has regret at most $\mathrm{Reg}_w+\alpha+\alpha'+1$. One that ends with an alarm has at most 1
more, for its last round. As $T\ge2$, $\alpha-\alpha'=24\ln\frac{2T}{T+1}/\varepsilon\ge24\ln\frac43/\varepsilon\ge1$ for $\varepsilon\le6$, so that then every window has at most
$\mathrm{Reg}_w+2\alpha+1$.

*Together.* The ends of the instances and the switches of the comparator cut the $T$ rounds into at most $S+(S-1)$ windows, of $w_j+1$ rounds with
$\sum w_j\le T$. By Cauchy and Schwarz $\sum\sqrt{w_j}\le\sqrt{2ST}$. $\square$
"""

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="tracking-windows",
        title="Theorem 3.1 of the tracking paper, without a logarithm of T",
        statement=_STATEMENT.strip(),
        scope=_SCOPE.strip(),
        proof=_PROOF.strip(),
        known=r"The paper states it with 16 and 9; its proof adds up to $16L(1+\ln T)/\varepsilon+14\sqrt{wL}$ with probability $1-4\beta$.",
        new=r"The statement as printed is proved, for the printed Laplace noise and with smaller constants; a first constant that Gumbel noise has for every $T$. Theorem 3.6 follows with thresholds for a learner at $\varepsilon/2$: see the corollary.",
        checked_by=r"Two derivations; of the constant $c$ one, and a weaker one, $1.01$ at $\theta=\frac12$. Certified by machine: Hoeffding's lemma, $c$, the scalar steps. Computed: moments at random gaps, the pathwise inequality, Gumbel moments over six blocks.",
        floor=r"The step from $V$ to the plays leaves $2\ln N$ and so $\frac{32}3$ at the least. The largest $c$ found at $\theta=0.49$ is 0.5492, at $N=1$. On runs of $2^{18}$ rounds the largest window regret is 0.027 of the bound in the median, 0.106 in the worst of 500.",
        claims=("TR-T31p", "TR-T31v", "TR-T31w", "TR-BLK"),
        corollary=_COROLLARY.strip(),
    ),
)
