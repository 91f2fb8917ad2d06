"""The rules of the lab for one population, in plain loops, as docs/ writes them.

Slow, and independent of the package: nothing of it is imported. Lists of floats in and out; an
outcome is (error, paid, used) of each agent, expectations over every draw that there can be. A
curve is a pair (A, b), or A alone for A/m.
"""

import math
from itertools import combinations, permutations

EXTRA = 1e-6  # ε/c of both shaped rules


def error(m, curve):
    A, b = curve if isinstance(curve, tuple) else (curve, 1)
    return A * m**-b


def slope(m, curve):
    """-e'(m)."""
    A, b = curve if isinstance(curve, tuple) else (curve, 1)
    return b * A * m ** (-b - 1)


def optimum(cost, curve):
    A, b = curve if isinstance(curve, tuple) else (curve, 1)
    return (A * b / cost) ** (1 / (1 + b))


def own(rule, n, curve):
    """The curve by which an agent's own samples count: under `shared` as if all used as many."""
    A, b = curve if isinstance(curve, tuple) else (curve, 1)
    return (A * n**-b, b) if rule.name == "shared" else (A, b)


def total_without(values, i):
    return sum(value for j, value in enumerate(values) if j != i)


def fee(m, S, A):
    """B: all that federation saved the agent."""
    return error(m, A) - error(m + S, A)


def penalty(m, S, c, A, alpha):
    """P_fr as the sum of its three terms, for any convex curve (docs/theory.md)."""
    best = optimum(c, A)
    g = slope(best, A) - slope(best + S, A)
    benefit = fee(best, S, A)
    weight = g**2 / (2 * (2 - alpha) * benefit) if benefit else 0.0
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
    return [(error(u, A), 0.0, u) for u in used]


def federated(A, reports, samples, used):
    return [(error(sum(used), A), 0.0, u) for u in used]


def penalised(A, reports, samples, used, alpha):
    return [
        (error(sum(used), A), penalty(m, total_without(samples, i), c, A, alpha), u)
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
                prize += error(samples[j], A) - error(S, A)
        prize *= (1 - retention) / (n // 3)
        outcome.append((error(sum(used), A), fee(samples[i], S, A) - chance[i] * prize, used[i]))
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
        (error(sum(used), A), fees[i] - chance[i] * 3 / n * total_without(contract, i), used[i])
        for i in range(n)
    ]


def balanced(A, reports, samples, used, kappa, retention, own):
    """`rebate` and `shared`, which differ in an agent's own curve; all agents have one size."""
    n, outcome = len(reports), []
    for i in range(n):
        m, S, c = samples[i], total_without(samples, i), reports[i]

        best = optimum(c, own)
        charge = kappa * (error(m, own) + c * m - error(best, own) - c * best)
        back = sum(error(samples[j], own) - error(n * S / (n - 1), A) for j in range(n) if j != i)
        owed = error(m, own) - error(m + S, A) + charge - (1 - retention) * back / (n - 1)
        outcome.append((error(sum(used), A), owed, used[i]))
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
        return error(best, A) - (1 + EXTRA) * c * (m - best) - error(m + S, A)

    b = A[1] if isinstance(A, tuple) else 1
    return root(above, best, (2 + 1 / b) * best)


def shaping(A, reports, samples, used):
    """Three pieces by what is claimed; nobody's error is below that of all data there is."""
    outcome = []
    for i, (c, m, u) in enumerate(zip(reports, samples, used, strict=True)):
        best, S = optimum(c, A), total_without(samples, i)
        if m <= best:
            shaped = error(m, A)
        elif m <= most(c, S, A):
            shaped = error(best, A) - (1 + EXTRA) * c * (m - best)
        else:
            shaped = error(m + S, A)
        outcome.append((max(shaped, error(sum(used), A)), 0.0, u))
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
        return -error(m, A) if own is None else payoff(m, own == "linear")

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


def one_for_all(A, reports, pay):
    """The agent with the lowest report uses what is best for all; ties by lot."""
    n, low = len(reports), min(reports)
    ways = [i for i in range(n) if reports[i] == low]
    outcome = [(0.0, 0.0, 0.0)] * n
    for chosen in ways:
        x = optimum(low / n, A)
        for i in range(n):
            mine = x if i == chosen else 0.0
            each = (error(x, A), pay(i, chosen, x), mine)
            outcome[i] = tuple(a + b / len(ways) for a, b in zip(outcome[i], each, strict=True))
    return outcome


def best_for_all(cost, n, A):
    x = optimum(cost / n, A)
    return n * error(x, A) + cost * x


def vcg(A, reports, samples, used):
    """Each bears W(lowest report) - h_i by its report; so this is what it pays."""
    n = len(reports)

    def pay(i, chosen, x):
        others = sorted(reports[:i] + reports[i + 1 :])
        h = best_for_all(others[0], n, A) - best_for_all(others[1], n, A) / (n - 2)
        bears = best_for_all(min(reports), n, A) - h
        return bears - error(x, A) - (reports[i] * x if i == chosen else 0)

    return one_for_all(A, reports, pay)


def first_best(A, reports, samples, used):
    n, least = len(reports), best_for_all(min(reports), len(reports), A)

    def pay(i, chosen, x):
        return least / n - error(x, A) - (reports[i] * x if i == chosen else 0)

    return one_for_all(A, reports, pay)


def outcome(rule, terms, reports, samples, used):
    """By the name of a rule, with what the rule fixes beforehand."""
    curve, given = curve_of(terms), (list(reports), list(samples), list(used))
    kappa, retention = float(terms.consistency), float(terms.retention)
    if rule.name == "local":
        return local(curve, *given)
    if rule.name == "federated":
        return federated(curve, *given)
    if rule.name == "penalised":
        return penalised(curve, *given, float(terms.alpha))
    if rule.name == "sandwich":
        return sandwich(curve, *given, retention)
    if rule.name == "sandwich-paper":
        return paper_sandwich(curve, *given, float(terms.alpha))
    if rule.name in ("rebate", "shared"):
        return balanced(curve, *given, kappa, retention, own(rule, len(reports), curve))
    if rule.name == "shaping":
        return shaping(curve, *given)
    if rule.name == "vcg":
        return vcg(curve, *given)
    if rule.name == "first-best":
        return first_best(curve, *given)
    if rule.name == "realfm":
        worth = None if rule.payoff is None else "linear" if rule.payoff.linear else "convex"
        return realfm(curve, *given, rule.start, rule.kept, worth)
    return auction(curve, *given, rule.jobs, rule.size)


def curve_of(terms):
    return float(terms.error_scale), float(terms.exponent)


def losses(rule, terms, costs, reports, samples, used):
    """Error, work and money; an auction leaves agents to train alone for themselves."""
    curve, each = curve_of(terms), outcome(rule, terms, reports, samples, used)

    def alone(c):
        return error(optimum(c, curve), curve) + c * optimum(c, curve)

    besides = rule.name == "auction"
    return [
        model + paid + c * u + (alone(c) if besides else 0.0)
        for c, (model, paid, u) in zip(costs, each, strict=True)
    ]
