"""Training: the rounds of Algorithm 1, each with whoever answers in time (step 4).

Models are averaged in the order of the agents' names, with the weights of those who took part, so
that the result does not depend on who answered first.
"""

from ..mechanism import InputError
from ..training.site import check_update, mean_of
from .canonical import digest
from .delivery import Attestation, check_attestation, leaving
from .desk import Desk, Paused
from .document import Document
from .entries import Leaves, RoundDone
from .message import Evidence
from .transport import Failure

LEFT = "left"
"""Why an agent is absent that said it leaves; it is not asked again."""

NOT_BEGUN = "not begun"
"""Why an agent is absent that has never taken part: after `LAST_TO_BEGIN` it is sent no more
models, since it would get them for nothing."""

LAST_TO_BEGIN = 3
"""The last round in which an agent may take part for the first time."""


def train(desk: Desk) -> None:
    """Algorithm 1: the rounds that are still to come (step 4)."""
    record, house = desk.record, desk.house
    if record.rounds:
        model = house.load_model(len(record.rounds), record.rounds[-1].model)
    else:
        model = desk.plan.initial()
        house.save_model(0, model)
    while len(record.rounds) < desk.plan.rounds:
        if house.is_to_finish and record.rounds:
            break
        model = _round(desk, len(record.rounds) + 1, model)


def _round(desk: Desk, number: int, model: bytes) -> bytes:
    record, start = desk.record, digest(model)
    gone = record.gone
    idle = record.contracts.keys() - record.attested.keys() - gone
    if number <= LAST_TO_BEGIN:
        idle = set()
    steps = desk.plan.recipe.local_steps
    content = {"round": number, "steps": steps}
    asked = dict.fromkeys(sorted(record.contracts.keys() - gone - idle), content)
    said = desk.ask("round", asked, model, desk.conduct.round_seconds, desk.plan.size())
    absent = dict.fromkeys(gone, LEFT) | dict.fromkeys(idle, NOT_BEGUN)
    attested: dict[str, Evidence] = {}
    leaves: list[tuple[str, Document]] = []
    updates: dict[str, bytes] = {}
    samples: dict[str, int] = {}
    for agent, message in said.items():
        if isinstance(message, Failure):
            absent[agent] = message.reason
        elif message.head.content == leaving(number):
            absent[agent] = LEFT
            leaves.append(("leaves", Leaves(agent=agent, round=number, said=message.evidence)))
        else:
            try:
                attestation = Attestation.take(message.head.content)
                earlier = record.attested.get(agent)
                check_attestation(attestation, record.contracts[agent], earlier, number, start)
                if attestation.steps != steps:
                    raise InputError("an attestation of other steps than were asked for")
                check_update(message.body, model, desk.plan)
            except InputError as error:
                absent[agent] = "error"
                desk.log(f"round {number}, {agent}: {error}")
                continue
            attested[agent], updates[agent] = message.evidence, message.body
            samples[agent] = attestation.samples
    desk.add(*leaves)  # whatever becomes of the round
    if len(attested) < desk.conduct.quorum:
        raise Paused(
            f"round {number}: {len(attested)} agents took part and the quorum is "
            f"{desk.conduct.quorum}; resume when more are there"
            + (", or settle with --finish" if record.rounds else "")
        )
    agents, total = sorted(updates), sum(samples.values())
    shares = [samples[agent] / total for agent in agents]
    model = mean_of([updates[agent] for agent in agents], shares, desk.plan)
    desk.house.save_model(number, model)
    done = RoundDone(
        round=number,
        start=start,
        model=digest(model),
        attested=attested,
        absent=absent,
    )
    desk.add(("round", done))
    return model
