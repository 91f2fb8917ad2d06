"""What the losses on the page mean: each with its formula, and in words."""

import re
from collections.abc import Sequence
from html import escape

from .cases import Case
from .rules import RuleStyle, curve_only, measured_by

_I, _J = "<sub>i</sub>", "<sub>j</sub>"
_POOL = f"Σ<sub>j≠i</sub> f{_J}"

_MEANINGS = (
    (
        "local",
        f"ℓ{_I}",
        "The test loss of agent i, trained alone; its mean over agents is shown.",
    ),
    (
        "federated",
        f"ℓ{_I} − f{_I}",
        "The test loss of the federated model. Where nobody deviates it bounds from above what "
        "FACT can bring: it is what all would have if nobody free rode. f is what federation gives "
        "an agent.",
    ),
    (
        "FACT, paper",
        f"ℓ{_I} − ⅓ · (3/n) · {_POOL}",
        "The paper's bars: every agent wins with probability ⅓.",
    ),
    (
        "FACT, realised",
        f"ℓ{_I} − P{_I} · (3/n) · {_POOL}",
        "With the exact probability that agent i wins among these n agents, of whom some are left "
        "over where n is not a multiple of 3.",
    ),
    (
        "FACT, believed",
        f"ℓ{_I} − ½ · (3/n) · {_POOL}",
        "What agents expect who all believe themselves the median: 1.5 times what the paper's bars "
        "pay out.",
    ),
)

_CURVE_ONLY = (
    "It settles by the curve only: no measured loss tells what would be if all did as one agent "
    "does. Agents train on m*, the samples that are best alone. Under this rule they would use "
    "those that are best under it, and it is settled with these."
)

_BY_CURVE = (
    "by the curve",
    "e(m) + c · m",
    "What a rule leaves of the loss of training alone, by the curve of the terms, the cost of data "
    "included: all agents together, in expectation, each rule with the samples that are best under "
    "it. Nothing of it is measured.",
)

_AT_LOCAL_LOSS = (
    "at local loss",
    "",
    "The share of agents, on average over draws, that end with exactly their local loss: they "
    "pay all that federation gave them, and win nothing.",
)


def meanings(cases: Sequence[Case]) -> str:
    """A list of terms: those of these cases."""
    rules = [
        (each.label, subscripted(each.rule.measured_loss), _measured(each))
        for each in measured_by(cases)
    ]
    rules += [(each.label, "", f"{_promises(each)} {_CURVE_ONLY}") for each in curve_only(cases)]
    return "<dl>{}</dl>".format(
        "\n".join(
            f"<dt>{name} <span>{formula}</span></dt><dd>{words}</dd>"
            for name, formula, words in (*_MEANINGS, *rules, _AT_LOCAL_LOSS, _BY_CURVE)
        )
    )


def subscripted(formula: str) -> str:
    """A formula in HTML: what follows ``_``, a letter or what is in braces, is set lower.

    >>> subscripted("P_i · Σ_{j≠i} f_j")
    'P<sub>i</sub> · Σ<sub>j≠i</sub> f<sub>j</sub>'
    """
    return re.sub(r"_(?:(\w)|\{(.*?)\})", r"<sub>\1\2</sub>", escape(formula))


def _measured(style: RuleStyle) -> str:
    """What measured losses leave, or what the rule guarantees where it says nothing of them."""
    return escape(style.rule.measured_meaning) or _promises(style)


def _promises(style: RuleStyle) -> str:
    return " ".join(map(escape, style.rule.guarantees))
