"""What a member is asked, and says, when the operator's ledger turns out older than what it showed.

`heads`: the newest head that the member was shown, and the newest that this ledger should have; a
head is signed by the operator, so nobody can make one up. `restart`: the member lets go of what it
was shown after a head, and follows the ledger from there. Both are about the consortium, of which
the messages bear the hash.
"""

from typing import Annotated

from pydantic import Field

from ..wire.document import Document
from ..wire.ledger_head import LedgerHead

_Season = Annotated[int, Field(ge=0, le=10_000)]


class LastShown(Document):
    """What a member was shown: its newest head, the newest ``below`` what it was asked about, and
    the last season that it has terms of."""

    newest: LedgerHead | None
    below: LedgerHead | None
    season: _Season


class Consent(Document):
    """A member goes on from this head, in which the season has so many rounds; it was shown the
    head ``lost`` before, if that is beyond."""

    after: LedgerHead
    season: _Season
    rounds: Annotated[int, Field(ge=0, le=1_000_000)]
    lost: LedgerHead | None
