"""What an agent is told of a settlement, and how it checks it before it agrees.

An agent sees its own line and the sums that its formulas need (M, the pool, the number of agents).
With these it works out every amount again.
"""

from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from ..mechanism import Terms
from ..mechanism.exact import floor_difference
from ..mechanism.population import MOST_IN_ALL
from ..mechanism.settlement import share
from .canonical import number_of
from .contract import Contract, charge_for, least_billed
from .delivery import Round
from .document import Document, Hash, Words
from .entries import Line


class Told(Document):
    """A statement as it is sent; ``model`` is of the final model, for who did not leave."""

    settlement: Annotated[int, Field(ge=0)]
    rounds: Round
    agents: Annotated[int, Field(ge=3)]
    samples: Annotated[int, Field(ge=1, le=MOST_IN_ALL)]
    left: bool
    last_round: Round
    line: Line
    statement: dict[str, Any]
    model: Hash | None


class Answer(Document):
    """What an agent says to a statement."""

    statement: Hash
    agrees: bool
    why: Annotated[list[Words], Field(max_length=5)]


def objections(
    told: Told, contract: Contract, terms: Terms, used: int, *, planned: int = 0, answered: int = 0
) -> list[str]:
    """What is wrong with a statement, by the agent's own contract and its own count of samples.

    ``planned``: rounds in the terms; ``answered``: the last one that it answered well in time.
    """
    line, left, K = told.line, told.left, terms.error_scale_in_units
    m, pool = line.samples, np.array([line.pool])
    exempt = left or contract.capped
    cost = number_of(contract.reported_cost)
    rebate = 0 if left or terms.rule != "rebate" else int(share(pool, terms, told.agents - 1)[0])
    won = line.won and not left and terms.rule == "sandwich"
    wanted = {
        "agent": contract.agent,
        "samples": (
            contract.samples
            if not left and told.rounds < planned
            else max(used, least_billed(terms))
        ),
        "fee": int(floor_difference(K, np.array([m]), told.samples)[0]),
        "charge": 0 if exempt else charge_for(cost, m, terms),
        "rebate": rebate,
        "reward": int(share(pool, terms, told.agents // 3)[0]) if won else 0,
        "net": line.reward + line.rebate - line.fee - line.charge,
    }
    wrong = [
        f"{name} is {getattr(line, name)}, by my count {value}"
        for name, value in wanted.items()
        if getattr(line, name) != value
    ]
    if left and answered > told.last_round:
        wrong.append(f"I answered in time until round {answered}, not {told.last_round}")
    wrong += _beyond(told, contract, K)
    for name, value in _shown(told.statement):
        if value != getattr(line, name, None):
            wrong.append(f"the statement shows {name} {value}, the ledger has another")
    for name in ("fee", "charge"):
        if getattr(line, name) > getattr(contract, f"largest_{name}"):
            wrong.append(f"{name} exceeds the largest {name} of the contract")
    return wrong


def _beyond(told: Told, contract: Contract, K: Fraction) -> list[str]:
    """Sums over all agents that no others could bring about: nobody bills beyond a contract, and
    a pool is the smallest where all others have equal samples (1/m is convex)."""
    m, M, n = told.line.samples, told.samples, told.agents
    if n > contract.agents or not m < M <= contract.samples + contract.others_samples:
        return [f"{n} agents with {M} samples are not what the contract allows for"]
    if told.line.pool < K * (n - 1) * (n - 2) / (M - m) - (n - 1):
        return [f"a pool of {told.line.pool} is less than any others would put up"]
    return []


def _shown(statement: dict[str, Any]) -> list[tuple[str, Any]]:
    """What a statement says in words, by name."""
    shown = [(name, statement.get(name)) for name in ("agent", "samples", "group", "won", "net")]
    lines = statement.get("lines")
    for line in lines if isinstance(lines, list) else []:
        if isinstance(line, dict):
            shown.append((str(line.get("name")), line.get("amount")))
    return shown
