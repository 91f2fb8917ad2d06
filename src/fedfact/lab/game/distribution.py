"""A distribution of costs, as a user writes it: NAME:KEY=VALUE,... of scipy.stats."""

from typing import Any

import numpy as np

from ...arrays import IN_RANGE, LARGEST, SMALLEST
from ...errors import InputError, did_you_mean

_REMEDY = "write it as norm:loc=1,scale=0.1 or lognorm:s=0.5"


def is_distribution(text: str) -> bool:
    """Whether that is the name of one, with or without parameters."""
    return text.partition(":")[0] in _known()


def distribution(text: str) -> Any:
    """A frozen distribution of scipy.stats, continuous or discrete."""
    name, _, rest = text.partition(":")
    known = _known()
    if not text.strip():
        raise InputError(f"--costs is empty; {_REMEDY}, or give a CSV or JSON file")
    if name not in known:
        near = did_you_mean(name, known) or "give one of scipy.stats, or a CSV or JSON file"
        raise InputError(f"--costs {text}: there is no distribution {name!r}; {near}")
    parameters = _parameters(text, rest)
    _check_names(text, known[name], parameters)
    try:
        frozen = known[name](**parameters)
        with np.errstate(all="ignore"):
            median = float(frozen.median())
    except Exception:  # whatever scipy makes of parameters that must be whole, or are huge
        raise InputError(
            f"--costs {text}: scipy finds no median with these parameters; check them"
        ) from None
    if not SMALLEST <= median <= LARGEST:
        raise InputError(
            f"--costs {text}: the median is {median:g}, and a cost must be {IN_RANGE}; "
            "check the parameters"
        )
    return frozen


def _known() -> dict[str, Any]:
    """All of scipy's, by name."""
    from scipy import stats  # here, because it loads slowly

    every = {key: getattr(stats, key) for key in dir(stats)}
    kinds = stats.rv_continuous, stats.rv_discrete
    return {key: value for key, value in every.items() if isinstance(value, kinds)}


def _parameters(text: str, rest: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in rest.split(","):
        if not part.strip():
            continue
        key, _, value = (each.strip() for each in part.partition("="))
        if key in found:
            raise InputError(f"--costs {text}: {key} is there twice; keep one")
        try:
            number = float(value)
            found[key] = int(number) if number.is_integer() and abs(number) < 2**53 else number
        except ValueError:
            raise InputError(f"--costs {text}: {part.strip()!r} is no number; {_REMEDY}") from None
        if not np.isfinite(found[key]):
            raise InputError(f"--costs {text}: {key} is not finite; {_REMEDY}")
    return found


def _check_names(text: str, of: Any, given: dict[str, float]) -> None:
    """Refuse parameters that the distribution does not have, or lacks."""
    shapes = [each.strip() for each in (of.shapes or "").split(",") if each.strip()]
    from_where = ["loc", "scale"] if hasattr(of, "pdf") else ["loc"]
    for key in given:
        if key not in (*shapes, *from_where):
            has = ", ".join((*shapes, *from_where))
            raise InputError(f"--costs {text}: {of.name} has no parameter {key!r}; it has {has}")
    for key in shapes:
        if key not in given:
            raise InputError(
                f"--costs {text}: {of.name} needs {key}; write it as {of.name}:{key}=..."
            )
