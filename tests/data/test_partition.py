"""Dealing out samples: the laws that hold for every partition, and the statistics of Dirichlet."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact import InputError
from fedfact.data import partition
from fedfact.data.label_table import _within_supply, draw_ratios, label_table
from fedfact.data.partition import parse_scheme

schemes = st.one_of(
    st.just("iid"),
    st.sampled_from(["1e-300", "1e-3", "0.1", "0.3", "0.6", "1", "100", "1e300"]).map(
        "dirichlet:{}".format
    ),
)


@st.composite
def cases(draw):
    labels = np.array(draw(st.lists(st.integers(-2, 5), min_size=1, max_size=120)))
    left, samples = len(labels), []
    while left and len(samples) < 12:
        samples.append(draw(st.integers(1, left)))
        left -= samples[-1]
        if draw(st.booleans()):
            break
    if draw(st.booleans()):  # all the data is used
        samples[-1] += left
    return labels, np.array(samples), draw(schemes), draw(st.integers(0, 2**32))


@given(cases())
def test_counts_are_exact_and_no_sample_is_dealt_twice(case):
    labels, samples, how, seed = case
    parts = partition(labels, samples, how, np.random.default_rng(seed))
    assert [len(part) for part in parts] == samples.tolist()
    dealt = np.concatenate(parts)
    assert len(np.unique(dealt)) == len(dealt)
    assert dealt.min() >= 0
    assert dealt.max() < len(labels)
    for part in parts:
        assert part.dtype == np.int64
        assert (np.diff(part) > 0).all()


@given(cases())
def test_equal_seeds_deal_equally(case):
    labels, samples, how, seed = case
    one, two = (partition(labels, samples, how, np.random.default_rng(seed)) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=8),
    st.integers(1, 10),
    st.sampled_from([1e-300, 1e-2, 0.3, 5.0, 1e300]),
    st.integers(0, 2**32),
)
def test_the_table_keeps_to_rows_and_supply(supply, agents, concentration, seed):
    supply = np.array(supply)
    rng = np.random.default_rng(seed)
    samples = np.bincount(rng.integers(0, agents, supply.sum()), minlength=agents)
    samples = samples[samples > 0]
    table = label_table(samples, supply, concentration, rng)
    assert (table >= 0).all()
    assert (table.sum(axis=1) == samples).all()
    assert (table.sum(axis=0) == supply).all()  # all the data is used


def mix(labels, parts, classes):
    return np.array([np.bincount(labels[part], minlength=classes) / len(part) for part in parts])


LABELS = np.tile(np.arange(4), 100_000)


@pytest.mark.parametrize("concentration", [0.3, 0.6, 5.0])
def test_mean_and_variance_are_those_of_the_distribution(concentration):
    how, rng = f"dirichlet:{concentration}", np.random.default_rng(3)
    ratios = mix(LABELS, partition(LABELS, np.full(1500, 100), how, rng), 4)
    variance = 3 / (16 * (4 * concentration + 1))
    assert ratios.mean(axis=0) == pytest.approx(0.25, abs=5 * np.sqrt(variance / 1500))
    assert ratios.var(axis=0) == pytest.approx(variance, rel=0.15)
    together = np.corrcoef(ratios.T)[np.triu_indices(4, 1)]
    assert together == pytest.approx(-1 / 3, abs=0.12)


def test_ratios_are_the_drawn_ones_up_to_rounding_while_supply_lasts():
    samples = np.arange(1, 200)
    supply = np.full(6, 100_000)
    ratios = draw_ratios((199, 6), 0.3, np.random.default_rng(5))
    table = label_table(samples, supply, 0.3, np.random.default_rng(5))
    assert np.abs(table - samples[:, None] * ratios).max() < 1


def test_draws_agree_with_those_of_numpy():
    mine = draw_ratios((20_000, 3), 0.5, np.random.default_rng(0))
    numpys = np.random.default_rng(1).dirichlet([0.5] * 3, 20_000)
    for power in (1, 2, 3, 4):
        assert (mine**power).mean() == pytest.approx((numpys**power).mean(), rel=0.03)
    at = np.linspace(0.05, 0.95, 10)
    assert np.quantile(mine, at) == pytest.approx(np.quantile(numpys, at), abs=0.02)


@pytest.mark.parametrize("concentration", [5e-324, 1e-300, 1e-9, 1e300, 1.7e308])
def test_draws_at_any_concentration_are_ratios(concentration):
    ratios = draw_ratios((200, 5), concentration, np.random.default_rng(0))
    assert ratios.sum(axis=1) == pytest.approx(1)
    if concentration < 1:
        assert ratios.max(axis=1) == pytest.approx(1)
        assert np.bincount(ratios.argmax(axis=1)).min() > 20  # no label is preferred
    else:
        assert ratios == pytest.approx(0.2)


def skew(how, samples):
    labels = np.repeat(np.arange(10), 5000)
    parts = partition(labels, samples, how, np.random.default_rng(1))
    return np.abs(mix(labels, parts, 10) - 0.1).sum(axis=1).mean()


@pytest.mark.parametrize("samples", [np.full(16, 3125), np.full(100, 100)])
def test_labels_are_the_more_even_the_larger_the_concentration(samples):
    skews = [skew(f"dirichlet:{c}", samples) for c in (0.01, 0.3, 0.6, 5, 100, 1e6)]
    assert all(a > b for a, b in pairwise(skews))
    assert skews[0] > 1.3  # nearly one label each
    assert skews[-1] < 0.01
    assert skew("iid", samples) < skew("dirichlet:5", samples)


def test_labels_that_run_out_are_shared_and_the_others_keep_their_ratios():
    """The nearest table is u p v, with v = 1 for labels that do not run out."""
    ratios = draw_ratios((30, 5), 1.0, np.random.default_rng(7))
    samples, supply = np.arange(100, 130), np.array([100, 200, 5_000, 5_000, 5_000])
    table = _within_supply(ratios, samples, supply)
    assert table.sum(axis=1) == pytest.approx(samples, abs=0.5)
    assert table.sum(axis=0)[:2] == pytest.approx([100, 200], abs=0.5)
    bent = table / ratios
    bent /= bent[:, 4:]
    assert bent[:, 2:] == pytest.approx(1)
    assert bent[:, :2] == pytest.approx(np.tile(bent[0, :2], (30, 1)))
    assert (bent[:, :2] < 0.99).all()


def test_when_all_is_used_and_all_want_the_same_all_get_the_same():
    ratios = np.tile([1 - 1e-9, 1e-9], (2, 1))
    table = _within_supply(ratios, np.array([50, 50]), np.array([50, 50]))
    assert table == pytest.approx(25, abs=0.5)


def test_iid_samples_have_the_labels_of_all():
    labels = np.repeat(np.arange(3), [10_000, 20_000, 70_000])
    parts = partition(labels, np.full(10, 5_000), "iid", np.random.default_rng(0))
    assert mix(labels, parts, 3) == pytest.approx(np.tile([0.1, 0.2, 0.7], (10, 1)), abs=0.03)


@pytest.mark.parametrize("how", ["iid", "dirichlet:0.3"])
def test_every_sample_has_the_same_chance(how):
    labels = np.repeat(np.arange(2), 20)
    rng = np.random.default_rng(0)
    times = np.zeros(40)
    for _ in range(2000):
        times[np.concatenate(partition(labels, np.array([5, 5]), how, rng))] += 1
    assert times == pytest.approx(500, abs=5 * np.sqrt(500))


@pytest.mark.parametrize(
    ("how", "value"), [("iid", None), ("dirichlet:0.3", 0.3), ("dirichlet:1e3", 1000.0)]
)
def test_schemes_that_are_known(how, value):
    assert parse_scheme(how) == value


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("", "is not known; write iid or dirichlet:"),
        ("IID", "is not known"),
        ("iid:1", "is not known"),
        ("pathological", "is not known"),
        *((f"dirichlet{rest}", "not a number above 0") for rest in ("", ":", ":x", ":0", ":-1")),
        *((f"dirichlet:{rest}", "not a number above 0") for rest in ("nan", "inf", "1e999", "1,5")),
    ],
)
def test_schemes_that_are_not(how, message):
    with pytest.raises(InputError) as error:
        partition(np.arange(5), np.array([1]), how, np.random.default_rng(0))
    assert message in str(error.value)
    assert repr(how) in str(error.value)


@pytest.mark.parametrize("how", ["iid", "dirichlet:0.3"])
def test_more_samples_than_there_are(how):
    with pytest.raises(InputError, match="2 agents want 11 samples together, but there are 10"):
        partition(np.zeros(10, int), np.array([5, 6]), how, np.random.default_rng(0))
    with pytest.raises(InputError, match="want 18446744073709551614 samples"):
        partition(np.zeros(10, int), np.full(2, 2**63 - 1), how, np.random.default_rng(0))


@pytest.mark.parametrize("few", [0, -3])
def test_an_agent_without_samples(few):
    with pytest.raises(InputError, match=f"agent 1 .* is to get {few} samples") as error:
        partition(np.zeros(10, int), np.array([5, few]), "iid", np.random.default_rng(0))
    assert error.value.index == 1


@pytest.mark.parametrize("samples", [[], [1.5], [[1]]])
def test_samples_that_are_no_list_of_whole_numbers(samples):
    with pytest.raises(InputError, match="list of whole numbers"):
        partition(np.zeros(10, int), np.array(samples), "iid", np.random.default_rng(0))
