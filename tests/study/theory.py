"""FACT once more, slowly: docs/theory.md in Python's own numbers, draws by counting them all.

Nothing of fedfact is used here. Money is computed in fractions; a float means the decimal it
prints as.
"""

import math
from fractions import Fraction
from itertools import combinations

FACTS = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")
# t(0.975) with 1 and 2 degrees of freedom, in closed form: 12.7062 and 4.3027 in the tables.
STUDENT = {1: math.tan(0.475 * math.pi), 2: 0.95 * math.sqrt(2 / (1 - 0.95**2))}


def exact(number):
    return Fraction(repr(float(number)))


def median_shares(reports, group):
    """Who of a group wins, and how likely: those who report its median, all alike."""
    median = sorted(reports[k] for k in group)[1]
    tied = [k for k in group if reports[k] == median]
    return {k: Fraction(1, len(tied)) for k in tied}


def win_chances(reports):
    """P_i: an agent is in a group with chance 3G/n, with any two others alike; count its wins."""
    n = len(reports)
    met = Fraction(3 * (n // 3), n) / math.comb(n - 1, 2)
    chance = [Fraction(0)] * n
    for group in combinations(range(n), 3):
        for k, share in median_shares(reports, group).items():
            chance[k] += met * share
    return chance


def chance_against(report, others):
    """P of one report among these others."""
    return win_chances([report, *others])[0]


def groupings(agents, groups):
    """All ways to form so many groups of three, the order of groups not counted."""
    if not groups:
        yield []
        return
    spare = len(agents) - 3 * groups  # how many may be passed over
    for passed in range(spare + 1):
        first, rest = agents[passed], agents[passed + 1 :]
        for pair in combinations(rest, 2):
            left = [k for k in rest if k not in pair]
            for more in groupings(left, groups - 1):
                yield [(first, *pair), *more]


def all_draws(reports):
    """Every outcome, as its winners, with its probability."""
    n, every = len(reports), []
    ways = list(groupings(list(range(n)), n // 3))
    for way in ways:
        outcomes = [((), Fraction(1, len(ways)))]
        for group in way:
            shares = median_shares(reports, group).items()
            outcomes = [((*won, k), p * share) for won, p in outcomes for k, share in shares]
        every += outcomes
    return every


def waterfall(local, federated, unit=1e-9, loss_value=1.0):
    """Section 5: fee ⌊f⌋, compensation ⌈−f⌉, pool of each agent, shortfall, in whole units."""
    per_loss = exact(loss_value) / exact(unit)
    f = [
        math.floor(per_loss * (exact(a) - exact(b))) for a, b in zip(local, federated, strict=True)
    ]
    fee, owed, left = [max(x, 0) for x in f], [max(-x, 0) for x in f], sum(f)
    if left >= 0:
        return fee, owed, [min(max(left - x, 0), left) for x in f], 0
    paid = [sum(fee) * x // sum(owed) for x in owed]
    return fee, paid, [0] * len(f), sum(owed) - sum(paid)


def share(pool, among, retention=0.0):
    return math.floor((1 - exact(retention)) * pool) // among


def mean(numbers):
    numbers = list(numbers)
    return math.fsum(numbers) / len(numbers)


def readings(reports, local, federated, unit=1e-9, loss_value=1.0, retention=0.0):
    """What each agent ends with, one list for each reading, and the spread over all draws."""
    n, groups = len(local), len(local) // 3
    f = [a - b for a, b in zip(local, federated, strict=True)]
    prize = [3 / n * math.fsum(f[:k] + f[k + 1 :]) for k in range(n)]
    chance = [float(p) for p in win_chances(reports)]
    fee, compensation, pool, shortfall = waterfall(local, federated, unit, loss_value)
    reward = [share(each, groups, retention) for each in pool]
    rebate = [share(each, n - 1, retention) for each in pool]
    cent = unit / loss_value

    def ends(k, received):
        return federated[k] + cent * (fee[k] - compensation[k] - received)

    expected, square, means = [0.0] * n, [0.0] * n, []
    for winners, p in all_draws(reports):
        for k in range(n):
            loss = ends(k, reward[k] if k in winners else 0)
            expected[k] += float(p) * loss
            square[k] += float(p) * (loss - ends(k, 0)) ** 2
        means.append((float(p), sum(cent * reward[k] for k in winners) / n))
    middle = math.fsum(p * x for p, x in means)
    whole = [abs(ends(k, 0) - local[k]) <= cent * (1 + 1e-6) + 1e-12 for k in range(n)]
    stay = [whole[k] * (1 - chance[k] if reward[k] > 0 else 1) for k in range(n)]
    return {
        "local": list(local),
        "federated": list(federated),
        "fact_paper": [a - p / 3 for a, p in zip(local, prize, strict=True)],
        "fact_realised": [a - c * p for a, c, p in zip(local, chance, prize, strict=True)],
        "fact_believed": [a - p / 2 for a, p in zip(local, prize, strict=True)],
        "fact_settled": expected,
        "fact_rebate": [ends(k, rebate[k]) for k in range(n)],
        "if_lost": [ends(k, 0) for k in range(n)],
        "if_won": [ends(k, reward[k]) for k in range(n)],
        "win_probability": chance,
        "spread": [
            math.sqrt(max(0.0, square[k] - (expected[k] - ends(k, 0)) ** 2)) for k in range(n)
        ],
        "spread_of_mean": math.sqrt(math.fsum(p * (x - middle) ** 2 for p, x in means)),
        "at_local_loss": (mean(stay), mean(whole[k] and rebate[k] == 0 for k in range(n))),
        "shortfall": shortfall,
        "prize": prize,
    }


def normal_cdf(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


def estimate(values):
    """Mean and the ends of Student's 95 % interval."""
    n, middle = len(values), mean(values)
    if n == 1:
        return middle, None, None
    deviation = math.sqrt(math.fsum((x - middle) ** 2 for x in values) / (n - 1))
    half = STUDENT[n - 1] * deviation / math.sqrt(n)
    return middle, middle - half, middle + half


def penalty(m, S, c, A, alpha):
    """P_fr of section 1, term by term."""
    best = math.sqrt(A / c)
    s = S / best
    g = c * s * (s + 2) / (1 + s) ** 2
    weight = c / best * s * (s + 2) ** 2 / (2 * (2 - alpha) * (1 + s) ** 3)
    benefit = c * best * s / (1 + s)
    return weight * (best - m) ** 2 + g * (best - m) + (2 - alpha) / 2 * benefit


def best_whole_samples(c, A):
    """The whole number with the least local loss A/m + c·m; the larger of two."""
    near = math.isqrt(math.floor(exact(A) / exact(c)))
    tries = range(max(1, near - 2), near + 4)
    return min(tries, key=lambda m: (exact(A) / m + exact(c) * m, -m))
