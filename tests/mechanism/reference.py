"""Settlement as the theory states it: in fractions, one agent at a time, slow and plain.

Nothing here is shared with the code under test. A float means the decimal it prints as.
"""

import hashlib
import math
from decimal import Decimal, localcontext
from fractions import Fraction


def fraction(number):
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def decimal(number):
    number = fraction(number)
    return Decimal(number.numerator) / Decimal(number.denominator)


def settle(population, terms, seed):
    """All columns of a settlement but the penalty, as lists of whole numbers."""
    agents = list(population.agents)
    reports = population.reported_cost.tolist()
    samples = population.samples.tolist()
    n = len(agents)
    kept = 1 - fraction(terms.retention)
    nothing = [0] * n

    compensation, charge, shortfall = nothing, nothing, 0
    if population.local_loss is None:
        fee, pool = analytic(samples, fraction(terms.error_scale) / fraction(terms.unit))
        if terms.rule == "rebate":
            capped = nothing if population.capped is None else population.capped.tolist()
            charge = [
                0 if capped[i] else consistency_charge(reports[i], samples[i], terms)
                for i in range(n)
            ]
    else:
        fee, compensation, pool, shortfall = measured(
            population.local_loss.tolist(), population.federated_loss.tolist(), terms
        )

    group, won, reward, rebate = [-1] * n, [False] * n, nothing, nothing
    if terms.rule == "sandwich":
        group, won = sandwich(agents, reports, seed)
        G = n // 3
        reward = [math.floor(kept / G * pool[i]) if won[i] else 0 for i in range(n)]
    else:
        rebate = [math.floor(kept / (n - 1) * pool[i]) for i in range(n)]

    return {
        "fee": fee,
        "charge": charge,
        "compensation": compensation,
        "pool": pool,
        "reward": reward,
        "rebate": rebate,
        "net": [compensation[i] + reward[i] + rebate[i] - fee[i] - charge[i] for i in range(n)],
        "group": group,
        "won": won,
        "surplus": sum(fee) + sum(charge) - sum(compensation) - sum(reward) - sum(rebate),
        "shortfall": shortfall,
    }


def analytic(samples, K):
    """Fees ⌊B_i⌋ and pools Σ_{j≠i} ⌊B_j^(−i)⌋, with K = A/unit."""
    M = sum(samples)
    fee = [saving(K, m, M) for m in samples]
    pool = [
        sum(saving(K, m_j, M - m_i) for j, m_j in enumerate(samples) if j != i)
        for i, m_i in enumerate(samples)
    ]
    return fee, pool


def saving(K, m, total):
    """⌊K(1/m − 1/total)⌋."""
    return math.floor(K * Fraction(total - m, m * total))


def consistency_charge(report, m, terms):
    """⌊κ(√(A/m) − √(c·m))²⌋ in minor units."""
    weight = fraction(terms.consistency) / fraction(terms.unit)
    return square_of_roots(weight * fraction(terms.error_scale) / m, weight * fraction(report) * m)


def square_of_roots(x, y):
    """⌊(√x − √y)²⌋: Decimals make a guess, which fractions then put right."""
    with localcontext(prec=60):
        whole = int((decimal(x).sqrt() - decimal(y).sqrt()) ** 2)

    def reached(k):  # (√x − √y)² ≥ k, that is x + y − k ≥ 2√(xy)
        return x + y >= k and (x + y - k) ** 2 >= 4 * x * y

    while not reached(whole):
        whole -= 1
    while reached(whole + 1):
        whole += 1
    return whole


def measured(local, federated, terms):
    """Fees, compensations, pools and shortfall of the waterfall."""
    value = fraction(terms.loss_value) / fraction(terms.unit)
    gain = [
        value * (fraction(alone) - fraction(together))
        for alone, together in zip(local, federated, strict=True)
    ]
    fee = [math.floor(f) if f > 0 else 0 for f in gain]
    owed = [math.ceil(-f) if f < 0 else 0 for f in gain]
    collected, claims = sum(fee), sum(owed)
    if collected < claims:
        paid = [collected * claim // claims for claim in owed]
        return fee, paid, [0] * len(fee), claims - sum(paid)
    left = collected - claims
    pool = [min(max(left - (fee[i] - owed[i]), 0), left) for i in range(len(fee))]
    return fee, owed, pool, 0


def sandwich(agents, reports, seed):
    """Groups of three in the order of the keys; the first with the median report wins."""
    keys = [hashlib.sha256(f"fedfact-group:{seed}:{agent}".encode()).digest() for agent in agents]
    order = sorted(range(len(agents)), key=lambda i: keys[i])
    group, won = [-1] * len(agents), [False] * len(agents)
    for g in range(len(agents) // 3):
        members = order[3 * g : 3 * g + 3]
        median = sorted(reports[i] for i in members)[1]
        for i in members:
            group[i] = g
        won[next(i for i in members if reports[i] == median)] = True
    return group, won


def penalty(report, m, others, terms):
    """P_fr in minor units as a Decimal, from λ, g and B(m*) (docs/theory.md)."""
    with localcontext(prec=100):
        A, c, slack = decimal(terms.error_scale), decimal(report), 2 - decimal(terms.alpha)
        m_star = (A / c).sqrt()
        s = others / m_star
        g = c * s * (s + 2) / (1 + s) ** 2
        weight = c / m_star * s * (s + 2) ** 2 / (2 * slack * (1 + s) ** 3)
        benefit = c * m_star * s / (1 + s)
        missing = m_star - m
        loss = weight * missing**2 + g * missing + slack / 2 * benefit
        return loss / decimal(terms.unit)
