"""After training: deliveries, settlement, statements, and reversals (steps 5 to 7)."""

from ..mechanism import InputError
from .canonical import without_floats
from .delivery import deliveries
from .desk import Desk
from .document import Document
from .entries import Acknowledged, Revealed, Reversal
from .message import Message
from .money import lines_of, settled_of, settlement_of
from .record import Record
from .statement import statements
from .told import Answer, Told


def deliver(desk: Desk) -> None:
    """Close the training: what each agent delivered (step 5), before any nonce is opened."""
    record = desk.record
    delivered = deliveries(
        record.contracts,
        record.attested,
        len(record.rounds),
        desk.plan.rounds,
        record.money,
        record.gone,
    )
    desk.add(*(("delivery", each) for each in delivered))


def settle(desk: Desk) -> None:
    """Reveal, settlement and lines (step 6), all at once."""
    record, first = desk.record, list[tuple[str, Document]]()
    revealed = record.revealed
    if revealed is None:
        draw = record.seed_of_draw(desk.house.seed)
        revealed = Revealed(seed=desk.house.seed.hex(), draw=f"{draw:064x}")
        first.append(("reveal", revealed))
    settlement = settlement_of(record.deliveries.values(), revealed, record)
    opening = settled_of(settlement, record)
    lines = lines_of(settlement)
    desk.add(*first, ("settlement", opening), *(("line", line) for line in lines))


def hand_out(desk: Desk) -> None:
    """Statements to all who have not acknowledged theirs (step 7), and the model to stayers."""
    record = desk.record
    assert record.settlement is not None
    waiting = sorted(record.lines.keys() - record.acknowledged.keys())
    if not record.rounds or (record.lines and not waiting):
        return
    last = record.rounds[-1]
    model = desk.house.load_model(len(record.rounds), last.model)
    if not record.lines:  # void: no money moves, but what was trained belongs to who trained it
        content = {"model": last.model}
        there = sorted(agent for agent, each in record.deliveries.items() if not each.left)
        desk.ask("model", dict.fromkeys(there, content), model)
        return
    told = told_of(record, waiting)
    stay = {agent: told[agent].dump() for agent in waiting if told[agent].model}
    left = {agent: told[agent].dump() for agent in waiting if not told[agent].model}
    said = desk.ask("statement", stay, model) | desk.ask("statement", left)
    desk.add(
        *(
            (
                "acknowledged",
                Acknowledged(agent=agent, settlement=record.settlement, said=message.evidence),
            )
            for agent, message in said.items()
            if isinstance(message, Message) and _answers(message, told[agent])
        )
    )


def _answers(message: Message, told: Told) -> bool:
    """Whether this is an answer to that statement."""
    try:
        return Answer.take(message.head.content).statement == told.hash()
    except InputError:
        return False


def reverse(desk: Desk, why: str) -> int:
    """Undo the settlement, by an entry with the opposite postings."""
    record = desk.record
    if record.settlement is None:
        raise InputError("there is no settlement to reverse")
    if not why.strip() or not why.isprintable():
        raise InputError("give a reason in words, for the ledger")
    postings = record.reversed_postings()
    number = record.settlement
    desk.add(("reversal", Reversal(settlement=number, why=why[:500], postings=postings)))
    return number


def told_of(record: Record, agents: list[str]) -> dict[str, Told]:
    """What these agents are told of the settlement."""
    assert record.revealed is not None
    assert record.settlement is not None
    assert record.settled is not None
    settlement = settlement_of(record.deliveries.values(), record.revealed, record)
    assert settlement is not None
    last, own = record.rounds[-1].model, statements(settlement, agents)
    return {
        agent: Told(
            settlement=record.settlement,
            rounds=len(record.rounds),
            agents=record.settled.agents,
            samples=record.settled.samples,
            left=record.deliveries[agent].left,
            last_round=record.deliveries[agent].last_round,
            line=record.lines[agent],
            statement=without_floats(own[agent].document()),
            model=None if record.deliveries[agent].left else last,
        )
        for agent in agents
    }
