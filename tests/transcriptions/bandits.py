"""Formulas of Asi, Raman & Talwar (2025), "Faster Rates for Private Adversarial Bandits"."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


def theorem_1(*, base_regret, batch_size):
    """Theorem 1, first bound."""
    return batch_size * base_regret + batch_size


# 4 * 12.5 + 4 = 54
BY_HAND["theorem_1"] = ({"base_regret": 12.5, "batch_size": 4}, 54)


def batch_size(*, epsilon):
    """Theorem 1, tau."""
    return math.ceil(1 / epsilon)


# 1 / 0.3 = 3.33333333333, rounded up.
# 4 = 4
BY_HAND["batch_size"] = ({"epsilon": 0.3}, 4)


def batch_noise(*, epsilon, batch_size):
    """Algorithm 1, line 9, noise scale."""
    return 1 / (batch_size * epsilon)


# 1 / 1.2 = 0.833333333
BY_HAND["batch_noise"] = ({"epsilon": 0.3, "batch_size": 4}, 0.833333333)


def corollary_2(*, n_actions, epsilon, horizon):
    """Proof of Corollary 2."""
    return 208 * math.sqrt(horizon * n_actions) / math.sqrt(epsilon) + 2 / epsilon


# 208 * 64 / 0.5 + 2 / 0.25 = 26632
BY_HAND["corollary_2"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 26632)


def corollary_8(*, n_experts, epsilon, horizon):
    """Corollary 8, with the constants of the proof of Corollary 2."""
    return corollary_2(n_actions=n_experts, epsilon=epsilon, horizon=horizon)


# 208 * 128 / 0.5 + 2 / 0.25 = 53256
BY_HAND["corollary_8"] = ({"n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 53256)


def heavy_tail(*, noise_scale):
    """Appendix D, after Definition 10: sigma^2."""
    return 2 + 4 * noise_scale**2


# 2 + 4 * 2.25 = 11
BY_HAND["heavy_tail"] = ({"noise_scale": 1.5}, 11)


def theorem_21(*, n_actions, sigma, horizon, alpha=2.0):
    """Theorem 21."""
    return 30 * sigma * n_actions ** (1 - 1 / alpha) * (horizon + 1) ** (1 / alpha)


# 30 * 1.5 * 2 * 32 = 2880
BY_HAND["theorem_21"] = ({"n_actions": 4, "sigma": 1.5, "horizon": 1023}, 2880)


def noisy_htinf(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 2, bound on R~_HTINF: Theorem 21 at the second moment of Appendix D."""
    sigma = math.sqrt(heavy_tail(noise_scale=noise_scale))
    return theorem_21(n_actions=n_actions, sigma=sigma, horizon=horizon)


# 30 * (11 * 4 * 1024) ** 0.5 = 6367.9196
BY_HAND["noisy_htinf"] = ({"n_actions": 4, "noise_scale": 1.5, "horizon": 1023}, 6367.9196)


def htinf_sigma():
    """Corollary 2, sigma."""
    return math.sqrt(6)


# 2.44948974278 = 2.44948974
BY_HAND["htinf_sigma"] = ({}, 2.44948974)


def htinf_learning_rate(*, sigma, round_):
    """Appendix D, HTINF at alpha = 2: eta_t."""
    return 1 / (sigma * math.sqrt(round_))


# 1 / (2.5 * 4) = 0.1
BY_HAND["htinf_learning_rate"] = ({"sigma": 2.5, "round_": 16}, 0.1)


def htinf_threshold():
    """Appendix D, HTINF at alpha = 2: theta = 1 - 2^(-1/3)."""
    return 1 - 2 ** (-1 / 3)


# 1 - 0.793700525984 = 0.206299474
BY_HAND["htinf_threshold"] = ({}, 0.206299474)


def htinf_skip(*, learning_rate, probability):
    """Appendix D, HTINF at alpha = 2: largest |loss| that is not skipped."""
    return htinf_threshold() * probability ** (1 / 2) / learning_rate


# 0.206299474016 * 0.4 / 0.25 = 0.330079158
BY_HAND["htinf_skip"] = ({"learning_rate": 0.25, "probability": 0.16}, 0.330079158)


def corollary_22(*, n_actions, epsilon, horizon):
    """Corollary 22."""
    root = math.sqrt(horizon * n_actions * math.log(n_actions))
    return 36 * root * math.log(n_actions * horizon) / math.sqrt(epsilon) + 4 / epsilon


# 36 * (4096 * 1.38629436112) ** 0.5 * 8.31776616672 / 0.5 + 4 / 0.25 = 45144.0851
BY_HAND["corollary_22"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 45144.0851)


def corollary_22_learning_rate(*, n_actions, epsilon, horizon):
    """Corollary 22, eta."""
    plays = epsilon * n_actions * horizon
    return math.sqrt(math.log(n_actions) / (22 * plays * math.log(plays) ** 2))


# (1.38629436112 / (22 * 1024 * 6.93147180560 ** 2)) ** 0.5 = 0.0011317251
BY_HAND["corollary_22_learning_rate"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 0.0011317251)


def corollary_22_mixing(*, n_actions, epsilon, horizon):
    """Corollary 22, gamma."""
    eta = corollary_22_learning_rate(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    return 4 * eta * n_actions * math.log(epsilon * n_actions * horizon)


# The logarithm cancels.
# 4 * (1.38629436112 / (22 * 1024)) ** 0.5 * 4 = 0.12551233
BY_HAND["corollary_22_mixing"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 0.12551233)


def corollary_22_mixing_condition(*, n_actions):
    """Corollary 22: gamma > 1 iff eps T is below this."""
    return 16 / 22 * n_actions * math.log(n_actions)


# 16 / 22 * 4 * 1.38629436112 = 4.03285632
BY_HAND["corollary_22_mixing_condition"] = ({"n_actions": 4}, 4.03285632)


def noisy_exp3(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, bound on R~_EXP3."""
    spread = 1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2
    return 2 * math.sqrt(2 * horizon * n_actions * math.log(n_actions) * spread) + 1


# 2 * (2 * 4096 * 1.38629436112 * (1 + 10 * 0.5 * 8.31776616672 ** 2)) ** 0.5 + 1 = 3970.82376
BY_HAND["noisy_exp3"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 3970.82376)


def noisy_exp3_learning_rate(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, eta."""
    spread = 1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2
    return math.sqrt(math.log(n_actions) / (2 * horizon * n_actions * spread))


# (1.38629436112 / (2 * 4096 * (1 + 10 * 4 * 8.31776616672 ** 2))) ** 0.5 = 0.000247239355
BY_HAND["noisy_exp3_learning_rate"] = ({"n_actions": 4, "noise_scale": 2.0, "horizon": 1024}, 0.000247239355)


def noisy_exp3_mixing(*, n_actions, noise_scale, horizon, learning_rate):
    """Proof of Corollary 22, gamma."""
    return 4 * learning_rate * noise_scale * n_actions * math.log(n_actions * horizon)


# 4 * 0.001 * 2 * 4 * 8.31776616672 = 0.266168517
BY_HAND["noisy_exp3_mixing"] = (
    {"n_actions": 4, "noise_scale": 2.0, "horizon": 1024, "learning_rate": 0.001},
    0.266168517,
)


def per_round_exp3(*, n_actions, epsilon, horizon):
    """Proof of Corollary 22, bound on R~_EXP3 at noise 1 / eps on every loss."""
    return noisy_exp3(n_actions=n_actions, noise_scale=1 / epsilon, horizon=horizon)


# 2 * (2 * 4096 * 1.38629436112 * (1 + 10 * 16 * 8.31776616672 ** 2)) ** 0.5 + 1 = 22426.3386
BY_HAND["per_round_exp3"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 22426.3386)


def lemma_23(*, losses, learning_rate, mixing):
    """Lemma 23, bound on the regret; losses[t][i]."""
    return (
        2 * mixing * len(losses)
        + math.log(len(losses[0])) / learning_rate
        + learning_rate * sum(loss**2 for row in losses for loss in row)
    )


# 2 * 0.25 * 3 + 0.69314718056 / 0.125 + 0.125 * (0.25 + 1 + 4 + 0.0625 + 1 + 1) = 7.95923994
BY_HAND["lemma_23"] = (
    {"losses": [[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]], "learning_rate": 0.125, "mixing": 0.25},
    7.95923994,
)


def lemma_23_mixing(*, losses, learning_rate, mixing):
    """Lemma 23, corrected: mixing cost gamma sum_t (mean_i l_t(i) - l_t(i*)); losses[t][i]."""
    best = min(sum(row[i] for row in losses) for i in range(len(losses[0])))
    cost = mixing * (sum(sum(row) / len(row) for row in losses) - best)
    return cost + lemma_23(losses=losses, learning_rate=learning_rate, mixing=0)


# Means -0.25 + 1.125 + 1 = 1.875; sums of the two columns 3.5 and 0.25.
# 0.25 * (1.875 - 0.25) + 0.69314718056 / 0.125 + 0.125 * (0.25 + 1 + 4 + 0.0625 + 1 + 1) = 6.86548994
BY_HAND["lemma_23_mixing"] = (
    {"losses": [[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]], "learning_rate": 0.125, "mixing": 0.25},
    6.86548994,
)


def corollary_24(*, n_actions, epsilon, horizon):
    """Corollary 24."""
    logs = math.log(n_actions) * math.log(n_actions * horizon)
    return 32 * math.sqrt(n_actions * horizon) * logs / math.sqrt(epsilon) + 2 / epsilon


# 32 * 64 * 1.38629436112 * 8.31776616672 / 0.5 + 2 / 0.25 = 47238.4531
BY_HAND["corollary_24"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 47238.4531)


def corollary_24_resamples(*, n_actions, epsilon, horizon):
    """Corollary 24, M rounded up."""
    return math.ceil(math.sqrt(epsilon * n_actions * horizon))


# 768 ** 0.5 = 27.7128129211, rounded up.
# 28 = 28
BY_HAND["corollary_24_resamples"] = ({"n_actions": 3, "epsilon": 0.25, "horizon": 1024}, 28)


def corollary_24_learning_rate(*, n_actions, epsilon, horizon, resamples):
    """Corollary 24, eta at a given M."""
    plays = epsilon * n_actions * horizon
    return min(
        math.sqrt(math.log(n_actions) / (plays + 10 * plays * math.log(plays) ** 2)),
        1 / (resamples * (1 + 4 * math.log(epsilon * horizon))),
    )


# First branch: (1.38629436112 / (1024 + 10240 * 6.93147180560**2)) ** 0.5 = 0.00167688, larger.
# 1 / (32 * (1 + 4 * 5.54517744448)) = 0.00134810367
BY_HAND["corollary_24_learning_rate"] = (
    {"n_actions": 4, "epsilon": 0.25, "horizon": 1024, "resamples": 32},
    0.00134810367,
)


def lemma_25(*, n_actions, noise_scale, horizon):
    """Lemma 25."""
    root = math.sqrt(n_actions * horizon)
    return 11 * noise_scale * root * math.log(n_actions) * math.log(n_actions * horizon) + 10 * root


# 11 * 0.5 * 64 * 1.38629436112 * 8.31776616672 + 10 * 64 = 4698.86706
BY_HAND["lemma_25"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 4698.86706)


def lemma_25_chain_rounded(*, n_actions, noise_scale, horizon):
    """Proof of Lemma 25, all bounds combined at M = ceil(sqrt(K T)) and eta, and 1 for the event E."""
    plays, m = n_actions * horizon, math.ceil(math.sqrt(n_actions * horizon))
    squares = plays + 10 * plays * noise_scale**2 * math.log(plays) ** 2
    eta = min(
        math.sqrt(math.log(n_actions) / squares),
        1 / (m * (1 + 4 * noise_scale * math.log(horizon))),
    )
    return 6 * math.log(n_actions) / eta + 4 * eta * squares + plays / (math.e * m) + 1


# 2048 ** 0.5 = 45.254834, rounded up 46; 1 / eta = 46 * (1 + 2 * 6.93147180560), the second branch.
# 6 * 0.69314718056 * 46 * 14.8629436112 + 4 / (46 * 14.8629436112) * (2048 + 5120 * 7.62461898616 ** 2) + 2048
# / (2.71828182846 * 46) + 1 = 4614.19006
BY_HAND["lemma_25_chain_rounded"] = ({"n_actions": 2, "noise_scale": 0.5, "horizon": 1024}, 4614.19006)


def corollary_24_chain(*, n_actions, epsilon, horizon):
    """Proof of Corollary 24, Theorem 1's (2 / eps) R~(eps T, K, 1) + 2 / eps over the proof of Lemma 25."""
    base = lemma_25_chain_rounded(n_actions=n_actions, noise_scale=1, horizon=epsilon * horizon)
    return 2 / epsilon * base + 2 / epsilon


# 1 / eta = 32 * (1 + 4 * 5.54517744448) = 32 * 23.1807097779, the second branch.
# 8 * (6 * 1.38629436112 * 32 * 23.1807097779 + 4 / (32 * 23.1807097779) * (1024 + 10240 * 6.93147180560 ** 2) +
# 32 / 2.71828182846 + 1) + 8 = 70738.0021
BY_HAND["corollary_24_chain"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 70738.0021)


def lemma_26(*, losses, laws, learning_rate):
    """Lemma 26, bound on the regret; losses[t][j], laws[t][j]."""
    return math.log(len(losses[0])) / learning_rate + learning_rate * sum(
        p * loss**2 for row, law in zip(losses, laws, strict=True) for loss, p in zip(row, law, strict=True)
    )


# 0.69314718056 / 0.125 + 0.125 * (0.125 + 0.5 + 1 + 0.1875) = 5.77173994
BY_HAND["lemma_26"] = (
    {"losses": [[0.5, -1.0], [2.0, 0.5]], "laws": [[0.5, 0.5], [0.25, 0.75]], "learning_rate": 0.125},
    5.77173994,
)


def theorem_9(*, n_actions, n_experts, epsilon, horizon):
    """Proof of Theorem 9, last two displays."""
    root = math.sqrt(horizon * n_actions * math.log(n_experts))
    return 16 * root * math.log(n_actions * horizon) / epsilon + 1


# 16 * (4096 * 2.77258872224) ** 0.5 * 8.31776616672 / 0.25 + 1 = 56730.5556
BY_HAND["theorem_9"] = ({"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 56730.5556)


def theorem_9_chain(*, n_actions, n_experts, epsilon, horizon):
    """Proof of Theorem 9, log(N) / eta + 3 eta K T (1 + 10 log^2(K T) / eps^2) + 1 at its eta."""
    spread = 1 + 10 * math.log(n_actions * horizon) ** 2 / epsilon**2
    return 2 * math.sqrt(3 * horizon * n_actions * math.log(n_experts) * spread) + 1


# 2 * (3 * 4096 * 2.77258872224 * (1 + 160 * 8.31776616672 ** 2)) ** 0.5 + 1 = 38842.8259
BY_HAND["theorem_9_chain"] = ({"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 38842.8259)


def local_exp4_tuning(*, n_actions, n_experts, epsilon, horizon):
    """Theorem 9 and Algorithm 6: eta, gamma, batch and noise scale."""
    log = math.log(n_actions * horizon)
    eta = math.sqrt(math.log(n_experts) / (3 * horizon * n_actions * (1 + 10 * log**2 / epsilon**2)))
    return eta, 4 * eta * n_actions * log / epsilon, 1, 1 / epsilon


# (2.77258872224 / (3 * 4096 * (1 + 160 * 8.31776616672 ** 2))) ** 0.5 and 4 * (2.77258872224 / (3 * 4096 * (1 +
# 160 * 8.31776616672 ** 2))) ** 0.5 * 4 * 8.31776616672 / 0.25 and 1 and 1 / 0.25 = 0.000142763048 and
# 0.0759980575 and 1 and 4
BY_HAND["local_exp4_tuning"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024},
    (0.000142763048, 0.0759980575, 1, 4),
)


def theorem_10_terms(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, the two terms of the second last display without constants."""
    size, logs = n_experts * math.log(1 / delta), math.log(n_experts * horizon) * math.log(n_experts)
    return (
        size ** (1 / 6) * n_actions ** (1 / 2) * logs ** (1 / 3) * horizon ** (2 / 3) / epsilon ** (1 / 3),
        size ** (1 / 3) * n_actions ** (1 / 2) * logs ** (2 / 3) * horizon ** (1 / 3) / epsilon ** (2 / 3),
    )


# log(1 / delta) = 20 * 0.69314718056 and log(N T) = 34 * 0.69314718056 = 23.5670041390.
# (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 and (16 *
# 13.8629436112) ** (1 / 3) * 2 * (23.5670041390 * 2.77258872224) ** (2 / 3) * 1024 / 0.25 = 41564167.7 and
# 804467.142
BY_HAND["theorem_10_terms"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    (41564167.7, 804467.142),
)


def theorem_10(**setting):
    """Proof of Theorem 10, corrected: 95 and 12."""
    first, second = theorem_10_terms(**setting)
    return 95 * first + 12 * second


# 95 * (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 + 12 *
# (16 * 13.8629436112) ** (1 / 3) * 2 * (23.5670041390 * 2.77258872224) ** (2 / 3) * 1024 / 0.25 =
# 3.95824953e+09
BY_HAND["theorem_10"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    3.95824953e09,
)


def theorem_10_printed(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, last display as printed."""
    size, logs = n_experts * math.log(1 / delta), math.log(n_experts * horizon) * math.log(n_experts)
    first = size ** (1 / 6) * n_actions ** (1 / 2) * horizon ** (2 / 3) * logs ** (1 / 3) / epsilon ** (1 / 3)
    return 100 * first + size ** (1 / 2) * logs / epsilon


# 100 * (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 + (16 *
# 13.8629436112) ** 0.5 * 23.5670041390 * 2.77258872224 / 0.125 = 4.15642455e+09
BY_HAND["theorem_10_printed"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    4.15642455e09,
)


def theorem_10_chain(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, mixing, batch):
    """Proof of Theorem 10, with 3 tau log(N) / eta."""
    noise = n_experts * math.log(1 / delta) * math.log(n_experts * horizon) ** 2
    spread = 90 * learning_rate * horizon * n_actions**2 * noise / (epsilon**2 * mixing**2 * batch**2)
    code = 3 * batch * math.log(n_experts) / learning_rate
    return code + mixing * horizon + learning_rate * horizon * n_actions + spread


# 3 * 1024 * 2.77258872224 / 0.01 + 0.125 * 65536 + 0.01 * 65536 * 4 + 90 * 0.01 * 65536 * 16 * 16 *
# 6.93147180560 * 13.8629436112 ** 2 / (0.0625 * 0.015625 * 1048576) = 20505145.9
BY_HAND["theorem_10_chain"] = (
    {
        "n_actions": 4,
        "n_experts": 16,
        "epsilon": 0.25,
        "delta": 0.0009765625,
        "horizon": 65536,
        "learning_rate": 0.01,
        "mixing": 0.125,
        "batch": 1024,
    },
    20505145.9,
)


def batched_exp4_noise(*, n_actions, n_experts, epsilon, delta, mixing, batch):
    """Algorithm 2, noise scale."""
    return 3 * n_actions * math.sqrt(n_experts * math.log(1 / delta)) / (mixing * batch * epsilon)


# 3 * 4 * (16 * 6.93147180560) ** 0.5 / (0.125 * 1024 * 0.25) = 3.94915327
BY_HAND["batched_exp4_noise"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "delta": 0.0009765625, "mixing": 0.125, "batch": 1024},
    3.94915327,
)


def batched_exp4_tuning(*, n_actions, n_experts, epsilon, delta, horizon, calibration="corrected"):
    """Theorem 10 and Algorithm 2, tau rounded up before gamma: eta, gamma, tau and noise scale."""
    size, log = n_experts * math.log(1 / delta), math.log(n_experts * horizon)
    eta = size ** (1 / 6) * (log * math.log(n_experts) / (horizon * epsilon)) ** (1 / 3) / n_actions ** (1 / 2)
    tau = math.ceil(size ** (1 / 3) * (log**2 * horizon / (epsilon**2 * math.log(n_experts))) ** (1 / 3))
    inside = n_experts if calibration == "printed" else size
    gamma = max(
        (eta * inside) ** (1 / 3) * (n_actions * log / (epsilon * tau)) ** (2 / 3),
        12 * eta * n_actions * math.sqrt(size) * log / (epsilon * tau),
    )
    sizes = {"n_actions": n_actions, "n_experts": n_experts, "epsilon": epsilon, "delta": delta}
    return eta, gamma, tau, batched_exp4_noise(**sizes, mixing=gamma, batch=tau)


# tau = (64 * 13.8629436112) ** (1 / 3) * 24.9532985002 ** (2 / 3) * 1024 / (0.25 * 4.15888308336 ** (1 / 3))
# = 208992.88, rounded up; the second branch of gamma is 0.0194276, smaller.
# (64 * 13.8629436112) ** (1 / 6) * (24.9532985002 * 4.15888308336) ** (1 / 3) / 1024 and (0.0142257172653 * 64
# * 13.8629436112 * 16) ** (1 / 3) * 24.9532985002 ** (2 / 3) / (0.25 * 208993 ** (2 / 3)) and 208993 and 12 *
# (64 * 13.8629436112) ** 0.5 / (0.0569028477026 * 208993 * 0.125) = 0.0142257173 and 0.0569028477 and 208993
# and 0.240449128
BY_HAND["batched_exp4_tuning"] = (
    {"n_actions": 4, "n_experts": 64, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    (0.0142257173, 0.0569028477, 208993, 0.240449128),
)


def algorithm_2_epsilon(*, epsilon, delta):
    """Proof of privacy in Theorem 10, Lemma 15 over N Laplace releases at Algorithm 2's noise scale."""
    return epsilon**2 / (6 * math.log(1 / delta)) + epsilon * math.sqrt(6) / 3


# 0.25 / (6 * 6.93147180560) + 0.5 * 2.44948974278 / 3 = 0.41425952
BY_HAND["algorithm_2_epsilon"] = ({"epsilon": 0.5, "delta": 0.0009765625}, 0.41425952)


def lemma_11(*, fraction, delay, pulls, epsilon, horizon):
    """Lemma 11."""
    return max(
        fraction * horizon / 4,
        (1 - 1 / 2 * math.exp(epsilon * pulls)) * pulls / (4 * fraction) - delay / 2,
    )


# The first term is 1.6384, smaller.
# (1 - 0.5 * 1.6487212707) * 4 / 0.0004 - 8 = 1748.39365
BY_HAND["lemma_11"] = (
    {"fraction": 0.0001, "delay": 16, "pulls": 4, "epsilon": 0.125, "horizon": 65536},
    1748.39365,
)


def figure_1_limits(*, mixing):
    """Appendix G.1, limits of P_t(2) on the two sequences."""
    return 1 - mixing / 2, mixing / 2


# 1 - 0.00005 and 0.00005 = 0.99995 and 5e-05
BY_HAND["figure_1_limits"] = ({"mixing": 0.0001}, (0.99995, 5e-05))


def figure_1(*, learning_rate, mixing, rounds, first_loss):
    """Appendix G.1, listing: P_t(2) of every round; the first sequence has first_loss 0, the second 1."""
    w_1, w_2, history = 1.0, 1.0, []
    for t in range(rounds):
        p_2 = (1 - mixing) * (w_2 / (w_2 + w_1)) + mixing / 2
        history.append(p_2)
        if t == 0:
            w_2 = w_2 * math.exp(-first_loss * learning_rate / p_2)
        elif t % 2 == 0:
            w_2 = w_2 * math.exp(-1 * learning_rate / p_2)
        else:
            w_1 = w_1 * math.exp(-1 * learning_rate / (1 - p_2))
    return tuple(history)


# 0.5 and 0.875 * 0.60653065971 / 1.60653065971 + 0.0625 = 0.5 and 0.392848085
BY_HAND["figure_1"] = (
    {"learning_rate": 0.25, "mixing": 0.125, "rounds": 2, "first_loss": 1.0},
    (0.5, 0.392848085),
)


def lemma_15(*, epsilons, delta):
    """Lemma 15."""
    return 3 / 2 * sum(e**2 for e in epsilons) + math.sqrt(6 * sum(e**2 for e in epsilons) * math.log(1 / delta))


# 1.5 * 0.328125 + (6 * 0.328125 * 6.93147180560) ** 0.5 = 4.18628213
BY_HAND["lemma_15"] = ({"epsilons": [0.125, 0.25, 0.5], "delta": 0.0009765625}, 4.18628213)


def lemma_20(*, size, horizon, factor=10.0):
    """Lemma 20, exact probability."""
    return 1 - (1 - (size * horizon) ** -math.sqrt(factor)) ** (size * horizon)


# 1 - (1 - exp(-3.16227766017 * 2.77258872224)) ** 16 = 0.00248800498
BY_HAND["lemma_20"] = ({"size": 4, "horizon": 4}, 0.00248800498)
