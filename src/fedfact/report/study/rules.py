"""The rules that studies were settled by, as figures show them: label, colour and line of each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...mechanism import PAPER_RULE, RULES, Rule
from ...study.files.keys import fact_of
from ..base.style import CLASS_COLOURS, GREEN, PINK
from .cases import Case

_COLOURS = (GREEN, PINK, *CLASS_COLOURS[7:])
_LINES = ("o-", "s--", "^:", "v-.")


@dataclass(frozen=True)
class RuleStyle:
    """What one rule leaves agents with: its key, and how it is called and drawn everywhere.

    ``key`` is that of the loss by measured losses, which rules that settle by the curve only lack.
    """

    rule: Rule
    key: str
    label: str
    colour: str
    line: str

    @property
    def name(self) -> str:
        """The rule's."""
        return self.rule.name

    def among(self, cases: Sequence[Case]) -> list[Case]:
        """The cases that were settled by it."""
        return [case for case in cases if self.name in case.result.rules]


def settled_by(cases: Sequence[Case]) -> list[RuleStyle]:
    """The rules that any of these cases was settled by: the paper's own first, then the others."""
    return _styles({name for case in cases for name in case.result.rules})


def measured_by(cases: Sequence[Case]) -> list[RuleStyle]:
    """Those of them that measured losses were settled by."""
    return _styles({name for case in cases for name in case.result.measured})


def curve_only(cases: Sequence[Case]) -> list[RuleStyle]:
    """Those that settle by the curve only, with samples of their own."""
    measured = {each.name for each in measured_by(cases)}
    return [each for each in settled_by(cases) if each.name not in measured]


def _styles(names: Collection[str]) -> list[RuleStyle]:
    return [
        RuleStyle(
            RULES[name],
            fact_of(name),
            "FACT, as settled" if RULES[name].from_paper else f"FACT, {name}",
            _COLOURS[k % len(_COLOURS)],
            _LINES[k % len(_LINES)],
        )
        for k, name in enumerate(dict.fromkeys((PAPER_RULE.name, *RULES)))
        if name in names
    ]
