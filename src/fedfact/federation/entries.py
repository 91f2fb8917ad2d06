"""What the ledger's entries say: one document for each kind, in the order in which they come."""

from typing import Annotated, Any

from pydantic import Field

from ..mechanism import InputError
from .contract import Contract
from .delivery import Delivery, Round
from .document import Document, Hash, Money, Name, Samples, Signature, Words
from .entry import Entry
from .message import Evidence
from .published import Published

Account = Annotated[str, Field(pattern=r"^(operator|agent/[A-Za-z0-9][A-Za-z0-9_-]{0,62})$")]


class Posting(Document):
    """An amount that an account receives, or pays if it is below 0."""

    account: Account
    amount: Money


class Enrolled(Document):
    """An agent enrolled; ``said`` is the message with its `contract.Enrolment`."""

    agent: Name
    said: Evidence


class Declined(Document):
    """An agent is not taking part, by its own word, which ``said`` is, or the operator's."""

    agent: Name
    by: Annotated[str, Field(pattern=r"^(agent|operator)$")]
    why: Words
    said: Evidence | None


class Agreed(Document):
    """A contract, signed by the operator and, in the message that ``said`` yes to it, the agent."""

    contract: Contract
    operator: Signature
    said: Evidence


class Roster(Document):
    """All contracts are signed: from here on nobody joins and no contract changes."""

    agents: Annotated[int, Field(ge=3)]
    contracts: Hash


class Nonces(Document):
    """The agents' nonces, and who withheld its own (`draw.WITHHELD`)."""

    opened: dict[Name, Evidence]
    withheld: list[Name]
    rule: Words


class Leaves(Document):
    """An agent leaves: what it answered to this round."""

    agent: Name
    round: Round
    said: Evidence


class RoundDone(Document):
    """One round: who took part, with its attestation, who did not, and the model of all."""

    round: Round
    start: Hash
    model: Hash
    attested: dict[Name, Evidence]
    absent: dict[Name, Words]


class Revealed(Document):
    """The operator's secret seed, and the seed of the draw that follows from all secrets."""

    seed: Hash
    draw: Hash


class Settled(Document):
    """A settlement: what each account receives is in the lines behind it.

    ``void`` says why there are no lines, where there are none.
    """

    rule: Annotated[str, Field(pattern=r"^(sandwich|rebate)$")]
    agents: int
    samples: Annotated[int, Field(ge=0)]
    surplus: Money
    void: Words | None


class Line(Document):
    """What one agent pays and receives, and the postings that move it."""

    agent: Name
    samples: Samples
    fee: Money
    penalty: Money
    charge: Money
    pool: Money
    reward: Money
    rebate: Money
    net: Money
    group: int | None
    won: bool
    postings: list[Posting]


class Acknowledged(Document):
    """An agent has its statement; the message says whether it agrees."""

    agent: Name
    settlement: Annotated[int, Field(ge=0)]
    said: Evidence


class Reversal(Document):
    """Undoes the settlement of that number: the same postings with the opposite sign."""

    settlement: Annotated[int, Field(ge=0)]
    why: Words
    postings: list[Posting]


KINDS: dict[str, type[Document]] = {
    "terms": Published,
    "enrolment": Enrolled,
    "declined": Declined,
    "contract": Agreed,
    "roster": Roster,
    "nonces": Nonces,
    "leaves": Leaves,
    "round": RoundDone,
    "delivery": Delivery,
    "reveal": Revealed,
    "settlement": Settled,
    "line": Line,
    "acknowledged": Acknowledged,
    "reversal": Reversal,
}

MOST_ENTRY = 64 << 20
"""The longest entry, in bytes: a round of some ten thousand agents."""


def read_entry(kind: str, body: bytes) -> Any:
    """The document of an entry of this kind."""
    if kind not in KINDS:
        raise InputError(f"unknown kind of entry {kind[:40]!r}")
    return KINDS[kind].read(body, MOST_ENTRY)


def said_by(entry: Entry) -> Any:
    """What an entry says, or a refusal that names it."""
    try:
        return read_entry(entry.kind, entry.body.encode())
    except InputError as error:
        raise InputError(f"{entry.name}: {error}; check the ledger with fedfact verify") from None
