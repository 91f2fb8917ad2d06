"""A calibration as text for people."""

from math import floor, isfinite, log10

import numpy as np

from ..calibration import Calibration, Fitted, PowerLaw, terms_lines
from .shared.output import print_table, stdout
from .shared.tables import new_table

_MOST_MEMBERS = 12


def print_calibration(found: Calibration) -> None:
    """The fit, what is proved of it, and the lines for the terms."""
    console, sizes, law, measure = stdout(), found.sizes, found.law, found.runs.measure
    console.print(
        f"{measure} = {law.scale.value:.4g}·m^(−{law.exponent.value:.3f}) "
        f"+ {law.floor.value:.4g}, from {len(found.runs):,} runs at {len(sizes.samples)} "
        "sizes.",
        style="bold",
    )
    table = new_table("", "estimate", "95 % from", "to")
    named = {"a": law.scale, "b, the exponent": law.exponent, "e∞, what stays": law.floor}
    for name, estimate in named.items():
        table.add_row(name, *_estimate(estimate))
    print_table(table)
    _print_sizes(found)
    _print_members(found)
    console.print(f"\nFor terms.toml:\n\n{terms_lines(found)}", soft_wrap=True)


def _estimate(estimate: Fitted) -> list[str]:
    return [f"{number:.4g}" if isfinite(number) else "open" for number in estimate]


def _digits(found: Calibration) -> int:
    """Decimals that show the least mean with three digits, and no fewer than four."""
    least = float(found.sizes.mean.min())
    return max(4, 2 - floor(log10(least))) if least > 0 else 4


def _print_sizes(found: Calibration) -> None:
    """What was measured at each size, with the fit and that of A/m; how well b is known."""
    console, sizes, digits = stdout(), found.sizes, _digits(found)
    mean = f"mean {found.runs.measure}"
    table = new_table("samples", "runs", mean, "± over seeds", "fit", "fit of A/m")
    for row in found.rows():
        numbers = (row["loss"], row["spread"], row["fit"], row["fit_of_inverse"])
        table.add_row(
            f"{row['samples']:,}", str(row["runs"]), *(f"{n:.{digits}f}" for n in numbers)
        )
    print_table(table, ("runs", "± over seeds", "fit of A/m"))

    def worst(law: PowerLaw) -> str:
        misfit, noise = law.misfit[law.worst], law.noise[law.worst]
        errors = f" ({abs(misfit) / noise:.1f} standard errors)" if noise else ""
        return f"{misfit:+.{digits}f} at {sizes.samples[law.worst]:,} samples{errors}"

    console.print(f"Worst misfit: {worst(found.law)}; of A/m {worst(found.inverse.law)}.")
    more, size = found.more_runs, len(sizes.samples)
    if not found.law.holds:
        console.print(
            "That is more than seeds explain: the curve is no power law, so another range of sizes "
            "would give another b, and more seeds would not settle it. The terms are safe all the "
            "same: A is lowered by what was measured, not by the fit."
        )
    elif more is None:
        console.print("These runs do not limit b; train at sizes that lie further apart.")
    elif more:
        console.print(
            f"About {more:,} more runs, {more // size:,} at each size, would narrow b to ±0.05."
        )
    else:
        console.print("b is known to ±0.05.")


def _print_members(found: Calibration) -> None:
    """What federation saves members by the curve and at least, and what A follows."""
    console, published, digits = stdout(), found.published, _digits(found)
    trained = int(found.sizes.samples[found.place])
    console.print(
        f"\nIn {found.runs.measure}, a whole of {found.whole:,} samples saves a member this much: "
        "by the fit, at least, and by terms whose A is lowered to that, with this exponent and "
        "with 1."
    )
    table = new_table("samples", "by the fit", "at least, 95 %", "of the fit", "by terms", "by A/m")
    some = np.linspace(0, len(published.savings) - 1, _MOST_MEMBERS).round().astype(int)
    shown = {published.savings.index(published.binding), *some.tolist()}
    for k in sorted(shown):
        saving, inverse = published.savings[k], found.inverse.savings[k]
        terms, by_inverse = published.q * saving.fitted, found.inverse.q * inverse.fitted
        numbers = (f"{n:.{digits}f}" for n in (saving.fitted, saving.least))
        lowered = (f"{max(n, 0):.{digits}f}" for n in (terms, by_inverse))
        table.add_row(f"{saving.samples:,}", *numbers, f"{saving.ratio:.1%}", *lowered)
    print_table(table, ("by A/m", "by the fit"))
    if len(published.savings) > _MOST_MEMBERS:
        console.print(f"Some of {len(published.savings):,} sizes; --json has all.")
    if trained != found.whole:
        console.print(
            f"No size of {found.whole:,} was trained: {trained:,}, where the loss is no lower, "
            "stands for it."
        )
    terms, scale = found.terms, f"{published.law.scale.value:.4g}"
    a = _plain(float(terms.required_error_scale))
    console.print(
        f"A = q·a·v = {published.q:.4g} · {scale} · {_plain(found.value)} = {a}, with b = "
        f"{terms.exponent} and q set by members of {published.binding.samples:,} samples."
    )


def _plain(number: float) -> str:
    """Six digits, and no power of ten where it is large."""
    return f"{number:,.0f}" if number >= 1e5 else f"{number:,.6g}"
