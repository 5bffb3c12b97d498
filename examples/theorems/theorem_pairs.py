"""The lower bound for locally private learning of a distribution, averaged over pairs of laws.

Theorem "pairs" of this workbook (reports/theorems.md, number 6). It sharpens Theorem 3 of the workbook's paper
on distribution learning under local privacy, on that paper's class of laws, display (16).

Statement. Let the labels be the N = K + 1 columns of a Hadamard matrix (N a power of two), and let row i of its
other rows than the constant one split them into two halves. The two laws of pair i are uniform on the first
half, and the mixture of that with weight 1 - a/2 and of the uniform law on the second half with weight a/2.
Every scheme that is epsilon-locally private and whose channels are chosen beforehand has, in the mean over the 2
K laws, over T rounds with T >= 9 K / (8 V),

    risk at least c sqrt(K T / V),    c = C = 3 log 2 / (16 sqrt 2),
    V = 4/5 (e^(epsilon/2) - 1)^2,    a = 3/4 sqrt(2 K / (T V)),

where risk is the sum over the rounds of KL(truth, prediction). (The averaged total variation has a bound, too.)

What this page shows. It computes the mean risk of four schemes with the best predictions, the posterior means of
a learner who is even told the pair: each round asks for the half of a row, one row after the other, by
randomised response, by a one-sided answer or without noise, or it asks nothing. The private ones obey the bound.
Step (i) of the proof, that the divergences of one message have a sum over the pairs of at most a^2 V, holds for
random channels and for randomised response to random tests. Bits without noise are below the bound if T is
large, and they break step (i).

This page does not show every scheme, nor the averaged total variation.
"""

import numpy as np

C = 3 * np.log(2) / (16 * np.sqrt(2))


def halves(K):
    """Rows 1, ..., K of the Hadamard matrix with K + 1 columns: +1 on the first half, -1 on the second."""
    H = np.ones((1, 1))
    while len(H) <= K:
        H = np.block([[H, H], [H, -H]])
    return H[1:]


def sizes(K, T, epsilon):
    """The gap a and V."""
    V = 0.8 * np.expm1(epsilon / 2) ** 2
    return 0.75 * np.sqrt(2 * K / (T * V)), V


def round_risk(n, a, yes, no):
    """Mean risk of a round after n bits about its pair; yes, no: chances of a 1 for labels of either half."""
    k, logs = np.arange(n + 1), np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    laws = (yes, (1 - a / 2) * yes + a / 2 * no)  # chances of a 1 under the two laws
    ways = logs[n] - logs[k] - logs[n - k]
    first, second = (np.exp(ways + k * np.log(x) + (n - k) * np.log1p(-x)) for x in laws)
    h = np.maximum(second / np.maximum(first + second, 1e-300) * a / 2, 1e-300)  # predicted second half
    risk = -first * np.log1p(-h) - second * ((1 - a / 2) * np.log1p(-h) + a / 2 * np.log(h))
    entropy = (1 - a / 2) * np.log1p(-a / 2) + a / 2 * np.log(a / 2)
    return (risk.sum() + entropy) / 2


def mean_risk(K, T, epsilon, yes, no):
    """The mean over the pairs and the rounds t = 0, 1, ...; round t asks for row t mod K."""
    a, _ = sizes(K, T, epsilon)
    one = [round_risk(n, a, yes, no) for n in range(T // K + 2)]
    return sum(one[max(t - i + K - 1, 0) // K] for i in range(K) for t in range(T)) / K


def bound(K, T, epsilon, c=C):
    """The theorem as it stands; c may be sharpened."""
    return c * np.sqrt(K * T / sizes(K, T, epsilon)[1])


def divergences(channel, a):
    """The sum over pairs of KL(messages under the first law, under the second); channel[label, message]."""
    signs = halves(len(channel) - 1)
    u, v = (signs > 0) @ channel * 2 / len(channel), (signs < 0) @ channel * 2 / len(channel)
    return np.sum(u * np.log(u / ((1 - a / 2) * u + a / 2 * v)))


def largest_share(a, V, epsilon, channels, seed):
    """Step (i): the largest sum of divergences over a^2 V, for random private channels of eight labels."""
    rng, shares = np.random.default_rng(seed), []
    for _ in range(channels):
        weights = np.exp(epsilon / 2 * rng.random((8, 5)))  # after the division ratios are at most e^epsilon
        tests = rng.choice((-1, 1), (8, 20))  # randomised response to one of twenty tests
        answers = np.exp(epsilon / 2 * np.hstack([tests, -tests]))
        shares += [divergences(x / x.sum(1, keepdims=True), a) / (a * a * V) for x in (weights, answers)]
    return max(shares)


def main(settings=((1, 64, 1.0), (3, 300, 1.0), (7, 3000, 0.5), (3, 400, 2.0)), channels=200, seed=0):
    """Print the table and assert what it shows."""
    print("pairs  rounds  epsilon  randomised response  one-sided  nothing asked  without noise  lower bound")
    for K, T, epsilon in settings:
        half, low = np.exp(epsilon) / (1 + np.exp(epsilon)), bound(K, T, epsilon)
        answers = ((half, 1 - half), (0.5, 0.5 * np.exp(-epsilon)), (0.5, 0.5), (1 - 1e-9, 1e-9))
        some, side, none, bits = (mean_risk(K, T, epsilon, *answer) for answer in answers)
        print(f"{K:5} {T:7} {epsilon:8} {some:20.3f} {side:10.3f} {none:14.3f} {bits:14.3f} {low:12.3f}")
        assert bits < low <= min(some, side, none)
    a, V = sizes(7, 3000, 0.5)
    share = largest_share(a, V, 0.5, channels, seed)
    bits = (1 - 2e-9) * (halves(7)[0][:, None] == (1, -1)) + 1e-9
    broken = divergences(bits, a) / (a * a * V)
    print(
        f"step (i): at most {share:.2f} times a^2 V for private channels; without noise {broken:.1f}, which fails"
    )
    assert share <= 1 < broken


if __name__ == "__main__":
    main()
