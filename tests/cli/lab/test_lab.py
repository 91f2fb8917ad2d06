"""``fedfact lab equilibrium`` and ``fedfact lab attack`` as people meet them."""

import json
import math

import numpy as np
import pytest

from fedfact.lab import rule_names
from fedfact.lab.attacks.registry import all_attacks

RULES = ("training alone", "plain federated learning", "FACT sandwich", "FACT rebate", "RealFM")


@pytest.fixture
def costs_csv(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("agent,true_cost\na,1\nb,4\nc,9\nd,16\n")
    return path


def document(run):
    assert run.code == 0, run.err

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(run.out, parse_constant=refuse)


def test_equilibrium_as_json(fedfact, costs_csv):
    """Costs of a file: A = 1e6, so that m* are 1000, 500, 333 and 250."""
    found = document(fedfact("lab", "equilibrium", "--costs", costs_csv, "--json"))
    assert (found["agents"], found["how"], found["knows"]) == (4, "replies", "all")
    assert [end["rule"] for end in found["rules"]] == list(rule_names())
    plain = next(end for end in found["rules"] if end["rule"] == "federated")
    assert plain["samples"] == pytest.approx(1000, rel=1e-4)
    assert plain["contributors"] == 1
    rebate = next(end for end in found["rules"] if end["rule"] == "rebate")
    assert rebate["agents"]["report"] == [1, 4, 9, 16]
    assert rebate["agents"]["samples"] == pytest.approx([1000, 500, 1000 / 3, 250])


def test_equilibrium_as_text(fedfact):
    run = fedfact("lab", "equilibrium", "--agents", "6")
    assert run.code == 0
    for word in (*RULES, "worst off", "6 of 6", "1 of 6", "all together", "training alone"):
        assert word in run.out
    one = fedfact("lab", "equilibrium", "--agents", "6", "--rule", "rebate")
    assert "FACT rebate" in one.out
    assert "RealFM" not in one.out
    assert "until nobody wanted to change anything" in one.out
    learned = fedfact("lab", "equilibrium", "--how", "hedge", "--rule", "auction", "--rounds", "50")
    assert "until nobody" not in learned.out
    assert "on average over the last tenth" in learned.out


def test_equilibrium_that_is_not_reached_says_so(fedfact):
    run = fedfact("lab", "equilibrium", "--agents", "6", "--rule", "federated", "--rounds", "1")
    assert run.code == 0
    assert "no rest" in run.out


def test_what_agents_may_do_and_know(fedfact):
    base = ["lab", "equilibrium", "--agents", "5", "--json"]
    shaping = [*base, "--rule", "shaping"]
    truthful = document(fedfact(*shaping, "--truthful"))
    assert truthful["lies"] is False
    assert truthful["rules"][0]["samples_share"] > 1.5
    assert document(fedfact(*shaping))["rules"][0]["samples_share"] < 0.5
    sandwich = [*base, "--rule", "sandwich", "--costs", "norm:loc=1,scale=0.1"]
    own = document(fedfact(*sandwich, "--knows", "own"))["rules"][0]
    assert own["from_truth"] == 0
    known = document(fedfact(*sandwich, "--knows", "distribution"))["rules"][0]
    assert known["agents"]["report"] == [1.0] * 5
    learned = document(fedfact(*base, "--rule", "rebate", "--how", "hedge", "--rounds", "50"))
    end = learned["rules"][0]
    assert end["regret"]["bound"] == pytest.approx(math.sqrt(25 * math.log(40)))
    assert len(end["history"]["round"]) == 50


def test_terms_are_read(fedfact, tmp_path, costs_csv):
    terms = tmp_path / "terms.toml"
    terms.write_text("error_scale = 100.0\nalpha = 0.5\nretention = 0.25\nconsistency = 2.0\n")
    base = ["lab", "equilibrium", "--costs", costs_csv, "--rule", "rebate", "--json"]
    found = document(fedfact(*base, "--terms", terms))
    assert [found[key] for key in ("error_scale", "alpha", "retention", "consistency")] == [
        100,
        0.5,
        0.25,
        2,
    ]
    assert found["rules"][0]["agents"]["samples"] == pytest.approx([10, 5, 10 / 3, 2.5])


def test_attack_as_json(fedfact):
    """Two of sixteen about alike that merge: they use the data of one, and pay one fee."""
    base = ["lab", "attack", "--costs", "norm:loc=1,scale=1e-6", "--json"]
    only = ["--rule", "rebate", "--attack", "merged", "--populations", "50"]
    found = document(fedfact(*base, *only))
    assert (found["agents"], found["populations"]) == (16, 50)
    assert [each["attack"] for each in found["attacks"]] == ["merged"]
    (cell,) = found["cells"]
    was = 2 * (1 + 1 / 16)
    used = np.linspace(0.5, 2, 10_001)  # under one name, in units of m*
    now = (1 / (14 + used) + 1 / used + used).min() - 14 / 15
    assert cell["gain"] == pytest.approx((was - now) / 4, rel=1e-4)
    assert (cell["rule"], cell["payer"], cell["deficit"]) == ("rebate", "the honest", False)


@pytest.mark.thorough
def test_attacks_as_text(fedfact):
    run = fedfact("lab", "attack", "--agents", "6", "--populations", "20")
    assert run.code == 0
    for word in (*rule_names(), "two pose as one", "saboteur", "half of all leave", "does not pay"):
        assert word in run.out
    one = fedfact("lab", "attack", "--agents", "6", "--populations", "20", "--rule", "sandwich")
    assert one.code == 0
    for word in ("FACT sandwich", "who pays", "the honest", "never", "→", "standard errors"):
        assert word in one.out
    lines = {line.split("  ")[0].strip(): line for line in one.out.splitlines()}
    assert "0.3333 → 0.5000" in lines["reports the median"]
    assert "0.0950 → 0.5000" in lines["reports the median, at quantile 0.05"]
    assert "exact" in lines["free rider, verified"]
    line = next(line for line in one.out.splitlines() if "saboteur" in line)
    assert "0 %" in line


def test_other_curves_and_benchmarks_as_text(fedfact):
    run = fedfact("lab", "attack", "--agents", "6", "--populations", "20", "--attack", "merged")
    assert run.code == 0
    lines = {line.split("  ")[0].strip(): line for line in run.out.splitlines()}
    assert "!" in lines["A is 1.1 times the true one"]  # a loser of the sandwich
    assert "!" not in lines["the curve of the terms"]
    for word in ("gain of the best placed", "b taken for 1 where it is 0.3", "gain, b = 0.3"):
        assert word in run.out
    assert "Benchmarks, not rules to sign: vcg, first-best." in " ".join(run.out.split())
    only = ["--rule", "shared", "--attack", "merged-sized"]
    one = fedfact("lab", "attack", "--agents", "6", "--populations", "20", *only)
    for word in ("best placed", "two as one, size true", "all honest", "worst off"):
        assert word in one.out


def test_the_exponent_comes_with_the_terms(fedfact, tmp_path):
    """Three equal agents under rebate bear (n^(−b) + b)/(1 + b) of their loss alone."""
    terms = tmp_path / "terms.toml"
    terms.write_text("error_scale = 100.0\nexponent = 0.5\n")
    costs = tmp_path / "same.csv"
    costs.write_text("true_cost\n1\n1\n1\n")
    given = ["--terms", str(terms), "--costs", str(costs), "--rule", "rebate", "--json"]
    found = document(fedfact("lab", "equilibrium", *given))
    assert found["exponent"] == 0.5
    assert found["rules"][0]["loss"]["mean"] == pytest.approx((3**-0.5 + 0.5) / 1.5)
    assert found["rules"][0]["benchmark"] is False


def test_sweep(fedfact, tmp_path):
    picture = tmp_path / "sweep.png"
    base = ["lab", "sweep", "--populations", "2", "--rule", "shared", "--rule", "first-best"]
    run = fedfact(*base, "--plot", str(picture))
    assert run.code == 0
    assert "first best (benchmark)" in run.out
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = document(fedfact(*base, "--json"))
    assert [rule["benchmark"] for rule in found["rules"]] == [False, True]
    assert {row["over"] for row in found["rows"]} == {"agents", "exponent"}


def test_a_mark_for_what_an_attack_breaks(fedfact):
    """An honest agent that may end worse than alone: under the paper's pool, not under ours."""
    only = ["--rule", "sandwich-paper", "--rule", "sandwich", "--attack", "saboteur"]
    run = fedfact("lab", "attack", "--agents", "6", "--populations", "20", *only)
    line = next(line for line in run.out.splitlines() if "saboteur" in line)
    assert line.count("!") == 1
    assert "$" not in line


def test_given_costs_are_exact(fedfact, costs_csv):
    base = ["lab", "attack", "--costs", costs_csv, "--attack", "median", "--json"]
    one, two = (document(fedfact(*base, "--seed", seed)) for seed in (1, 2))
    assert one["cells"] == two["cells"]
    assert {cell["gain_error"] for cell in one["cells"] if cell["applies"]} == {0.0}
    run = fedfact("lab", "attack", "--costs", costs_csv, "--attack", "median")
    assert "All gains are exact." in run.out.replace("\n", " ")


@pytest.mark.parametrize("costs", ["expon", "uniform", "lognorm:s=2"])
def test_wide_costs(fedfact, costs):
    """Reports run away under the paper's pool, and no number does."""
    base = ["lab", "equilibrium", "--costs", costs, "--rule", "sandwich-paper"]
    end = document(fedfact(*base, "--json"))["rules"][0]
    assert end["converged"]
    assert max(end["history"]["report_high"]) > 1e4
    run = fedfact(*base)
    assert run.code == 0
    assert "nan" not in run.out


def test_lies_by_any_percent(fedfact):
    """The rebate's closed form: κ√f + 1 − √((1+κ)(1+κf)) with κ = 1."""
    only = ["--rule", "rebate", "--attack", "inflate", "--attack", "deflate"]
    base = ["lab", "attack", "--agents", "6", "--populations", "5", *only, "--by", "50"]
    cells = document(fedfact(*base, "--json"))["cells"]
    for cell, f in zip(cells, (1.5, 0.5), strict=True):
        wanted = 1 + math.sqrt(f) - math.sqrt(2 * (1 + f))
        assert cell["gain"] == pytest.approx(wanted, rel=1e-9)
        assert cell["gain_exact"]
    assert "deflates its cost by 50 %" in fedfact(*base).out


def test_numbers_that_are_none_are_dashes(capsys):
    from fedfact.cli.lab.tables import part, print_attacks, print_equilibrium

    assert [part(value) for value in (None, 0.5, -200.0)] == ["–", "50.0 %", "−2e+02 x"]
    end = dict.fromkeys(("samples", "samples_share", "surplus", "cost_to_all", "from_truth"))
    end |= {"title": "T", "contributors": 1, "loss": {"mean": None, "worst": None}}
    print_equilibrium(
        {"agents": 3, "how": "replies", "rules": [{**end, "converged": False, "rounds": 9}]}
    )
    keys = (
        "gain",
        "gain_error",
        "best_gain",
        "best_place",
        "honest",
        "honest_error",
        "worst",
        "wins",
        "wins_before",
    )
    cell = dict.fromkeys((*keys, "irrational")) | {"rule": "a", "attack": "b", "applies": True}
    cell |= {"payer": "nobody", "deficit": False, "gain_exact": False, "honest_exact": False}
    rules = [
        {"rule": name, "title": "T", "purse": False, "benchmark": False} for name in ("a", "c")
    ]
    cells = [cell, {**cell, "rule": "c"}]
    one = {"attacks": [{"attack": "b", "title": "t"}], "cells": cells, "rules": rules}
    one["curves"] = None
    print_attacks(one)
    print_attacks({**one, "rules": rules[:1]})
    out = capsys.readouterr().out
    assert "None" not in out
    assert out.count("–") > 10


def test_realfm_with_its_own_payoff(fedfact):
    base = ["lab", "realfm", "--agents", "4", "--rounds", "40"]
    found = document(fedfact(*base, "--json"))
    assert [row["how"] for row in found["rows"]] == ["alone", "federated", "true", "lies"] * 2
    run = fedfact(*base)
    for word in ("1/(1−a)² − 1", "RealFM, agents that lie", "4 of 4", "server has"):
        assert word in run.out


@pytest.mark.parametrize("command", ["equilibrium", "attack"])
def test_same_seed_same_output(fedfact, command):
    base = ["lab", command, "--agents", "5", "--rule", "sandwich", "--json"]
    if command == "attack":
        base += ["--populations", "20", "--attack", "imitator", "--attack", "median"]
    one, two, other = (fedfact(*base, "--seed", seed) for seed in (3, 3, 4))
    assert one.code == 0
    assert one.out == two.out
    assert document(one) != document(other)


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_attacks_are_drawn(fedfact, tmp_path, ending, first):
    plot = tmp_path / f"attacks.{ending}"
    only = ["--rule", "rebate", "--rule", "sandwich", "--attack", "merged", "--attack", "sybil"]
    run = fedfact("lab", "attack", "--agents", "6", "--populations", "20", *only, "--plot", plot)
    assert run.code == 0, run.err
    assert plot.read_bytes().startswith(first)
    assert f"wrote {plot}" in run.err.replace("\n", "")


@pytest.mark.parametrize(("ending", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
@pytest.mark.parametrize("how", [[], ["--truthful"], ["--how", "hedge", "--rounds", "30"]])
def test_rounds_are_drawn(fedfact, tmp_path, ending, first, how):
    plot = tmp_path / f"rounds.{ending}"
    only = ["--agents", "6", "--rule", "rebate", "--rule", "sandwich"]
    run = fedfact("lab", "equilibrium", *only, *how, "--plot", plot)
    assert run.code == 0, run.err
    assert plot.read_bytes().startswith(first)
    assert f"wrote {plot}" in run.err.replace("\n", "")


BAD = {
    "rule": (["--rule", "rebat"], "rule 'rebat' is not known; did you mean rebate"),
    "far rule": (["--rule", "xyzzy"], "choose from local, federated"),
    "distribution": (["--costs", "nrom:loc=1"], "there is no distribution 'nrom'; did you mean"),
    "a huge spread": (["--costs", "lognorm:s=100"], "give costs that lie closer together"),
    "a huge parameter": (["--costs", "lognorm:s=1e300"], "take another distribution"),
    "parameters": (["--costs", "norm:loc=one"], "write it as norm:loc=1,scale=0.1"),
    "negative costs": (["--costs", "norm:loc=-5"], "check the parameters"),
    "two agents": (["--agents", "2"], "there are 2 agents; the lab needs 3 at least"),
    "no file": (["--costs", "none.csv"], "none.csv: cannot be read"),
    "no terms": (["--terms", "none.toml"], "none.toml: cannot be read"),
    "ending": (["--plot", "plot.gif"], "end the name in .png or .svg"),
    "no costs": (["--costs", ""], "--costs is empty; write it as norm:loc=1,scale=0.1"),
    "twice": (["--costs", "lognorm:s=1,s=2"], "s is there twice; keep one"),
    "no such parameter": (["--costs", "norm:foo=1"], "norm has no parameter 'foo'; it has loc"),
    "crowd": (["--agents", "99999999999"], "agents; there is room for 500,000"),
    "no folder": (["--plot", "nowhere/plot.png"], "create it first"),
}


@pytest.mark.parametrize("command", ["equilibrium", "attack"])
@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_questions_exit_2(fedfact, command, options, message):
    run = fedfact("lab", command, *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err.replace("\n", " ")


ONLY_ONE = {
    "attack": (["attack", "--attack", "mergd"], "attack 'mergd' is not known; did you mean merged"),
    "far attack": (["attack", "--attack", "xyzzy"], "choose from inflate, deflate"),
    "one population": (["attack", "--populations", "1"], "--populations"),
    "many populations": (
        ["attack", "--agents", "1000"],
        "more than 500,000 costs; take 500 populations at most",
    ),
    "no lie": (["attack", "--by", "0"], "take 1 to 99 %"),
    "no cost left": (["attack", "--by", "100"], "take 1 to 99 %"),
    "few agents": (
        ["attack", "--agents", "3", "--attack", "leave-3"],
        "attack leave-3 needs 6 agents, and there are 3",
    ),
    "honest learners": (["equilibrium", "--how", "hedge", "--truthful"], "leave out --truthful"),
    "learners that know": (
        ["equilibrium", "--how", "hedge", "--knows", "all"],
        "leave out --truthful and --knows",
    ),
    "the honest that know": (["equilibrium", "--truthful", "--knows", "own"], "--knows is for"),
    "how": (["equilibrium", "--how", "prayer"], "--how"),
    "knows": (["equilibrium", "--knows", "everything"], "--knows"),
    "rounds": (["equilibrium", "--rounds", "0"], "--rounds"),
    "seed": (["equilibrium", "--seed", "-1"], "--seed"),
}


@pytest.mark.parametrize(("words", "message"), ONLY_ONE.values(), ids=ONLY_ONE)
def test_bad_options_exit_2(fedfact, words, message):
    run = fedfact("lab", *words)
    assert (run.code, run.out) == (2, "")
    assert message in run.err.replace("\n", " ")


def test_bad_files_exit_2(fedfact, tmp_path, costs_csv):
    run = fedfact("lab", "attack", "--costs", costs_csv, "--agents", "5")
    assert run.code == 2
    assert "has 4 agents, not 5; leave that out" in run.err.replace("\n", " ")
    bad = tmp_path / "bad.csv"
    bad.write_text("agent,true_cost\na,1\nb,-4\nc,9\n")
    run = fedfact("lab", "equilibrium", "--costs", bad)
    assert (run.code, run.out) == (2, "")
    assert "true_cost is -4" in run.err
    bad.write_text("agent,price\na,1\nb,4\nc,9\n")
    run = fedfact("lab", "equilibrium", "--costs", bad)
    assert run.code == 2
    assert "true_cost" in run.err
    terms = tmp_path / "terms.toml"
    terms.write_text("alpha = 1.0\n")
    run = fedfact("lab", "equilibrium", "--terms", terms)
    assert run.code == 2
    assert "error_scale is missing" in run.err


def test_a_plot_does_not_replace_the_terms(fedfact, tmp_path):
    terms = tmp_path / "terms.png"
    terms.write_text("error_scale = 1.0\n")
    run = fedfact("lab", "attack", "--terms", terms, "--plot", terms)
    assert run.code == 2
    assert "is an input of this command" in run.err.replace("\n", " ")
    assert terms.read_text() == "error_scale = 1.0\n"


def test_help_names_rules_and_attacks(fedfact):
    told = " ".join(fedfact("lab", "attack", "--help").out.replace("│", " ").split())
    assert f"Of {', '.join(rule_names())}." in told
    assert f"Of {', '.join(each.name for each in all_attacks(6))}." in told


def test_the_table_says_who_pays(fedfact):
    run = fedfact("lab", "attack", "--agents", "6", "--populations", "50")
    assert run.code == 0
    gains, rest = run.out.split(" loss of an honest agent", 1)
    losses = rest.split(" loss, all honest", 1)[0]
    assert "best reply" in gains
    assert "best reply" in losses
    assert "Who pays: h the honest, s the server, hs both." in losses
    (claims,) = (line for line in losses.splitlines() if "free rider, unverified" in line)
    said = claims.split()
    assert said[-2:] == ["–", "–"]  # benchmarks
    assert said[-3] in ("s", "hs")  # the auction's server pays for what nobody did


def test_help_names_the_commands(fedfact):
    run = fedfact("lab", "--help")
    assert run.code == 0
    for word in ("equilibrium", "attack"):
        assert word in run.out
