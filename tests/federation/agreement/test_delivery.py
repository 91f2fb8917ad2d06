"""What members attest and what follows from it: who delivered what, who is billed for what."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact import InputError, Terms
from fedfact.federation.agreement.contract import Enrolment, contracts_for
from fedfact.federation.agreement.delivery import (
    Attestation,
    Rounds,
    billed_population,
    check_attestation,
    deliveries,
    void_in_words,
    why_void,
)
from fedfact.federation.wire.canonical import decimal

TERMS = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20)
START, INDEX = "11" * 32, "22" * 32
COSTS = {"alder": 2.0, "birch": 1.0, "cedar": 0.5, "dogwood": 1.5}
ENROLMENTS = {
    name: Enrolment(member=name, key=START, reported_cost=decimal(cost), capacity=None, nonce=INDEX)
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


def delivered(said, held, planned=None, terms=TERMS, gone=(), attended=None, asked=None):
    """Deliveries of members that were there in every round, if it is not said otherwise."""
    there, all_asked = dict.fromkeys(said, held), dict.fromkeys(said, held)
    rounds = Rounds(planned or held, held)
    presence = there | (attended or {}), all_asked | (asked or {})
    return deliveries(CONTRACTS, said, *presence, rounds, terms, gone)


def test_billed_is_what_was_delivered_but_never_less_than_a_third_of_the_least():
    said = {
        "cedar": attested(5, samples=200, used=192),
        "alder": attested(3, used=99),
        "birch": attested(5, used=6),
    }
    found = [each.dump() for each in delivered(said, 5, attended={"alder": 3}, asked={"alder": 5})]
    assert found == [
        {"member": "alder", "promised": 100, "delivered": 99, "counted": 99, "attended": 3,
         "asked": 5, "billed": 59, "last_round": 3, "left": True},
        {"member": "birch", "promised": 141, "delivered": 6, "counted": 7, "attended": 5,
         "asked": 5, "billed": 7, "last_round": 5, "left": False},
        {"member": "cedar", "promised": 200, "delivered": 192, "counted": 192, "attended": 5,
         "asked": 5, "billed": 192, "last_round": 5, "left": False},
    ]  # fmt: skip


def test_who_missed_rounds_is_billed_for_its_part_and_charged_by_what_it_used():
    (alder,) = delivered({"alder": attested(20, used=100)}, 20, attended={"alder": 3})
    assert (alder.left, alder.counted, alder.billed) == (False, 100, 15)
    (alder,) = delivered({"alder": attested(20, used=99)}, 20, attended={"alder": 19})
    assert (alder.counted, alder.billed) == (99, 94)  # 94.05, rounded down
    (alder,) = delivered({"alder": attested(20, used=99)}, 20, attended={"alder": 1})
    assert (alder.counted, alder.billed) == (99, 7)  # not below the floor
    (alder,) = delivered(
        {"alder": attested(2, used=99)}, 20, gone=["alder"], attended={"alder": 2},
        asked={"alder": 2},
    )  # fmt: skip
    assert (alder.left, alder.counted, alder.billed) == (True, 99, 99)  # not asked after it left


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
@pytest.mark.parametrize("early", [0, 18])
def test_who_has_left(last, rounds, gone, left, early):
    """It is the same where the operator ends the training early: else it would choose when."""
    said = {"alder": attested(last)}
    (alder,) = delivered(said, rounds, rounds + early, gone=gone)
    assert alder.left is left
    assert alder.billed == (100 if early and not left else 64)


def test_the_escrow_raises_what_is_billed_at_least():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20, escrow=40_000)
    (alder,) = delivered({"alder": attested(used=30)}, 3, terms=terms)
    assert (alder.delivered, alder.billed) == (30, 50)


def test_fewer_than_three_cannot_be_settled():
    said = {name: attested() for name in ("alder", "birch")}
    for there in (delivered(said, 3), []):
        assert why_void(there, CONTRACTS, TERMS) == "too few"
        assert void_in_words("too few", there, CONTRACTS, TERMS) == (
            "fewer than three members delivered anything; no money moves"
        )


def test_under_shared_less_than_half_of_the_signed_size_cannot_be_settled():
    terms = Terms(error_scale=20000.0, unit=0.01, minimum_samples=20, rule="shared")
    sizes = {"alder": 1, "birch": 2, "cedar": 3, "dogwood": 6}
    contracts = contracts_for(ENROLMENTS, terms, START, sizes)

    def void(*names, bigger=0):
        there = delivered({name: attested() for name in names}, 3)
        signed = dict(contracts)
        signed["dogwood"] = signed["dogwood"].model_copy(update={"size": 6 + bigger})
        why = why_void(there, signed, terms)
        return why and (why, void_in_words(why, there, signed, terms))

    assert void("alder", "birch", "cedar") is None  # 6 of 12
    assert void("alder", "birch", "cedar", bigger=1) == (
        "too little size",
        "those who delivered have 6 of the size of 13 that signed, too little to settle by the "
        "shared rule; no money moves",
    )
    assert void("alder", "birch", "dogwood", bigger=1) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 100), min_size=4, max_size=4), st.integers(3, 4), st.data())
def test_the_population_is_that_of_the_deliveries(used, there, data):
    names = sorted(data.draw(st.permutations(sorted(COSTS)))[:there])
    rounds = {name: data.draw(st.integers(1, 3)) for name in names}
    said = {
        name: attested(rounds[name], used=m) for name, m in zip(names, used[:there], strict=True)
    }
    population = billed_population(delivered(said, 3, attended=rounds), CONTRACTS)
    assert list(population.agents) == names
    assert population.reported_cost.tolist() == [COSTS[name] for name in names]
    part = [m * rounds[name] // 3 for name, m in zip(names, used[:there], strict=True)]
    assert population.samples.tolist() == [max(7, m) for m in part]
    assert population.counted.tolist() == [max(7, m) for m in used[:there]]
    assert population.left.tolist() == [rounds[name] < 2 for name in names]
    assert (population.capacity, population.size, population.signed_size) == (None, None, 4)


def test_who_is_there_when_training_ends_early_is_billed_at_its_pace_and_as_promised_at_most():
    said = {
        "alder": attested(3, used=30),  # as many as 100 in 10 rounds
        "birch": attested(3, used=29),  # 96 in 10
        "cedar": attested(1, samples=200, used=60),
    }
    alder, birch, cedar = delivered(said, 3, 10, attended={"cedar": 1})
    assert (alder.delivered, alder.counted, alder.billed, alder.left) == (30, 100, 100, False)
    assert (birch.delivered, birch.counted, birch.billed) == (29, 96, 96)  # 96.67, rounded down
    assert (cedar.delivered, cedar.counted, cedar.billed, cedar.left) == (60, 60, 20, True)
