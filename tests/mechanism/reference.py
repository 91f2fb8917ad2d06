"""Settlement as the theory states it: in fractions, one agent at a time, slow and plain.

Nothing here is shared with the code under test. A float means the decimal it prints as. Powers are
rounded exactly, in whole numbers: n ≥ K·x^(−p/q) means n^q·x^p ≥ K^q. Only charges compare sums of
powers, and have them to some 75 digits.
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
    n = len(agents)
    kept = 1 - fraction(terms.retention)
    nothing = [0] * n
    left = [False] * n if population.left is None else population.left.tolist()

    compensation, charge, shortfall = nothing, nothing, 0
    if population.local_loss is not None:
        fee, compensation, pool, shortfall = measured(
            population.local_loss.tolist(), population.federated_loss.tolist(), terms
        )
    elif terms.rule == "sandwich":
        fee, pool = paper(population.samples.tolist(), terms)
    else:
        fee, pool, charge = balanced(population, terms)
        fee = [max(fee[i], 0) if left[i] else fee[i] for i in range(n)]

    group, won, reward, rebate = [-1] * n, [False] * n, nothing, nothing
    if terms.rule == "sandwich":
        group, won = sandwich(agents, reports, seed)
        G = n // 3
        reward = [math.floor(kept / G * pool[i]) if won[i] else 0 for i in range(n)]
    else:
        rebate = [math.floor(kept / (n - 1) * pool[i]) for i in range(n)]
    charge, reward, rebate = (
        [0 if left[i] else column[i] for i in range(n)] for column in (charge, reward, rebate)
    )

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


def paper(samples, terms):
    """Fees ⌊e(m) − e(M)⌋ and pools Σ_{j≠i} ⌊e(m_j) − e(M − m_i)⌋; sub-units up where b is not 1."""
    K, b, M = scale(terms), fraction(terms.exponent), sum(samples)
    sub_units = {x: power_up(K * 2**20, x, b) for x in {M, *samples, *(M - m for m in samples)}}

    def saving(m, total):
        if b == 1:
            return math.floor(K / m - K / total)
        return (sub_units[m] - sub_units[total]) // 2**20

    fee = [saving(m, M) for m in samples]
    pool = [
        sum(saving(m_j, M - m_i) for j, m_j in enumerate(samples) if j != i)
        for i, m_i in enumerate(samples)
    ]
    return fee, pool


def balanced(population, terms):
    """Fees, pools and charges of `rebate` and `shared` (docs/theory.md)."""
    m, n = population.samples.tolist(), len(population)
    u = [1] * n if population.size is None else population.size.tolist()
    K, b, M, U = scale(terms), fraction(terms.exponent), sum(m), sum(u)
    signed = population.signed_size or U
    fine = 2 ** (20 + math.ceil(math.log2(max(u))))  # sub-units of a minor unit

    def effective(i, total):
        return m[i] if terms.rule == "rebate" else Fraction(m[i] * total, u[i])

    own = [u[i] * power_up(K * fine, effective(i, U), b) for i in range(n)]
    fee = []
    for i in range(n):
        as_fine = 2 ** (20 + (u[i] - 1).bit_length())  # as its own size asks for, alone to work out
        alone, together = power_up(K * as_fine, effective(i, U), b), power_down(K * as_fine, M, b)
        fee.append(-(u[i] * (together - alone) // as_fine))
    pool, charge = [], []
    for i in range(n):
        without = power_up(K * fine, Fraction(U * (M - m[i]), U - u[i]), b) * (U - u[i])
        pool.append(max(0, (sum(own[:i] + own[i + 1 :]) - without) // fine))
        reach = effective(i, signed) / Fraction(m[i])
        most = 10**12 if population.capacity is None else population.capacity.tolist()[i]
        report = population.reported_cost.tolist()[i]
        charge.append(misfit(report, m[i], u[i], reach, most, terms))
    return fee, pool, charge


def scale(terms):
    return fraction(terms.error_scale) / fraction(terms.unit)


def power_up(K, x, b):
    """The smallest whole number n ≥ K·x^(−b): with b = p/q, the smallest with n^q·x^p ≥ K^q."""
    K, x, p, q = Fraction(K), Fraction(x), b.numerator, b.denominator
    left = x.numerator**p * K.denominator**q
    right = K.numerator**q * x.denominator**p
    n = math.ceil(real_power(K, x, b))
    while n**q * left < right:
        n += 1
    while n and (n - 1) ** q * left >= right:
        n -= 1
    return n


def power_down(K, x, b):
    """The largest whole number n ≤ K·x^(−b)."""
    n, p, q = power_up(K, x, b), b.numerator, b.denominator
    return n if Fraction(n) ** q * Fraction(x) ** p == Fraction(K) ** q else n - 1


def real_power(K, x, b):
    """K·x^(−b) to some 75 digits."""
    with localcontext(prec=80, Emin=-(10**9), Emax=10**9):
        return decimal(K) * (-decimal(b) * decimal(x).ln()).exp()


def misfit(report, m, u, reach, most, terms):
    """⌈κ[ℓ(m) − min ℓ(x)]⌉ in minor units, but for a millionth (2^(−20)).

    ℓ(x) = u·K·(reach·x)^(−b) + c·x is convex: over whole numbers it is least next to where its
    slope is 0, or at the end of the range that lies nearest.
    """
    K, b, c = u * scale(terms), fraction(terms.exponent), fraction(report) / fraction(terms.unit)

    def loss(x):
        if b == 1:
            return K / (reach * x) + c * x
        return Fraction(real_power(K, reach * x, b)) + c * x

    with localcontext(prec=80, Emin=-(10**9), Emax=10**9):
        slope = decimal(b * K / c) * (-decimal(b) * decimal(reach).ln()).exp()
        flat = int((slope.ln() / decimal(1 + b)).exp())
    least = min(billing_floor(terms, u), most)
    near = [min(max(x, least), most) for x in (flat, flat + 1)]
    lowest = min(map(loss, near))
    exact = fraction(terms.consistency) * (loss(m) - lowest) - Fraction(1, 2**20)
    return max(0, math.ceil(exact))


def billing_floor(terms, u):
    """A third, rounded up, of the fewest samples that are admitted."""
    least = terms.minimum_samples
    if terms.escrow is not None:
        b, ratio = fraction(terms.exponent), u * scale(terms) / terms.escrow
        # the smallest whole x with x^b ≥ ratio
        x = math.ceil(real_power(1, ratio, -1 / b))
        while Fraction(x) ** b.numerator < ratio**b.denominator:
            x += 1
        while x > 1 and Fraction(x - 1) ** b.numerator >= ratio**b.denominator:
            x -= 1
        least = max(least, 3 * max(1, x))
    return -(-least // 3)


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
    with localcontext(prec=300):
        A, c, slack = decimal(terms.error_scale), decimal(report), 2 - decimal(terms.alpha)
        b, S = decimal(terms.exponent), Decimal(others)

        def power(x, exponent):
            return (exponent * x.ln()).exp()

        m_star = power(A * b / c, 1 / (1 + b))
        g = c - A * b * power(m_star + S, -1 - b)
        benefit = A * power(m_star, -b) - A * power(m_star + S, -b)
        weight = g * g / (2 * slack * benefit)
        missing = m_star - m
        loss = weight * missing**2 + g * missing + slack / 2 * benefit
        return loss / decimal(terms.unit)
