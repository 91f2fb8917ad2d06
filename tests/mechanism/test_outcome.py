"""What an agent can expect under each rule; the rebate rule's guarantees."""

import numpy as np
import pytest

from fedfact.errors import InputError
from fedfact.mechanism import (
    RULES,
    Curve,
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
shared = RULES["shared"].share


def consistency_charge(samples, report, terms):
    return RULES["rebate"].charge_in_reals(samples, report, terms, terms.curve)


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


def test_pool_reward_and_rebates_by_hand():
    others = Others(np.array([1.0, 2.0, 4.0]), np.ones(3))
    terms = Terms(error_scale=28.0)
    assert reward(others, terms) == 28 + 14 + 7 - 3 * 28 / 7 == 37  # n = 4: one group
    # T = 4·7/3; by `shared` each of the others is priced at four times its samples.
    assert rebate(others, terms) == pytest.approx((28 + 14 + 7 - 3 * 3) / 3, rel=1e-14)
    assert shared(others, terms) == pytest.approx((7 + 3.5 + 1.75 - 3 * 3) / 3, rel=1e-14)
    keeps_a_quarter = Terms(error_scale=28.0, retention=0.25)
    assert reward(others, keeps_a_quarter) == 0.75 * 37
    assert rebate(others, keeps_a_quarter) == pytest.approx(0.75 * 40 / 3, rel=1e-14)
    six = Others(np.array([1.0, 2.0, 4.0, 28.0, 14.0]), np.ones(5))
    assert reward(six, terms) == pytest.approx((28 + 14 + 7 + 1 + 2 - 5 * 28 / 49) / 2, rel=1e-14)


def test_sizes_and_curves_by_hand():
    """U = 9, of which the agent has 3; e(m) = 36/√m; T = 9·32/6 = 48."""
    others, terms = (
        Others(np.array([16.0, 16.0]), np.ones(2), np.array([2, 4])),
        Terms(error_scale=36.0, exponent=0.5, rule="shared"),
    )
    standing = others.beside(3)
    assert (standing.agents, standing.all_sizes) == (3, 9)
    at_T = 6 * 36 / 48**0.5
    assert rebate(others, terms, standing) == pytest.approx((2 * 9 + 4 * 9 - at_T) / 2)
    each = 2 * 36 / (16 * 9 / 2) ** 0.5 + 4 * 36 / (16 * 9 / 4) ** 0.5
    assert shared(others, terms, standing) == pytest.approx((each - at_T) / 2)
    own = 3 * 36 / (12 * 9 / 3) ** 0.5 + 0.5 * 12
    loss = expected_loss("shared", 12.0, 0.25, 0.5, others, terms, standing=standing)
    # With a standing it is charged in whole samples, against ⌊m*⌋ or the next.
    charge = RULES["shared"].charge_in_reals(
        12.0, 0.25, terms, RULES["shared"].own_curve(terms.curve, 3, 9), standing
    )
    least = min(3 * 36 / (m * 3) ** 0.5 + 0.25 * m for m in range(1, 1000))
    assert charge == pytest.approx(3 * 36 / 36**0.5 + 0.25 * 12 - least)
    assert loss == pytest.approx(own + charge - (each - at_T) / 2)


def test_expected_loss_of_each_play_by_hand():
    # A = 16: with m = 2 and true cost 1, alone it is 8 + 2. Others: S = 8, pool 4 + 4 − 2·2 = 4;
    # under rebate T = 12 and the pool 4 + 4 − 2·4/3 = 16/3, half of which is given back.
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
    assert loss("rebate", 4.0) == pytest.approx(10 - 8 / 3, rel=1e-14)  # 4 = A/m²: no charge
    assert loss("rebate", 1.0) == pytest.approx(
        10 - 8 / 3 + 3 * (8**0.5 - 2**0.5) ** 2, rel=1e-14
    )  # = 6


def test_consistency_charge_is_zero_just_where_report_and_data_fit():
    terms = Terms(error_scale=16.0, consistency=2.0)
    assert consistency_charge([2.0, 4.0, 8.0], [4.0, 1.0, 0.25], terms).tolist() == [0, 0, 0]
    assert consistency_charge(4.0, 4.0, terms) == 2 * (2 - 4) ** 2
    assert np.all(consistency_charge([2.0, 4.0, 8.0], [4.01, 0.99, 0.251], terms) > 0)


@pytest.mark.parametrize("exponent", [1, 0.3])
@pytest.mark.parametrize("rule", ["sandwich", "rebate", "shared"])
def test_expectations_are_what_settlements_pay(rule, exponent):
    """The real-valued formulas for advice and the integers that are paid: one and the same."""
    # Seven agents, so that G is not n/3.
    m = np.array([40, 70, 55, 90, 31, 62, 48])
    c = np.array([2.0, 1.0, 1.5, 0.5, 3.0, 1.2, 1.9])
    size = None if rule == "sandwich" else np.array([1, 2, 3, 1, 5, 1, 2])
    terms = Terms(error_scale=3000.0, exponent=exponent, rule=rule, retention=0.1, unit=1e-9)
    result = settle(Population(list("abcdefg"), c, m, size=size), terms, seed=4)
    of_others = None if size is None else [np.delete(size, i) for i in range(7)]
    others = [
        Others(np.delete(m, i), np.delete(c, i), None if size is None else of_others[i])
        for i in range(7)
    ]
    standing = [each.beside(1 if size is None else int(size[i])) for i, each in enumerate(others)]
    expected = np.array(
        [RULES[rule].share(each, terms, own) for each, own in zip(others, standing, strict=True)]
    )
    if rule == "sandwich":
        expected *= result.won
    for i in range(7):
        own = RULES[rule].own_curve(terms.curve, standing[i].size, standing[i].all_sizes)
        charge = RULES[rule].charge_in_reals(m[i], c[i], terms, own, standing[i])
        assert result.charge[i] * 1e-9 == pytest.approx(float(charge), abs=2e-9)
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


@pytest.mark.parametrize("b", [0.3, 1.0])
@pytest.mark.parametrize("n", [3, 5, 16])
def test_rebate_surplus(n, b):
    """ΣB − ΣH = Σ e(n·S_i/(n−1)) − n·e(M): never a deficit, whatever is delivered."""
    curve, terms = Curve(2.0, b), Terms(error_scale=2.0, exponent=b)
    m = 10 ** np.random.default_rng(n).uniform(-1, 3, n)
    S = m.sum() - m
    rebates = [rebate(Others(np.delete(m, i), np.ones(n - 1)), terms) for i in range(n)]
    surplus = effective_fee(m, S, curve).sum() - np.sum(rebates)
    expected = curve.error(n * S / (n - 1)).sum() - n * curve.error(m.sum())
    assert surplus == pytest.approx(expected, rel=1e-8)
    assert surplus > 0


@pytest.mark.parametrize("n", [3, 16])
def test_equal_agents_leave_no_surplus(n):
    """The first edition kept 1/(n−1)² of the fees: 25 % at n = 3."""
    fees = n * effective_fee(5.0, (n - 1) * 5.0, 2.0)
    rebates = n * rebate(Others(np.full(n - 1, 5.0), np.ones(n - 1)), Terms(error_scale=2.0))
    assert fees - rebates == pytest.approx(0, abs=1e-14)


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
