"""Every reading of FACT for measured losses, by laws and by counting all draws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.study.config.agents import StudyAgents
from fedfact.study.config.study import Study
from fedfact.study.measure.losses import losses

examples = settings(max_examples=60, deadline=None)
FACTS = ("fact_paper", "fact_realised", "fact_believed", "fact_settled", "fact_rebate")
LOSS = st.floats(0.01, 10).map(lambda x: round(x, 6))
REPORT = st.sampled_from([1e-4, 2e-4, 3e-4]) | st.floats(1e-5, 1e-2)


def agents(reports):
    n = len(reports)
    cost, samples = np.array(reports, float), np.full(n, 50)
    return StudyAgents(
        names=[f"agent-{k + 1:02d}" for k in range(n)],
        kind=["honest"] * n,
        true_cost=cost,
        reported_cost=cost,
        dealt=samples,
        agreed=samples,
        used=np.ones(n),
    )


def of(reports, local, federated, seed=0, **terms):
    study = Study.model_validate({"dataset": "digits", "agents": len(reports), "terms": terms})
    federated = np.broadcast_to(np.array(federated, float), len(local))
    return losses(study, agents(reports), np.array(local, float), federated, seed)


def settled(found, rule):
    return found.ends[rule].settlement


def column(found, name):
    """One column of a study's agents, by its name."""
    ends = {"if_lost": found.drawn.lost, "if_won": found.drawn.won, "spread": found.drawn.spread}
    of = {**found.facts, **ends, "win_probability": found.win_probability}
    return of[name]


@st.composite
def cases(draw, smallest=3, largest=7):
    """Reports (often tied), local losses, one federated loss."""
    n = draw(st.integers(smallest, largest))
    reports = draw(st.lists(REPORT, min_size=n, max_size=n))
    return reports, draw(st.lists(LOSS, min_size=n, max_size=n)), draw(LOSS)


@examples
@given(cases(), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([1e-9, 1e-6, 0.001]))
def test_all_readings_are_those_of_the_theory(theory, case, retention, unit):
    reports, local, federated = case
    found = of(reports, local, federated, retention=retention, unit=unit)
    n = len(local)
    wanted = theory.readings(reports, local, [federated] * n, unit=unit, retention=retention)
    for name in (*FACTS, "if_lost", "if_won", "win_probability"):
        assert column(found, name).tolist() == pytest.approx(wanted[name], rel=1e-9, abs=1e-9)
    assert found.drawn.spread.tolist() == pytest.approx(wanted["spread"], rel=1e-6, abs=1e-6)
    assert tuple(found.at_local_loss.values()) == pytest.approx(wanted["at_local_loss"])
    assert (
        settled(found, "sandwich").shortfall
        == settled(found, "rebate").shortfall
        == wanted["shortfall"]
    )


@examples
@given(cases(), st.integers(0, 5))
def test_where_federation_helps_on_the_whole_nobody_ends_worse_than_alone(case, seed):
    reports, local, federated = case
    found = of(reports, local, federated, seed)
    if (found.gain * 1e9).astype(int).sum() < len(local):  # too near to tell from a loss
        return
    assert found.rational["sandwich"].all()
    assert found.rational["rebate"].all()
    ends = found.federated - 1e-9 * settled(found, "sandwich").net
    assert (ends <= found.local + 1e-12).all()  # in this very draw
    assert (found.drawn.won <= found.drawn.lost).all()
    assert (found.facts["fact_rebate"] <= found.local + 1e-12).all()
    assert settled(found, "sandwich").surplus >= 0
    assert settled(found, "rebate").surplus >= 0


@examples
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_agents_changes_nothing(case, random):
    reports, local, federated = case
    order = random.sample(range(len(local)), len(local))
    first = of(reports, local, federated)
    moved = of([reports[k] for k in order], [local[k] for k in order], federated)
    for name in (*FACTS, "if_lost", "if_won", "win_probability", "spread"):
        expected = column(first, name)[order].tolist()
        assert column(moved, name).tolist() == pytest.approx(expected, abs=1e-12)


@examples
@given(cases(), st.sampled_from([0.001, 0.5, 8.0, 1e4]))
def test_the_value_of_a_loss_and_the_unit_cancel(case, value):
    """Money in another currency: the same losses remain, up to a unit's worth."""
    reports, local, federated = case
    one = of(reports, local, federated, unit=1e-9)
    other = of(reports, local, federated, unit=1e-9 * value, loss_value=value)
    for name in (*FACTS, "if_lost", "if_won", "spread"):
        expected = column(one, name).tolist()
        assert column(other, name).tolist() == pytest.approx(expected, abs=1e-7)


@examples
@given(cases(largest=16))
def test_the_papers_mean_in_closed_form(case):
    """FACT = local − (n−1)/n² Σf: each f_j is paid to n − 1 others, a third of 3/n each."""
    reports, local, federated = case
    found, n = of(reports, local, federated), len(local)
    given = math.fsum(local) - n * federated
    for name, share in (("fact_paper", 1.0), ("fact_believed", 1.5)):
        mean = math.fsum(local) / n - share * (n - 1) / n**2 * given
        assert column(found, name).mean() == pytest.approx(mean, abs=1e-9)


def test_equal_reports_win_equally():
    """The paper's uniform costs, 16 agents in 5 groups: everybody wins 5 times in 16."""
    found = of([1e-4] * 16, [2.0] * 16, 1.0)
    assert found.win_probability.tolist() == pytest.approx([5 / 16] * 16)
    assert found.fact_paper.tolist() == pytest.approx([2 - 15 / 16] * 16)
    assert found.fact_realised.tolist() == pytest.approx([2 - 15 / 16 * 15 / 16] * 16)
    assert found.fact_believed.tolist() == pytest.approx([2 - 1.5 * 15 / 16] * 16)
    assert found.facts["fact_settled"].tolist() == pytest.approx([2 - 15 / 16] * 16)
    assert found.facts["fact_rebate"].tolist() == pytest.approx([1.0] * 16)
    assert found.at_local_loss == pytest.approx({"sandwich": 11 / 16, "rebate": 0.0})


def test_three_agents_by_hand():
    """The median always wins, and receives what the two others pay: 0.5 + 2."""
    found = of([1e-4, 2e-4, 3e-4], [1.5, 2.0, 3.0], 1.0)
    assert found.win_probability.tolist() == [0.0, 1.0, 0.0]
    assert found.facts["fact_settled"].tolist() == pytest.approx([1.5, -0.5, 3.0])
    assert found.facts["fact_rebate"].tolist() == pytest.approx([0.0, 0.75, 2.25])
    assert found.fact_paper.tolist() == pytest.approx([0.5, 7 / 6, 2.5])
    assert found.drawn.spread.tolist() == [0.0, 0.0, 0.0]
    assert found.at_local_loss == pytest.approx({"sandwich": 2 / 3, "rebate": 0.0})


def test_where_federation_hurts_nobody_is_rewarded_and_the_shortfall_told():
    """Gains 1, −2, −2: of the 4 that are owed, 1 is there, paid half and half."""
    found = of([1e-4, 2e-4, 3e-4], [4.0, 1.0, 1.0], 3.0, unit=0.001)
    assert settled(found, "sandwich").shortfall == settled(found, "rebate").shortfall == 3000
    assert found.drawn.won.tolist() == found.drawn.lost.tolist() == [4.0, 2.5, 2.5]
    assert (
        found.facts["fact_settled"].tolist()
        == found.facts["fact_rebate"].tolist()
        == [4.0, 2.5, 2.5]
    )
    assert [each.tolist() for each in found.rational.values()] == [[True, False, False]] * 2
    assert found.at_local_loss == {"sandwich": 1 / 3, "rebate": 1 / 3}  # the others end above it
    assert found.drawn.spread.tolist() == [0.0] * 3
    assert found.fact_believed[1] == pytest.approx(1 - 0.5 * (1 - 2))


def test_the_operator_may_keep_a_part():
    found = of([1e-4, 2e-4, 3e-4], [1.5, 2.0, 3.0], 1.0, retention=0.2)
    assert found.facts["fact_settled"].tolist() == pytest.approx([1.5, 2 - 0.8 * 2.5, 3.0])
    assert found.facts["fact_rebate"].tolist() == pytest.approx(
        [1.5 - 0.4 * 3, 2 - 0.4 * 2.5, 3 - 0.4 * 1.5]
    )
    assert settled(found, "sandwich").surplus == 1_500_000_000  # 3.5 paid, 2.0 given
    everything = of([1e-4, 2e-4, 3e-4], [1.5, 2.0, 3.0], 1.0, retention=1.0)
    assert everything.at_local_loss == {"sandwich": 1.0, "rebate": 1.0}


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
@pytest.mark.parametrize(
    ("baseline", "fee", "compensation"),
    [
        (0.9, 400, 0),  # its own model, trained alone
        (0.5, 0, 0),  # a copy of the global model
        (0.45, 0, 50),  # a copy that it has tuned a little further
    ],
)
def test_a_baseline_that_an_agent_supplies_itself_can_be_anything(
    rule, baseline, fee, compensation
):
    """Why baselines must be trained or measured by a party that gains nothing from them."""
    found = of([1e-4] * 6, [baseline, *[0.9] * 5], 0.5, unit=0.001)
    row = settled(found, rule)
    assert (row.fee[0], row.compensation[0]) == (fee, compensation)
    assert row.fee[1:].tolist() == [400] * 5
    if rule == "rebate":  # and it still gets its part of what the honest pay
        assert row.net[0] == (2000 - compensation) // 5 - fee + compensation
        assert row.net[1:].max() <= 0


def test_the_draw_follows_the_seed():
    draws = [of([1e-4 * k for k in range(1, 8)], [2.0] * 7, 1.0, seed) for seed in range(20)]
    assert len({tuple(settled(draw, "sandwich").won.tolist()) for draw in draws}) > 5
    again = of([1e-4 * k for k in range(1, 8)], [2.0] * 7, 1.0, 3)
    assert settled(again, "sandwich").won.tolist() == settled(draws[3], "sandwich").won.tolist()
