"""From what was delivered to who pays whom: the settlement of a record, and its lines.

The operator writes the lines, an auditor works them out again, and both call this. Double entry:
what an agent receives the operator pays, so that the postings of every line add up to zero, and the
operator's account ends with the surplus.
"""

from collections.abc import Collection

from ..mechanism import Settlement, settle
from ..mechanism.exact import exact_sum
from .delivery import Delivery, billed_population
from .entries import Line, Posting, Revealed, Settled
from .record import Record

TOO_FEW = "fewer than three agents delivered anything; no money moves"


def settlement_of(
    delivered: Collection[Delivery], revealed: Revealed, record: Record
) -> Settlement | None:
    """The settlement that follows from deliveries and draw; None where too few delivered."""
    population = billed_population(delivered, record.contracts)
    if population is None:
        return None
    return settle(population, record.money, int(revealed.draw, 16))


def settled_of(settlement: Settlement | None, record: Record) -> Settled:
    """The entry that opens a settlement."""
    if settlement is None:
        return Settled(rule=record.money.rule, agents=0, samples=0, surplus=0, void=TOO_FEW)
    return Settled(
        rule=settlement.terms.rule,
        agents=len(settlement.population),
        samples=exact_sum(settlement.population.samples),
        surplus=settlement.surplus,
        void=None,
    )


def lines_of(settlement: Settlement | None) -> list[Line]:
    """One line for each agent."""
    if settlement is None:
        return []
    amounts = {
        name: getattr(settlement, name).tolist()
        for name in ("fee", "penalty", "charge", "pool", "reward", "rebate", "net")
    }
    group, won = settlement.group.tolist(), settlement.won.tolist()
    return [
        Line(
            agent=agent,
            samples=int(settlement.population.samples[k]),
            group=None if group[k] < 0 else group[k],
            won=won[k],
            postings=[
                Posting(account=f"agent/{agent}", amount=amounts["net"][k]),
                Posting(account="operator", amount=-amounts["net"][k]),
            ],
            **{name: column[k] for name, column in amounts.items()},
        )
        for k, agent in enumerate(settlement.population.agents)
    ]
