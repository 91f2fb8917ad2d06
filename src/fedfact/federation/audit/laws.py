"""What is checked of a ledger whose chain holds: one small function for each law.

Each says in words what it found, or raises a `Fault` that names the first entry that breaks it.
"""

from collections.abc import Callable

from ...errors import InputError
from ...mechanism import rule_of
from ..agreement.contract import contracts_for, declining, roster_hash
from ..agreement.delivery import (
    LAST_TO_BEGIN,
    LEFT,
    NOT_BEGUN,
    Attestation,
    Delivery,
    check_attestation,
    leaving,
)
from ..agreement.draw import opens
from ..agreement.lines import Line, lines_of
from ..agreement.statement_message import Answer, StatementMessage
from ..ledger.entries import (
    Acknowledged,
    Agreed,
    Declined,
    Enrolled,
    Handed,
    Leaves,
    Nonces,
    Revealed,
    Roster,
    RoundDone,
    SeasonOpened,
    Settled,
    settled_of,
)
from ..ledger.entry import Entry
from ..ledger.season import SeasonState, secret_fits
from ..wire.keys import is_signed
from ..wire.message import OPERATOR, Evidence, Head

Replayed = tuple[list[tuple[Entry, object]], SeasonState]
"""All entries of a season with what they say, and the record of them all."""


class Fault(Exception):  # noqa: N818  (of the ledger, not of ours)
    """What is wrong, and with which entry."""

    def __init__(self, entry: Entry | None, why: str) -> None:
        super().__init__(why)
        self.entry, self.why = entry, why


class Unchecked(Exception):  # noqa: N818  (nothing is wrong)
    """What cannot be checked, because a copy is not there."""


class Contested(Exception):  # noqa: N818  (nobody knows whose)
    """What the member says and the ledger does not, and nobody else can know."""


def _said(entry: Entry, evidence: Evidence, record: SeasonState, kind: str, member: str) -> Head:
    """What a member said, if it did."""
    try:
        head = evidence.read_head()
        wanted = (record.federation, kind, member, OPERATOR)
        if (head.federation, head.kind, head.sender, head.to) != wanted:
            raise Fault(entry, f"holds a message that is no {kind} of {member} to the operator")
        key = record.keys.at(member, entry.number)
        if not evidence.is_by(key):
            raise Fault(entry, f"holds a message that {member} did not sign")
        if record.keys.is_void(key, record.number):
            raise Fault(entry, f"holds a message that {member} signed with a key that is void")
        return head
    except (InputError, KeyError) as error:
        raise Fault(entry, str(error)) from None


def enrolments(replayed: Replayed) -> str:
    """Every member signed its own report, and members that declined said so themselves.

    Whose the keys are that members registered, only they can say: `verify_copy`.
    """
    documents, record = replayed
    for entry, document in documents:
        if isinstance(document, Enrolled):
            _said(entry, document.said, record, "enrol", document.member)
        elif isinstance(document, Declined) and document.by == "member":
            if document.said is None:
                raise Fault(entry, f"lets {document.member} decline without its word")
            head = _said(entry, document.said, record, "agree", document.member)
            if head.content != declining(document.why):
                raise Fault(entry, f"lets {document.member} decline, which said something else")
    enrolled, declined = len(record.enrolments), len(record.declined)
    return f"{enrolled} members by the keys they registered, {declined} declined"


def contracts(replayed: Replayed) -> str:
    """Both sides signed every contract, and its figures follow from reports and terms."""
    documents, record = replayed
    if not record.contracts:
        return "none signed yet"
    try:
        wanted = contracts_for(record.enrolments, record.money, record.federation, record.sizes)
    except InputError as error:
        raise _of_that_member(error, replayed) from None
    for entry, document in documents:
        if isinstance(document, Roster):
            named = Roster(members=len(wanted), contracts=roster_hash(wanted))
            if document != named:
                raise Fault(entry, "is the roster of other contracts")
        if not isinstance(document, Agreed):
            continue
        contract = document.contract
        if contract != wanted[contract.member]:
            raise Fault(entry, "has figures that do not follow from the reports")
        operator = record.terms.operator
        if not is_signed(operator, "contract", contract.encoded(), document.operator):
            raise Fault(entry, "is a contract that the operator did not sign")
        head = _said(entry, document.said, record, "agree", contract.member)
        if head.content != {"contract": contract.hash()}:
            raise Fault(entry, f"is a contract that {contract.member} did not sign")
    return f"{len(record.contracts)} contracts"


def _of_that_member(error: InputError, replayed: Replayed) -> Fault:
    """A contract that could not be, by its entry where it is known whose it is."""
    documents, record = replayed
    member = None if error.index is None else sorted(record.enrolments)[error.index]
    signed = [entry for entry, each in documents if isinstance(each, Agreed)]
    own = [
        e for e, each in documents if isinstance(each, Agreed) and each.contract.member == member
    ]
    entry = next(iter(own or signed), None)
    return Fault(entry, f"is a contract that could not be: {error}")


def seed(replayed: Replayed) -> str:
    """Nonces and seed are those committed to, and the seed of the draw follows from them."""
    documents, record = replayed
    for entry, document in documents:
        if isinstance(document, Nonces):
            before = {"number": entry.number - 1, "entry": entry.previous}
            for member, evidence in document.opened.items():
                head = _said(entry, evidence, record, "open", member)
                if not opens(head, record.contracts[member]):
                    raise Fault(entry, f"holds a nonce that {member} did not commit itself to")
                if head.content["ledger"] != before:
                    raise Fault(entry, f"holds a nonce that {member} opened at another time")
            if rule_of(record.money).draws and not document.opened:
                raise Fault(entry, "leaves the draw to the operator alone")
        elif isinstance(document, Revealed):
            revealed = bytes.fromhex(document.seed)
            if not secret_fits(record, revealed):
                raise Fault(entry, "reveals another seed than the terms commit to")
            if int(document.draw, 16) != record.seed_of_draw(revealed):
                raise Fault(entry, "has a seed of the draw that does not follow from the secrets")
    withheld = record.nonces.withheld if record.nonces else []
    return f"withheld by {', '.join(withheld)}" if withheld else "all opened"


def rounds(replayed: Replayed) -> str:
    """Who took part signed what it counted, in every round, from the model of the round before."""
    documents, record = replayed
    before: dict[str, Attestation] = {}
    last, gone = None, set[str]()
    quorum, plan = record.terms.conduct.quorum, record.terms.plan()
    most, steps = plan.rounds, plan.recipe.local_steps
    for entry, document in documents:
        if isinstance(document, Leaves):
            head = _said(entry, document.said, record, "round", document.member)
            if head.content != leaving(document.round):
                raise Fault(entry, f"lets {document.member} leave, which said something else")
            gone.add(document.member)
        if not isinstance(document, RoundDone):
            continue
        if last is not None and document.start != last:
            raise Fault(entry, "does not start from the model of the round before")
        if len(document.attested) < quorum or document.round > most:
            raise Fault(entry, "has fewer members than the quorum, or is beyond the last round")
        for member, evidence in document.attested.items():
            head = _said(entry, evidence, record, "round", member)
            try:
                said = Attestation.take(head.content)
                contract = record.contracts[member]
                check_attestation(
                    said, contract, before.get(member), document.round, document.start
                )
                if said.steps != steps:
                    raise InputError("other steps than the terms say")
            except InputError as error:
                raise Fault(entry, f"{member}: {error}") from None
            if member in gone:
                raise Fault(entry, f"has {member}, who had left")
            before[member] = said
        if gone != {member for member, why in document.absent.items() if why == LEFT}:
            raise Fault(entry, "has others away for good than those who said so")
        idle = {member for member, why in document.absent.items() if why == NOT_BEGUN}
        if idle & before.keys() or (idle and document.round <= LAST_TO_BEGIN):
            raise Fault(entry, "did not ask members that were to be asked")
        last = document.model
    return f"{len(record.rounds)} of {most} rounds"


def delivered(replayed: Replayed) -> str:
    """What members are billed for is what they attested last."""
    documents, record = replayed
    if not record.deliveries and record.revealed is None:
        return "none yet"
    wanted = {each.member: each for each in record.deliveries_now()}
    for entry, document in documents:
        if isinstance(document, Delivery) and document != wanted.get(document.member):
            raise Fault(entry, "is not what the member attested")
    left = sum(each.left for each in wanted.values())
    return f"{len(wanted)} members, {left} left before the end"


def amounts(replayed: Replayed) -> str:
    """Every amount of every settlement, worked out again."""
    documents, record = replayed
    if record.revealed is None:
        return "not settled yet"
    settlement = record.settlement_now()
    opening, lines = (
        settled_of(settlement, record.money.rule, record.void_now),
        {x.member: x for x in lines_of(settlement)},
    )
    found, due, last = 0, 0, None
    for entry, document in documents:
        if isinstance(document, Settled):
            if due:
                raise Fault(last, f"lacks {due} of its lines")
            if document != opening:
                raise Fault(entry, "has other sums than follow from the deliveries")
            found, due, last = found + 1, len(lines), entry
        elif isinstance(document, Line):
            if document != lines.get(document.member):
                raise Fault(entry, "has amounts that do not follow from the deliveries")
            due -= 1
    if due:
        raise Fault(last, f"lacks {due} of its lines")
    return f"{len(lines)} lines, {found} settlement" + ("s" if found != 1 else "")


def balance(replayed: Replayed) -> str:
    """Postings add up to zero, and nothing is ever owed by the operator."""
    documents, record = replayed
    settled = None
    for entry, document in documents:
        if isinstance(document, Settled):
            settled = entry
        if isinstance(document, Line) and sum(each.amount for each in document.postings) != 0:
            raise Fault(entry, "does not balance")
    if record.settled is None:
        return "no settlement stands"
    surplus, said = record.balances().get(OPERATOR, 0), record.settled.surplus
    written = record.money.money_unit.money
    if surplus != said or surplus < 0:
        raise Fault(settled, f"leaves the operator {written(surplus)}, not {written(said)}")
    return f"surplus {written(surplus)}"


def acknowledgements(replayed: Replayed) -> str:
    """Who got its statement signed for it, and whether for the one that follows from the ledger.

    Of a void settlement there are no statements, and members sign for the model.
    """
    documents, record = replayed
    (_, opened), *rest = documents
    assert isinstance(opened, SeasonOpened)
    disputed, told, so_far = [], dict[str, StatementMessage](), SeasonState(opened, record.keys)
    for entry, document in rest:
        so_far.take(entry, document)
        if isinstance(document, Acknowledged):
            head = _said(entry, document.said, record, "statement", document.member)
            told = told or so_far.statement_messages(list(so_far.lines))
            try:
                answer = Answer.take(head.content)
            except InputError as error:
                raise Fault(entry, f"{document.member}: {error}") from None
            if answer.statement != told[document.member].hash():
                raise Fault(entry, f"{document.member} was told something else")
            if not answer.agrees:
                disputed.append(document.member)
        elif isinstance(document, Handed):
            head = _said(entry, document.said, record, "model", document.member)
            if head.content != {"model": record.rounds[-1].model}:
                raise Fault(entry, f"{document.member} signed for another model than the last one")
        else:
            told = {}
    if record.settled is not None and record.settled.void:
        return f"{len(record.handed)} models, {len(record.owed)} to hand out"
    says = f"{len(record.acknowledged)} of {len(record.lines)} statements"
    return says + (f", disputed by {', '.join(disputed)}" if disputed else "")


CHECKS: tuple[Callable[[Replayed], str], ...] = (
    enrolments,
    contracts,
    seed,
    rounds,
    delivered,
    amounts,
    balance,
    acknowledgements,
)
"""What is checked once chain, signatures and order hold."""
