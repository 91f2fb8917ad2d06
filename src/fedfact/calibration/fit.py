"""The power law a·m^(−b) + e∞ through the losses, by weighted least squares.

For a given b the two others are a straight line's, so the sum of squares is a function of b alone,
its *profile*: searched on a grid, it has no wrong minimum to end in, and no first guess is needed.
Intervals are by profile too (all values for which the sum of squares is no larger than an F test
allows), because those of a and e∞ are far from symmetric.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from ..arrays import ArrayLike, Floats, floats
from .runs import Sizes

EXPONENTS = (0.01, 5.0)
"""Where b is looked for."""

LEVEL = 0.95
"""Of all intervals, and of the bound."""

_GRID = np.geomspace(*EXPONENTS, 400)
_STEPS, _STEEPEST = 50, 4.0


class Fitted(NamedTuple):
    """A number of the curve with its interval; not finite where the runs do not limit it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class PowerLaw:
    """A fit: scale a, exponent b and floor e∞ (the loss that no data takes away).

    Attributes:
        misfit: mean loss − fit at each size.
        noise: the standard error of each of these means.
    """

    scale: Fitted
    exponent: Fitted
    floor: Fitted
    misfit: Floats
    noise: Floats

    def __call__(self, samples: ArrayLike) -> Floats:
        """The loss after training on so many samples."""
        return self.floor.value + self.reducible(samples)

    def reducible(self, samples: ArrayLike) -> Floats:
        """The part of it that more samples take away: a·m^(−b)."""
        return floats(self.scale.value * floats(samples) ** -self.exponent.value)

    @property
    def worst(self) -> int:
        """The size where the fit is furthest from the mean loss."""
        return int(np.argmax(np.abs(self.misfit)))


def fit(sizes: Sizes) -> PowerLaw:
    """The power law of least squares, each size weighted by its variance over seeds."""
    return _fit(_Lines(sizes), None)


def fit_given(sizes: Sizes, exponent: float) -> PowerLaw:
    """The same where b is given: the paper's A/m for 1."""
    return _fit(_Lines(sizes), exponent)


class _Lines:
    """Of each b, the straight line loss = e∞ + a·x^(−b) of least squares; x is m/m₀."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.variance = smoothed_variance(sizes)
        self.weight = sizes.count / self.variance
        self.log_middle = float(np.log(sizes.samples).mean())  # m₀: a and e∞ hardly correlate there
        self.log_x = np.log(sizes.samples) - self.log_middle
        self.runs = int(sizes.count.sum())
        self.within = float(((sizes.count - 1) * sizes.variance / self.variance).sum())

    def at(self, exponents: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """a, e∞, the sum of squares, and what the variances of a and e∞ are multiples of."""
        power = np.exp(-exponents[:, None] * self.log_x)
        weight, mean = self.weight, self.sizes.mean
        total = weight.sum()
        x, y = power @ weight / total, mean @ weight / total
        spread = ((power - x[:, None]) ** 2) @ weight
        a = ((power - x[:, None]) * (mean - y)) @ weight / spread
        floor = y - a * x
        misfit = mean - floor[:, None] - a[:, None] * power
        squares = self.within + misfit**2 @ weight
        return a, floor, squares, 1 / spread, 1 / total + x**2 / spread

    def freedom(self, exponent: float, a: float) -> float:
        """Welch's degrees of freedom of b: few sizes decide it, each with a variance of its own."""
        power = np.exp(-exponent * self.log_x)
        slopes = np.stack([power, np.ones(len(power)), -a * self.log_x * power])
        of_b = np.linalg.pinv((slopes * self.weight) @ slopes.T)[2] @ (slopes * self.weight)
        part = of_b**2 / self.weight
        return float(part.sum() ** 2 / (part**2 / (self.sizes.count - 1)).sum())

    def squares(self, exponent: float) -> float:
        """The sum of squares of one b."""
        return float(self.at(np.array([exponent]))[2][0])


def smoothed_variance(sizes: Sizes) -> Floats:
    """The variance at each size, as a power law of the size, of greatest likelihood.

    The variance of three seeds is often off by a factor of three; as a weight of its own it would
    let chance choose the size that decides the fit. Where no two runs differ, all weigh the same.
    """
    if not sizes.variance.any():
        return np.ones(len(sizes.samples))
    log_m = np.log(sizes.samples)
    terms = np.stack([np.ones(len(log_m)), log_m - log_m.mean()])
    weighted = terms * (sizes.count - 1)
    logs = np.array([np.log(sizes.variance.mean()), 0.0])
    for _ in range(_STEPS):  # of Fisher's scoring, for gamma variables with a logarithmic link
        excess = sizes.variance / np.exp(logs @ terms) - 1
        step = np.linalg.solve(weighted @ terms.T, weighted @ excess)
        logs = np.array(
            [logs[0], np.clip(logs[1] + np.clip(step[1], -1, 1), -_STEEPEST, _STEEPEST)]
        )
        logs[0] += np.clip(step[0], -1, 1)
    return floats(np.exp(logs @ terms))


def _fit(lines: _Lines, given: float | None) -> PowerLaw:
    b = _least(lines) if given is None else given
    (a,), (floor,), (least,), _, _ = lines.at(np.array([b]))
    quantile = float(stats.f.ppf(LEVEL, 1, lines.freedom(b, float(a))))
    limit = least * (1 + quantile / (lines.runs - (3 if given is None else 2)))
    low, high = (b, b) if given is not None else _ends(lines, b, limit)
    power = np.exp(-b * lines.log_x)
    unscaled = np.exp(b * lines.log_middle)
    scales, floors = _intervals(lines, b, (low, high), limit)
    noise = np.sqrt(lines.variance / lines.sizes.count)
    return PowerLaw(
        scale=Fitted(float(a * unscaled), *scales),
        exponent=Fitted(b, low, high),
        floor=Fitted(float(floor), *floors),
        misfit=lines.sizes.mean - floor - a * power,
        noise=noise if lines.sizes.variance.any() else np.zeros_like(noise),
    )


def _least(lines: _Lines) -> float:
    """The b of the least sum of squares: the best on the grid, made exact from there."""
    best = int(np.argmin(lines.at(_GRID)[2]))
    bounds = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(_GRID) - 1)]

    def residuals(exponent: Floats) -> Floats:
        (a,), (floor,), *_ = lines.at(exponent)
        misfit = lines.sizes.mean - floor - a * np.exp(-exponent * lines.log_x)
        return floats(np.sqrt(lines.weight / lines.weight.sum()) * misfit / unit)

    unit = float(np.ptp(lines.sizes.mean)) or 1.0  # tolerances are for numbers around 1
    exact = 1e-15
    start = np.clip(_GRID[best], bounds[0] * (1 + 1e-9), bounds[1] * (1 - 1e-9))
    found = optimize.least_squares(
        residuals, start, bounds=bounds, xtol=exact, ftol=exact, gtol=exact
    )
    return float(found.x[0])


def _ends(lines: _Lines, b: float, limit: float) -> tuple[float, float]:
    """Where the sum of squares reaches its limit on both sides of b; 0 or ∞ where it never does."""
    ends = []
    for edge, open_end in zip(EXPONENTS, (0.0, np.inf), strict=True):
        if lines.squares(b) >= limit:  # no noise at all
            ends.append(b)
        elif lines.squares(edge) <= limit:
            ends.append(open_end)
        else:
            between = (min(edge, b), max(edge, b))
            ends.append(float(optimize.brentq(lambda e: lines.squares(e) - limit, *between)))
    return ends[0], ends[1]


def _intervals(
    lines: _Lines, b: float, ends: tuple[float, float], limit: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of a and e∞: all that some b allows."""
    low, high = max(ends[0], EXPONENTS[0]), min(ends[1], EXPONENTS[1])
    exponents = np.append(np.linspace(low, high, 400), b)
    a, floor, squares, of_a, of_floor = lines.at(exponents)
    room = np.maximum(limit - squares, 0)
    unscaled = np.exp(exponents * lines.log_middle)
    half_a, half_floor = np.sqrt(room * of_a), np.sqrt(room * of_floor)
    a_low, a_high = ((a - half_a) * unscaled).min(), ((a + half_a) * unscaled).max()
    floor_low, floor_high = (floor - half_floor).min(), (floor + half_floor).max()
    return (
        (float(a_low), float(a_high) if np.isfinite(ends[1]) and ends[0] else np.inf),
        (float(floor_low) if ends[0] else -np.inf, float(floor_high)),
    )
