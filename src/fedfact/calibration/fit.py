"""The power law a·m^(−b) + e∞ with e∞ ≥ 0 through the losses, by weighted least squares.

For a given b the two others are a straight line's, which goes through the origin where its floor
would be below 0, so the sum of squares is a function of b alone, its *profile*: searched on a grid,
it has no wrong minimum to end in, and no first guess is needed. Intervals are by profile too (all
values for which the sum of squares is no larger than an F test allows), because those of a and e∞
are far from symmetric.
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
_SURE = 0.99
_ROUNDING = 1e-6
"""Of the range of the losses: a misfit without noise that is less comes of rounding."""


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
        holds: whether noise explains the misfit (an F test at 99 %).
    """

    scale: Fitted
    exponent: Fitted
    floor: Fitted
    misfit: Floats
    noise: Floats
    holds: bool

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


class _Best(NamedTuple):
    """Of each b the line of least squares, its sum of squares, and the variances' multiples."""

    a: Floats
    floor: Floats
    squares: Floats
    of_a: Floats
    of_floor: Floats


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

    def free(self, exponents: Floats) -> _Best:
        """The line where e∞ may be anything."""
        power, weight, mean = self._power(exponents), self.weight, self.sizes.mean
        total = weight.sum()
        x, y = power @ weight / total, mean @ weight / total
        spread = ((power - x[:, None]) ** 2) @ weight
        a = ((power - x[:, None]) * (mean - y)) @ weight / spread
        floor = y - a * x
        squares = self._squares(power, a, floor)
        return _Best(a, floor, squares, 1 / spread, 1 / total + x**2 / spread)

    def grounded(self, exponents: Floats) -> _Best:
        """The line where e∞ is 0."""
        power = self._power(exponents)
        of_a = 1 / (power**2 @ self.weight)
        a, none = (power @ (self.weight * self.sizes.mean)) * of_a, np.zeros(len(of_a))
        return _Best(a, none, self._squares(power, a, none), of_a, none)

    def at(self, exponents: Floats) -> _Best:
        """The line where e∞ is 0 or above: no loss is below 0, however many the samples."""
        free, grounded = self.free(exponents), self.grounded(exponents)
        return _Best(*(np.where(free.floor < 0, *two) for two in zip(grounded, free, strict=True)))

    def squares(self, exponent: float) -> float:
        """The sum of squares of one b."""
        return float(self.at(np.array([exponent])).squares[0])

    def slopes(self, exponent: float, a: float, floor: float) -> Floats:
        """How the losses change with b, a and, where it is not 0, e∞: a row for each."""
        power = np.exp(-exponent * self.log_x)
        return np.stack([-a * self.log_x * power, power, np.ones(len(power))][: 2 + (floor > 0)])

    def freedom(self, slopes: Floats) -> float:
        """Welch's degrees of freedom of b: few sizes decide it, each with a variance of its own."""
        of_b = np.linalg.pinv((slopes * self.weight) @ slopes.T)[0] @ (slopes * self.weight)
        part = of_b**2 / self.weight
        return float(part.sum() ** 2 / (part**2 / (self.sizes.count - 1)).sum())

    def _power(self, exponents: Floats) -> Floats:
        return floats(np.exp(-exponents[:, None] * self.log_x))

    def _squares(self, power: Floats, a: Floats, floor: Floats) -> Floats:
        misfit = self.sizes.mean - floor[:, None] - a[:, None] * power
        return floats(self.within + misfit**2 @ self.weight)


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
    best = lines.at(np.array([b]))
    a, floor, least = (float(number[0]) for number in best[:3])
    slopes = lines.slopes(b, a, floor)
    freedom = lines.runs - len(slopes) + (given is not None)
    limit = least * (1 + float(stats.f.ppf(LEVEL, 1, lines.freedom(slopes))) / freedom)
    low, high = (b, b) if given is not None else _ends(lines, b, limit)
    unscaled = np.exp(b * lines.log_middle)
    scales, floors = _intervals(lines, b, (low, high), limit)
    noise = np.sqrt(lines.variance / lines.sizes.count)
    misfit = lines.sizes.mean - floor - a * np.exp(-b * lines.log_x)
    return PowerLaw(
        scale=Fitted(float(a * unscaled), *scales),
        exponent=Fitted(b, low, high),
        floor=Fitted(floor, *floors),
        misfit=misfit,
        noise=noise if lines.sizes.variance.any() else np.zeros_like(noise),
        holds=_holds(lines, least, freedom),
    )


def _holds(lines: _Lines, least: float, freedom: int) -> bool:
    """Whether the means lie no further from the fit than their noise explains."""
    between, within = least - lines.within, lines.within
    inside = lines.runs - len(lines.sizes.samples)
    if not within:
        return bool(between <= (_ROUNDING * np.ptp(lines.sizes.mean)) ** 2 * lines.weight.sum())
    ratio = (between / (freedom - inside)) / (within / inside)
    return bool(ratio <= stats.f.ppf(_SURE, freedom - inside, inside))


def _least(lines: _Lines) -> float:
    """The b of the least sum of squares: the best on the grid, made exact from there."""
    best = int(np.argmin(lines.at(_GRID).squares))
    bounds = _GRID[max(best - 1, 0)], _GRID[min(best + 1, len(_GRID) - 1)]

    def residuals(exponent: Floats) -> Floats:
        line = lines.at(exponent)
        misfit = lines.sizes.mean - line.floor - line.a * np.exp(-exponent * lines.log_x)
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
    """Of a and e∞: all that some b allows.

    What one b allows is an ellipse, cut off where e∞ is 0: where its point of the least or largest
    a is cut off, that of the line e∞ = 0 takes its place.
    """
    low, high = max(ends[0], EXPONENTS[0]), min(ends[1], EXPONENTS[1])
    exponents = np.append(np.linspace(low, high, 400), b)
    free, grounded = lines.free(exponents), lines.grounded(exponents)
    unscaled = np.exp(exponents * lines.log_middle)
    half_a, half_floor, half_grounded = (
        np.sqrt(np.maximum(limit - line.squares, 0) * multiple)
        for line, multiple in ((free, free.of_a), (free, free.of_floor), (grounded, grounded.of_a))
    )
    mean_power = (lines.sizes.mean @ lines.weight / lines.weight.sum() - free.floor) / free.a

    def end(side: int) -> Floats:
        cut_off = free.floor - side * half_a * mean_power < 0
        of_grounded = grounded.a + side * half_grounded
        return floats(np.where(cut_off, of_grounded, free.a + side * half_a) * unscaled)

    floor_low, floor_high = (free.floor - half_floor).min(), (free.floor + half_floor).max()
    return (
        (float(end(-1).min()), float(end(1).max()) if np.isfinite(ends[1]) else np.inf),
        (max(float(floor_low), 0.0), max(float(floor_high), 0.0)),
    )
