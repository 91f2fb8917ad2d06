"""What a member is told of a settlement, and what it answers.

A member sees its own line and the sums that its formulas need: M, the pool, the number and size of
all members.
"""

from typing import Annotated, Any

from pydantic import Field

from ...mechanism.population import MOST_IN_ALL, MOST_SIZE_IN_ALL
from ..wire.document import Document, Hash, Words
from .delivery import Round
from .lines import Line


class StatementMessage(Document):
    """A statement as it is sent.

    Attributes:
        rounds: those that were held; of them the member was ``asked`` for some, and ``attended``.
        agents, samples, size: of all that are settled.
        model: the final model, for members that stayed.
    """

    settlement: Annotated[int, Field(ge=0)]
    rounds: Round
    agents: Annotated[int, Field(ge=3)]
    samples: Annotated[int, Field(ge=1, le=MOST_IN_ALL)]
    size: Annotated[int, Field(ge=3, le=MOST_SIZE_IN_ALL)]
    left: bool
    attended: Round
    asked: Round
    last_round: Round
    line: Line
    statement: dict[str, Any]
    model: Hash | None


class Answer(Document):
    """What an agent says to a statement."""

    statement: Hash
    agrees: bool
    why: Annotated[list[Words], Field(max_length=5)]
