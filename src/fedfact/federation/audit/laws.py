"""What is checked of a ledger whose chain holds, up to the deliveries: a small function a law.

Each says in words what it found, or raises a `Fault` that names the first entry that breaks it.
"""

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
from ..ledger.entries import Agreed, Declined, Enrolled, Leaves, Nonces, Revealed, Roster, RoundDone
from ..ledger.training_state import secret_fits
from ..wire.keys import is_signed
from .findings import Fault, Replayed, said_in


def enrolments(replayed: Replayed) -> str:
    """Every member signed its own report, and members that declined said so themselves.

    Whose the keys are that members registered, only they can say: `verify_copy`.
    """
    documents, record = replayed
    for entry, document in documents:
        if isinstance(document, Enrolled):
            said_in(entry, document.said, record, "enrol", document.member)
        elif isinstance(document, Declined) and document.by == "member":
            if document.said is None:
                raise Fault(entry, f"lets {document.member} decline without its word")
            head = said_in(entry, document.said, record, "agree", document.member)
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
        head = said_in(entry, document.said, record, "agree", contract.member)
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
                head = said_in(entry, evidence, record, "open", member)
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
            head = said_in(entry, document.said, record, "round", document.member)
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
            head = said_in(entry, evidence, record, "round", member)
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
