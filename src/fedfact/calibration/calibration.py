"""From trainings to the curve that terms can state: the fit, lowered until it is safe.

The fit says how fast the loss falls. It is not trusted to say what federation saves a member: A is
lowered, by the factor q, until no member is charged for more than the measured losses prove at
95 %. The fit is never extended to the size of the whole; where no model of that size was trained,
the largest that was takes its place, which can only lower A.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from math import ceil, isfinite
from typing import Any

import numpy as np

from ..arrays import IN_RANGE, LARGEST, MOST_SAMPLES, SMALLEST, Ints
from ..errors import InputError
from ..mechanism import Terms
from ..results import Tabular, html_table, text_table
from .bound import Saving, place_of_whole, weights_of, welch
from .fit import PowerLaw, fit, fit_given
from .runs import Runs, Sizes
from .shape import check_shape

WANTED = 0.05
"""How well b should be known: ± so much."""

_DIGITS = 3  # of b, as it is published


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """A power law, and what it says that federation saves each member, beside the proved least."""

    law: PowerLaw
    savings: tuple[Saving, ...]

    @property
    def binding(self) -> Saving:
        """The member of whose saving the least part is proved."""
        return min(self.savings, key=lambda saving: saving.ratio)

    @property
    def q(self) -> float:
        """What the scale has to be multiplied with, so that nobody pays for more than is proved."""
        return self.binding.ratio


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Calibration(Tabular):
    """What trainings say about the curve of the terms.

    Attributes:
        runs, sizes: the trainings, and mean and variance at each size.
        whole: the samples of all members together.
        place: the row of the size that stands for the whole.
        value: v, what one unit of loss is worth.
        law: the fit, with intervals.
        published: the fit for b as the terms will state it, with what members save.
        inverse: the same for the paper's A/m, for comparison.
    """

    runs: Runs
    sizes: Sizes
    whole: int
    place: int
    value: float
    law: PowerLaw
    published: Priced
    inverse: Priced

    @property
    def terms(self) -> Terms:
        """Terms with this curve: A = q·a·v, rounded down to six digits, and b."""
        published = self.published
        scale = published.q * published.law.scale.value * self.value
        down = Context(prec=6, rounding=ROUND_FLOOR).create_decimal_from_float(scale)
        return Terms(error_scale=float(down), exponent=published.law.exponent.value)

    @property
    def more_runs(self) -> int | None:
        """About how many more runs, as many at each size, would narrow b to ± `WANTED`.

        None where these runs do not limit b at all, or where no power law goes through them, so
        that more of them would not help.
        """
        _, low, high = self.law.exponent
        if not (low and isfinite(high) and self.law.holds):
            return None
        times = max(((high - low) / 2 / WANTED) ** 2, 1)
        size = len(self.sizes.samples)
        return ceil((times - 1) * len(self.runs) / size) * size

    def __repr__(self) -> str:
        """Say what terms it found, and show what was measured at each size."""
        return f"{self._title}\n{text_table(self.rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.rows(), self._title)

    @property
    def _title(self) -> str:
        terms = self.terms
        return (
            f"Calibration from {len(self.runs):,} runs: "
            f"error_scale = {terms.error_scale:g}, exponent = {terms.exponent:.3f}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """A row for each size: mean loss, fit, and the fit of A/m."""
        x, fits = self.sizes.samples, (self.law(self.sizes.samples), self.inverse.law)
        columns = {
            "samples": x.tolist(),
            "runs": self.sizes.count.tolist(),
            "loss": self.sizes.mean.tolist(),
            "spread": np.sqrt(self.sizes.variance).tolist(),
            "fit": fits[0].tolist(),
            "fit_of_inverse": fits[1](x).tolist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def calibrate(
    runs: Runs,
    *,
    whole: int | None = None,
    members: Sequence[int] | None = None,
    value: float = 1.0,
) -> Calibration:
    """The curve of these trainings, for members of these sizes who are ``whole`` together.

    Without ``whole``, the largest size trained is the whole; without ``members``, they have any of
    the sizes trained below it. ``value`` is what one unit of loss is worth.
    """
    if not SMALLEST <= value <= LARGEST:
        raise InputError(f"the value of one unit is {value}; it must be {IN_RANGE}")
    sizes = runs.sizes()
    whole = int(sizes.samples[-1]) if whole is None else whole
    place = place_of_whole(sizes.samples, whole)
    those = sizes.samples[:place] if members is None else _checked(members)
    weights = weights_of(sizes.samples, those, place)
    check_shape(sizes)
    law = fit(sizes)
    lower, upper = 0.05, 2.0  # those of terms
    if not lower <= law.exponent.value <= upper:
        raise InputError(
            f"b is {law.exponent.value:.3g}, and terms take {lower} to {upper:g}: these losses "
            + (
                "hardly fall over these sizes; train longer, or at sizes that lie further apart"
                if law.exponent.value < lower
                else "are flat from the second size on; train at smaller sizes"
            )
        )
    estimate, margin = welch(weights, sizes.mean, sizes.variance, sizes.count)
    least = (estimate - margin).tolist()

    def priced(law: PowerLaw) -> Priced:
        fitted = (law.reducible(those) - law.reducible(whole)).tolist()
        return Priced(law, tuple(map(Saving, those.tolist(), fitted, least)))

    published = priced(fit_given(sizes, round(law.exponent.value, _DIGITS)))
    if published.q <= 0:
        raise _unproved(published.binding, sizes, place)
    inverse = priced(fit_given(sizes, 1.0))
    return Calibration(runs, sizes, whole, place, value, law, published, inverse)


def _checked(members: Sequence[int]) -> Ints:
    wrong = [m for m in members if not 1 <= m <= MOST_SAMPLES]
    if wrong or not members:
        raise InputError(
            f"members have {wrong[0] if wrong else 'no'} samples; give whole numbers above 0"
        )
    return np.unique(np.asarray(members, np.int64))


def _unproved(saving: Saving, sizes: Sizes, place: int) -> InputError:
    """Nothing is proved to be saved at all, so no A is safe."""
    on_grid = "" if saving.samples in sizes.samples else f", train at {saving.samples:,} samples"
    return InputError(
        f"a member of {saving.samples:,} samples saves {saving.fitted:.3g} by the fit, and "
        f"no less than {saving.least:.3g} at 95 %: nothing is certain, so no error scale is safe; "
        f"train with more seeds{on_grid}, or leave members out who have so large a part of the "
        f"whole ({sizes.samples[place]:,})"
    )
