"""What the losses on the page mean: each with its formula, and in words."""

from collections.abc import Sequence
from html import escape

from ...study.files.keys import PAPER
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

_RULES = {
    PAPER: (
        f"ℓ{_I} − P{_I} · (1/G) · {_POOL}",
        "What our settlement pays, with G = ⌊n/3⌋ groups. Where federation hurt an agent (f below "
        "0) it is compensated first.",
    ),
    "rebate": (
        f"ℓ{_I} − 1/(n−1) · {_POOL}",
        "Our rule without a draw: everybody receives its share. Fees follow measured losses, so "
        "there is no consistency charge on who used other data than it agreed to.",
    ),
}
"""Formula and words; of any other rule, what it guarantees is told."""

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
        (each.label, *_RULES.get(each.name, ("", _promises(each)))) for each in measured_by(cases)
    ]
    rules += [(each.label, "", f"{_promises(each)} {_CURVE_ONLY}") for each in curve_only(cases)]
    return "<dl>{}</dl>".format(
        "\n".join(
            f"<dt>{name} <span>{formula}</span></dt><dd>{words}</dd>"
            for name, formula, words in (*_MEANINGS, *rules, _AT_LOCAL_LOSS, _BY_CURVE)
        )
    )


def _promises(style: RuleStyle) -> str:
    return " ".join(map(escape, style.rule.guarantees))
