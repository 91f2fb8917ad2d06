"""What a member is told of a settlement, and what it answers.

A member sees its own line and the sums that its formulas need: M, the pool, the number and size of
all members. Words and formulas are no part of it: what is signed are figures (`in_words`).
"""

from typing import Annotated

from pydantic import Field

from ...mechanism import Standing, Terms, rule_of
from ...mechanism.population import MOST_IN_ALL, MOST_SIZE_IN_ALL
from ...mechanism.rules.figures import Figures
from ...settlement.statement import Statement, statement_of_figures
from ..wire.canonical import number_of
from ..wire.document import Hash, Stored, Words
from .contract import Contract
from .delivery import Round
from .lines import Line


class StatementMessage(Stored):
    """A statement as it is sent.

    Attributes:
        rounds: those that were held; of them the member was ``asked`` for some, and ``attended``.
        members, samples, size: of all that are settled.
        restored: the entry by which the operator confirmed a new key of a member that had lost its
            own, if that was in this season.
        model: the final model, for members that stayed.
    """

    settlement: Annotated[int, Field(ge=0)]
    rounds: Round
    members: Annotated[int, Field(ge=3)]
    samples: Annotated[int, Field(ge=1, le=MOST_IN_ALL)]
    size: Annotated[int, Field(ge=3, le=MOST_SIZE_IN_ALL)]
    left: bool
    attended: Round
    asked: Round
    last_round: Round
    line: Line
    restored: Annotated[int, Field(ge=0)] | None
    model: Hash | None


def in_words(told: StatementMessage, contract: Contract, terms: Terms) -> Statement:
    """The statement for people, each line with its formula and its numbers filled in."""
    line, rule = told.line, rule_of(terms)
    figures = Figures(
        reported_cost=number_of(contract.reported_cost),
        samples=line.samples,
        counted=line.counted,
        total=told.samples,
        standing=Standing(told.members, contract.size, told.size, contract.capacity),
        signed_size=contract.total_size,
        fee=line.fee,
        charge=line.charge,
        pool=line.pool,
        back=getattr(line, rule.gives),
        group=line.group,
        won=line.won,
        left=told.left,
    )
    return statement_of_figures(line.member, figures, terms, line.net)


class Answer(Stored):
    """What a member says to a statement."""

    statement: Hash
    agrees: bool
    why: Annotated[list[Words], Field(max_length=5)]
