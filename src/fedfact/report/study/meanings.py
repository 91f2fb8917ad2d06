"""What the losses on the page mean: each with its formula, and in words."""

from collections.abc import Sequence
from html import escape

from ...study.files.keys import PAPER
from .cases import Case
from .rules import settled_by

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

_AT_LOCAL_LOSS = (
    "at local loss",
    "",
    "The share of agents, on average over draws, that end with exactly their local loss: they "
    "pay all that federation gave them, and win nothing.",
)


def meanings(cases: Sequence[Case]) -> str:
    """A list of terms: those of these cases."""
    rules = [
        (each.label, *_RULES.get(each.name, ("", " ".join(map(escape, each.rule.guarantees)))))
        for each in settled_by(cases)
    ]
    return "<dl>{}</dl>".format(
        "\n".join(
            f"<dt>{name} <span>{formula}</span></dt><dd>{words}</dd>"
            for name, formula, words in (*_MEANINGS, *rules, _AT_LOCAL_LOSS)
        )
    )
