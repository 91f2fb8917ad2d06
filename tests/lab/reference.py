"""The rules of the lab for one population, in plain loops, as docs/ writes them.

Slow, and independent of the package: nothing of it is imported. Lists of floats in and out; an
outcome is (error, paid, used) of each agent, expectations over every draw that there can be.
"""

import math
from itertools import combinations, permutations

EXTRA = 1e-6  # ε/c of both shaped rules


def optimum(cost, A):
    return math.sqrt(A / cost)


def total_without(values, i):
    return sum(value for j, value in enumerate(values) if j != i)


def fee(m, S, A):
    """B: all that federation saved the agent."""
    return A * S / (m * (m + S))


def penalty(m, S, c, A, alpha):
    """P_fr as the sum of its three terms (docs/theory.md)."""
    best = optimum(c, A)
    s = S / best
    g = c * s * (s + 2) / (1 + s) ** 2
    weight = c / best * s * (s + 2) ** 2 / (2 * (2 - alpha) * (1 + s) ** 3)
    benefit = c * best * s / (1 + s)
    return weight * (best - m) ** 2 + g * (best - m) + (2 - alpha) / 2 * benefit


def groupings(agents):
    """Every way to put the agents in threes, one or two of them left over where there are."""
    agents = list(agents)
    for left in combinations(agents, len(agents) % 3):
        yield from threes([agent for agent in agents if agent not in left])


def threes(agents):
    if not agents:
        yield []
        return
    first, rest = agents[0], agents[1:]
    for pair in combinations(rest, 2):
        for more in threes([agent for agent in rest if agent not in pair]):
            yield [(first, *pair), *more]


def chances(reports):
    """Of each agent to win, over all groupings; winners who tie for the median share alike."""
    n = len(reports)
    won, count = [0.0] * n, 0
    for grouping in groupings(range(n)):
        count += 1
        for group in grouping:
            median = sorted(reports[i] for i in group)[1]
            tied = [i for i in group if reports[i] == median]
            for i in tied:
                won[i] += 1 / len(tied)
    return [wins / count for wins in won]


def local(A, reports, samples, used):
    return [(A / u, 0.0, u) for u in used]


def federated(A, reports, samples, used):
    return [(A / sum(used), 0.0, u) for u in used]


def penalised(A, reports, samples, used, alpha):
    return [
        (A / sum(used), penalty(m, total_without(samples, i), c, A, alpha), u)
        for i, (c, m, u) in enumerate(zip(reports, samples, used, strict=True))
    ]


def sandwich(A, reports, samples, used, retention):
    """Pool on B, left-out winner, 1/G (docs/theory.md)."""
    n, chance, outcome = len(reports), chances(reports), []
    for i in range(n):
        S = total_without(samples, i)
        prize = 0.0
        for j in range(n):
            if j != i:
                prize += A * (1 / samples[j] - 1 / S)
        prize *= (1 - retention) / (n // 3)
        outcome.append((A / sum(used), fee(samples[i], S, A) - chance[i] * prize, used[i]))
    return outcome


def paper_sandwich(A, reports, samples, used, alpha):
    """Pool on Δℓ = B − P_fr, 3/n (Eq. 10)."""
    n, chance = len(reports), chances(reports)
    fees, contract = [], []
    for i in range(n):
        S = total_without(samples, i)
        fees.append(fee(samples[i], S, A))
        contract.append(fees[i] - penalty(samples[i], S, reports[i], A, alpha))
    return [
        (A / sum(used), fees[i] - chance[i] * 3 / n * total_without(contract, i), used[i])
        for i in range(n)
    ]


def rebate(A, reports, samples, used, kappa, retention):
    n, outcome = len(reports), []
    for i in range(n):
        m, S = samples[i], total_without(samples, i)
        charge = kappa * (math.sqrt(A / m) - math.sqrt(reports[i] * m)) ** 2
        back = sum(A * (1 / samples[j] - 1 / S) for j in range(n) if j != i) / (n - 1)
        outcome.append((A / sum(used), fee(m, S, A) + charge - (1 - retention) * back, used[i]))
    return outcome


def root(f, low, high):
    """Where a falling function is 0, by halving."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return (low + high) / 2


def most(c, S, A):
    """m_max of accuracy shaping: where the line meets A/M."""
    best = optimum(c, A)

    def above(m):
        return A / best - (1 + EXTRA) * c * (m - best) - A / (m + S)

    return root(above, best, 3 * best)


def shaping(A, reports, samples, used):
    """Three pieces by what is claimed; nobody's error is below that of all data there is."""
    outcome = []
    for i, (c, m, u) in enumerate(zip(reports, samples, used, strict=True)):
        best, S = optimum(c, A), total_without(samples, i)
        if m <= best:
            error = A / m
        elif m <= most(c, S, A):
            error = A / best - (1 + EXTRA) * c * (m - best)
        else:
            error = A / (m + S)
        outcome.append((max(error, A / sum(used)), 0.0, u))
    return outcome


def shaping_equilibrium(costs, A):
    """Everybody at m_max, reached by playing it in turn."""
    samples = [optimum(c, A) for c in costs]
    for _ in range(40):
        for i, c in enumerate(costs):
            samples[i] = most(c, total_without(samples, i), A)
    return samples


def accuracy(m, best=0.95, k=1.0):
    if m < k:
        return 0.0
    return max(0.0, best - (math.sqrt(2 * k * (2 + math.log(m / k))) + 4) / math.sqrt(m))


def payoff(m, linear=False):
    """φ(a(m)): RealFM's own, or the linear one of accuracy shaping."""
    a = accuracy(m)
    return a if linear else 1 / (1 - a) ** 2 - 1


def payoff_alone(c, linear=False):
    """m°: φ∘a is concave where a > 0, so three points tell which third to leave."""
    low, high = 1.0, 1e9
    while accuracy(low) == 0:
        low *= 1.01
    for _ in range(300):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if payoff(a, linear) - c * a < payoff(b, linear) - c * b:
            low = a
        else:
            high = b
    return low if payoff(low, linear) > c * low else 0.0


def realfm(A, reports, samples, used, start, kept, own=None):
    """Shaped worth, never above that of all data; the rest of the profit by samples.

    Worth is −A/m, or RealFM's payoff where ``own`` is "convex" or "linear".
    """

    def worth(m):
        return -A / m if own is None else payoff(m, own == "linear")

    def alone(c):
        return optimum(c, A) if own is None else payoff_alone(c, own == "linear")

    profit = max(worth(sum(used)) - worth(start), 0.0)
    outcome = []
    for c, m, u in zip(reports, samples, used, strict=True):
        first = alone(c)
        shaped = worth(m) if m <= first else worth(first) + (1 + EXTRA) * c * (m - first)
        share = (1 - kept) * profit * m / sum(samples)
        outcome.append((-min(shaped, worth(sum(used))), -share, u))
    return outcome


def auction(A, reports, samples, used, jobs, size):
    """Every order in which ties may be broken; the chosen are paid the lowest bid that is not."""
    n = len(reports)
    paid, work, count = [0.0] * n, [0.0] * n, 0
    for lots in permutations(range(n)):
        count += 1
        order = sorted(range(n), key=lambda i: (reports[i], lots[i]))
        for i in order[:jobs]:
            paid[i] -= reports[order[jobs]] * min(samples[i], size)
            work[i] += min(used[i], size)
    return [(0.0, paid[i] / count, work[i] / count) for i in range(n)]


def outcome(rule, terms, reports, samples, used):
    """By the name of a rule, with what the rule fixes beforehand."""
    A, given = float(terms.error_scale), (list(reports), list(samples), list(used))
    if rule.name == "local":
        return local(A, *given)
    if rule.name == "federated":
        return federated(A, *given)
    if rule.name == "penalised":
        return penalised(A, *given, float(terms.alpha))
    if rule.name == "sandwich":
        return sandwich(A, *given, float(terms.retention))
    if rule.name == "sandwich-paper":
        return paper_sandwich(A, *given, float(terms.alpha))
    if rule.name == "rebate":
        return rebate(A, *given, float(terms.consistency), float(terms.retention))
    if rule.name == "shaping":
        return shaping(A, *given)
    if rule.name == "realfm":
        own = None if rule.payoff is None else "linear" if rule.payoff.linear else "convex"
        return realfm(A, *given, rule.start, rule.kept, own)
    return auction(A, *given, rule.jobs, rule.size)


def losses(rule, terms, costs, reports, samples, used):
    """Error, work and money; an auction leaves agents to train alone for themselves."""
    besides = rule.name == "auction"
    return [
        error + paid + c * u + (2 * math.sqrt(float(terms.error_scale) * c) if besides else 0.0)
        for c, (error, paid, u) in zip(
            costs, outcome(rule, terms, reports, samples, used), strict=True
        )
    ]
