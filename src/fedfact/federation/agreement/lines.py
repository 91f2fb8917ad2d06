"""From what was delivered to who pays whom: the settlement, and a line for each member.

The operator writes the lines, an auditor works them out again, and both call this. Double entry:
what a member receives the operator pays, so that the postings of every line add up to zero, and the
operator's account ends with the surplus.
"""

from collections.abc import Collection, Mapping
from typing import Annotated

from pydantic import Field

from ...mechanism import Settlement, Terms, settle
from ..wire.document import Document, Money, Name, SampleCount
from .contract import Contract
from .delivery import Delivery, billed_population, why_void

Account = Annotated[str, Field(pattern=r"^(operator|member/[A-Za-z0-9][A-Za-z0-9_-]{0,62})$")]


class Posting(Document):
    """An amount that an account receives, or pays if it is below 0."""

    account: Account
    amount: Money


class Line(Document):
    """What one member pays and receives, and the postings that move it.

    Billed are its ``samples``, and the charge goes by those ``counted`` (`delivery`). A fee below 0
    is paid to the member.
    """

    member: Name
    samples: SampleCount
    counted: SampleCount
    fee: Money
    charge: Money
    pool: Money
    reward: Money
    rebate: Money
    net: Money
    group: int | None
    won: bool
    postings: list[Posting]


def settlement_of(
    delivered: Collection[Delivery], contracts: Mapping[str, Contract], terms: Terms, draw: str
) -> Settlement | None:
    """The settlement that follows from deliveries and draw; None where it is void."""
    if why_void(delivered, contracts, terms):
        return None
    return settle(billed_population(delivered, contracts), terms, int(draw, 16))


def lines_of(settlement: Settlement | None) -> list[Line]:
    """One line for each member."""
    if settlement is None:
        return []
    amounts = {
        name: getattr(settlement, name).tolist()
        for name in ("fee", "charge", "pool", "reward", "rebate", "net")
    }
    group, won = settlement.group.tolist(), settlement.won.tolist()
    return [
        Line(
            member=member,
            samples=int(settlement.population.samples[k]),
            counted=int(settlement.population.used[k]),
            group=None if group[k] < 0 else group[k],
            won=won[k],
            postings=[
                Posting(account=f"member/{member}", amount=amounts["net"][k]),
                Posting(account="operator", amount=-amounts["net"][k]),
            ],
            **{name: column[k] for name, column in amounts.items()},
        )
        for k, member in enumerate(settlement.population.agents)
    ]
