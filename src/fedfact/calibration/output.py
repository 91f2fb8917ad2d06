"""A calibration as a JSON document, and as lines of terms."""

from math import isfinite
from typing import Any

from .._version import __version__
from .calibration import WANTED, Calibration, Priced
from .fit import LEVEL, Fitted, PowerLaw


def terms_lines(calibration: Calibration) -> str:
    """The curve as lines of ``terms.toml``."""
    terms = calibration.terms
    return f"error_scale = {terms.error_scale!r}\nexponent = {terms.exponent!r}\n"


def document(calibration: Calibration) -> dict[str, Any]:
    """All of it in plain values; null stands for an end of an interval that the runs leave open."""
    terms, sizes = calibration.terms, calibration.sizes
    return {
        "terms": {"error_scale": terms.error_scale, "exponent": terms.exponent},
        "measure": calibration.runs.measure,
        "value": calibration.value,
        "whole": calibration.whole,
        "whole_trained": int(sizes.samples[calibration.place]),
        "level": LEVEL,
        "runs": len(calibration.runs),
        "fit": _law(calibration.law, calibration),
        "q": calibration.published.q,
        "members": _members(calibration.published),
        "sizes": calibration.rows(),
        "inverse": {
            **_law(calibration.inverse.law, calibration),
            "q": calibration.inverse.q,
            "members": _members(calibration.inverse),
        },
        "wanted_interval_of_b": WANTED,
        "more_runs": calibration.more_runs,
        "fedfact": __version__,
    }


def _law(law: PowerLaw, calibration: Calibration) -> dict[str, Any]:
    worst = law.worst
    noise = float(law.noise[worst])
    return {
        "a": _estimate(law.scale),
        "b": _estimate(law.exponent),
        "e_inf": _estimate(law.floor),
        "holds": law.holds,
        "worst_misfit": {
            "samples": int(calibration.sizes.samples[worst]),
            "misfit": float(law.misfit[worst]),
            "standard_errors": float(law.misfit[worst]) / noise if noise else None,
        },
    }


def _estimate(estimate: Fitted) -> dict[str, float | None]:
    named = estimate._asdict()
    return {name: value if isfinite(value) else None for name, value in named.items()}


def _members(priced: Priced) -> list[dict[str, Any]]:
    return [{**saving._asdict(), "ratio": saving.ratio} for saving in priced.savings]
