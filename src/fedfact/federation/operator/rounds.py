"""Training: the rounds of Algorithm 1, each with whoever answers in time (step 4).

Models are averaged in the order of the members' names, with the weights of those who took part, so
that the result does not depend on who answered first.
"""

from ...errors import InputError
from ..agreement.delivery import (
    LAST_TO_BEGIN,
    LEFT,
    NOT_BEGUN,
    Attestation,
    check_attestation,
    leaving,
)
from ..ledger.entries import Leaves, RoundDone
from ..wire.canonical import digest
from ..wire.document import Document
from ..wire.message import Evidence
from ..wire.transport import Failure
from .session import Paused, Session


def train(session: Session) -> None:
    """Algorithm 1: the rounds that are still to come (step 4)."""
    model = None
    while not _is_over(session):
        model = _round(session, len(session.record.rounds) + 1, model or _model_so_far(session))


def _is_over(session: Session) -> bool:
    """Whether there are no more rounds, or the operator wants none."""
    done = len(session.record.rounds)
    return done == session.plan.rounds or (session.directory.is_to_finish and done > 0)


def _model_so_far(session: Session) -> bytes:
    """The model that the next round starts from."""
    record, directory = session.record, session.directory
    if record.rounds:
        return directory.load_model(len(record.rounds), record.rounds[-1].model)
    model = session.plan.initial()
    directory.save_model(0, model)
    return model


def _round(session: Session, number: int, model: bytes) -> bytes:
    from ...training.site.average import check_update, mean_of  # here: the rest needs no torch

    record, start = session.record, digest(model)
    gone = record.gone
    idle = record.contracts.keys() - record.attested.keys() - gone
    if number <= LAST_TO_BEGIN:
        idle = set()
    steps = session.plan.recipe.local_steps
    content = {"round": number, "steps": steps}
    asked = dict.fromkeys(sorted(record.contracts.keys() - gone - idle), content)
    said = session.ask("round", asked, model, session.conduct.round_seconds, session.plan.size())
    absent = dict.fromkeys(gone, LEFT) | dict.fromkeys(idle, NOT_BEGUN)
    attested: dict[str, Evidence] = {}
    leaves: list[tuple[str, Document]] = []
    updates: dict[str, bytes] = {}
    samples: dict[str, int] = {}
    for member, message in said.items():
        if isinstance(message, Failure):
            absent[member] = message.reason
        elif message.head.content == leaving(number):
            absent[member] = LEFT
            leaves.append(("leaves", Leaves(member=member, round=number, said=message.evidence)))
        else:
            try:
                attestation = Attestation.take(message.head.content)
                earlier = record.attested.get(member)
                check_attestation(attestation, record.contracts[member], earlier, number, start)
                if attestation.steps != steps:
                    raise InputError("an attestation of other steps than were asked for")
                check_update(message.body, model, session.plan)
            except InputError as error:
                absent[member] = "error"
                session.log(f"round {number}, {member}: {error}")
                continue
            attested[member], updates[member] = message.evidence, message.body
            samples[member] = attestation.samples
    session.add(*leaves)  # whatever becomes of the round
    if len(attested) < session.conduct.quorum:
        raise Paused(
            f"round {number}: {len(attested)} members took part and the quorum is "
            f"{session.conduct.quorum}; resume when more are there"
            + (", or settle with --finish" if record.rounds else "")
        )
    members, total = sorted(updates), sum(samples.values())
    shares = [samples[member] / total for member in members]
    model = mean_of([updates[member] for member in members], shares, session.plan)
    session.directory.save_model(number, model)
    done = RoundDone(
        round=number,
        start=start,
        model=digest(model),
        attested=attested,
        absent=absent,
    )
    session.add(("round", done))
    return model
