"""A new rule is one object: defined and entered here, it settles, advises, verifies and plays."""

import numpy as np
import pytest

from fedfact import Population, Terms, settle
from fedfact.advice import Applicant, advise, others_like
from fedfact.errors import InputError
from fedfact.lab import Setting, attack, compare, equilibrium
from fedfact.mechanism import others_below, pool_of_others
from fedfact.mechanism.exact import floor_difference
from fedfact.mechanism.fees import fees_and_pools
from fedfact.mechanism.rules import RULES, Rebate, Rule, register
from fedfact.mechanism.rules.figures import fee_line
from fedfact.mechanism.terms import RULE_NAMES
from fedfact.settlement import statement


class Half(Rule):
    """Everybody gets half of its part of the pool, and no charge is asked for."""

    name = "half"
    gives = "rebate"
    guarantees = ("You end no worse than alone.",)

    def collect(self, population, terms):
        return fees_and_pools(population, terms)

    def fee_for(self, samples, total, standing, terms):
        m, M = np.array([samples]), np.array([total])
        return int(floor_difference(terms.error_scale_in_units, m, M)[0])

    def pool_in_reals(self, errors, others, standing, curve):
        return pool_of_others(errors, others, standing.agents, curve)

    def lines(self, of, terms):
        return [fee_line(of, terms)]

    def among(self, agents):
        return 2 * (agents - 1)

    def back_formula(self, of, kept):
        return "⌊(1 − ρ)·pool/(2(n − 1))⌋", f"⌊{kept}/(2·({of.agents} − 1))⌋"


class Lottery(Half):
    """One agent, drawn by lot, gets its pool, less what the operator keeps."""

    name = "lottery"
    gives = "reward"
    draws = True
    guarantees = ("At worst you end where training alone leaves you.",)

    def among(self, agents):
        return 1

    def back_formula(self, of, kept):
        return ("⌊(1 − ρ)·pool⌋", f"⌊{kept}⌋") if of.won else ("0", "not drawn")


class Lowest(Lottery):
    """The lowest report gets its pool; among several lowest the lot decides."""

    name = "lowest"

    def draw(self, agents, reported_cost, seed):
        lowest = np.flatnonzero(reported_cost == reported_cost.min())
        _, won = super().draw([agents[k] for k in lowest], reported_cost[lowest], seed)
        everybody = np.zeros(len(agents), bool)
        everybody[lowest[won]] = True
        return np.full(len(agents), -1), everybody

    def chances(self, said, reported_cost):
        below, equal = others_below(said, reported_cost)
        return np.where(below > 0, 0, 1 / (equal + 1))


class Careless(Half):
    """Everybody gets all of its pool."""

    name = "careless"

    def among(self, agents):
        return 1


class Charges(Rebate):
    """The rebate rule without its formula of the best report."""

    name = "charges"
    best_report = Rule.best_report


@pytest.fixture(autouse=True)
def registered():
    rules = Half(), Lottery(), Lowest(), Careless()
    for rule in rules:
        register(rule)
    yield
    for rule in rules:
        del RULES[rule.name]
        RULE_NAMES.remove(rule.name)


def test_it_settles_and_explains_itself():
    agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    found, full = (
        settle(agents, Terms(error_scale=1.0, unit=1e-6, rule=rule), seed=1)
        for rule in ("half", "sandwich")
    )
    assert found.fee.tolist() == full.fee.tolist()
    assert found.pool.tolist() == full.pool.tolist() == [1242, 1666, 1756]
    assert found.rebate.tolist() == [310, 416, 439]  # of the pools, by four
    assert (found.charge == 0).all()
    assert found.surplus == found.fee.sum() - found.rebate.sum()
    told = statement(found, "a")
    assert [line.name for line in told.lines] == ["fee", "rebate", "net"]
    assert told.lines[1].filled == "⌊(1 − 0)·1242/(2·(3 − 1))⌋"


def test_it_advises():
    terms = Terms(error_scale=1.0, unit=1e-6, rule="half")
    applicant = Applicant(1e-6, terms, others_like(1e-6, terms, 6, None), knows_reports=False)
    advice = advise(applicant)
    assert [outcome.rule for outcome in advice.outcomes] == [
        "rebate",
        "shared",
        "half",
        "careless",
        "sandwich",
        "lottery",
        "lowest",
    ]
    assert advice.outcome.worst == advice.outcome.best
    half = (1 - 1 / 5) / 2  # of A/m, which is half of the loss alone
    assert advice.alone - advice.outcome.best == pytest.approx(half * advice.alone / 2)
    assert "half" in advice.deviations[0].added


def test_a_federation_runs_by_it_and_verifies(make_house, sound):
    house = make_house(members=4, rule="half")
    house.run()
    record = sound(house)
    assert record.phase == "finished"
    assert record.settled.rule == "half"
    assert all(line.rebate > 0 == line.charge for line in record.lines.values())


def test_terms_that_name_no_rule_are_refused():
    with pytest.raises(
        ValueError, match="rule is 'halve'; choose sandwich or rebate or shared or half"
    ):
        Terms(rule="halve")


def test_a_rule_that_draws_settles():
    agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    terms = Terms(error_scale=1.0, unit=1e-6, rule="lottery")
    with pytest.raises(InputError, match="the lottery rule draws who wins: give a seed"):
        settle(agents, terms)
    winners = []
    for seed in range(30):
        found = settle(agents, terms, seed)
        (won,) = np.flatnonzero(found.won)
        assert found.reward.tolist() == np.where(found.won, found.pool, 0).tolist()
        assert (found.group == -1).all()
        winners.append(won)
    assert set(winners) == {0, 1, 2}
    lowest = settle(agents, Terms(error_scale=1.0, unit=1e-6, rule="lowest"), 5)
    assert lowest.won.tolist() == [False, False, True]
    assert statement(lowest, "a").lines[1].filled == "not drawn"


def test_a_rule_that_draws_advises():
    terms = Terms(error_scale=1.0, unit=1e-6, rule="lottery")
    applicant = Applicant(1e-6, terms, others_like(1e-6, terms, 6, None), knows_reports=True)
    advice = advise(applicant)
    assert advice.outcome.worst == pytest.approx(advice.alone)
    prize = advice.alone - advice.outcome.best
    assert advice.outcome.believed == pytest.approx(advice.alone - prize / 6)
    assert advice.outcome.realised == pytest.approx(advice.alone - prize / 6)
    less = next(each for each in advice.deviations if each.name == "report 20% less")
    assert less.added["lottery"] == pytest.approx(0, abs=1e-12)
    assert less.added["lowest_realised"] == pytest.approx(-prize * 5 / 6 / advice.alone)


def test_a_rule_that_gives_back_more_than_it_collects_does_not_settle():
    agents = Population(list("abc"), np.array([4e-6, 2e-6, 1e-6]), np.array([500, 707, 1000]))
    with pytest.raises(InputError, match="careless rule would give back 1,611 minor units more"):
        settle(agents, Terms(error_scale=1.0, unit=1e-6, rule="careless"))


@pytest.mark.parametrize("rule", [Half(), Lottery(), Lowest(), Charges()], ids=lambda r: r.name)
def test_it_plays(rule):
    """With rows and columns of its own."""
    setting, rules = Setting.read(agents=4), ["rebate", rule]
    honest = equilibrium(setting, rules=rules, lies=False)
    assert [row["rule"] for row in honest.rows()] == ["rebate", rule.name]
    assert honest.end_of(rule.name).samples_share == pytest.approx(1, rel=1e-6)
    table = attack(setting, rules=rules, populations=20)
    assert list(table.gains()[0]) == ["attack", "rebate", rule.name]
    assert table.cell(rule.name, "best-reply").applies
    found = compare(setting, rules=rules, populations=5, rounds=20)
    assert [row["rule"] for row in found.rows()] == ["rebate", rule.name]
    assert found.strategic.end_of(rule.name).rule.title == f"FACT {rule.name}"


def test_it_is_one_of_all_rules():
    names = [row["rule"] for row in equilibrium(Setting.read(agents=4), rounds=5).rows()]
    assert names[4:9] == ["sandwich", "rebate", "shared", "half", "lottery"]


def test_play_under_a_lottery_is_what_its_chances_make_it():
    """Nothing that agents say counts: all are honest, and each wins as often as any other."""
    setting = Setting.read(agents=5)
    assert equilibrium(setting, rules=Lottery()).end_of("lottery").play.from_truth == 0
    found = attack(setting, rules=Lottery(), populations=50)
    for name in ("median", "best-reply"):
        assert found.cell("lottery", name).gain == pytest.approx(0, abs=1e-12)
    one, two = (found.cell("lottery", name) for name in ("best-reply", "collude-2-known"))
    assert (one.wins_before, one.wins, one.deficit) == (1 / 5, pytest.approx(1 / 5), False)
    assert (two.wins_before, two.wins) == (2 / 5, pytest.approx(2 / 5))


def test_an_agent_that_knows_the_reports_does_what_another_draw_asks_for():
    """Where the lowest report wins, it goes below all others."""
    found = attack(Setting.read(agents=5), rules=[Lowest()], populations=50)
    for name in ("best-reply", "collude-2-known"):
        assert found.cell("lowest", name).wins == pytest.approx(1)
    cheap = found.cell("lowest", "median-low")
    assert cheap.wins < cheap.wins_before < 1
    assert not cheap.wins_before_exact  # there is a formula for the sandwich only
    rule = Setting.read(agents=3).rule(Lowest())
    outcome = rule.outcome(Terms(error_scale=1e6), [1.0, 0.9, 1.1], [1000, 1000, 1000], seed=3)
    assert outcome.paid.argmin() == 1


def test_a_charge_without_formulas_is_played_by_search():
    terms = Terms(error_scale=50.0, consistency=0.7)
    cost, said = np.array([0.5, 1.0, 2.0]), np.array([1.0, 0.9, 2.0])
    own, rebate = terms.curve, RULES["rebate"]
    samples = rebate.best_samples(cost, said, terms, own)
    found = Charges().best_report(cost, samples, terms, own)
    assert found == pytest.approx(rebate.best_report(cost, samples, terms, own), rel=1e-6)
