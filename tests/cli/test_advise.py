"""``fedfact advise`` as a member meets it."""

import json

import pytest


def test_advice_as_text_figure_and_json(fedfact, examples, tmp_path):
    base = ["advise", "--cost", "0.5", "--terms", examples / "terms.toml"]
    plot = tmp_path / "losses.png"
    run = fedfact(*base, "--others", examples / "hospitals.csv", "--plot", plot)
    assert run.code == 0
    assert plot.read_bytes()[:4] == b"\x89PNG"
    for word in (
        "Join.",
        "m* = 2,000",
        "rebate (these terms)",
        "sandwich, realised",
        "This assumes:",
    ):
        assert word in run.out
    document = json.loads(fedfact(*base, "--total", 20_000, "--agents", 10, "--json").out)
    assert document["verdict"] == "join"
    assert document["others_samples"] == 18_000
    assert [outcome["rule"] for outcome in document["outcomes"]] == ["rebate", "shared", "sandwich"]
    assert json.loads(fedfact(*base, "--json").out)["agents"] == 6


def test_a_member_says_its_size_where_members_have_sizes(fedfact, examples, tmp_path):
    """Errors cost it as many times as much, so that it uses √4 times the samples."""
    base = ["advise", "--cost", "0.5", "--terms", examples / "terms.toml", "--json"]
    one = json.loads(fedfact(*base).out)
    four = json.loads(fedfact(*base, "--size", 4).out)
    assert (one["samples"], four["samples"]) == (2_000, 4_000)
    assert one["alone"] == 200_000  # cents, as the fee and all that an outcome names
    rebate = one["outcomes"][0]
    for name in ("worst", "believed", "realised", "best"):
        assert rebate[name] == pytest.approx(100_000 / 6 + 100_000)  # of six: e(M) + c·m
    assert rebate["fee"] == 100_000 * 5 // 6 + 1
    assert four["alone"] == 2 * one["alone"]
    assert four["others_samples"] == 2 * one["others_samples"]
    sized = tmp_path / "sized.csv"
    sized.write_text("agent,reported_cost,samples,size\na,0.5,4000,4\nb,0.5,2000,1\n")
    refused = fedfact(*base, "--others", sized)
    assert (refused.code, refused.out) == (2, "")
    assert "the others have sizes; give yours with --size" in refused.err
    assert json.loads(fedfact(*base, "--others", sized, "--size", 4).out)["samples"] == 4_000


BAD = {
    "cost": (["--cost", "0"], "--cost is 0.0"),
    "cost 1e308": (["--cost", "1e308"], "--cost is 1e+308"),
    "total": (["--total", "1" + "0" * 23, "--agents", "10"], "samples in all; check cost"),
    "capacity": (["--capacity", "99"], "you cannot join under them"),
    "NaN cost": (["--cost", "nan"], "--cost is nan"),
    "both": (["--total", "9", "--agents", "4", "--others", "x.csv"], "leave out --total"),
    "total alone": (["--total", "9000"], "--total needs --agents"),
    "small total": (["--total", "2001", "--agents", "9"], "fewer than 34 each"),
    "two agents": (["--agents", "2"], "--agents"),
    "others": (["--others", "none.csv"], "none.csv: cannot be read"),
    "lie": (["--lie", "100"], "percentages"),
    "plot": (["--plot", "plot.gif"], "end the name in .png"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_questions_exit_2(fedfact, examples, options, message):
    options = options if "--cost" in options else ["--cost", "0.5", *options]
    run = fedfact("advise", "--terms", examples / "terms.toml", *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


BAD_TERMS = {
    "unknown key": ("error_scal = 1", "unknown key 'error_scal'; did you mean error_scale?"),
    "not TOML": ("error_scale = ", "is not valid TOML"),
    "text": ('error_scale = "one"', "error_scale is 'one'; it must be a number"),
    "boolean": ("alpha = true", "alpha is True; it must be a number"),
    "rule": ('rule = "lottery"', "rule is 'lottery'; choose sandwich or rebate"),
    "fraction": ("minimum_samples = 1.5", "minimum_samples is 1.5; it must be a whole number"),
    "no scale": ("alpha = 1.0", "error_scale is missing"),
    "thousands of digits": ("error_scale = 1" + "0" * 5000, "is not valid TOML"),
    "1e308": ("error_scale = 1e308", "error_scale is 1e+308; it must be above 0"),
}


@pytest.mark.parametrize(("text", "message"), BAD_TERMS.values(), ids=BAD_TERMS)
def test_bad_terms_are_refused(fedfact, tmp_path, text, message):
    terms = tmp_path / "terms.toml"
    terms.write_text(text)
    run = fedfact("advise", "--cost", "1", "--terms", terms)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


BAD_OTHERS = {
    "one": ("a,1,500\n", "has one agent"),
    "twice": ("a,1,500\na,1,500\n", "row 2 (line 3): agent 'a' is there twice"),
    "too few samples": ("a,1,500\nb,1,33\n", "row 2 (line 3): agent 'b': has fewer samples than"),
    "tiny cost": ("a,1e-300,500\nb,1,500\n", "row 1 (line 2): reported_cost is 1e-300"),
}


@pytest.mark.parametrize(("rows", "message"), BAD_OTHERS.values(), ids=BAD_OTHERS)
def test_bad_others_are_refused(fedfact, examples, tmp_path, rows, message):
    others = tmp_path / "others.csv"
    others.write_text("agent,reported_cost,samples\n" + rows)
    terms = examples / "terms.toml"
    run = fedfact("advise", "--cost", "0.5", "--terms", terms, "--others", others)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
