"""Formulas of Asi, Raman & Talwar (2025), "Faster Rates for Private Adversarial Bandits"."""

import math


def theorem_1(*, base_regret, batch_size):
    """Theorem 1, first bound."""
    return batch_size * base_regret + batch_size


def batch_size(*, epsilon):
    """Theorem 1, tau."""
    return math.ceil(1 / epsilon)


def batch_noise(*, epsilon, batch_size):
    """Algorithm 1, line 9, noise scale."""
    return 1 / (batch_size * epsilon)


def corollary_2(*, n_actions, epsilon, horizon):
    """Proof of Corollary 2."""
    return 208 * math.sqrt(horizon * n_actions) / math.sqrt(epsilon) + 2 / epsilon


def corollary_8(*, n_experts, epsilon, horizon):
    """Corollary 8, with the constants of the proof of Corollary 2."""
    return corollary_2(n_actions=n_experts, epsilon=epsilon, horizon=horizon)


def heavy_tail(*, noise_scale):
    """Appendix D, after Definition 10: sigma^2."""
    return 2 + 4 * noise_scale**2


def theorem_21(*, n_actions, sigma, horizon, alpha=2.0):
    """Theorem 21."""
    return 30 * sigma * n_actions ** (1 - 1 / alpha) * (horizon + 1) ** (1 / alpha)


def noisy_htinf(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 2, bound on R~_HTINF: Theorem 21 at the second moment of Appendix D."""
    sigma = math.sqrt(heavy_tail(noise_scale=noise_scale))
    return theorem_21(n_actions=n_actions, sigma=sigma, horizon=horizon)


def htinf_sigma():
    """Corollary 2, sigma."""
    return math.sqrt(6)


def htinf_learning_rate(*, sigma, round_):
    """Appendix D, HTINF at alpha = 2: eta_t."""
    return 1 / (sigma * math.sqrt(round_))


def htinf_threshold():
    """Appendix D, HTINF at alpha = 2: theta = 1 - 2^(-1/3)."""
    return 1 - 2 ** (-1 / 3)


def htinf_skip(*, learning_rate, probability):
    """Appendix D, HTINF at alpha = 2: largest |loss| that is not skipped."""
    return htinf_threshold() * probability ** (1 / 2) / learning_rate


def corollary_22(*, n_actions, epsilon, horizon):
    """Corollary 22."""
    root = math.sqrt(horizon * n_actions * math.log(n_actions))
    return 36 * root * math.log(n_actions * horizon) / math.sqrt(epsilon) + 4 / epsilon


def corollary_22_learning_rate(*, n_actions, epsilon, horizon):
    """Corollary 22, eta."""
    plays = epsilon * n_actions * horizon
    return math.sqrt(math.log(n_actions) / (22 * plays * math.log(plays) ** 2))


def corollary_22_mixing(*, n_actions, epsilon, horizon):
    """Corollary 22, gamma."""
    eta = corollary_22_learning_rate(n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    return 4 * eta * n_actions * math.log(epsilon * n_actions * horizon)


def corollary_22_mixing_condition(*, n_actions):
    """Corollary 22: gamma > 1 iff eps T is below this."""
    return 16 / 22 * n_actions * math.log(n_actions)


def noisy_exp3(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, bound on R~_EXP3."""
    spread = 1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2
    return 2 * math.sqrt(2 * horizon * n_actions * math.log(n_actions) * spread) + 1


def noisy_exp3_learning_rate(*, n_actions, noise_scale, horizon):
    """Proof of Corollary 22, eta."""
    spread = 1 + 10 * max(noise_scale**2, noise_scale) * math.log(n_actions * horizon) ** 2
    return math.sqrt(math.log(n_actions) / (2 * horizon * n_actions * spread))


def noisy_exp3_mixing(*, n_actions, noise_scale, horizon, learning_rate):
    """Proof of Corollary 22, gamma."""
    return 4 * learning_rate * noise_scale * n_actions * math.log(n_actions * horizon)


def per_round_exp3(*, n_actions, epsilon, horizon):
    """Proof of Corollary 22, bound on R~_EXP3 at noise 1 / eps on every loss."""
    return noisy_exp3(n_actions=n_actions, noise_scale=1 / epsilon, horizon=horizon)


def lemma_23(*, losses, learning_rate, mixing):
    """Lemma 23, bound on the regret; losses[t][i]."""
    return (
        2 * mixing * len(losses)
        + math.log(len(losses[0])) / learning_rate
        + learning_rate * sum(loss**2 for row in losses for loss in row)
    )


def lemma_23_mixing(*, losses, learning_rate, mixing):
    """Lemma 23, corrected: mixing cost gamma sum_t (mean_i l_t(i) - l_t(i*)); losses[t][i]."""
    best = min(sum(row[i] for row in losses) for i in range(len(losses[0])))
    cost = mixing * (sum(sum(row) / len(row) for row in losses) - best)
    return cost + lemma_23(losses=losses, learning_rate=learning_rate, mixing=0)


def corollary_24(*, n_actions, epsilon, horizon):
    """Corollary 24."""
    logs = math.log(n_actions) * math.log(n_actions * horizon)
    return 32 * math.sqrt(n_actions * horizon) * logs / math.sqrt(epsilon) + 2 / epsilon


def corollary_24_resamples(*, n_actions, epsilon, horizon):
    """Corollary 24, M rounded up."""
    return math.ceil(math.sqrt(epsilon * n_actions * horizon))


def corollary_24_learning_rate(*, n_actions, epsilon, horizon, resamples):
    """Corollary 24, eta at a given M."""
    plays = epsilon * n_actions * horizon
    return min(
        math.sqrt(math.log(n_actions) / (plays + 10 * plays * math.log(plays) ** 2)),
        1 / (resamples * (1 + 4 * math.log(epsilon * horizon))),
    )


def lemma_25(*, n_actions, noise_scale, horizon):
    """Lemma 25."""
    root = math.sqrt(n_actions * horizon)
    return 11 * noise_scale * root * math.log(n_actions) * math.log(n_actions * horizon) + 10 * root


def lemma_25_chain_rounded(*, n_actions, noise_scale, horizon):
    """Proof of Lemma 25, all bounds combined at M = ceil(sqrt(K T)) and eta, and 1 for the event E."""
    plays, m = n_actions * horizon, math.ceil(math.sqrt(n_actions * horizon))
    squares = plays + 10 * plays * noise_scale**2 * math.log(plays) ** 2
    eta = min(
        math.sqrt(math.log(n_actions) / squares),
        1 / (m * (1 + 4 * noise_scale * math.log(horizon))),
    )
    return 6 * math.log(n_actions) / eta + 4 * eta * squares + plays / (math.e * m) + 1


def corollary_24_chain(*, n_actions, epsilon, horizon):
    """Proof of Corollary 24, Theorem 1's (2 / eps) R~(eps T, K, 1) + 2 / eps over the proof of Lemma 25."""
    base = lemma_25_chain_rounded(n_actions=n_actions, noise_scale=1, horizon=epsilon * horizon)
    return 2 / epsilon * base + 2 / epsilon


def lemma_26(*, losses, laws, learning_rate):
    """Lemma 26, bound on the regret; losses[t][j], laws[t][j]."""
    return math.log(len(losses[0])) / learning_rate + learning_rate * sum(
        p * loss**2 for row, law in zip(losses, laws, strict=True) for loss, p in zip(row, law, strict=True)
    )


def theorem_9(*, n_actions, n_experts, epsilon, horizon):
    """Proof of Theorem 9, last two displays."""
    root = math.sqrt(horizon * n_actions * math.log(n_experts))
    return 16 * root * math.log(n_actions * horizon) / epsilon + 1


def local_exp4_tuning(*, n_actions, n_experts, epsilon, horizon):
    """Theorem 9 and Algorithm 6: eta, gamma, batch and noise scale."""
    log = math.log(n_actions * horizon)
    eta = math.sqrt(math.log(n_experts) / (3 * horizon * n_actions * (1 + 10 * log**2 / epsilon**2)))
    return eta, 4 * eta * n_actions * log / epsilon, 1, 1 / epsilon


def theorem_10_terms(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, the two terms of the second last display without constants."""
    size, logs = n_experts * math.log(1 / delta), math.log(n_experts * horizon) * math.log(n_experts)
    return (
        size ** (1 / 6) * n_actions ** (1 / 2) * logs ** (1 / 3) * horizon ** (2 / 3) / epsilon ** (1 / 3),
        size ** (1 / 3) * n_actions ** (1 / 2) * logs ** (2 / 3) * horizon ** (1 / 3) / epsilon ** (2 / 3),
    )


def theorem_10(**setting):
    """Proof of Theorem 10, corrected: 95 and 12."""
    first, second = theorem_10_terms(**setting)
    return 95 * first + 12 * second


def theorem_10_printed(*, n_actions, n_experts, epsilon, delta, horizon):
    """Proof of Theorem 10, last display as printed."""
    size, logs = n_experts * math.log(1 / delta), math.log(n_experts * horizon) * math.log(n_experts)
    first = size ** (1 / 6) * n_actions ** (1 / 2) * horizon ** (2 / 3) * logs ** (1 / 3) / epsilon ** (1 / 3)
    return 100 * first + size ** (1 / 2) * logs / epsilon


def theorem_10_chain(*, n_actions, n_experts, epsilon, delta, horizon, learning_rate, mixing, batch):
    """Proof of Theorem 10, with 3 tau log(N) / eta."""
    noise = n_experts * math.log(1 / delta) * math.log(n_experts * horizon) ** 2
    spread = 90 * learning_rate * horizon * n_actions**2 * noise / (epsilon**2 * mixing**2 * batch**2)
    code = 3 * batch * math.log(n_experts) / learning_rate
    return code + mixing * horizon + learning_rate * horizon * n_actions + spread


def batched_exp4_noise(*, n_actions, n_experts, epsilon, delta, mixing, batch):
    """Algorithm 2, noise scale."""
    return 3 * n_actions * math.sqrt(n_experts * math.log(1 / delta)) / (mixing * batch * epsilon)


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


def algorithm_2_epsilon(*, epsilon, delta):
    """Proof of privacy in Theorem 10, Lemma 15 over N Laplace releases at Algorithm 2's noise scale."""
    return epsilon**2 / (6 * math.log(1 / delta)) + epsilon * math.sqrt(6) / 3


def lemma_11(*, fraction, delay, pulls, epsilon, horizon):
    """Lemma 11."""
    return max(
        fraction * horizon / 4,
        (1 - 1 / 2 * math.exp(epsilon * pulls)) * pulls / (4 * fraction) - delay / 2,
    )


def figure_1_limits(*, mixing):
    """Appendix G.1, limits of P_t(2) on the two sequences."""
    return 1 - mixing / 2, mixing / 2


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


def lemma_15(*, epsilons, delta):
    """Lemma 15."""
    return 3 / 2 * sum(e**2 for e in epsilons) + math.sqrt(6 * sum(e**2 for e in epsilons) * math.log(1 / delta))


def lemma_20(*, size, horizon, factor=10.0):
    """Lemma 20, exact probability."""
    return 1 - (1 - (size * horizon) ** -math.sqrt(factor)) ** (size * horizon)
