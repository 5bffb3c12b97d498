"""Formulas of Asi, Raman & Talwar (2025), "Faster Rates for Private Adversarial Bandits"."""

import math

BY_HAND: dict[str, tuple[dict[str, object], object]] = {}


def theorem_1(*, base_regret, batch_size):
    """Theorem 1, first bound."""
    return batch_size * base_regret + batch_size


# 4 * 12.5 + 4 = 54
BY_HAND["theorem_1"] = ({"base_regret": 12.5, "batch_size": 4}, 54)


def theorem_1_epsilon(*, base_regret, epsilon):
    """Theorem 1, second bound; base_regret at eps T rounds and noise 1."""
    return 2 / epsilon * base_regret + 2 / epsilon


# 2 / 0.25 * 12.5 + 2 / 0.25 = 108
BY_HAND["theorem_1_epsilon"] = ({"base_regret": 12.5, "epsilon": 0.25}, 108)


def theorem_1_base(*, epsilon, horizon, batch_size):
    """Theorem 1, first bound: rounds and noise scale of the base learner."""
    return horizon / batch_size, 1 / (epsilon * batch_size)


# 1024 / 4 and 1 / 1.2 = 256 and 0.833333333
BY_HAND["theorem_1_base"] = ({"epsilon": 0.3, "horizon": 1024, "batch_size": 4}, (256, 0.833333333))


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


def corollary_2_chain(*, n_actions, epsilon, horizon):
    """Proof of Corollary 2, left side of the last display."""
    return 2 / epsilon * 30 * math.sqrt((2 + 4 * 1**2) * n_actions * (epsilon * horizon + 1)) + 2 / epsilon


# 2 / 0.25 * 30 * (6 * 4 * 257) ** 0.5 + 2 / 0.25 = 18856.7878
BY_HAND["corollary_2_chain"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 18856.7878)


def corollary_2_constants():
    """Corollary 2: 60 sqrt(12); with second moment 1 + 2 lambda^2 (or eps T >> 1); with both."""
    return 60 * math.sqrt(12), 60 * math.sqrt(6), 60 * math.sqrt(3)


# 60 * 3.46410161514 and 60 * 2.44948974278 and 60 * 1.73205080757 = 207.846097 and 146.969385 and 103.923048
BY_HAND["corollary_2_constants"] = ({}, (207.846097, 146.969385, 103.923048))


def corollary_8(*, n_experts, epsilon, horizon):
    """Corollary 8, with the constants of the proof of Corollary 2."""
    return 208 * math.sqrt(horizon * n_experts) / math.sqrt(epsilon) + 2 / epsilon


# 208 * 128 / 0.5 + 2 / 0.25 = 53256
BY_HAND["corollary_8"] = ({"n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 53256)


def heavy_tail(*, noise_scale):
    """Appendix D, after Definition 10: sigma^2."""
    return 2 + 4 * noise_scale**2


# 2 + 4 * 2.25 = 11
BY_HAND["heavy_tail"] = ({"noise_scale": 1.5}, 11)


def heavy_tail_corrected(*, noise_scale):
    """Appendix D, after Definition 10: largest second moment, corrected."""
    return 1 + 2 * noise_scale**2


# 1 + 2 * 2.25 = 5.5
BY_HAND["heavy_tail_corrected"] = ({"noise_scale": 1.5}, 5.5)


def theorem_21(*, n_actions, sigma, horizon, alpha=2.0):
    """Theorem 21."""
    return 30 * sigma * n_actions ** (1 - 1 / alpha) * (horizon + 1) ** (1 / alpha)


# 30 * 1.5 * 2 * 32 = 2880
BY_HAND["theorem_21"] = ({"n_actions": 4, "sigma": 1.5, "horizon": 1023}, 2880)


def noisy_htinf(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 2, bound on R~_HTINF."""
    return 30 * math.sqrt((2 + 4 * noise_scale**2) * n_actions * (horizon + 1))


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


def htinf_probability(*, learning_rate, loss, normaliser):
    """Appendix D, HTINF at alpha = 2: x_i."""
    return (learning_rate * (loss - normaliser)) ** -2


# 1 / 4 = 0.25
BY_HAND["htinf_probability"] = ({"learning_rate": 0.25, "loss": 3.0, "normaliser": -5.0}, 0.25)


def htinf_skip(*, learning_rate, probability):
    """Appendix D, HTINF at alpha = 2: largest |loss| that is not skipped."""
    return (1 - 2 ** (-1 / 3)) * probability ** (1 / 2) / learning_rate


# 0.206299474016 * 0.4 / 0.25 = 0.330079158
BY_HAND["htinf_skip"] = ({"learning_rate": 0.25, "probability": 0.16}, 0.330079158)


def corollary_22(*, n_actions, epsilon, horizon):
    """Corollary 22."""
    return (
        36
        * math.sqrt(horizon * n_actions * math.log(n_actions))
        * math.log(n_actions * horizon)
        / math.sqrt(epsilon)
        + 4 / epsilon
    )


# 36 * (4096 * 1.38629436112) ** 0.5 * 8.31776616672 / 0.5 + 4 / 0.25 = 45144.0851
BY_HAND["corollary_22"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 45144.0851)


def corollary_22_learning_rate(*, n_actions, epsilon, horizon):
    """Corollary 22, eta."""
    return math.sqrt(
        math.log(n_actions) / (22 * epsilon * n_actions * horizon * math.log(epsilon * n_actions * horizon) ** 2)
    )


# (1.38629436112 / (22 * 1024 * 6.93147180560 ** 2)) ** 0.5 = 0.0011317251
BY_HAND["corollary_22_learning_rate"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 0.0011317251)


def corollary_22_mixing(*, n_actions, epsilon, horizon):
    """Corollary 22, gamma."""
    return (
        4
        * math.sqrt(
            math.log(n_actions)
            / (22 * epsilon * n_actions * horizon * math.log(epsilon * n_actions * horizon) ** 2)
        )
        * n_actions
        * math.log(epsilon * n_actions * horizon)
    )


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
    return (
        2
        * math.sqrt(
            2
            * horizon
            * n_actions
            * math.log(n_actions)
            * (1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2)
        )
        + 1
    )


# 2 * (2 * 4096 * 1.38629436112 * (1 + 10 * 0.5 * 8.31776616672 ** 2)) ** 0.5 + 1 = 3970.82376
BY_HAND["noisy_exp3"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 3970.82376)


def noisy_exp3_learning_rate(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, eta."""
    return math.sqrt(
        math.log(n_actions)
        / (
            2
            * horizon
            * n_actions
            * (1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2)
        )
    )


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


def noisy_exp3_mixing_tuned(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, gamma at that eta."""
    return (
        4
        * math.sqrt(
            math.log(n_actions)
            / (
                2
                * horizon
                * n_actions
                * (1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2)
            )
        )
        * noise_scale
        * n_actions
        * math.log(n_actions * horizon)
    )


# 4 * (1.38629436112 / (2 * 4096 * (1 + 10 * 4 * 8.31776616672 ** 2))) ** 0.5 * 2 * 4 * 8.31776616672 =
# 0.0658073326
BY_HAND["noisy_exp3_mixing_tuned"] = ({"n_actions": 4, "noise_scale": 2.0, "horizon": 1024}, 0.0658073326)


def noisy_exp3_untuned(*, n_actions, noise_scale, horizon, learning_rate, mixing):
    """Proof of Corollary 22, before gamma and eta are put in."""
    return (
        2 * mixing * horizon
        + math.log(n_actions) / learning_rate
        + 2 * learning_rate * horizon * n_actions * (1 + 10 * noise_scale**2 * math.log(n_actions * horizon) ** 2)
        + 1
    )


# 2 * 0.125 * 1024 + 1.38629436112 / 0.001 + 2 * 0.001 * 4096 * (1 + 10 * 4 * 8.31776616672 ** 2) + 1 = 24322.1038
BY_HAND["noisy_exp3_untuned"] = (
    {"n_actions": 4, "noise_scale": 2.0, "horizon": 1024, "learning_rate": 0.001, "mixing": 0.125},
    24322.1038,
)


def noisy_exp3_mixed(*, n_actions, noise_scale, horizon, learning_rate):
    """Proof of Corollary 22, with gamma and the term 8 eta lambda K T log(K T)."""
    return (
        8 * learning_rate * noise_scale * n_actions * horizon * math.log(n_actions * horizon)
        + math.log(n_actions) / learning_rate
        + 2 * learning_rate * horizon * n_actions * (1 + 10 * noise_scale**2 * math.log(n_actions * horizon) ** 2)
        + 1
    )


# 8 * 0.001 * 2 * 4096 * 8.31776616672 + 1.38629436112 / 0.001 + 2 * 0.001 * 4096 * (1 + 10 * 4 * 8.31776616672
# ** 2) + 1 = 24611.217
BY_HAND["noisy_exp3_mixed"] = (
    {"n_actions": 4, "noise_scale": 2.0, "horizon": 1024, "learning_rate": 0.001},
    24611.217,
)


def corollary_22_chain(*, n_actions, epsilon, horizon):
    """Proof of Corollary 22, left side of the last display."""
    return (
        2
        / epsilon
        * (
            2
            * math.sqrt(
                2
                * epsilon
                * horizon
                * n_actions
                * math.log(n_actions)
                * (1 + 10 * math.log(n_actions * epsilon * horizon) ** 2)
            )
            + 1
        )
        + 2 / epsilon
    )


# 8 * (2 * (2 * 1024 * 1.38629436112 * (1 + 10 * 6.93147180560 ** 2)) ** 0.5 + 1) + 8 = 18722.3752
BY_HAND["corollary_22_chain"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 18722.3752)


def per_round_exp3(*, n_actions, epsilon, horizon):
    """Proof of Corollary 22, bound on R~_EXP3 at noise 1 / eps on every loss."""
    return (
        2
        * math.sqrt(
            2
            * horizon
            * n_actions
            * math.log(n_actions)
            * (1 + 10 * max(1 / epsilon**2, 1 / epsilon) * math.log(n_actions * horizon) ** 2)
        )
        + 1
    )


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
    return (
        mixing * (sum(sum(row) / len(row) for row in losses) - best)
        + math.log(len(losses[0])) / learning_rate
        + learning_rate * sum(loss**2 for row in losses for loss in row)
    )


# Means -0.25 + 1.125 + 1 = 1.875; sums of the two columns 3.5 and 0.25.
# 0.25 * (1.875 - 0.25) + 0.69314718056 / 0.125 + 0.125 * (0.25 + 1 + 4 + 0.0625 + 1 + 1) = 6.86548994
BY_HAND["lemma_23_mixing"] = (
    {"losses": [[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]], "learning_rate": 0.125, "mixing": 0.25},
    6.86548994,
)


def corollary_24(*, n_actions, epsilon, horizon):
    """Corollary 24."""
    return (
        32
        * math.sqrt(n_actions * horizon)
        * math.log(n_actions)
        * math.log(n_actions * horizon)
        / math.sqrt(epsilon)
        + 2 / epsilon
    )


# 32 * 64 * 1.38629436112 * 8.31776616672 / 0.5 + 2 / 0.25 = 47238.4531
BY_HAND["corollary_24"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 47238.4531)


def corollary_24_corrected(*, n_actions, epsilon, horizon):
    """Corollary 24, with the constant 78 that the displayed chain supports."""
    return (
        78
        * math.sqrt(n_actions * horizon)
        * math.log(n_actions)
        * math.log(n_actions * horizon)
        / math.sqrt(epsilon)
        + 2 / epsilon
    )


# 78 * 64 * 1.38629436112 * 8.31776616672 / 0.5 + 2 / 0.25 = 115132.229
BY_HAND["corollary_24_corrected"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 115132.229)


def corollary_24_middle(*, n_actions, epsilon, horizon):
    """Proof of Corollary 24, second line of the last display as printed."""
    return (
        22
        / epsilon
        * math.sqrt(n_actions * epsilon * horizon)
        * math.log(n_actions)
        * math.log(n_actions * horizon)
        + 10 * math.sqrt(n_actions * horizon)
        + 2 / epsilon
    )


# 22 / 0.25 * 32 * 1.38629436112 * 8.31776616672 + 10 * 64 + 2 / 0.25 = 33118.9365
BY_HAND["corollary_24_middle"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 33118.9365)


def corollary_24_resamples_printed(*, n_actions, epsilon, horizon):
    """Corollary 24, M."""
    return math.sqrt(epsilon * n_actions * horizon)


# 768 ** 0.5 = 27.7128129
BY_HAND["corollary_24_resamples_printed"] = ({"n_actions": 3, "epsilon": 0.25, "horizon": 1024}, 27.7128129)


def corollary_24_resamples(*, n_actions, epsilon, horizon):
    """Corollary 24, M rounded up."""
    return math.ceil(math.sqrt(epsilon * n_actions * horizon))


# 768 ** 0.5 = 27.7128129211, rounded up.
# 28 = 28
BY_HAND["corollary_24_resamples"] = ({"n_actions": 3, "epsilon": 0.25, "horizon": 1024}, 28)


def corollary_24_learning_rate(*, n_actions, epsilon, horizon, resamples):
    """Corollary 24, eta at a given M."""
    return min(
        math.sqrt(
            math.log(n_actions)
            / (
                epsilon * n_actions * horizon
                + 10 * epsilon * n_actions * horizon * math.log(epsilon * n_actions * horizon) ** 2
            )
        ),
        1 / (resamples * (1 + 4 * math.log(epsilon * horizon))),
    )


# First branch: (1.38629436112 / (1024 + 10240 * 6.93147180560**2)) ** 0.5 = 0.00167688, larger.
# 1 / (32 * (1 + 4 * 5.54517744448)) = 0.00134810367
BY_HAND["corollary_24_learning_rate"] = (
    {"n_actions": 4, "epsilon": 0.25, "horizon": 1024, "resamples": 32},
    0.00134810367,
)


def corollary_24_learning_rate_first(*, n_actions, epsilon, horizon):
    """Corollary 24, eta, first branch."""
    return math.sqrt(
        math.log(n_actions)
        / (
            epsilon * n_actions * horizon
            + 10 * epsilon * n_actions * horizon * math.log(epsilon * n_actions * horizon) ** 2
        )
    )


# (1.38629436112 / (1024 + 10 * 1024 * 6.93147180560 ** 2)) ** 0.5 = 0.00167687541
BY_HAND["corollary_24_learning_rate_first"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 0.00167687541)


def lemma_25(*, n_actions, noise_scale, horizon):
    """Lemma 25."""
    return 11 * noise_scale * math.sqrt(n_actions * horizon) * math.log(n_actions) * math.log(
        n_actions * horizon
    ) + 10 * math.sqrt(n_actions * horizon)


# 11 * 0.5 * 64 * 1.38629436112 * 8.31776616672 + 10 * 64 = 4698.86706
BY_HAND["lemma_25"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 4698.86706)


def lemma_25_learning_rate(*, n_actions, noise_scale, horizon, resamples):
    """Lemma 25, eta at a given M."""
    return min(
        math.sqrt(
            math.log(n_actions)
            / (
                n_actions * horizon
                + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2
            )
        ),
        1 / (resamples * (1 + 4 * noise_scale * math.log(horizon))),
    )


# First branch: (1.38629436112 / (4096 + 10240 * 8.31776616672**2)) ** 0.5 = 0.00139482, larger.
# 1 / (64 * (1 + 2 * 6.93147180560)) = 0.00105127224
BY_HAND["lemma_25_learning_rate"] = (
    {"n_actions": 4, "noise_scale": 0.5, "horizon": 1024, "resamples": 64},
    0.00105127224,
)


def lemma_25_untuned(*, n_actions, noise_scale, horizon, learning_rate, resamples):
    """Proof of Lemma 25, all bounds combined, and 1 for the event E."""
    return (
        6 * math.log(n_actions) / learning_rate
        + 4
        * learning_rate
        * (n_actions * horizon + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2)
        + n_actions * horizon / (math.e * resamples)
        + 1
    )


# 6 * 1.38629436112 / 0.001 + 4 * 0.001 * (4096 + 10 * 4096 * 0.25 * 8.31776616672 ** 2) + 4096 / (2.71828182846
# * 64) + 1 = 11192.5216
BY_HAND["lemma_25_untuned"] = (
    {"n_actions": 4, "noise_scale": 0.5, "horizon": 1024, "learning_rate": 0.001, "resamples": 64},
    11192.5216,
)


def lemma_25_chain(*, n_actions, noise_scale, horizon):
    """Proof of Lemma 25, all bounds combined at M = sqrt(K T) and eta, and 1 for the event E."""
    eta = min(
        math.sqrt(
            math.log(n_actions)
            / (
                n_actions * horizon
                + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2
            )
        ),
        1 / (math.sqrt(n_actions * horizon) * (1 + 4 * noise_scale * math.log(horizon))),
    )
    return (
        6 * math.log(n_actions) / eta
        + 4
        * eta
        * (n_actions * horizon + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2)
        + n_actions * horizon / (math.e * math.sqrt(n_actions * horizon))
        + 1
    )


# 1 / eta = 64 * (1 + 2 * 6.93147180560), the second branch.
# 6 * 1.38629436112 * 64 * 14.8629436112 + 4 / (64 * 14.8629436112) * (4096 + 10240 * 8.31776616672 ** 2) + 64 /
# 2.71828182846 + 1 = 10932.9875
BY_HAND["lemma_25_chain"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 10932.9875)


def lemma_25_chain_rounded(*, n_actions, noise_scale, horizon):
    """Proof of Lemma 25, all bounds combined at M = ceil(sqrt(K T)) and eta, and 1 for the event E."""
    m = math.ceil(math.sqrt(n_actions * horizon))
    eta = min(
        math.sqrt(
            math.log(n_actions)
            / (
                n_actions * horizon
                + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2
            )
        ),
        1 / (m * (1 + 4 * noise_scale * math.log(horizon))),
    )
    return (
        6 * math.log(n_actions) / eta
        + 4
        * eta
        * (n_actions * horizon + 10 * n_actions * horizon * noise_scale**2 * math.log(n_actions * horizon) ** 2)
        + n_actions * horizon / (math.e * m)
        + 1
    )


# 2048 ** 0.5 = 45.254834, rounded up 46; 1 / eta = 46 * (1 + 2 * 6.93147180560), the second branch.
# 6 * 0.69314718056 * 46 * 14.8629436112 + 4 / (46 * 14.8629436112) * (2048 + 5120 * 7.62461898616 ** 2) + 2048
# / (2.71828182846 * 46) + 1 = 4614.19006
BY_HAND["lemma_25_chain_rounded"] = ({"n_actions": 2, "noise_scale": 0.5, "horizon": 1024}, 4614.19006)


def lemma_25_last(*, n_actions, noise_scale, horizon):
    """Proof of Lemma 25, last display."""
    return (
        10 * noise_scale * math.sqrt(n_actions * horizon) * math.log(n_actions) * math.log(n_actions * horizon)
        + 10 * math.sqrt(n_actions * horizon)
        + 1
    )


# 10 * 0.5 * 64 * 1.38629436112 * 8.31776616672 + 10 * 64 + 1 = 4330.87915
BY_HAND["lemma_25_last"] = ({"n_actions": 4, "noise_scale": 0.5, "horizon": 1024}, 4330.87915)


def lemma_25_second_branch(*, n_actions, horizon):
    """Proof of Lemma 25, first term at the second branch of eta and lambda = 1."""
    return 6 * math.log(n_actions) * (1 + 4 * math.log(horizon)) * math.sqrt(n_actions * horizon)


# 6 * 1.38629436112 * (1 + 4 * 6.93147180560) * 64 = 15291.8536
BY_HAND["lemma_25_second_branch"] = ({"n_actions": 4, "horizon": 1024}, 15291.8536)


def corollary_24_chain(*, n_actions, epsilon, horizon):
    """Proof of Corollary 24, Theorem 1's (2 / eps) R~(eps T, K, 1) + 2 / eps over the proof of Lemma 25."""
    t = epsilon * horizon
    eta = min(
        math.sqrt(math.log(n_actions) / (n_actions * t + 10 * n_actions * t * math.log(n_actions * t) ** 2)),
        1 / (math.sqrt(n_actions * t) * (1 + 4 * math.log(t))),
    )
    return (
        2
        / epsilon
        * (
            6 * math.log(n_actions) / eta
            + 4 * eta * (n_actions * t + 10 * n_actions * t * math.log(n_actions * t) ** 2)
            + n_actions * t / (math.e * math.sqrt(n_actions * t))
            + 1
        )
        + 2 / epsilon
    )


# 1 / eta = 32 * (1 + 4 * 5.54517744448) = 32 * 23.1807097779, the second branch.
# 8 * (6 * 1.38629436112 * 32 * 23.1807097779 + 4 / (32 * 23.1807097779) * (1024 + 10240 * 6.93147180560 ** 2) +
# 32 / 2.71828182846 + 1) + 8 = 70738.0021
BY_HAND["corollary_24_chain"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 70738.0021)


def corollary_24_chain_batched(*, n_actions, epsilon, horizon):
    """Proof of Corollary 24, Theorem 1's tau R~(T / tau, K, 1 / (eps tau)) + tau over the proof of Lemma 25."""
    tau = math.ceil(1 / epsilon)
    t = horizon / tau
    noise = 1 / (epsilon * tau)
    eta = min(
        math.sqrt(
            math.log(n_actions) / (n_actions * t + 10 * n_actions * t * noise**2 * math.log(n_actions * t) ** 2)
        ),
        1 / (math.sqrt(n_actions * t) * (1 + 4 * noise * math.log(t))),
    )
    return (
        tau
        * (
            6 * math.log(n_actions) / eta
            + 4 * eta * (n_actions * t + 10 * n_actions * t * noise**2 * math.log(n_actions * t) ** 2)
            + n_actions * t / (math.e * math.sqrt(n_actions * t))
            + 1
        )
        + tau
    )


# tau = 4, 256 rounds, noise 1.
# 4 * (6 * 1.38629436112 * 32 * 23.1807097779 + 4 / (32 * 23.1807097779) * (1024 + 10240 * 6.93147180560 ** 2) +
# 32 / 2.71828182846 + 1) + 4 = 35369.0011
BY_HAND["corollary_24_chain_batched"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 35369.0011)


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
    return 16 * math.sqrt(horizon * n_actions * math.log(n_experts)) * math.log(n_actions * horizon) / epsilon + 1


# 16 * (4096 * 2.77258872224) ** 0.5 * 8.31776616672 / 0.25 + 1 = 56730.5556
BY_HAND["theorem_9"] = ({"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 56730.5556)


def theorem_9_chain(*, n_actions, n_experts, epsilon, horizon):
    """Proof of Theorem 9, log(N) / eta + 3 eta K T (1 + 10 log^2(K T) / eps^2) + 1 at its eta."""
    return (
        2
        * math.sqrt(
            3
            * horizon
            * n_actions
            * math.log(n_experts)
            * (1 + 10 * math.log(n_actions * horizon) ** 2 / epsilon**2)
        )
        + 1
    )


# 2 * (3 * 4096 * 2.77258872224 * (1 + 160 * 8.31776616672 ** 2)) ** 0.5 + 1 = 38842.8259
BY_HAND["theorem_9_chain"] = ({"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024}, 38842.8259)


def theorem_9_mixed(*, n_actions, n_experts, epsilon, horizon, learning_rate):
    """Proof of Theorem 9, with gamma put in, and 1 for the event E."""
    return (
        math.log(n_experts) / learning_rate
        + 4 * learning_rate * n_actions * horizon * math.log(n_actions * horizon) / epsilon
        + 2 * learning_rate * n_actions * horizon * (1 + 10 * math.log(n_actions * horizon) ** 2 / epsilon**2)
        + 1
    )


# 2.77258872224 / 0.001 + 4 * 0.001 * 4096 * 8.31776616672 / 0.25 + 2 * 0.001 * 4096 * (1 + 160 * 8.31776616672
# ** 2) + 1 = 94009.3638
BY_HAND["theorem_9_mixed"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024, "learning_rate": 0.001},
    94009.3638,
)


def local_exp4_learning_rate(*, n_actions, n_experts, epsilon, horizon):
    """Theorem 9, eta."""
    return math.sqrt(
        math.log(n_experts)
        / (3 * horizon * n_actions * (1 + 10 * math.log(n_actions * horizon) ** 2 / epsilon**2))
    )


# (2.77258872224 / (3 * 4096 * (1 + 160 * 8.31776616672 ** 2))) ** 0.5 = 0.000142763048
BY_HAND["local_exp4_learning_rate"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024},
    0.000142763048,
)


def local_exp4_tuning(*, n_actions, n_experts, epsilon, horizon):
    """Theorem 9 and Algorithm 6: eta, gamma, batch and noise scale."""
    eta = math.sqrt(
        math.log(n_experts)
        / (3 * horizon * n_actions * (1 + 10 * math.log(n_actions * horizon) ** 2 / epsilon**2))
    )
    return eta, 4 * eta * n_actions * math.log(n_actions * horizon) / epsilon, 1, 1 / epsilon


# (2.77258872224 / (3 * 4096 * (1 + 160 * 8.31776616672 ** 2))) ** 0.5 and 4 * (2.77258872224 / (3 * 4096 * (1 +
# 160 * 8.31776616672 ** 2))) ** 0.5 * 4 * 8.31776616672 / 0.25 and 1 and 1 / 0.25 = 0.000142763048 and
# 0.0759980575 and 1 and 4
BY_HAND["local_exp4_tuning"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.25, "horizon": 1024},
    (0.000142763048, 0.0759980575, 1, 4),
)


def theorem_10_terms(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, the two terms of the second last display without constants."""
    return (
        (n_experts * math.log(1 / delta)) ** (1 / 6)
        * n_actions ** (1 / 2)
        * math.log(n_experts * horizon) ** (1 / 3)
        * math.log(n_experts) ** (1 / 3)
        * horizon ** (2 / 3)
        / epsilon ** (1 / 3),
        (n_experts * math.log(1 / delta)) ** (1 / 3)
        * n_actions ** (1 / 2)
        * math.log(n_experts * horizon) ** (2 / 3)
        * math.log(n_experts) ** (2 / 3)
        * horizon ** (1 / 3)
        / epsilon ** (2 / 3),
    )


# log(1 / delta) = 20 * 0.69314718056 and log(N T) = 34 * 0.69314718056 = 23.5670041390.
# (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 and (16 *
# 13.8629436112) ** (1 / 3) * 2 * (23.5670041390 * 2.77258872224) ** (2 / 3) * 1024 / 0.25 = 41564167.7 and
# 804467.142
BY_HAND["theorem_10_terms"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    (41564167.7, 804467.142),
)


def theorem_10(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, corrected: 95 and 12."""
    return 95 * (n_experts * math.log(1 / delta)) ** (1 / 6) * n_actions ** (1 / 2) * math.log(
        n_experts * horizon
    ) ** (1 / 3) * math.log(n_experts) ** (1 / 3) * horizon ** (2 / 3) / epsilon ** (1 / 3) + 12 * (
        n_experts * math.log(1 / delta)
    ) ** (1 / 3) * n_actions ** (1 / 2) * math.log(n_experts * horizon) ** (2 / 3) * math.log(n_experts) ** (
        2 / 3
    ) * horizon ** (1 / 3) / epsilon ** (2 / 3)


# 95 * (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 + 12 *
# (16 * 13.8629436112) ** (1 / 3) * 2 * (23.5670041390 * 2.77258872224) ** (2 / 3) * 1024 / 0.25 =
# 3.95824953e+09
BY_HAND["theorem_10"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    3.95824953e09,
)


def theorem_10_middle(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, second last display as printed: 95, and 95 under the cube root."""
    return 95 * (n_experts * math.log(1 / delta)) ** (1 / 6) * n_actions ** (1 / 2) * math.log(
        n_experts * horizon
    ) ** (1 / 3) * math.log(n_experts) ** (1 / 3) * horizon ** (2 / 3) / epsilon ** (1 / 3) + (
        95 * n_experts * math.log(1 / delta)
    ) ** (1 / 3) * n_actions ** (1 / 2) * math.log(n_experts * horizon) ** (2 / 3) * math.log(n_experts) ** (
        2 / 3
    ) * horizon ** (1 / 3) / epsilon ** (2 / 3)


# 95 * (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 + (95 *
# 16 * 13.8629436112) ** (1 / 3) * 2 * (23.5670041390 * 2.77258872224) ** (2 / 3) * 1024 / 0.25 = 3.95226663e+09
BY_HAND["theorem_10_middle"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    3.95226663e09,
)


def theorem_10_printed(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, last display as printed."""
    return (
        100
        * n_experts ** (1 / 6)
        * n_actions ** (1 / 2)
        * horizon ** (2 / 3)
        * math.log(1 / delta) ** (1 / 6)
        * math.log(n_experts * horizon) ** (1 / 3)
        * math.log(n_experts) ** (1 / 3)
        / epsilon ** (1 / 3)
        + n_experts ** (1 / 2)
        * math.log(1 / delta) ** (1 / 2)
        * math.log(n_experts * horizon)
        * math.log(n_experts)
        / epsilon
    )


# 100 * (16 * 13.8629436112) ** (1 / 6) * 2 * (23.5670041390 * 2.77258872224) ** (1 / 3) * 1048576 / 0.5 + (16 *
# 13.8629436112) ** 0.5 * 23.5670041390 * 2.77258872224 / 0.125 = 4.15642455e+09
BY_HAND["theorem_10_printed"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    4.15642455e09,
)


def theorem_10_chain(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, mixing, batch):
    """Proof of Theorem 10, with 3 tau log(N) / eta."""
    return (
        3 * batch * math.log(n_experts) / learning_rate
        + mixing * horizon
        + learning_rate * horizon * n_actions
        + 90
        * learning_rate
        * horizon
        * n_experts
        * n_actions**2
        * math.log(1 / delta)
        * math.log(n_experts * horizon) ** 2
        / (epsilon**2 * mixing**2 * batch**2)
    )


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


def theorem_10_chain_before(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, mixing, batch):
    """Proof of Theorem 10, with tau log(N) / eta and 2 tau."""
    return (
        batch * math.log(n_experts) / learning_rate
        + mixing * horizon
        + learning_rate * horizon * n_actions
        + 90
        * learning_rate
        * horizon
        * n_experts
        * n_actions**2
        * math.log(1 / delta)
        * math.log(n_experts * horizon) ** 2
        / (epsilon**2 * mixing**2 * batch**2)
        + 2 * batch
    )


# 1024 * 2.77258872224 / 0.01 + 0.125 * 65536 + 0.01 * 65536 * 4 + 90 * 0.01 * 65536 * 16 * 16 * 6.93147180560 *
# 13.8629436112 ** 2 / (0.0625 * 0.015625 * 1048576) + 2 * 1024 = 19939367.8
BY_HAND["theorem_10_chain_before"] = (
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
    19939367.8,
)


def theorem_10_u_coefficient_printed(*, delta):
    """Proof of Theorem 10, coefficient of the first term with gamma as printed."""
    return 3 + 1 + math.log(1 / delta) ** (-1 / 3) + 90 * math.log(1 / delta) ** (2 / 3)


# 4 + 1 / 13.8155105580 ** (1 / 3) + 90 * 13.8155105580 ** (2 / 3) = 522.604494
BY_HAND["theorem_10_u_coefficient_printed"] = ({"delta": 0.000001}, 522.604494)


def batched_exp4_learning_rate(*, n_actions, n_experts, epsilon, delta, horizon):
    """Theorem 10, eta."""
    return (
        (n_experts * math.log(1 / delta)) ** (1 / 6)
        * math.log(n_experts * horizon) ** (1 / 3)
        * math.log(n_experts) ** (1 / 3)
        / (horizon ** (1 / 3) * n_actions ** (1 / 2) * epsilon ** (1 / 3))
    )


# (16 * 13.8629436112) ** (1 / 6) * (23.5670041390 * 2.77258872224) ** (1 / 3) / (1024 * 2 * 0.5) = 0.00967741191
BY_HAND["batched_exp4_learning_rate"] = (
    {"n_actions": 4, "n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    0.00967741191,
)


def batched_exp4_batch(*, n_experts, epsilon, delta, horizon):
    """Theorem 10, tau before rounding."""
    return (
        (n_experts * math.log(1 / delta)) ** (1 / 3)
        * math.log(n_experts * horizon) ** (2 / 3)
        * horizon ** (1 / 3)
        / (epsilon ** (2 / 3) * math.log(n_experts) ** (1 / 3))
    )


# (16 * 13.8629436112) ** (1 / 3) * 23.5670041390 ** (2 / 3) * 1024 / (0.25 * 2.77258872224 ** (1 / 3)) =
# 145075.095
BY_HAND["batched_exp4_batch"] = (
    {"n_experts": 16, "epsilon": 0.125, "delta": 9.5367431640625e-07, "horizon": 1073741824},
    145075.095,
)


def batched_exp4_mixing_printed(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, batch):
    """Theorem 10, gamma."""
    return max(
        learning_rate ** (1 / 3)
        * n_experts ** (1 / 3)
        * n_actions ** (2 / 3)
        * math.log(n_experts * horizon) ** (2 / 3)
        / (epsilon ** (2 / 3) * batch ** (2 / 3)),
        12
        * learning_rate
        * n_actions
        * math.sqrt(n_experts * math.log(1 / delta))
        * math.log(n_experts * horizon)
        / (epsilon * batch),
    )


# log(N T) = 26 * 0.69314718056 = 18.0218266946; the second branch is 0.012582, smaller.
# 0.1 * 4 * 4 * 18.0218266946 ** (2 / 3) / (0.25 * 1024) = 0.0429614789
BY_HAND["batched_exp4_mixing_printed"] = (
    {
        "n_actions": 8,
        "n_experts": 64,
        "epsilon": 0.125,
        "delta": 9.5367431640625e-07,
        "horizon": 1048576,
        "learning_rate": 0.001,
        "batch": 32768,
    },
    0.0429614789,
)


def batched_exp4_mixing_corrected(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, batch):
    """Theorem 10, gamma, corrected: log(1 / delta)^(1/3) in the first branch."""
    return max(
        learning_rate ** (1 / 3)
        * (n_experts * math.log(1 / delta)) ** (1 / 3)
        * n_actions ** (2 / 3)
        * math.log(n_experts * horizon) ** (2 / 3)
        / (epsilon ** (2 / 3) * batch ** (2 / 3)),
        12
        * learning_rate
        * n_actions
        * math.sqrt(n_experts * math.log(1 / delta))
        * math.log(n_experts * horizon)
        / (epsilon * batch),
    )


# log(N T) = 26 * 0.69314718056 = 18.0218266946; the second branch is smaller.
# 0.1 * (64 * 13.8629436112) ** (1 / 3) * 4 * 18.0218266946 ** (2 / 3) / (0.25 * 1024) = 0.10320428
BY_HAND["batched_exp4_mixing_corrected"] = (
    {
        "n_actions": 8,
        "n_experts": 64,
        "epsilon": 0.125,
        "delta": 9.5367431640625e-07,
        "horizon": 1048576,
        "learning_rate": 0.001,
        "batch": 32768,
    },
    0.10320428,
)


def batched_exp4_mixing_floor(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, batch):
    """Theorem 10, gamma, second branch."""
    return (
        12
        * learning_rate
        * n_actions
        * math.sqrt(n_experts * math.log(1 / delta))
        * math.log(n_experts * horizon)
        / (epsilon * batch)
    )


# 12 * 0.001 * 8 * (64 * 13.8629436112) ** 0.5 * 18.0218266946 / (0.125 * 32768) = 0.0125813664
BY_HAND["batched_exp4_mixing_floor"] = (
    {
        "n_actions": 8,
        "n_experts": 64,
        "epsilon": 0.125,
        "delta": 9.5367431640625e-07,
        "horizon": 1048576,
        "learning_rate": 0.001,
        "batch": 32768,
    },
    0.0125813664,
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
    eta = (
        (n_experts * math.log(1 / delta)) ** (1 / 6)
        * math.log(n_experts * horizon) ** (1 / 3)
        * math.log(n_experts) ** (1 / 3)
        / (horizon ** (1 / 3) * n_actions ** (1 / 2) * epsilon ** (1 / 3))
    )
    tau = math.ceil(
        (n_experts * math.log(1 / delta)) ** (1 / 3)
        * math.log(n_experts * horizon) ** (2 / 3)
        * horizon ** (1 / 3)
        / (epsilon ** (2 / 3) * math.log(n_experts) ** (1 / 3))
    )
    inside = n_experts if calibration == "printed" else n_experts * math.log(1 / delta)
    gamma = max(
        eta ** (1 / 3)
        * inside ** (1 / 3)
        * n_actions ** (2 / 3)
        * math.log(n_experts * horizon) ** (2 / 3)
        / (epsilon ** (2 / 3) * tau ** (2 / 3)),
        12
        * eta
        * n_actions
        * math.sqrt(n_experts * math.log(1 / delta))
        * math.log(n_experts * horizon)
        / (epsilon * tau),
    )
    return eta, gamma, tau, 3 * n_actions * math.sqrt(n_experts * math.log(1 / delta)) / (gamma * tau * epsilon)


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


def algorithm_2_delta(*, epsilon):
    """Proof of privacy in Theorem 10, largest delta for which Lemma 15 gives eps."""
    return math.exp(-epsilon / (6 * (1 - math.sqrt(6) / 3)))


# 1 / (6 * (1 - 2.44948974278 / 3)) = 0.908248290464
# exp(-0.5 * 0.908248290464) = 0.635003896
BY_HAND["algorithm_2_delta"] = ({"epsilon": 0.5}, 0.635003896)


def algorithm_2_sensitivity(*, n_actions, mixing, batch):
    """Proof of privacy in Theorem 10, sensitivity of an expert's batch loss."""
    return n_actions / (mixing * batch)


# 4 / 128 = 0.03125
BY_HAND["algorithm_2_sensitivity"] = ({"n_actions": 4, "mixing": 0.125, "batch": 1024}, 0.03125)


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


def lemma_11_root(*, delay, pulls, epsilon, horizon):
    """Lemma 11, right side."""
    return math.sqrt(pulls * horizon * (1 - 1 / 2 * math.exp(epsilon * pulls)) / 16) - delay / 2


# (4 * 65536 * (1 - 0.5 * 1.6487212707) / 16) ** 0.5 - 8 = 45.6439684
BY_HAND["lemma_11_root"] = ({"delay": 16, "pulls": 4, "epsilon": 0.125, "horizon": 65536}, 45.6439684)


def lemma_11_missed(*, pulls, epsilon):
    """Proof of Lemma 11, (2)."""
    return 1 / 2 * math.exp(epsilon * pulls)


# 0.5 * 1.6487212707 = 0.824360635
BY_HAND["lemma_11_missed"] = ({"pulls": 4, "epsilon": 0.125}, 0.824360635)


def lemma_11_conditions(*, fraction, delay, horizon):
    """Lemma 11: 2 gamma tau and gamma (T - tau), least and largest p; T / 2, above tau."""
    return 2 * fraction * delay, fraction * (horizon - delay), horizon / 2


# 2 * 0.125 * 16 and 0.125 * 1008 and 512.0 = 4 and 126 and 512
BY_HAND["lemma_11_conditions"] = ({"fraction": 0.125, "delay": 16, "horizon": 1024}, (4, 126, 512))


def section_5_2_regret(*, mixing, learning_rate, batch, horizon):
    """Section 5.2, least regret of batched EXP3."""
    return mixing * horizon + batch / learning_rate


# 128 + 400 = 528
BY_HAND["section_5_2_regret"] = ({"mixing": 0.125, "learning_rate": 0.01, "batch": 4, "horizon": 1024}, 528)


def section_5_2_steps(*, mixing, learning_rate, batch=1):
    """Section 5.2, steps in which (batched) EXP3 drops an arm."""
    return batch * math.log(1 / mixing) / learning_rate


# 4 * 2.07944154168 / 0.01 = 831.776617
BY_HAND["section_5_2_steps"] = ({"mixing": 0.125, "learning_rate": 0.01, "batch": 4}, 831.776617)


def figure_1_limits(*, mixing):
    """Appendix G.1, limits of P_t(2) on the two sequences."""
    return 1 - mixing / 2, mixing / 2


# 1 - 0.00005 and 0.00005 = 0.99995 and 5e-05
BY_HAND["figure_1_limits"] = ({"mixing": 0.0001}, (0.99995, 5e-05))


def figure_1_second(*, learning_rate, mixing, first_loss):
    """Appendix G.1, P_2(2) after action 2 in round 1."""
    return (1 - mixing) * math.exp(-learning_rate * first_loss / (1 / 2)) / (
        1 + math.exp(-learning_rate * first_loss / (1 / 2))
    ) + mixing / 2


# 0.875 * 0.60653065971 / 1.60653065971 + 0.0625 = 0.392848085
BY_HAND["figure_1_second"] = ({"learning_rate": 0.25, "mixing": 0.125, "first_loss": 1.0}, 0.392848085)


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


def lemma_13(*, epsilons):
    """Lemma 13."""
    return sum(epsilons)


# 0.125 + 0.25 + 0.5 = 0.875
BY_HAND["lemma_13"] = ({"epsilons": [0.125, 0.25, 0.5]}, 0.875)


def lemma_15(*, epsilons, delta):
    """Lemma 15."""
    return 3 / 2 * sum(e**2 for e in epsilons) + math.sqrt(6 * sum(e**2 for e in epsilons) * math.log(1 / delta))


# 1.5 * 0.328125 + (6 * 0.328125 * 6.93147180560) ** 0.5 = 4.18628213
BY_HAND["lemma_15"] = ({"epsilons": [0.125, 0.25, 0.5], "delta": 0.0009765625}, 4.18628213)


def lemma_17(*, epsilon, size):
    """Lemma 17, factor."""
    return math.exp(size * epsilon)


# 1.6487212707 = 1.64872127
BY_HAND["lemma_17"] = ({"epsilon": 0.125, "size": 4}, 1.64872127)


def lemma_18(*, point, noise_scale):
    """Lemma 18, hazard rate."""
    if point >= 0:
        return 1 / noise_scale
    return 1 / (2 * noise_scale) * math.exp(point / noise_scale) / (1 - 1 / 2 * math.exp(point / noise_scale))


# 0.25 * 0.60653065971 / (1 - 0.5 * 0.60653065971) = 0.217633299
BY_HAND["lemma_18"] = ({"point": -1.0, "noise_scale": 2.0}, 0.217633299)


def lemma_20(*, size, horizon, factor=10.0):
    """Lemma 20, exact probability."""
    return 1 - (1 - (size * horizon) ** -math.sqrt(factor)) ** (size * horizon)


# 1 - (1 - exp(-3.16227766017 * 2.77258872224)) ** 16 = 0.00248800498
BY_HAND["lemma_20"] = ({"size": 4, "horizon": 4}, 0.00248800498)


def lemma_20_printed(*, horizon):
    """Lemma 20."""
    return 1 / horizon


# 1 / 1024 = 0.0009765625
BY_HAND["lemma_20_printed"] = ({"horizon": 1024}, 0.0009765625)


def lemma_20_norm(*, size, horizon, noise_scale):
    """Lemma 20, threshold of the squared norm."""
    return 10 * noise_scale**2 * math.log(size * horizon) ** 2


# 10 * 0.25 * 8.31776616672 ** 2 = 172.963085
BY_HAND["lemma_20_norm"] = ({"size": 4, "horizon": 1024, "noise_scale": 0.5}, 172.963085)


def exploration_norm(*, size, horizon, noise_scale):
    """Proofs of Corollary 22 and Theorems 9 and 10, bound on the noise outside E."""
    return 4 * noise_scale * math.log(size * horizon)


# 4 * 0.5 * 8.31776616672 = 16.6355323
BY_HAND["exploration_norm"] = ({"size": 4, "horizon": 1024, "noise_scale": 0.5}, 16.6355323)


def table_1_existing(*, n_actions, epsilon, horizon):
    """Table 1, existing work."""
    return math.sqrt(n_actions * horizon * math.log(n_actions * horizon)) / epsilon


# (4096 * 8.31776616672) ** 0.5 / 0.25 = 738.317766
BY_HAND["table_1_existing"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 738.317766)


def table_1_actions(*, n_actions, epsilon, horizon):
    """Table 1, adversarial bandits."""
    return math.sqrt(n_actions * horizon) / math.sqrt(epsilon)


# 64 / 0.5 = 128
BY_HAND["table_1_actions"] = ({"n_actions": 4, "epsilon": 0.25, "horizon": 1024}, 128)


def table_1_experts(*, n_actions, n_experts, epsilon, horizon):
    """Table 1, bandits with experts, three rows."""
    return (
        math.sqrt(n_experts * horizon) / math.sqrt(epsilon),
        math.sqrt(n_actions * horizon * math.log(n_experts)) * math.log(n_actions * horizon) / epsilon,
        n_experts ** (1 / 6)
        * n_actions ** (1 / 2)
        * horizon ** (2 / 3)
        * math.log(n_experts * horizon)
        / epsilon ** (1 / 3)
        + n_experts ** (1 / 2) * math.log(n_experts * horizon) / epsilon,
    )


# (64 * 512) ** 0.5 / 0.125 ** 0.5 and (2048 * 4.15888308336) ** 0.5 * 7.62461898616 / 0.125 and 2 * 2 * 64 *
# 10.3972077084 / 0.5 + 8 * 10.3972077084 / 0.125 = 512 and 5629.39166 and 5988.79164
BY_HAND["table_1_experts"] = (
    {"n_actions": 4, "n_experts": 64, "epsilon": 0.125, "horizon": 512},
    (512, 5629.39166, 5988.79164),
)
