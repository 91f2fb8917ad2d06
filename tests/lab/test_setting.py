"""Who plays: distributions and files of costs, what is refused, and what follows from them."""

import json
import re

import numpy as np
import pytest
from scipy import stats

from fedfact.errors import InputError
from fedfact.lab import COSTS, TERMS, Setting
from fedfact.mechanism import Terms

DISTRIBUTIONS = [
    ("norm:loc=1,scale=0.1", stats.norm(1, 0.1)),
    ("lognorm:s=0.5", stats.lognorm(0.5)),
    ("uniform:loc=2, scale=3", stats.uniform(2, 3)),
    ("gamma:a=4,scale=1e-8", stats.gamma(4, scale=1e-8)),
    ("expon", stats.expon()),
]
DISCRETE = [
    ("randint:low=1,high=7", [1, 2, 3, 4, 5, 6]),
    ("geom:p=0.4", range(1, 200)),
    ("poisson:mu=3", range(1, 200)),
    ("binom:n=6,p=0.5", range(1, 7)),
    ("zipf:a=3", range(1, 10**6)),
]
GIVEN = [3.0, 0.5, 2.0, 8.0, 1.0]


def write(path, name="true_cost", values=GIVEN):
    """A file of costs with another column, CSV or JSON by its name."""
    if path.suffix == ".json":
        path.write_text(json.dumps([{"agent": f"a{k}", name: c} for k, c in enumerate(values)]))
    else:
        lines = [f"agent,{name}", *(f"a{k},{c}" for k, c in enumerate(values))]
        path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize(("apart", "taken"), [(1e29, True), (1e31, False)])
def test_costs_that_no_float_holds_together_are_refused(tmp_path, apart, taken):
    path = tmp_path / "costs.csv"
    path.write_text(f"agent,true_cost\na,1e-15\nb,1\nc,{1e-15 * apart!r}\n")
    if taken:
        assert Setting.read(str(path)).agents == 3
    else:
        with pytest.raises(InputError, match=r"more than 1e\+30 times another's"):
            Setting.read(str(path))


def test_without_a_word_it_is_the_papers_spread():
    setting = Setting.read()
    assert (setting.costs, setting.agents, setting.terms) == (COSTS, 16, TERMS)
    assert setting.median == pytest.approx(1)
    assert setting.alone(np.array([1.0, 4.0])) == pytest.approx([2000, 4000])


@pytest.mark.parametrize(("text", "known"), DISTRIBUTIONS)
def test_costs_follow_the_distribution(text, known):
    setting = Setting.read(text, agents=8)
    assert setting.median == pytest.approx(known.median())
    for part in (0.01, 0.25, 0.9):
        assert setting.quantile(part) == pytest.approx(known.ppf(part))
    drawn = setting.populations(500, seed=3)
    assert drawn.shape == (500, 8)
    assert np.all(drawn > 0)
    assert stats.kstest(drawn.ravel(), known.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("text", "values"), DISCRETE)
def test_costs_may_be_whole_numbers(text, values):
    """Of a discrete distribution what is above 0, drawn anew where it is not; its median too."""
    setting = Setting.read(text, agents=9)
    assert not setting.continuous
    drawn = setting.populations(3000, seed=3)
    assert set(drawn.ravel()) <= set(values)
    known = setting.distribution
    chances = np.array([known.pmf(k) for k in range(1, 7)])
    seen = np.array([(drawn == k).mean() for k in range(1, 7)])
    assert seen == pytest.approx(chances / (1 - known.cdf(0)), abs=0.012)
    below, upto = ((drawn < setting.median).mean(), (drawn <= setting.median).mean())
    assert below < 0.5 + 0.01
    assert upto > 0.5 - 0.01
    assert Setting.read(agents=3).continuous


@pytest.mark.parametrize(("text", "_"), DISTRIBUTIONS)
def test_same_seed_same_population(text, _):
    one, two = (Setting.read(text, agents=5) for _ in range(2))
    assert one.population(7).tolist() == two.population(7).tolist()
    assert one.population(7).tolist() != one.population(8).tolist()
    assert one.populations(4, 7).tolist() == two.populations(4, 7).tolist()
    assert one.population(7).shape == (5,)


def test_costs_are_drawn_anew_until_above_zero():
    """Of a distribution that is below 0 now and then: what is left of it, nothing clipped."""
    setting = Setting.read("norm:loc=1,scale=1", agents=10)
    drawn = setting.populations(400, 1).ravel()
    assert np.all(drawn > 0)
    assert stats.kstest(drawn, stats.truncnorm(-1, np.inf, 1, 1).cdf).pvalue > 1e-3
    assert len(set(drawn)) == len(drawn)


def test_a_distribution_that_hardly_gives_a_cost_is_refused(monkeypatch):
    setting = Setting.read("norm:loc=1,scale=1", agents=10)
    never = stats.norm(-100, 1)
    monkeypatch.setitem(vars(setting), "distribution", never)
    with pytest.raises(InputError, match="nearly all costs are not above 0"):
        setting.population(0)


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_costs_of_a_file(tmp_path, suffix):
    setting = Setting.read(write(tmp_path / f"costs{suffix}"))
    assert setting.agents == 5
    assert setting.given == tuple(GIVEN)
    assert setting.median == 2.0
    assert [setting.quantile(part) for part in (0, 0.25, 1)] == [0.5, 1.0, 8.0]
    assert setting.population(4).tolist() == GIVEN
    rows = setting.populations(50, 4)
    assert rows.shape == (50, 5)
    assert all(sorted(row) == sorted(GIVEN) for row in rows)
    assert len({tuple(row) for row in rows}) > 20
    assert rows.tolist() == setting.populations(50, 4).tolist()
    assert setting.distribution is None
    assert Setting.read(setting.costs, agents=5).given == setting.given


@pytest.mark.parametrize("suffix", [".csv", ".json"])
@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("cost", GIVEN, "column true_cost is missing; found agent, cost"),
        ("true_cost", [1.0, 2.0, -3.0], "row 3.*true_cost is -3.0; it must be above 0"),
        ("true_cost", [1.0, "much", 3.0], "row 2.*true_cost is much; it must be a number"),
        ("true_cost", [0, 2.0, 3.0], "row 1.*true_cost is 0; it must be above 0"),
        ("true_cost", [1.0, 2.0], "there are 2 agents; the lab needs 3 at least"),
    ],
)
def test_files_that_are_refused(tmp_path, suffix, name, values, message):
    path = write(tmp_path / f"costs{suffix}", name, values)
    with pytest.raises(InputError, match=message):
        Setting.read(path)


def test_a_file_says_itself_how_many_agents_there_are(tmp_path):
    path = write(tmp_path / "costs.csv")
    with pytest.raises(InputError, match=r"costs\.csv: has 5 agents, not 16; leave that out"):
        Setting.read(path, agents=16)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.json"):
        Setting.read(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nrom:loc=1", "there is no distribution 'nrom'; did you mean norm?"),
        ("zzzzzz", "there is no distribution 'zzzzzz'; give one of scipy.stats, or a CSV"),
        ("norm:loc=a", "'loc=a' is no number; write it as norm:loc=1,scale=0.1"),
        ("norm:loc=inf", "loc is not finite; write it as norm:loc=1,scale=0.1"),
        ("norm:1", "write it as norm:loc=1,scale=0.1"),
        ("norm:height=1", "norm has no parameter 'height'; it has loc, scale"),
        ("poisson:mu=3,scale=2", "poisson has no parameter 'scale'; it has mu, loc"),
        ("lognorm", "lognorm needs s; write it as lognorm:s=..."),
        ("lognorm:s=0.5,s=0.6", "s is there twice; keep one"),
        ("binom:n=2.5,p=0.5", "check"),
        ("poisson:mu=0.1", "the median is 0, and a cost must be above 0"),
        ("norm:loc=-5,scale=0.1", "the median is -5, and a cost must be above 0"),
        ("norm", "the median is 0, and a cost must be above 0"),
        ("norm:loc=1,scale=-1", "the median is nan"),
    ],
)
def test_distributions_that_are_refused(text, message):
    with pytest.raises(InputError, match=re.escape(message)) as refused:
        Setting.read(text)
    assert f"--costs {text}: " in str(refused.value)


@pytest.mark.parametrize("text", ["", "  "])
def test_no_costs_are_refused(text):
    with pytest.raises(InputError, match="--costs is empty; write it as norm:loc=1"):
        Setting.read(text)


@pytest.mark.parametrize("name", ["costs.CSV", "costs.Json", "costs", "costs.txt"])
def test_files_by_other_names(tmp_path, name, monkeypatch):
    """An ending in capitals, another one, or none; but not by the name of a distribution."""
    path = write(tmp_path / name)
    if name.endswith("Json"):
        (tmp_path / name).write_text(json.dumps([{"true_cost": c} for c in GIVEN]))
    assert Setting.read(path).given == tuple(GIVEN)
    write(tmp_path / "expon")
    monkeypatch.chdir(tmp_path)
    assert Setting.read("expon").given is None


def test_too_many_agents():
    with pytest.raises(InputError, match="there are 99,999,999,999 agents; there is room for 500"):
        Setting.read(agents=99_999_999_999)


@pytest.mark.parametrize("agents", [0, 1, 2])
def test_too_few_agents(agents):
    with pytest.raises(InputError, match=f"there are {agents} agents; the lab needs 3 at least"):
        Setting.read(agents=agents)


def test_terms_need_an_error_scale():
    with pytest.raises(InputError, match="error_scale is missing"):
        Setting.read(terms=Terms(rule="sandwich"))


@pytest.mark.parametrize("agents", [3, 4, 9])
def test_rules_are_fit_for_the_agents(agents):
    """A job is what an agent of the median cost would use alone; every second agent gets one."""
    setting = Setting.read("uniform:loc=3,scale=2", agents, Terms(error_scale=100.0))
    rules = {rule.name: rule for rule in setting.rules()}
    assert rules["auction"].jobs == agents // 2
    assert rules["auction"].size == pytest.approx(5)
    assert rules["realfm"].start == pytest.approx(5)
    cost = setting.population(0)
    for rule in rules.values():
        losses = rule.outcome(setting.terms, cost, rule.agreed(setting.terms, cost)).loss(cost)
        assert losses.shape == (agents,)
        assert np.all(np.isfinite(losses))


def test_beliefs_are_of_the_median():
    setting = Setting.read("uniform:loc=3,scale=2")
    assert setting.belief("distribution").median == pytest.approx(4)
    assert setting.belief("own").knows == "own"


def test_the_median_is_of_the_costs_that_are_drawn():
    """Draws that are no costs are drawn anew, and who knows the distribution knows that."""
    setting = Setting.read("norm:loc=1,scale=1", 16)
    truncated = stats.truncnorm(-1, np.inf, loc=1, scale=1)
    assert setting.median == pytest.approx(truncated.median(), rel=1e-9)
    assert setting.quantile(0.05) == pytest.approx(truncated.ppf(0.05), rel=1e-9)


@pytest.mark.parametrize(
    ("costs", "agents", "wrong"), [("norm:loc=inf", 16, "finite"), ("norm:loc=1", -1, "3 at least")]
)
def test_refused_before_anything_is_drawn(costs, agents, wrong):
    with pytest.raises(InputError, match=wrong):
        Setting.read(costs, agents)
