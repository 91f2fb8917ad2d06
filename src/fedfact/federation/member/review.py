"""How a member checks what it was told of a settlement, before it agrees.

It sees its own line and the sums that its formulas need (M, the pool, the number and size of all
members). With these it works out every amount again.
"""

from collections.abc import Sequence

from ...mechanism import Standing, Terms, rule_of
from ...mechanism.rules import GIVEN
from ..agreement.contract import Contract
from ..agreement.delivery import Rounds, counted_and_billed, may_miss
from ..agreement.statement_message import StatementMessage
from ..wire.canonical import number_of

LOST = "taken as told: my own copies were lost with my key"
"""What a member answers that came back with nothing but a new key; a dispute would have no case."""

_EXACT = 1e-9  # of float arithmetic, relative to a pool


def objections(
    told: StatementMessage,
    contract: Contract,
    terms: Terms,
    used: int,
    *,
    planned: int = 0,
    in_time: Sequence[int] = (),
) -> list[str]:
    """What is wrong with a statement, by the member's own contract and its own count of samples.

    ``planned``: rounds in the terms; ``in_time``: those that it answered well in time.
    """
    line, left, rule = told.line, told.left, rule_of(terms)
    cost, standing = number_of(contract.reported_cost), _settled_among(told, contract)
    counted, billed = counted_and_billed(
        contract,
        terms,
        Rounds(max(planned, told.rounds), told.rounds),
        delivered=used,
        attended=told.attended,
        asked=told.asked,
        left=left,
    )
    fee = rule.fee_for(billed, told.samples, standing, terms)
    back = 0 if left else rule.back_for(line.pool, told.members, line.won, terms)
    wanted = {
        "member": contract.member,
        "samples": billed,
        "counted": counted,
        "fee": max(fee, 0) if left else fee,
        "charge": 0 if left else rule.charge_for(cost, counted, contract.standing, terms),
        **rule.in_columns(back),
        "net": sum(getattr(line, name) for name in GIVEN) - line.fee - line.charge,
    }
    wrong = [
        f"{name} is {getattr(line, name)}, by my count {value}"
        for name, value in wanted.items()
        if getattr(line, name) != value
    ]
    wrong += _absences(told, in_time)
    wrong += _beyond(told, contract, standing, terms)
    for name in ("fee", "charge"):
        if getattr(line, name) > getattr(contract, f"largest_{name}"):
            wrong.append(f"{name} exceeds the largest {name} of the contract")
    return wrong


def _settled_among(told: StatementMessage, contract: Contract) -> Standing:
    """What the member is beside those that are settled, who may be fewer than signed."""
    return Standing(told.members, contract.size, told.size, contract.capacity)


def _absences(told: StatementMessage, in_time: Sequence[int]) -> list[str]:
    """Rounds that it answered in time and is not counted for, unless so few that they got lost."""
    answered = [number for number in in_time if number <= told.rounds]
    last = answered[-1] if answered else 0
    stayed = told.rounds - last <= may_miss(told.rounds)
    if told.left and stayed and last > told.last_round:
        return [f"I answered in time until round {last}, not {told.last_round}"]
    lost = len(answered) - told.attended
    if lost > may_miss(told.rounds) or told.asked > told.rounds:
        return [
            f"I answered {len(answered)} rounds in time, and am counted for {told.attended} of "
            f"{told.asked}"
        ]
    return []


def _beyond(
    told: StatementMessage, contract: Contract, standing: Standing, terms: Terms
) -> list[str]:
    """Sums over all members that no others could bring about: nobody bills beyond a contract, and
    a pool is the smallest where all others have equal samples (errors are convex)."""
    m, M, n = told.line.samples, told.samples, told.members
    rule, U, signed = rule_of(terms), told.size, contract.total_size
    if n > contract.members or not m < M <= contract.samples + contract.others_samples:
        return [f"{n} members with {M} samples are not what the contract allows for"]
    least = contract.size + n - 1
    if not least <= U <= signed - (contract.members - n) or rule.is_void(U, signed):
        return [f"{n} members with a size of {U} are not what the contract allows for"]
    if n != U:  # the others' sizes are not known: nothing is certain
        return [] if told.line.pool >= 0 else ["a pool below 0"]
    errors = (n - 1) * rule.own_curve(terms.curve, 1, n).error((M - m) / (n - 1))
    least_pool = float(rule.pool_in_reals(errors, M - m, standing, terms.curve) / float(terms.unit))
    if told.line.pool < least_pool - _EXACT * float(errors) / float(terms.unit) - n:
        return [f"a pool of {told.line.pool} is less than any others would put up"]
    return []
