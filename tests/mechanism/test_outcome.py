"""What an agent can expect under each rule; the rebate rule's guarantees."""

import numpy as np
import pytest

from fedfact.errors import InputError
from fedfact.mechanism import (
    RULES,
    Others,
    Population,
    Terms,
    effective_fee,
    expected_loss,
    fact_loss,
    paper_pool,
    rationality_gap,
    settle,
)

reward = RULES["sandwich"].share
rebate = RULES["rebate"].share
consistency_charge = RULES["rebate"].charge_in_reals


def others_at_random(n, seed):
    """n − 1 others whose samples and reports have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return Others(10 ** rng.uniform(-2, 4, n - 1), 10 ** rng.uniform(-4, 4, n - 1))


# Few and many others, alike, at random, and as uneven as it gets.
PROFILES = [
    *(others_at_random(n, seed) for n in (3, 4, 7, 16) for seed in range(5)),
    Others(np.array([1.0, 1e9]), np.array([1e9, 1.0])),
    Others(np.full(15, 3.0), np.full(15, 2.0)),
]


def test_pool_reward_and_rebate_by_hand():
    others = Others(np.array([1.0, 2.0, 4.0]), np.ones(3))
    terms = Terms(error_scale=28.0)
    assert others.pool(28.0) == 28 + 14 + 7 - 3 * 28 / 7 == 37
    assert reward(others, terms) == 37  # n = 4: one group
    assert rebate(others, terms) == pytest.approx(37 / 3, rel=1e-14)
    keeps_a_quarter = Terms(error_scale=28.0, retention=0.25)
    assert reward(others, keeps_a_quarter) == 0.75 * 37
    assert rebate(others, keeps_a_quarter) == pytest.approx(0.75 * 37 / 3, rel=1e-14)
    six = Others(np.array([1.0, 2.0, 4.0, 28.0, 14.0]), np.ones(5))
    assert reward(six, terms) == pytest.approx(six.pool(28.0) / 2, rel=1e-14)


def test_expected_loss_of_each_play_by_hand():
    # A = 16: with m = 2 and true cost 1, alone it is 8 + 2. Others: S = 8, pool 4 + 4 − 2·2 = 4.
    others = Others(np.array([4.0, 4.0]), np.array([0.5, 2.0]))
    terms = Terms(error_scale=16.0, consistency=3.0)

    def loss(play, report, **belief):
        return float(expected_loss(play, 2.0, report, 1.0, others, terms, **belief))

    assert loss("local", 7.0) == 10
    assert loss("federated", 7.0) == 1.6 + 2
    assert loss("sandwich", 0.6) == 10 - 4  # three agents: the middle report always wins
    assert loss("sandwich", 0.5) == 10 - 2  # ties with one of them
    assert loss("sandwich", 3.0) == 10
    assert loss("sandwich", 3.0, win_probability=lambda c: c / 12) == 10 - 1
    assert loss("rebate", 4.0) == pytest.approx(10 - 2, rel=1e-14)  # 4 = A/m²: no charge
    assert loss("rebate", 1.0) == pytest.approx(
        10 - 2 + 3 * (8**0.5 - 2**0.5) ** 2, rel=1e-14
    )  # = 6


def test_consistency_charge_is_zero_just_where_report_and_data_fit():
    terms = Terms(error_scale=16.0, consistency=2.0)
    assert consistency_charge([2.0, 4.0, 8.0], [4.0, 1.0, 0.25], terms).tolist() == [0, 0, 0]
    assert consistency_charge(4.0, 4.0, terms) == 2 * (2 - 4) ** 2
    assert np.all(consistency_charge([2.0, 4.0, 8.0], [4.01, 0.99, 0.251], terms) > 0)


@pytest.mark.parametrize(("rule", "receipt"), [("sandwich", reward), ("rebate", rebate)])
def test_expectations_are_what_settlements_pay(rule, receipt):
    """The real-valued formulas for advice and the integers that are paid: one and the same."""
    # Seven agents, so that G is not n/3.
    m = np.array([40, 70, 55, 90, 31, 62, 48])
    c = np.array([2.0, 1.0, 1.5, 0.5, 3.0, 1.2, 1.9])
    terms = Terms(error_scale=3000.0, rule=rule, retention=0.1, unit=1e-9)
    result = settle(Population(list("abcdefg"), c, m), terms, seed=4)
    others = [Others(np.delete(m, i), np.delete(c, i)) for i in range(7)]
    expected = np.array([receipt(each, terms) for each in others])
    if rule == "sandwich":
        expected *= result.won
    else:
        assert result.charge * 1e-9 == pytest.approx(consistency_charge(m, c, terms), abs=2e-9)
    # Rounding down costs at most a unit for each of the six others, and one more.
    assert (result.reward + result.rebate) * 1e-9 == pytest.approx(expected, abs=7e-9)


@pytest.mark.parametrize("others", PROFILES)
@pytest.mark.parametrize("kappa", [0.01, 1.0, 50.0])
def test_rebate_truth_is_strictly_dominant(others, kappa):
    """(m*, c_i) beats every other samples and report, whatever the others do (docs/theory.md)."""
    terms, c_i, m_star = Terms(error_scale=9.0, consistency=kappa), 4.0, 1.5
    step = np.concatenate([np.geomspace(1e-4, 0.999, 40), [1.0], np.geomspace(1.001, 1e4, 40)])
    samples, report = m_star * step[:, None], c_i * step
    loss = expected_loss("rebate", samples, report, c_i, others, terms)
    truth = loss[40, 40]
    loss[40, 40] = np.inf
    assert np.all(loss > truth)
    # Lies that fit the data are not charged; they still lose what the data lose.
    fitting = expected_loss("rebate", m_star * step, c_i / step**2, c_i, others, terms)
    assert np.all(np.delete(fitting, 40) > truth)


def test_rebate_without_charge_leaves_the_report_open():
    """κ = 0: free riding still loses, but any report does as well as the truth."""
    terms = Terms(error_scale=9.0, consistency=0.0)
    reports = np.geomspace(1e-6, 1e6, 25)
    loss = expected_loss("rebate", 1.5, reports, 4.0, PROFILES[0], terms)
    assert np.ptp(loss) == 0
    assert expected_loss("rebate", 1.4, 4.0, 4.0, PROFILES[0], terms) > loss[0]


@pytest.mark.parametrize("others", PROFILES)
def test_rebate_everybody_is_better_off_than_alone(others):
    alone = 2 * (9.0 * 4.0) ** 0.5  # at m*, the best that can be done alone
    assert expected_loss("rebate", 1.5, 4.0, 4.0, others, Terms(error_scale=9.0)) < alone


def test_two_agents_are_refused():
    """They would have nothing to give each other back, and no group to compete in."""
    with pytest.raises(InputError, match="two other agents"):
        Others(np.array([7.0]), np.array([1.0]))


@pytest.mark.parametrize("n", [3, 5, 16])
def test_rebate_surplus(n):
    """ΣB − ΣH + ΣQ = Σ A·m_i/(M·S_{−i}) + ΣQ: never a deficit, whatever is delivered."""
    A, terms = 2.0, Terms(error_scale=2.0)
    m = 10 ** np.random.default_rng(n).uniform(-1, 3, n)
    S = m.sum() - m
    rebates = [rebate(Others(np.delete(m, i), np.ones(n - 1)), terms) for i in range(n)]
    surplus = effective_fee(m, S, A).sum() - np.sum(rebates)
    assert surplus == pytest.approx((A * m / (m.sum() * S)).sum(), rel=1e-9)
    assert surplus > 0


@pytest.mark.parametrize(("n", "part"), [(3, 1 / 4), (16, 1 / 225)])
def test_rebate_surplus_of_equal_agents(n, part):
    """25 % of the fees at n = 3, 0.44 % at n = 16: 1/(n−1)²."""
    fees = n * effective_fee(5.0, (n - 1) * 5.0, 2.0)
    rebates = n * rebate(Others(np.full(n - 1, 5.0), np.ones(n - 1)), Terms(error_scale=2.0))
    assert (fees - rebates) / fees == pytest.approx(part, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 1.9])
def test_corollary_individual_rationality_of_fact(alpha):
    """Truthful agents: a loser is left with its local optimum, a winner with less (Cor. 1).

    With the paper's pool and with ours.
    """
    cost = np.array([0.5, 1.0, 1.2, 2.0, 3.0, 8.0])
    m = (4.0 / cost) ** 0.5
    S = m.sum() - m
    alone = 2 * (4.0 * cost) ** 0.5
    pool = paper_pool(rationality_gap(cost, S, 4.0, alpha))
    lost, won = (
        fact_loss(m, S, cost, cost, 4.0, alpha, pool=pool, win_probability=w) for w in (0, 1)
    )
    assert lost == pytest.approx(alone, rel=1e-14)
    assert np.all(won < alone)
    terms = Terms(error_scale=4.0)
    for i in range(6):
        others = Others(np.delete(m, i), np.delete(cost, i))
        never, always = (
            expected_loss("sandwich", m[i], cost[i], cost[i], others, terms, chance)
            for chance in (np.zeros_like, np.ones_like)
        )
        assert never == pytest.approx(alone[i], rel=1e-14)
        assert always < alone[i]
