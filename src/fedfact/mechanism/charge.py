"""The charge for samples that do not fit the reported cost, exactly, over whole samples.

    Q = ⌈κ[ℓ(m) − min ℓ(x)]⌉,    ℓ(x) = u·K·(x·times/over)^(−b) + c·x/unit

over the whole numbers x from the billing floor to the agent's capacity. The least is at one of the
two whole numbers next to the optimum, since ℓ is convex. An agent that uses it owes nothing, nor
does one that uses the other where both are as good; so a millionth of a minor unit (a sub-unit) is
let go before rounding up.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..arrays import MOST_SAMPLES, Floats, Ints
from .exact import DOES_NOT_FIT, MOST_MONEY, as_fraction
from .subunits import BITS, Longs, longdouble, power_in_decimals
from .terms import Terms

_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class SampleChoices:
    """What agents could have used: ``least`` to ``most`` samples, each a times/over-fold one.

    ``size`` is u. Under a rule that prices everybody as if all did as it does, ``times`` is the
    size of all and ``over`` its own; else both are 1.
    """

    size: Ints
    times: int
    over: Ints
    least: Ints
    most: Ints


def exact_charge(terms: Terms, cost: Floats, samples: Ints, choices: SampleChoices) -> Ints:
    """Q of each agent in minor units (or `DOES_NOT_FIT`)."""
    charge = np.empty_like(samples)
    for start in range(0, len(samples), _BLOCK):  # blocks that stay in the cache
        block = slice(start, start + _BLOCK)
        part = SampleChoices(
            choices.size[block],
            choices.times,
            choices.over[block],
            choices.least[block],
            choices.most[block],
        )
        charge[block] = _charges(terms, cost[block], samples[block], part)
    return charge


def _charges(terms: Terms, cost: Floats, samples: Ints, of: SampleChoices) -> Ints:
    """By floats where they can tell; the doubtful ones exactly.

    A reported cost means the decimal that it prints as, from which a float is off by 2^(−53).
    All else is right to some 800 eps, mostly b·log x in exponents; 2048 are allowed for.
    """
    b, kappa = (longdouble(as_fraction(number)) for number in (terms.exponent, terms.consistency))
    slack = 2.0**-52 + 2048 * float(np.finfo(np.longdouble).eps)
    c = cost.astype(np.longdouble) / longdouble(as_fraction(terms.unit))
    own: Longs = of.size * longdouble(terms.error_scale_in_units)
    if of.times != 1:
        own *= _power(np.longdouble(of.times) / of.over, b)
    with np.errstate(over="ignore"):
        flat = (b * own / c).astype(np.float64) ** (1 / (1 + float(b)))  # where ℓ is flat
    low = np.clip(np.floor(flat), 1, MOST_SAMPLES).astype(np.longdouble)
    lost = own * _power(low, b)
    gain = lost * -np.expm1(-b * np.log1p(1 / low))  # of one more sample
    best = np.clip(low + (gain > c), of.least, of.most)
    close = np.abs(gain - c) <= slack * c  # then either is as good, or nearly
    value = np.zeros_like(c)
    error = kappa * slack * 2 * c * close
    k = np.flatnonzero(samples != best)
    more = samples[k] - best[k]
    change = own[k] * _power(best[k], b) * np.expm1(-b * _log_ratio(samples[k], best[k]))
    spent = c[k] * more
    with np.errstate(over="ignore", invalid="ignore"):
        value[k] = kappa * (change + spent)
        error[k] += kappa * slack * (np.abs(change) + np.abs(spent))
        value -= 2.0**-BITS
        fits = value < MOST_MONEY
        whole = np.where(fits, np.maximum(np.ceil(value), 0), DOES_NOT_FIT).astype(np.int64)
        doubtful = fits & (value + error > 0) & (np.abs(value - np.rint(value)) <= error)
    for j in np.flatnonzero(doubtful):
        whole[j] = _exactly(terms, cost[j], int(samples[j]), of, int(j))
    return whole


def _power(x: Longs, b: np.longdouble) -> Longs:
    """x^(−b)."""
    power: Longs = 1 / x if b == 1 else np.exp(-b * np.log(x))
    return power


def _log_ratio(samples: Ints, best: Longs) -> Longs:
    """log(samples/best), by the small difference where there is one."""
    more = samples - best
    near = 2 * np.abs(more) < best
    log: Longs = np.empty_like(best)
    log[near] = np.log1p(more[near] / best[near])
    log[~near] = np.log(samples[~near] / best[~near])
    return log


def _exactly(terms: Terms, cost: float, samples: int, of: SampleChoices, k: int) -> int:
    """The same in fractions; powers that are none are worked out to 40 digits."""
    b, c = as_fraction(terms.exponent), as_fraction(cost) / as_fraction(terms.unit)
    scale = int(of.size[k]) * terms.error_scale_in_units
    reach = Fraction(of.times, int(of.over[k]))

    def error(x: int) -> Fraction:
        if b == 1:
            return scale / (x * reach)
        return Fraction(power_in_decimals(scale, x * reach, b))

    def more_pays(x: int) -> bool:
        return error(x) - error(x + 1) > c

    curve_guess = float(scale) * float(reach) ** -float(b) * float(b) / float(c)
    best = int(min(max(curve_guess ** (1 / (1 + float(b))), 1), MOST_SAMPLES))
    while more_pays(best) and best < MOST_SAMPLES:
        best += 1
    while best > 1 and not more_pays(best - 1):
        best -= 1
    best = min(max(best, int(of.least[k])), int(of.most[k]))
    misfit = error(samples) - error(best) + c * (samples - best)
    return max(0, -int(-(as_fraction(terms.consistency) * misfit - Fraction(1, 2**BITS)) // 1))
