"""Numbers and lists in words, for sentences and tables."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Cell = str | int | float | None
"""An entry of a table; None where there is nothing to say."""

PERCENT = "\N{NO-BREAK SPACE}%"


def number(value: float) -> str:
    """Three digits or more: 0.703, 3,125, 1.02e-07."""
    if value != value:
        return "–"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.3g}".rstrip(".").replace("-", "−") if value else "0"


def heads(mean: float) -> str:
    """Agents, a mean or not: 16, 4.2."""
    return f"{mean:,.0f}" if mean == round(mean) else f"{mean:,.1f}"


def place_in_order(place: float | None) -> str:
    """Where in the order of costs, from 0, the cheapest, to 1, the dearest."""
    if place is None:
        return "–"
    names = ((0.0, "cheapest"), (1.0, "dearest"))
    middle = "middle" if 0.3 < place < 0.7 else f"at {100 * place:.0f} %"
    return dict(names).get(place, middle)


def percent(value: float) -> str:
    """A part as a percentage: 31.2 %."""
    if 0 < abs(value) < 1e-4:
        return f"under 0.01{PERCENT}"
    text = f"{100 * value:.3g}".replace("-", "−")
    return f"{text}{PERCENT}"


def signed_percent(value: float) -> str:
    """A change as a percentage: +10 %, −5 %, 0 %."""
    return f"+{percent(value)}" if value > 0 else percent(value)


def estimate(of: dict[str, Any], scale: float = 1.0, unit: str = "") -> str:
    """A mean over seeds and half its interval, where there is one: 0.703 ± 0.012.

    Both have as many decimals as give the half two digits.
    """
    mean = scale * of["mean"]
    if of["low"] is None:
        return f"{number(mean)}{unit}"
    half = scale * (of["high"] - of["low"]) / 2
    if half < 1e-12 * abs(mean):
        half = 0.0  # the same for all seeds, but for rounding
    if half < 5e-5:
        return f"{number(mean)}{unit} ± {number(half)}{unit}"
    decimals = max(0, 1 - math.floor(math.log10(half)))
    if unit == PERCENT:
        decimals = min(decimals, 2)
    text = f"{mean:,.{decimals}f}{unit} ± {half:,.{decimals}f}{unit}"
    return text.replace("-", "−")


def span(values: Iterable[float], form: Callable[[float], str] = number) -> str:
    """From the least to the greatest: "0.51 to 0.93", or just "0.51"."""
    ordered = sorted(values)
    low, high = form(ordered[0]), form(ordered[-1])
    return low if low == high else f"{low} to {high}"


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def claim(yes: str, no: str, names: Sequence[str], holds: Sequence[bool]) -> str:
    """What is said of each case, told for all of them: ``yes`` where it holds, else ``no``."""
    if all(holds):
        return yes if len(holds) == 1 else f"{yes} in {_all(len(holds))} cases"
    if not any(holds):
        return f"{no} in any of the {len(holds)} cases" if len(holds) > 1 else no
    but = [name for name, held in zip(names, holds, strict=True) if not held]
    return f"{yes} in {sum(holds)} of {len(holds)} cases, but not in {listed(but)}"
