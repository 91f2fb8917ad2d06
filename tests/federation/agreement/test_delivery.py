"""What agents attest and what follows from it: who delivered what, who is billed for what."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact import InputError, Terms
from fedfact.federation.agreement.contract import Enrolment, contracts_for
from fedfact.federation.agreement.delivery import (
    Attestation,
    billed_population,
    check_attestation,
    deliveries,
)
from fedfact.federation.wire.canonical import decimal

TERMS = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
START, INDEX = "11" * 32, "22" * 32
COSTS = {"alder": 2.0, "birch": 1.0, "cedar": 0.5, "dogwood": 1.5}
ENROLMENTS = {
    name: Enrolment(agent=name, key=START, reported_cost=decimal(cost), capacity=None, nonce=INDEX)
    for name, cost in COSTS.items()
}
CONTRACTS = contracts_for(ENROLMENTS, TERMS, START)


def attested(number=3, **changes):
    said = {"round": number, "start": START, "steps": 2, "samples": 100, "used": 64, "index": INDEX}
    return Attestation(**(said | changes))


def check(said, before=None):
    check_attestation(said, CONTRACTS["alder"], before, 3, START)


def test_attestations_that_fit_are_taken():
    check(attested())
    check(attested(used=100))
    check(attested(), attested(2))  # nothing new was touched
    check(attested(used=65, index=START), attested(2))
    check(attested(), attested(1, used=1, index=START))


@pytest.mark.parametrize(
    ("said", "before", "why"),
    [
        (attested(2), None, "another round or model"),
        (attested(4), None, "another round or model"),
        (attested(start=INDEX), None, "another round or model"),
        (attested(samples=101), None, "more samples than were agreed"),
        (attested(samples=101, used=101), None, "more samples than were agreed"),
        (attested(samples=60), None, "more samples than were agreed"),
        (attested(used=63), attested(2), "fewer samples than were used before"),
        (attested(), attested(3), "fewer samples than were used before"),
        (attested(index=START), attested(2), "other samples than those used before"),
    ],
)
def test_attestations_that_do_not_fit_are_refused(said, before, why):
    with pytest.raises(InputError, match=why):
        check(said, before)


def test_billed_is_what_was_delivered_but_never_less_than_the_least():
    said = {
        "cedar": attested(5, samples=200, used=192),
        "alder": attested(3, used=99),
        "birch": attested(5, used=7),
    }
    found = [each.dump() for each in deliveries(CONTRACTS, said, 5, 5, TERMS)]
    assert found == [
        {"agent": "alder", "promised": 100, "delivered": 99, "billed": 99, "last_round": 3,
         "left": True},
        {"agent": "birch", "promised": 141, "delivered": 7, "billed": 20, "last_round": 5,
         "left": False},
        {"agent": "cedar", "promised": 200, "delivered": 192, "billed": 192, "last_round": 5,
         "left": False},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("last", "rounds", "gone", "left"),
    [
        (9, 9, (), False),
        (7, 9, (), False),  # two answers may be lost
        (6, 9, (), True),
        (3, 5, (), True),  # a third of them at most
        (4, 5, (), False),
        (1, 2, (), True),
        (9, 9, ("alder",), True),  # it said so
        (9, 9, ("birch",), False),
    ],
)
@pytest.mark.parametrize("early", [False, True])
def test_who_has_left(last, rounds, gone, left, early):
    """It is the same where the operator ends the training early: else it would choose when."""
    said = {"alder": attested(last)}
    (alder,) = deliveries(CONTRACTS, said, rounds, rounds + early, TERMS, gone)
    assert alder.left is left
    assert alder.billed == (100 if early and not left else 64)


def test_the_escrow_raises_what_is_billed_at_least():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20, escrow=40_000)
    delivered = deliveries(CONTRACTS, {"alder": attested(used=30)}, 3, 3, terms)
    assert (delivered[0].delivered, delivered[0].billed) == (30, 50)


def test_fewer_than_three_cannot_be_settled():
    said = {name: attested() for name in ("alder", "birch")}
    assert billed_population(deliveries(CONTRACTS, said, 3, 3, TERMS), CONTRACTS) is None
    assert billed_population([], CONTRACTS) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 100), min_size=4, max_size=4), st.integers(3, 4), st.data())
def test_the_population_is_that_of_the_deliveries(used, there, data):
    names = sorted(data.draw(st.permutations(sorted(COSTS)))[:there])
    rounds = {name: data.draw(st.integers(1, 3)) for name in names}
    said = {
        name: attested(rounds[name], used=m) for name, m in zip(names, used[:there], strict=True)
    }
    population = billed_population(deliveries(CONTRACTS, said, 3, 3, TERMS), CONTRACTS)
    assert list(population.agents) == names
    assert population.reported_cost.tolist() == [COSTS[name] for name in names]
    assert population.samples.tolist() == [max(20, m) for m in used[:there]]
    assert population.left.tolist() == [rounds[name] < 2 for name in names]
    assert not population.capped.any()


def test_who_is_there_when_training_ends_early_is_billed_for_what_it_agreed_to():
    said = {"alder": attested(3, used=30), "cedar": attested(1, samples=200, used=60)}
    alder, cedar = deliveries(CONTRACTS, said, 3, 10, TERMS)
    assert (alder.delivered, alder.billed, alder.left) == (30, CONTRACTS["alder"].samples, False)
    assert (cedar.delivered, cedar.billed, cedar.left) == (60, 60, True)
