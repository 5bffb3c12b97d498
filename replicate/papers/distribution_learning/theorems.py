"""Proved bounds on risk that a reader can ask at sizes of their own, and this workbook's theorems."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from replicate import validation
from replicate.claims.asking import Own, Promise, formula
from replicate.claims.theorems import Theorem
from replicate.papers.distribution_learning import bounds
from replicate.papers.distribution_learning.instances import dirichlet
from replicate.papers.distribution_learning.learners import LEARNERS
from replicate.validation import FloatArray

_AT = {"epsilon": 1.0, "n_actions": 4, "n_labels": 64, "horizon": 10**12}
_STRATA = 100


def _class(own: Own) -> FloatArray:
    """A Dirichlet(1) class of K distributions over M labels, the same for every setting of that size; the first is true."""
    return dirichlet(own.n_actions, own.n_labels, concentration=1.0)


def _uniform_risk(own: Own) -> float:
    """Risk of the uniform mixture of the hypotheses."""
    laws = _class(own)
    return float(own.horizon * (laws[0] * np.log(laws[0] / laws.mean(axis=0))).sum())


def _uniform_distance(own: Own) -> float:
    """Averaged total variation of the uniform mixture."""
    laws = _class(own)
    return float(np.abs(laws[0] - laws.mean(axis=0)).sum() / 2)


def _promise(
    claim: str, name: str, function: Callable[..., Any], *sizes: str, averaged: bool = False, **more: float
) -> Promise:
    """A bound on the risk of a scheme, or on its averaged total variation, tried on one class."""
    scheme = next(entry for entry in LEARNERS if entry.name == name)

    def play(own: Own, replicates: int, rng: np.random.Generator) -> FloatArray:
        run = scheme.simulate(
            _class(own),
            epsilon=own.epsilon,
            delta=own.delta,
            horizon=own.horizon,
            replicates=replicates,
            rng=rng,
            grid=_STRATA,
        )
        return np.asarray(run.total_variation[:, -1] / own.horizon) if averaged else run.final

    return Promise(
        claim=claim,
        subject=name,
        at=_AT | more,
        play=play,
        bound=formula(function, *sizes, n_hypotheses="n_actions"),
        uniform=_uniform_distance if averaged else _uniform_risk,
        losses="labels of one distribution of a Dirichlet(1) class",
        work=lambda own: 0.02 + 1.5e-6 * own.n_actions * own.n_labels,
        quantity="averaged total variation" if averaged else "Kullback-Leibler risk, nats",
    )


def some_scheme(n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Return DL-T12's bound, 12 sqrt(K T log^5(K T)) / epsilon, for epsilon <= 1."""
    product = validation.count("n_hypotheses", n_hypotheses, low=2) * horizon
    level = validation.positive("epsilon", epsilon, high=1)
    return 12 * math.sqrt(product * math.log(product) ** 5) / level


def printed_4(n_hypotheses: int, horizon: int, epsilon: float, delta: float) -> float:
    """Return Theorem 4 as printed, with the constant 14.7 of DL-T4o."""
    form = bounds.theorem_4_form(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon, delta=delta)
    return 14.7 * form


def printed_5(n_hypotheses: int, horizon: int, epsilon: float) -> float:
    """Return Theorem 5 as printed, with the constant 5.2 of DL-T5o."""
    return 5.2 * bounds.theorem_5_form(n_hypotheses=n_hypotheses, horizon=horizon, epsilon=epsilon)


_SIZES = ("epsilon", "horizon")
PROMISES = (
    _promise("DL-T4", "approximate", bounds.theorem_4, *_SIZES, "delta", delta=1e-6),
    _promise("DL-T4o", "approximate", printed_4, *_SIZES, "delta", delta=1e-6),
    _promise("DL-T5", "pure", bounds.theorem_5, *_SIZES),
    _promise("DL-T5o", "pure", printed_5, *_SIZES),
    _promise("DL-T6", "pure", bounds.theorem_6, *_SIZES, averaged=True),
    _promise("DL-T12", "pure", some_scheme, *_SIZES),
    _promise("DL-RR", "randomized_response", bounds.randomized_response, *_SIZES, "n_labels"),
    _promise("DL-R1k", "sign_bits", bounds.bits_risk, *_SIZES),
    _promise("DL-R1c", "sign_bits", bounds.bits_tv, *_SIZES, averaged=True),
    _promise("DL-NP", "non_private", bounds.non_private),
)


_ONE_BIT = r"""
Let $E$, of dimension $n\le K-1$, be the span of the differences of the distributions. The user draws one of $N$ public tests $\varphi_k$ of the label, values
$\pm1$, and sends $k$ and $\varphi_k$ of the label as a bit that is right with probability $e^\varepsilon/(1+e^\varepsilon)$; Bayes' rule reads the messages.

(i) *Tests.* Among the distributions of tests let one maximise $\log\det V$, $V$ the second moment of $\langle\varphi,\cdot\rangle$ on $E$. To move some of its mass to a test
$\varphi$ changes that at the rate $\varphi'V^{-1}\varphi-n$, which is not positive: $\varphi'V^{-1}\varphi\le n$ for all $\varphi$ (Kiefer and Wolfowitz). So for $u\in E$
$|u|_1^2=\max_\varphi\langle\varphi,u\rangle^2\le\max_\varphi\varphi'V^{-1}\varphi\cdot u'Vu\le n\,E\langle\varphi,u\rangle^2$. By Carathéodory $\frac12n(n+1)+1$ tests, drawn with their weights,
are enough. No distribution of tests has less than $n$: the mean of $\varphi'V^{-1}\varphi$ is $n$, and $u=V^{-1}\varphi$ has $|u|_1\ge\langle\varphi,u\rangle=u'Vu$.
*Without a search.* Let $E$ have the basis of columns $A$, rows $a_y\ne0$, and $w_y>0$ with $w_y^2=a_y'G^{-1}a_y$, $G=\sum_ya_ya_y'/w_y$, be Lewis' weights
(1978); $\sum_yw_y=n$, a trace. For $u=Ab$, by Cauchy and Schwarz, $|u|_1^2\le n\sum_yu_y^2/w_y=n\,b'Gb$. $\varphi(y)=\mathrm{sign}\langle g,G^{-1/2}a_y\rangle$ with Gaussian $g$ has the
correlations $\frac2\pi\arcsin t$ (Sheppard), $t$ those of the $z_y=G^{-1/2}a_y/w_y$, and $\arcsin t-t$ is a positive kernel: $E\langle\varphi,u\rangle^2\ge\frac2\pi|\sum_yu_yz_y|^2=\frac2\pi b'Gb$.
So $|u|_1^2\le\frac\pi2n\,E\langle\varphi,u\rangle^2$, and by the distribution of large numbers some $N$ tests, drawn evenly, have $2n$ for $\frac\pi2n$. Below $\kappa$ is $n$ or $2n$.
(ii) *Predictions.* Given the past, the learner's distribution of the next message is the mixture of those of the hypotheses by its posterior:
by the chain rule the divergences of the true distribution from it have a sum of at most $\log K$, in whatever order contexts come.
(iii) *One message.* Let $u=f(x_t)-\hat p_t\in E$: $\hat p_t$ is a mixture of the distributions. The bit of test $k$ has mean $\tanh(\frac\varepsilon2)\langle\varphi_k,\cdot\rangle$, as $\pm1$,
and by Pinsker's inequality the divergence is at least $\frac12\tanh^2(\frac\varepsilon2)\langle\varphi_k,u\rangle^2$. In the mean over $k$ that is at least
$\frac12\tanh^2(\frac\varepsilon2)|u|_1^2/\kappa$ by (i), and $|u|_1=2|u|_{TV}$. Summed over $t$:
$\sum_tE\,|u_t|_{TV}^2\le\frac12\kappa\log K/\tanh^2(\frac\varepsilon2)$. Cauchy and Schwarz give the averaged total variation, convexity that of the mean prediction.
(iv) *Risk.* Let $w$ be the posterior weight of the truth: $f/\hat p\le1/w$, and $r\log r\le(r-1)_+(1+\log\rho)$ for $r\le\rho=1/w$ gives
$\mathrm{KL}\le|u|_{TV}(1+\log\frac1w)$. As $E\frac1w\le K$, $\log\frac1w$ is at most $\log K$ and an exponential variable of mean 1, so
$E(1+\log\frac1w)^2\le(2+\log K)^2+1$. Cauchy and Schwarz over rounds and messages. $\square$
"""

_PAIRS = r"""
(i) *One message.* Behind a channel $q$ a symbol has probability $u$, the mean of $q$ over one half of the labels, under the first distribution of pair $i$,
and $(1-\frac a2)u+\frac a2v$ under the second, $v$ the mean over the other half. The relative change $x=\frac a2(\frac vu-1)$ is at least $-\frac12$, where
$x-\log(1+x)\le\frac45x^2$: the quotient falls in $x$ and is $4(\log2-\frac12)=0.773$ at $-\frac12$. Changes average to 0, so
$\mathrm{KL}_i\le\frac45\sum(\frac a2)^2(v-u)^2/u$, and $u$ is at least the symbol's smallest probability $m$. $\frac12(v-u)$ is the coefficient of $q$ in a
column of the Hadamard matrix: by Parseval's identity their squares, over all pairs, add up to at most the variance of $q$ over the
labels. With mean $s$ and values in $[m,e^\varepsilon m]$ that is at most $(s-m)(e^\varepsilon m-s)\le sm(e^{\varepsilon/2}-1)^2$, for $s/m+e^\varepsilon m/s\ge2e^{\varepsilon/2}$. The
means $s$ add up to 1: $\sum_i\mathrm{KL}_i\le a^2V$, $V=\frac45(e^{\varepsilon/2}-1)^2$.
(ii) *One round.* Let $P,Q$ be the distributions of the messages before round $t$ under the members $p,q$ of a pair. The two risks of the round add up
to at least $(1-\mathrm{TV}(P,Q))\min_{\hat p}(\mathrm{KL}(p,\hat p)+\mathrm{KL}(q,\hat p))=(1-\mathrm{TV})\,2J$, $J$ the Jensen-Shannon divergence, convex in $a$ with slope
$\frac14\log2$ at 0: $J\ge\frac14a\log2$.
(iii) *All rounds.* $\mathrm{TV}\le\sqrt{\mathrm{KL}/2}$, and the divergence of independent messages is a sum. In the mean over pairs, by (i) and Jensen, TV is at
most $a\sqrt{(t-1)V/(2K)}$, and in the mean over rounds at most $\frac23a\sqrt{TV/(2K)}=\frac12$. So the mean risk is at least $T\cdot\frac12\cdot\frac14a\log2$.
For the total variation, $\mathrm{TV}(p,\hat p)+\mathrm{TV}(q,\hat p)\ge\frac a2$ in the place of $2J$. $\square$
"""

_FANO = r"""
$H_1,\dots,H_K$ are the rows but the constant one of a Hadamard matrix of $N=K+1$ columns.

(i) *One message.* Behind a channel $q$ a symbol has probability $s$ under the uniform distribution and $s+ab_j$ under distribution $j$, $b_j$ the coefficient of $q$ in
row $j$. Its information on a uniform $j$ is at most the mean divergence from the uniform distribution, and this at most the mean chi square
$\sum_y\frac{a^2}K\sum_jb_j^2/s$. By Parseval's identity $\sum_jb_j^2$ is the variance of $q$ over the labels, for values in $[m,e^\varepsilon m]$ at most
$(s-m)(e^\varepsilon m-s)\le s^2\sinh^2\frac\varepsilon2$; the $s$ add up to 1. So a message tells at most $\frac{a^2}K\sinh^2\frac\varepsilon2$, in nats.
*Rare labels:* $b_j$ is taken on the $N$ labels, of mean probability $v$, with $b$ in the place of $a$, and $s\ge(1-b)m$: the variance over $s$ is at most
$(v-m)(e^\varepsilon m-v)/((1-b)m)\le v(e^{\varepsilon/2}-1)^2/(1-b)$, and the $v$ add up to 1: at most $\frac{b^2}K(e^{\varepsilon/2}-1)^2/(1-b)$. (As $s\ge m$, too, the variance
over $s^2$ is at most $\frac14(e^\varepsilon-1)^2$: another bound, better where $b$ is large and $\varepsilon$ small.)
(ii) *All messages* before round $t$ are independent given $j$ and hold at most $t-1$ times that, in the mean over rounds at most
$\frac\rho2\log K$ with $a$, $b$ as stated. By Fano's inequality a guess of $j$ is wrong with a mean probability of at least $1-\frac{\log2}{\log K}-\frac\rho2=\rho$.
(iii) Two distributions are $\frac a2$ apart in total variation: a prediction nearer than $\frac a4$ to the truth names it. So the mean is at least $\rho\frac a4$. *Rare
labels:* KL is at least the squared Hellinger distance, which is $b$ for two distributions, as half of the rare labels have masses $2b/N$ and 0
under them; a prediction nearer than $\frac12\sqrt b$ to the truth names it, so a round costs at least $\rho\frac b4$. $\square$
"""

_INTERACTION = r"""
As for theorem “no-interaction”, but all distributions are compared with the uniform one (or for rare labels with the common label and a uniform rest):
under it the messages, and so the channels, have one distribution for all $j$.

(i) Behind $q$, $\mathrm{KL}(\text{uniform},j)=\sum_ys(x-\log(1+x))$, $x=ab_j/s$, as $\sum_ysx=0$. $|b_j|\le s\tanh\frac\varepsilon2$: $2b_j$ is the difference and $2s$ the sum of the
means of $q$ over two halves of the labels. So $|x|\le\frac12$ for $a\le\frac12$, and $x-\log(1+x)\le\frac45x^2$. Over all $j$ together these divergences are
at most $\frac45$ of the chi squares there, whatever the channel: $\frac45a^2\sinh^2\frac\varepsilon2$, or $\frac45b^2(e^{\varepsilon/2}-1)^2/(1-b)$. *Rare labels:* $|b_j|\le v$ and
$s\ge(1-b)m+bv$ with $v\le e^\varepsilon m$, so $|x|\le be^\varepsilon/(1-b+be^\varepsilon)\le\frac12$ for $b\le1/(1+e^\varepsilon)$.
(ii) Let $U$, $P_j$ be the distributions of the first $t-1$ messages. By the chain rule $\mathrm{KL}(U,P_j)$ is the mean of such divergences under $U$, which is the
same for all $j$: their sum over $j$ is at most $t-1$ times that. By Pinsker and Jensen the total variation of $U$ and $P_j$ is in the mean over $j$ at
most $a\sinh\frac\varepsilon2\sqrt{2(t-1)/(5K)}$, and over the rounds at most $\frac23a\sinh\frac\varepsilon2\sqrt{2T/(5K)}=\frac r2$.
(iii) Any guess is right under $U$ for one $j$ in $K$; under $P_j$ in the mean for a share of at most $\frac1K+\frac r2$, so it is wrong for at least
$1-\frac1K-\frac r2=\frac r2$. The rest is (iii) there, with $\frac r2$ for $\rho$. $\square$
(c) *From probability $\frac23$ to the mean.* Let $a_j=C\,2^{j/2}\sqrt{K/n}/\varepsilon$, $j=0,\dots,J$, $J$ the first with $a_J\ge1$, whose answer is arbitrary. Level $j<J$ runs
$\lceil18(j+1)\ln2\rceil$ copies of the method on disjoint sets of $n2^{-j}$ users, at most $51n$ users in all. By Hoeffding's inequality more than half of the
copies are within $a_j$ of the truth $p$ but for probability $2^{-j-1}$; then $q_j$, a copy within $2a_j$ of more than half of them, is within $3a_j$ of $p$. Choose
the least $\hat\jmath$ with $|q_{\hat\jmath}-q_i|\le3(a_{\hat\jmath}+a_i)$ for all $i>\hat\jmath$ (Lepski). Let all levels from $j^*$ on be good, $j^*$ least: $\hat\jmath\le j^*$, so
the error is at most $3(a_{\hat\jmath}+a_{j^*})+3a_{j^*}\le9a_{j^*}$. As $P(j^*>j)\le\sum_{i\ge j}2^{-i-1}=2^{-j}$, $E\,2^{j^*/2}\le1+(\sqrt2-1)\sum_j2^{-j/2}=1+\sqrt2$: a mean of at most $22a_0$.
Epochs of $2^r$ rounds, predicted from the epoch before: over $T$ rounds the mean is of order $\sqrt{K/T}/\varepsilon$. $\square$
"""

_KNOWN = "Gopi, Kamath, Kulkarni, Nikolov, Wu and Zhang (COLT 2020)"
_POUR = "Pour, Ashtiani and Asoodeh (COLT 2024, arXiv 2312.05645)"

THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        key="one-bit",
        title="One randomised bit of a random test has the rate of Remark 1",
        statement=r"For every class of $K$ distributions there is an $\varepsilon$-LDP scheme of one bit per label, without interaction, with averaged total variation at most $\frac1{\tanh(\varepsilon/2)}\sqrt{\kappa\log K/(2T)}$ and risk at most $\frac1{\tanh(\varepsilon/2)}\sqrt{\frac12\kappa T\log K}\sqrt{(2+\log K)^2+1}$, both in the mean, $\kappa=K-1$. So $T_\alpha=\kappa\log K/(2\alpha^2\tanh^2(\varepsilon/2))$ labels are enough for accuracy $\alpha$ of the mean prediction. The scheme of the package draws its tests without a search: $\kappa=2(K-1)$.",
        scope=r"Every $K\ge2$, $\varepsilon>0$, $T\ge1$, any finite number of labels; contexts in any order, also chosen after earlier messages; the truth is in the class. Tests and test numbers are public, coins private. The scheme does not know $T$.",
        proof=_ONE_BIT.strip(),
        known=rf"Theorem 6 of the paper, $T^{{-1/4}}$; its Remark 1 asks for $\sqrt{{K/T}}/\varepsilon$ up to logarithms. For batches {_KNOWN} have $\tilde O(K/(\varepsilon^2\alpha^2))$ labels, without interaction where one distribution of the class is to be named, with interaction in general; {_POUR} have $O(K/(\varepsilon^2\alpha^2))$ with interaction, and quote $\Omega(K\log K/(\alpha^2\min\{{\varepsilon^2,1\}}))$ without.",
        new=r"Sequential predictions with contexts in any order; one power of $\log K$, explicit constants, no logarithm of $T$. The tests are not: (i) is the equivalence theorem of Kiefer and Wolfowitz (1960), in the geometry of Banach spaces the summing norm $\sqrt n$ (Garling and Gordon 1971); without a search, Lewis (1978) and Grothendieck's inequality. By the quoted bound, and theorem “no-interaction”, no scheme without interaction is better by more than a constant for $\varepsilon\le1$.",
        checked_by=r"Two derivations. By machine: the price of the tests is certified class by class, from above by an eigenvalue, from below by ascent; the least price by a search over all tests of seven labels; (ii) and (iii) exactly on two coins.",
        floor=r"8.8 for the total variation at $K=15$, $\varepsilon=1$, and $5.2\cosh(\varepsilon/2)$ for large $K$, among schemes without interaction. No tests have a price below $n$. The risk: a factor of order $\log K$.",
        claims=("DL-R1c", "DL-TEST", "DL-R1x", "DL-R1k", "DL-TAc", "DL-BITp"),
    ),
    Theorem(
        key="pairs",
        title="The paper's lower bound, averaged over pairs",
        statement=r"On the $K$ pairs of (16), with gap $a=\frac34\sqrt{2K/(TV)}$, $V=\frac45(e^{\varepsilon/2}-1)^2$, the mean risk over the $2K$ distributions of every $\varepsilon$-LDP scheme is at least $\frac{3\log2}{16\sqrt2}\sqrt{KT/V}$, for $\varepsilon\le1$ more than $\sqrt{KT}/(6.4\,\varepsilon)$; its mean averaged total variation is at least $\frac3{32}\sqrt{2K/(TV)}$. So on some class of $K$ distributions every such scheme has risk at least $\sqrt{KT}/(11\,\varepsilon)$, $\varepsilon\le1$.",
        scope=r"Every $K\ge1$, $\varepsilon>0$ and $T\ge9K/(8V)$ (for $K\ge2$ distributions, $\lfloor K/2\rfloor\ge K/3$ pairs, $T\ge9K/(16V)$); channels may differ from round to round but are chosen beforehand: without interaction.",
        proof=_PAIRS.strip(),
        known=r"Theorem 3 of the paper, $aT/132$, with its class and Parseval's identity; the technique goes back to Edmonds, Nikolov and Ullman (2020) and Duchi, Jordan and Wainwright (2013).",
        new=r"A constant 40 to 140 times larger, for the mean over the class, for channels that change with time. The rate is the paper's.",
        checked_by=r"Two derivations; (i) on random channels and on those that attain the privacy budget; the slope of $J$ on a grid.",
        floor=r"A factor of 5 at most: over gaps of 1 to 16 times $a$ and 1 to 15 pairs one randomised bit has 3.2 to 3.8 times the bound in the means, at the worst gap, and less than 5 by upper limits, $\varepsilon=1$. At the gap $a$ alone a scheme that reads no label has twice the bound, with one pair: one gap does not show the constant.",
        claims=("DL-LB", "DL-INF", "DL-LBu", "DL-R1l", "DL-T1c"),
    ),
    Theorem(
        key="no-interaction",
        title="Without interaction √log K cannot be spared",
        statement=r"Let $\rho=\frac23(1-\log2/\log K)$. (a) On the distributions $(1+aH_j)/N$, $a=\sqrt{\rho K\log K/T}/\sinh\frac\varepsilon2\le1$, the averaged total variation of every $\varepsilon$-LDP scheme without interaction is at least $\frac14\rho^{3/2}\sqrt{K\log K/T}/\sinh\frac\varepsilon2$ in the mean over $j$. (b) On the distributions with mass $1-b$ on a common label and $b(1+H_j)/N$ on $N$ rare ones, $b=\sqrt{\rho K\log K(1-b)/T}/(e^{\varepsilon/2}-1)$, its risk is at least $\frac\rho4bT=\frac14\rho^{3/2}\sqrt{KT\log K(1-b)}/(e^{\varepsilon/2}-1)$.",
        scope=r"$K=N-1=2^m-1\ge3$, every $\varepsilon>0$; (a) $T\ge\rho K\log K/\sinh^2\frac\varepsilon2$, (b) every $T\ge1$. Channels chosen beforehand, they may differ from round to round. (b) also with $b=2\sqrt{\rho K\log K/T}/(e^\varepsilon-1)\le1$, the larger one for short $T$.",
        proof=_FANO.strip(),
        known=rf"For batches $\Omega(K\log K/(\alpha^2\min\{{\varepsilon^2,1\}}))$ without interaction, which {_POUR} quote; by the paper's step from online to batch it gives the rate of (a). Fano's inequality for private channels: Duchi, Jordan and Wainwright (2013); chi squares behind them, and Parseval: Acharya, Canonne and Tyagi (2020). The related bounds of Ullman (2018) and of Asoodeh and Zhang (2022) are for other problems.",
        new=r"Constants, every $\varepsilon$, and (b): the risk, with Theorem 3's $e^{-\varepsilon/2}$ for large $\varepsilon$ and $\sqrt{\log K}$ more.",
        checked_by=r"Two derivations; (i) on random channels, exactly attained by subset selection; the bounds against the best predictions in games of five rounds, all messages enumerated.",
        floor=r"(a): 8.8 at $K=15$, $\varepsilon=1$, at most $5.2\cosh(\varepsilon/2)$ for large $K$, by theorem “one-bit”. (b): of order $\log K$ for $\varepsilon\le1$.",
        claims=("DL-FANO", "DL-FANOk", "DL-FANOi"),
    ),
    Theorem(
        key="interaction",
        title="Theorem 3 for schemes that look at earlier messages",
        statement=r"Let $r=1-\frac1K$. (a) On the distributions of theorem “no-interaction” with $a=\frac{3r}8\sqrt{10K/T}/\sinh\frac\varepsilon2\le\frac12$ the averaged total variation of every $\varepsilon$-LDP scheme, whose channels may depend on earlier messages, is at least $\frac{3r^2}{64}\sqrt{10K/T}/\sinh\frac\varepsilon2$ in the mean over $j$. (b) On those with rare labels and $b=\frac{3r}8\sqrt{10K(1-b)/T}/(e^{\varepsilon/2}-1)\le1/(1+e^\varepsilon)$ its risk is at least $\frac r8bT=\frac{3r^2}{64}\sqrt{10KT(1-b)}/(e^{\varepsilon/2}-1)$. (c) Suppose that for every class of $K$ distributions, $\varepsilon\le1$ and $n$ some interactive $\varepsilon$-LDP method on $n$ users is within $C\sqrt{K/n}/\varepsilon$ of the truth, which lies in the class, with probability $\frac23$. Then with one context some interactive scheme has averaged total variation of at most $C'\sqrt{K/T}/\varepsilon$ in the mean, for every $T$: the order of (a), without $\sqrt{\log K}$.",
        scope=r"$K=N-1=2^m-1\ge3$, every $\varepsilon>0$; (c) every $K\ge2$, and it rests on a theorem of others that we have not proved; (a) $T\ge\frac{90r^2}{16}K/\sinh^2\frac\varepsilon2$, (b) $T\ge\frac{90r^2}{64}Ke^\varepsilon(1+e^\varepsilon)/(e^{\varepsilon/2}-1)^2$. For $\varepsilon\ge0.8$ also for shorter $T$, from $\frac{90r^2}{16}K(1+e^\varepsilon)^2/(e^\varepsilon-1)^2$ on, (b) holds with $b=\frac{3r}4\sqrt{10K/T}/(e^\varepsilon-1)\le1/(1+e^\varepsilon)$.",
        proof=_INTERACTION.strip(),
        known=rf"For batches $\Omega(K/(\varepsilon^2\alpha^2))$ with interaction: {_KNOWN}. The method, to compare all distributions with the uniform one and to add chi squares by the chain rule under it: Acharya, Canonne, Sun and Tyagi (*Unified lower bounds for interactive high-dimensional estimation*, 2020), with the bound for the distribution itself on the same perturbations. Theorem 3 of the paper is without interaction. What (c) supposes is the theorem of Pour, Ashtiani and Asoodeh (COLT 2024), of which we read abstracts only; Lepski's choice is standard.",
        new=r"Theorem 3's rate for interactive schemes, with its $e^{-\varepsilon/2}$ for large $\varepsilon$, and constants; (c), that with their theorem interaction spares $\sqrt{\log K}$ for averaged distances.",
        checked_by=r"Two derivations; (i) on random channels; exactly against a scheme that asks each user for the bit that it knows least.",
        floor=r"In (a), for $\varepsilon\le1$: by a constant with (c), and of order $\sqrt{\log K}$ by theorem “one-bit”, which rests on nothing else. Contexts in any order, and the risk, stay open between the two.",
        claims=("DL-INTA", "DL-INTAk", "DL-INTM", "DL-FANOi"),
    ),
)
