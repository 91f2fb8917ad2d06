"""What the ledger's entries say: one document for each kind, in the order in which they come."""

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ...errors import FedfactError, InputError, LedgerError
from ...io import limits
from ...mechanism import RULES, Settlement
from ...mechanism.exact import MOST_MONEY, exact_sum
from ..agreement.consortium import Consortium
from ..agreement.contract import Contract, Size
from ..agreement.delivery import Delivery, Round, Void
from ..agreement.disputes import Decision, EntryNumber
from ..agreement.lines import Account, Line
from ..agreement.terms import Published, SeasonNumber
from ..wire.document import Document, Hash, Money, Name, Signature, Words
from ..wire.ledger_head import Cosigned, LedgerHead
from ..wire.message import OPERATOR, Evidence
from .entry import Entry


class Registered(Document):
    """A member of the consortium, by its id and the key that it signs with from here on."""

    member: Name
    key: Hash


class Retired(Document):
    """A member that is in no season after this one; ``why`` is the operator's word."""

    member: Name
    why: Words


class KeyReplaced(Document):
    """A member signs with another key from here on: the old one and the new one signed that."""

    member: Name
    replaces: Hash
    key: Hash
    said: Signature
    proof: Signature


class KeyRetired(Document):
    """A member's key is void from this season on; ``why`` is the operator's word."""

    member: Name
    key: Hash
    season: SeasonNumber
    why: Words


class KeyAnswered(Document):
    """What the member says to that, in words that it signed."""

    member: Name
    key: Hash
    words: Words
    said: Signature


class KeyRestored(Document):
    """A member that lost its key is back with another, by the operator's word, which ``why`` is.

    ``proof``: that who asked for it, with ``tls`` to connect with, has the key (`key_change`).
    """

    member: Name
    key: Hash
    tls: Hash
    proof: Signature
    why: Words


class Restarted(Document):
    """The operator lost what came after this head, in which the season has so many rounds.

    ``said``: the messages in which members consented to go on from there (`restart.Consent`).
    """

    after: LedgerHead
    season: Annotated[int, Field(ge=0, le=10_000)]
    rounds: Annotated[int, Field(ge=0, le=1_000_000)]
    said: dict[Name, Evidence]


class SeasonOpened(Document):
    """A season: its terms, and who is invited, each with the size that the operator verified."""

    terms: Published
    members: Annotated[dict[Name, Size], Field(min_length=3)]


class Enrolled(Document):
    """A member enrolled; ``said`` is the message with its `contract.Enrolment`."""

    member: Name
    said: Evidence


class Declined(Document):
    """A member is not taking part, by its own word, which ``said`` is, or the operator's."""

    member: Name
    by: Annotated[str, Field(pattern=r"^(member|operator)$")]
    why: Words
    said: Evidence | None


class Agreed(Document):
    """A contract, signed by the operator and, in the message that ``said`` yes, by the member."""

    contract: Contract
    operator: Signature
    said: Evidence


class Roster(Document):
    """All contracts are signed: from here on nobody joins and no contract changes."""

    members: Annotated[int, Field(ge=3)]
    contracts: Hash


class Nonces(Document):
    """The nonces, and the members that withheld theirs, whose commitments count instead."""

    opened: dict[Name, Evidence]
    withheld: list[Name]


class Leaves(Document):
    """A member leaves: what it answered to this round."""

    member: Name
    round: Round
    said: Evidence


class RoundDone(Document):
    """One round: the attestations of members that took part, those that did not, and the model."""

    round: Round
    start: Hash
    model: Hash
    attested: dict[Name, Evidence]
    absent: dict[Name, Words]


class Revealed(Document):
    """The operator's secret seed, and the seed of the draw that follows from all secrets."""

    seed: Hash
    draw: Hash


def _known_rule(name: str) -> str:
    if name not in RULES:
        raise InputError(f"no rule is called {name[:40]!r}")
    return name


class Settled(Document):
    """A settlement: what each account receives is in the lines behind it.

    ``void`` names why there are no lines, where there are none (`delivery.why_void`).
    """

    rule: Annotated[str, AfterValidator(_known_rule)]
    members: int
    samples: Annotated[int, Field(ge=0)]
    surplus: Money
    void: Void | None


class Acknowledged(Document):
    """A member has its statement; the message says whether it agrees."""

    member: Name
    settlement: EntryNumber
    said: Evidence


class Handed(Document):
    """A member has the final model of a void settlement; the message names the model."""

    member: Name
    settlement: EntryNumber
    said: Evidence


class Answered(Document):
    """What the operator says to a member that disputes its statement."""

    member: Name
    settlement: EntryNumber
    says: Words


class Reversal(Document):
    """Undoes the settlement of that number: all postings of its lines, with the opposite sign.

    It names no amounts: every member is shown it, and is to see nobody else's. Either it was the
    operator that reversed it, and says ``why``, or the arbiter's ``decision`` of that number.
    """

    settlement: EntryNumber
    why: Words
    decision: EntryNumber | None


class Correction(Document):
    """What a member delivered, by the counts in the decision of that number."""

    decision: EntryNumber
    delivery: Delivery

    @property
    def member(self) -> str:
        """Whose delivery it is."""
        return self.delivery.member


class Witnessed(Document):
    """A member has signed the head of the ledger as of that entry; the message says so."""

    member: Name
    head: EntryNumber
    said: Evidence


def day_of(text: str) -> str:
    """A day as payments have it.

    >>> day_of("2026-07-01")
    '2026-07-01'
    """
    try:
        same = date.fromisoformat(text).isoformat() == text
    except ValueError:
        same = False
    if not same:
        raise InputError(f"{text[:40]!r} is no date; write it as in 2026-07-01")
    return text


def _stripped(text: str) -> str:
    if text != text.strip():
        raise InputError("a reference neither begins nor ends with a space")
    return text


class Payment(Document):
    """Money that went from one to the other, by the operator's word.

    Attributes:
        payer, payee: ``from`` and ``to`` in JSON; one of them is the operator.
        purpose: ``deposit``, and its ``refund``; ``settlement`` of what is owed, either way;
            ``forfeit``, which takes from a deposit what was not paid when it was due, and moves
            nothing at the bank; ``surplus``, returned to a member; ``correction`` of a payment that
            was entered by mistake, with its payer and payee exchanged.
        reference: what finds it at the bank; no two payments have the same.
        corrects: the number of the entry that a correction undoes.
    """

    payer: Account = Field(alias="from")
    payee: Account = Field(alias="to")
    amount: Annotated[int, Field(ge=1, le=MOST_MONEY)]
    purpose: Literal["deposit", "settlement", "refund", "forfeit", "surplus", "correction"]
    reference: Annotated[Words, Field(min_length=1), AfterValidator(_stripped)]
    date: Annotated[str, AfterValidator(day_of)]
    corrects: Annotated[int, Field(ge=0)] | None

    @property
    def member(self) -> str:
        """Who paid or was paid."""
        account = self.payer if self.payee == OPERATOR else self.payee
        return account.removeprefix("member/")

    @property
    def incoming(self) -> bool:
        """Whether it comes from a member."""
        return self.payee == OPERATOR


def settled_of(settlement: Settlement | None, rule: str, void: Void | None) -> Settled:
    """The entry that opens a settlement, or says why it is void."""
    if settlement is None:
        return Settled(rule=rule, members=0, samples=0, surplus=0, void=void)
    return Settled(
        rule=settlement.terms.rule,
        members=len(settlement.population),
        samples=exact_sum(settlement.population.samples),
        surplus=settlement.surplus,
        void=None,
    )


OF_CONSORTIUM: dict[str, type[Document]] = {
    "consortium": Consortium,
    "member": Registered,
    "retired": Retired,
    "key": KeyReplaced,
    "key-retired": KeyRetired,
    "key-answer": KeyAnswered,
    "key-restored": KeyRestored,
    "restart": Restarted,
    "cosigned": Cosigned,
}
"""Kinds of entries that are of no season."""

OF_SEASON: dict[str, type[Document]] = {
    "season": SeasonOpened,
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
    "handed": Handed,
    "answered": Answered,
    "decision": Decision,
    "reversal": Reversal,
    "correction": Correction,
    "witnessed": Witnessed,
    "payment": Payment,
}
"""Kinds of entries that are of one season, in the order in which they come."""

KINDS = OF_CONSORTIUM | OF_SEASON


def read_entry(kind: str, body: bytes) -> Any:
    """The document of an entry of this kind."""
    if kind not in KINDS:
        raise LedgerError(f"unknown kind of entry {kind[:40]!r}")
    return KINDS[kind].read(body, limits.ENTRY)


def said_by(entry: Entry) -> Any:
    """What an entry says, or a refusal that names it."""
    try:
        return read_entry(entry.kind, entry.body.encode())
    except FedfactError as error:
        raise LedgerError(f"{entry.name}: {error}; check the ledger with fedfact verify") from None
