"""Claims of the paper that do not hold, shown failing, and what the settlement does instead.

docs/theory.md tells of them. Unless said otherwise all agents are alike: A = c = m* = 1, so that a
local loss is 2, or A = 1e6, c = 1 and m* = 1000 where samples must be whole.
"""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from fedfact.mechanism import (
    RULES,
    Others,
    Population,
    Terms,
    best_response,
    continuum_win_probability,
    contract_fee,
    effective_fee,
    expected_loss,
    fact_loss,
    federated_loss,
    free_rider_penalty,
    local_loss,
    paper_pool,
    settle,
    win_probability,
)

reward = RULES["sandwich"].share


def alike(n):
    """The n − 1 others of an agent that is like them."""
    return Others(np.ones(n - 1), np.ones(n - 1))


def members(samples, cost):
    return Population([f"m{k}" for k in range(len(samples))], np.array(cost), np.array(samples))


def test_sabotage_of_the_papers_pool():
    """Claim (Cor. 1): a winner never does worse than alone.

    One agent reports an absurd cost. That costs it nothing, since its penalty cancels, but its
    contract fee is hugely negative, and an honest winner of the paper's pool would *pay*.
    """
    A, honest = 1e4, np.array([1.0, 1.2, 1.4, 1.6, 1.8, 2.0])
    absurd = np.append(honest[:-1], 1e5)  # the last has the highest cost: no winner changes
    m = np.rint((A / honest) ** 0.5).astype(int)
    S = m.sum() - m

    def pool(report):
        return paper_pool(contract_fee(m, S, report, A, 1.0))

    def loss(report, won):
        return fact_loss(m, S, honest, report, A, 1.0, pool=pool(report), win_probability=won)

    assert np.all(pool(honest) > 0)
    assert np.all(pool(absurd)[:-1] < 0)
    assert np.all(loss(absurd, 1)[:-1] > local_loss(m, honest, A)[:-1])
    assert loss(absurd, 0)[-1] == pytest.approx(loss(honest, 0)[-1], rel=1e-6)

    terms = Terms(error_scale=A, rule="sandwich", unit=0.01)
    before, after = (settle(members(m, report), terms, seed=1) for report in (honest, absurd))
    assert before.won.tolist() == after.won.tolist()
    assert before.reward.tolist() == after.reward.tolist()
    assert np.all(after.reward[after.won] > 0)


@pytest.mark.parametrize("n", [15, 16])
@pytest.mark.parametrize("q", [0.05, 0.4])
def test_known_costs_make_the_median_the_best_report(n, q):
    """Claim (Thm 5): truth is an agent's best strategy.

    Not if it knows where it stands: at quantile q it gains (½ − 2q(1−q))·R by reporting the
    median, less the n mod 3 agents in n who are left over.
    """
    costs = stats.norm(1.0, 1e-3)
    cost, others, terms = costs.ppf(q), alike(n), Terms(error_scale=1.0)
    in_a_group = 3 * (n // 3) / n

    def chance(report):
        return in_a_group * continuum_win_probability(report, costs)

    honest = best_response("sandwich", cost, others, terms, cost, chance)
    best = best_response("sandwich", cost, others, terms, None, chance)
    assert best.reported_cost == pytest.approx(1.0, abs=1e-6)
    assert best.samples == pytest.approx((1 / cost) ** 0.5, rel=1e-6)  # free riding stays pointless
    gain = honest.loss - best.loss
    assert gain == pytest.approx(in_a_group * (1 / 2 - 2 * q * (1 - q)) * reward(others, terms))


def test_lying_to_the_median_gains_half_the_local_loss():
    """The size of it: at q = 0.05 among 16 agents with about the same cost, 53 %."""
    gain = 15 / 16 * (1 / 2 - 2 * 0.05 * 0.95) * reward(alike(16), Terms(error_scale=1.0))
    assert gain / local_loss(1, 1, 1) == pytest.approx(0.5316, abs=1e-4)


@pytest.mark.parametrize("n", [3, 7, 16])
@pytest.mark.parametrize("report", [1e-4, 30.0])
def test_any_unanimous_report_is_an_equilibrium(n, report):
    """Claim (Definition 1): no agent can reduce its loss by a false report.

    If all others report the same number, however false, an agent wins with probability G/n by
    joining in and never otherwise. Under the rebate rule the truth is better.
    """
    others, terms = Others(np.ones(n - 1), np.full(n - 1, report)), Terms(error_scale=1.0)
    joined = best_response("sandwich", 1.0, others, terms)
    assert joined.reported_cost == report
    assert joined.loss == pytest.approx(2 - n // 3 / n * reward(others, terms), rel=1e-12)
    deviations = report * np.append(np.geomspace(1e-3, 0.999, 9), np.geomspace(1.001, 1e3, 9))
    losses = expected_loss("sandwich", 1.0, deviations, 1.0, others, terms)
    assert losses.tolist() == [2.0] * 18
    assert best_response("rebate", 1.0, others, terms).reported_cost == 1.0


@pytest.mark.parametrize(("n", "rounds"), [(6, 20), (9, 8)])
def test_best_responses_collapse_to_one_report(n, rounds):
    """Claim (Thm 5), over time: agents who answer each other's reports end up saying the same."""
    cost = np.random.default_rng(n).lognormal(0, 0.5, n)
    samples, report, terms = cost**-0.5, cost.copy(), Terms(error_scale=1.0)
    for _ in range(rounds):
        for i in range(n):
            others = Others(np.delete(samples, i), np.delete(report, i))
            now = expected_loss("sandwich", samples[i], report[i], cost[i], others, terms)
            answer = best_response("sandwich", float(cost[i]), others, terms)
            if answer.loss < now * (1 - 1e-12):
                report[i] = answer.reported_cost
    assert len(set(report)) == 1
    assert cost.min() < report[0] < cost.max()


@pytest.mark.parametrize("n", [6, 15, 60])
def test_beliefs_of_one_half_cannot_all_come_true(n):
    """Claim (Lemma 2, Assumption 1): everybody wins with probability ½.

    One in three wins. To pay what all believe would take 1.5 times the payouts, and more than
    all the fees.
    """
    cost = np.linspace(1, 2, n)
    believed = [float(continuum_win_probability(c, stats.norm(c, c / 10))) for c in cost]
    assert believed == pytest.approx([1 / 2] * n, rel=1e-14)
    realised = win_probability(cost)
    assert sum(believed) / realised.sum() == pytest.approx(1.5, rel=1e-14)
    fee = float(effective_fee(1, n - 1, 1))  # of agents alike
    assert sum(believed) * paper_pool(np.full(n, fee))[0] > n * fee


def test_compliant_agents_pay_a_penalty():
    """Claim (§4): the penalty is paid by those who do not use m*.

    All pay it: at α = 1 half of what federation brings.
    """
    penalty = free_rider_penalty(1, 15, 1, 1, 1.0)
    assert penalty / effective_fee(1, 15, 1) == pytest.approx(1 / 2, rel=1e-14)


@pytest.mark.parametrize("n", [3, 16])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1.9])
def test_penalty_alone_does_not_stop_liars(n, alpha):
    """Claim (§5): a liar overstates its cost, to use less data.

    It does better still by *understating* it and using nothing: P_fr goes with √(A·c), so to a
    cost of next to nothing belongs next to no penalty, and the liar has A/S, a full free ride.
    """
    terms = Terms(error_scale=1.0, alpha=alpha)
    honest = best_response("penalised", 1.0, alike(n), terms, reported_cost=1.0)
    liar = best_response("penalised", 1.0, alike(n), terms)
    assert honest.loss == pytest.approx(2 - alpha / 2 * (1 - 1 / n), rel=1e-12)
    assert liar.samples == 0
    assert liar.loss == pytest.approx(1 / (n - 1), rel=5e-3)


@pytest.mark.parametrize(("n", "excess"), [(3, 0.0582), (16, 0.00276)])
def test_papers_pool_depends_on_the_winners_own_samples(n, excess):
    """Claim (§5): no agent can increase its reward by how much data it uses.

    Others' fees B_j = A(1/m_j − 1/M) grow with M, and so with m_i: an agent that believes in ½
    uses 5.8 % too much data among three, 0.28 % among sixteen. Without i they do not.
    """

    def paper_loss(m):
        fees = np.append(0.0, effective_fee(np.ones(n - 1), n - 2 + m, 1.0))
        return local_loss(m, 1, 1) - 1 / 2 * paper_pool(fees)[0]

    found = minimize_scalar(paper_loss, bounds=(0.5, 2), method="bounded", options={"xatol": 1e-9})
    assert found.x - 1 == pytest.approx(excess, rel=1e-2)
    ours = best_response(
        "sandwich", 1.0, alike(n), Terms(error_scale=1.0), 1.0, lambda c: 0.5 + 0 * c
    )
    assert ours.samples == pytest.approx(1, abs=1e-7)


def test_rounding_fees_and_rewards_on_their_own_runs_a_deficit():
    """Claim (§2): all reward payments come from other agents. To the nearest unit, not always."""

    def nearest_surplus(K, m):
        """Three agents, the second wins; fees and reward rounded to the nearest unit."""
        fees = K / m - K / m.sum()
        others = m[[0, 2]]
        return np.rint(fees).sum() - np.rint((K / others).sum() - 2 * K / others.sum())

    def settled_surplus(K, m):
        terms = Terms(error_scale=K, unit=1, rule="sandwich")
        return settle(members(m, [1.0, 2.0, 3.0]), terms, seed=0).surplus

    # Fees of 0.37, 0.37 and 0.47 round to nothing, a reward of 0.62 to one unit.
    assert nearest_surplus(4, np.array([7, 7, 6])) == -1
    cases = [
        (K, np.array(m)) for K in range(1, 9) for m in combinations_with_replacement(range(1, 9), 3)
    ]
    assert min(nearest_surplus(K, m) for K, m in cases) < 0
    assert min(settled_surplus(K, m) for K, m in cases) >= 0


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
def test_claimed_samples_must_be_attested(rule):
    """Claim (Thm 5): free riding is eliminated. Not where m_i is only claimed.

    Of sixteen agents one claims 100·m*, uses nothing, and reports the cost that fits its claim:
    its loss is 3.4 % of the local loss, and what it receives is what it received before.
    """
    terms = Terms(error_scale=1e6, rule=rule)
    honest = settle(members([1000] * 16, [1.0] * 16), terms, seed=1)
    claims = members([100_000] + [1000] * 15, [1e-4] + [1.0] * 15)
    liar = settle(claims, terms, seed=1)
    assert liar.charge[0] == 0
    assert liar.pool[0] == honest.pool[0]
    loss = 1e6 / 15_000 + liar.fee[0] * terms.unit  # what the others' data leave, and its fee
    assert loss / local_loss(1000, 1, 1e6) == pytest.approx(0.03399, abs=1e-5)


def test_merging_identities_pays():
    """Claim (Assumption 1): private costs ensure that there is no collusion.

    Two of sixteen equal members who pose as one pay 23 % of their fees, and under the rebate
    rule come out ahead.
    """
    terms = Terms(error_scale=1e6)
    apart = settle(members([1000] * 16, [1.0] * 16), terms)
    merged = settle(members([2000] + [1000] * 14, [0.25] + [1.0] * 14), terms)
    assert merged.fee[0] / apart.fee[:2].sum() == pytest.approx(7 / 30, rel=1e-9)
    assert apart.net.tolist() == [0] * 16  # equal members get back all that they pay
    assert merged.net[0] > 0


@pytest.mark.parametrize(("n", "part"), [(10, 0.09), (16, 0.09375)])
def test_too_large_an_error_scale_breaks_rationality(n, part):
    """Claim (Cor. 1): a loser does as well as alone. Not if the server takes A 10 % too large.

    The fee is then 10 % too high, which is 9 % of c·m*; so A must be a lower bound.
    """
    loser = federated_loss(1, n - 1, 1, 1) + effective_fee(1, n - 1, 1.1)
    assert loser - local_loss(1, 1, 1) == pytest.approx(part * 1, rel=1e-12)
