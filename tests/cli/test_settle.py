"""``fedfact settle`` as its users meet it."""

import csv
import json
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fedfact import RULES, InputError, __version__
from fedfact.io import files
from fedfact.report.single import settlement

TERMS = ("--error-scale", "1", "--unit", "1e-6")


def test_json_is_one_document_with_integer_amounts(fedfact, agents_csv):
    run = fedfact(
        "settle",
        agents_csv,
        *TERMS,
        "--rule",
        "sandwich",
        "--alpha",
        "1.5",
        "--seed",
        "7",
        "--json",
    )
    assert run.code == 0
    document = json.loads(run.out)
    assert list(document["agents"][0]) == [
        "agent", "fee", "charge", "reward", "rebate", "net", "group", "won",
    ]  # fmt: skip
    assert (document["rule"], document["seed"], document["alpha"]) == ("sandwich", 7, 1.5)
    assert (document["error_scale"], document["unit"], document["currency"]) == (1.0, 1e-6, "")
    assert document["fedfact"] == __version__
    rows = document["agents"]
    for row in rows:
        amounts = [row[name] for name in ("fee", "charge", "reward", "rebate", "net")]
        assert all(type(amount) is int for amount in amounts)
    assert document["surplus"] == -sum(row["net"] for row in rows) >= 0
    assert sorted(row["group"] for row in rows) == [0, 0, 0, 1, 1, 1]
    assert sum(row["won"] for row in rows) == 2


def test_the_rebate_rule_draws_no_groups(fedfact, agents_csv):
    document = json.loads(fedfact("settle", agents_csv, *TERMS, "--json").out)
    assert document["rule"] == "rebate"
    assert all(row["group"] is None and row["won"] is False for row in document["agents"])
    assert all(row["rebate"] > 0 and row["reward"] == 0 for row in document["agents"])


def test_the_table_shows_every_agent_the_totals_and_the_surplus(fedfact, agents_csv):
    run = fedfact("settle", agents_csv, *TERMS, "--rule", "sandwich", "--seed", 7)
    assert run.code == 0
    for word in ("ann", "fay", "fee", "reward", "total", "seed 7", "in the unit of the costs"):
        assert word in run.out
    document = json.loads(
        fedfact("settle", agents_csv, *TERMS, "--rule", "sandwich", "--seed", 7, "--json").out
    )
    assert f"surplus {document['surplus'] / 1e6:.6f} (" in run.out
    why = f"The surplus is the operator's: {RULES['sandwich'].surplus_reason}."
    assert why in " ".join(run.out.split())
    for row in document["agents"]:
        assert f" {row['fee'] / 1e6:.6f} " in run.out


def test_a_long_table_is_cut_and_says_so(fedfact, tmp_path):
    path = tmp_path / "many.csv"
    rows = "".join(f"agent-{k},1e-6,1000\n" for k in range(100))
    path.write_text("agent,reported_cost,samples\n" + rows)
    run = fedfact("settle", path, *TERMS)
    assert "… 40 more agents: use --output" in run.out
    assert len(run.out.splitlines()) < 75


def test_without_a_seed_one_is_drawn_and_told(fedfact, agents_csv):
    first = fedfact("settle", agents_csv, *TERMS, "--rule", "sandwich", "--json")
    seed = json.loads(first.out)["seed"]
    assert f"--seed {seed}" in first.err
    again = fedfact("settle", agents_csv, *TERMS, "--rule", "sandwich", "--json", "--seed", seed)
    assert again.out == first.out


def test_terms_from_a_file_and_single_ones_from_options(fedfact, examples):
    hospitals, terms = examples / "hospitals.csv", examples / "terms.toml"
    document = json.loads(fedfact("settle", hospitals, "--terms", terms, "--json").out)
    assert (document["unit"], document["rule"]) == (0.01, "rebate")
    changed = fedfact("settle", hospitals, "--terms", terms, "--retention", "0.25", "--json")
    changed = json.loads(changed.out)
    assert (changed["unit"], changed["retention"]) == (0.01, 0.25)
    assert changed["surplus"] > document["surplus"]


def test_true_costs_give_the_losses_alone_and_settled(fedfact, examples):
    run = fedfact(
        "settle", examples / "hospitals.csv", "--terms", examples / "terms.toml", "--json"
    )
    rows = {row["agent"]: row for row in json.loads(run.out)["agents"]}
    # Hazel: A/m + c·m = 2,000,000/2,000 + 0.5·2,000; settled = A/M + c·m + what it paid, net.
    assert rows["Hazel"]["loss_alone"] == 200_000.0  # in cents, as all amounts of the row
    expected = 100 * (2_000_000 / 18_522 + 1000) - rows["Hazel"]["net"]
    assert rows["Hazel"]["loss_settled"] == pytest.approx(expected, abs=1e-7)
    assert all(
        row["loss_settled"] < row["loss_alone"] for row in rows.values() if not row["charge"]
    )


def test_measured_losses_are_settled_by_the_waterfall(fedfact, tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text(
        "agent,reported_cost,samples,local_loss,federated_loss\n"
        "a,1e-3,100,1.5,0.5\nb,1e-3,100,1.2,0.6\nc,1e-3,100,0.3,0.7\n"
    )
    document = json.loads(fedfact("settle", path, "--unit", "0.01", "--json").out)
    amounts = [
        (row["fee"], row["compensation"], row["rebate"], row["net"]) for row in document["agents"]
    ]
    # f = 100, 60, −40: the pools Σ_{j≠i} f_j = 20, 60, 160, the last cut to the 120 left; halves.
    assert amounts == [(100, 0, 10, -90), (60, 0, 30, -30), (0, 40, 60, 100)]
    assert (document["surplus"], document["input"]) == (20, "measured")
    by_formula = fedfact("settle", path, *TERMS, "--input", "analytic", "--json")
    assert json.loads(by_formula.out)["input"] == "analytic"


@pytest.mark.parametrize("ending", ["json", "parquet", "csv"])
def test_output_files_hold_what_json_prints(fedfact, agents_csv, tmp_path, ending):
    path = tmp_path / f"settlement.{ending}"
    command = ("settle", agents_csv, *TERMS, "--rule", "sandwich", "--seed", 7)
    assert fedfact(*command, "--output", path).code == 0
    document = json.loads(fedfact(*command, "--json").out)
    if ending == "json":
        assert json.loads(path.read_text()) == document
    elif ending == "parquet":
        table = pq.read_table(path)
        assert table.to_pylist() == document["agents"]
        assert json.loads(table.schema.metadata[b"fedfact"])["surplus"] == document["surplus"]
    else:
        rows = list(csv.DictReader(path.read_text().splitlines()))
        assert [int(row["net"]) for row in rows] == [row["net"] for row in document["agents"]]
        assert [row["won"] == "true" for row in rows] == [row["won"] for row in document["agents"]]
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_measured_losses_count_at_their_value(fedfact, tmp_path):
    path = tmp_path / "measured.csv"
    rows = "".join(f"{name},1e-3,100,2e-3,1.5,0.5\n" for name in "abc")
    path.write_text("agent,reported_cost,samples,true_cost,local_loss,federated_loss\n" + rows)
    run = fedfact("settle", path, "--unit", "0.01", "--loss-value", "10", "--json")
    row = json.loads(run.out)["agents"][0]
    # 10 for the gain of 1.0 is paid, and as much comes back from the two others' 20 by halves.
    assert (row["fee"], row["rebate"]) == (1000, 1000)
    assert (row["loss_alone"], row["loss_settled"]) == (1520, 520)


def test_a_shortfall_is_part_of_the_result(fedfact, tmp_path):
    path = tmp_path / "measured.csv"
    losses = [("a", 0.5, 0.4), ("b", 0.5, 0.9), ("c", 0.5, 0.6)]
    rows = "".join(f"{name},1,1,{alone},{together}\n" for name, alone, together in losses)
    path.write_text("agent,reported_cost,samples,local_loss,federated_loss\n" + rows)
    run = fedfact("settle", path, "--unit", "0.01")
    assert "shortfall 0.40:" in run.out
    document = json.loads(fedfact("settle", path, "--unit", "0.01", "--json").out)
    assert [row["compensation"] for row in document["agents"]] == [0, 8, 2]
    assert (document["shortfall"], document["surplus"]) == (40, 0)


def test_nothing_is_written_unless_everything_can_be(fedfact, agents_csv, tmp_path, monkeypatch):
    monkeypatch.setattr(settlement, "picture_of_settlement", lambda *_: 1 / 0)
    files = sorted(tmp_path.iterdir())
    outputs = ("--output", tmp_path / "o.json", "--plot", tmp_path / "p.png")
    run = fedfact("settle", agents_csv, *TERMS, *outputs)
    assert run.code == 1
    assert (
        "fault of fedfact's own (ZeroDivisionError: division by zero, in test_settle.py" in run.err
    )
    assert sorted(tmp_path.iterdir()) == files


def test_written_files_can_be_read_by_others_and_links_are_followed(tmp_path):
    target = tmp_path / "target.json"
    link = tmp_path / "link.json"
    link.symlink_to(target)
    files.write_whole(link, b"{}")
    assert link.is_symlink()
    assert target.read_bytes() == b"{}"
    umask = os.umask(0o022)
    os.umask(umask)
    assert target.stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize("columns", [40, 80])
def test_amounts_are_never_cut(fedfact, agents_csv, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    command = ("settle", agents_csv, "--error-scale", "1", "--unit", "1e-18", "--rule", "rebate")
    run = fedfact(*command)
    document = json.loads(fedfact(*command, "--json").out)
    assert "…" not in run.out
    for row in document["agents"]:
        assert f"{Decimal(row['net']).scaleb(-18):.18f}" in run.out


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "settlement.json"
    path.write_text("old")

    def broken(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(InputError, match=r"cannot be written \(disk full\); make room, or name"):
        files.write_whole(path, b"new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


BAD_OPTIONS = {
    "rule": (["--rule", "lottery"], "lottery"),
    "alpha at 2": (["--alpha", "2"], "alpha is 2.0; it must be at least 0 and below 2"),
    "alpha below 0": (["--alpha", "-0.1"], "alpha is -0.1"),
    "alpha NaN": (["--alpha", "nan"], "alpha is nan; it must be at least 0 and below 2"),
    "alpha near 2": (["--alpha", "1.9999999", "--penalty"], "too close to 2"),
    "exponent": (["--exponent", "0.01"], "exponent is 0.01; it must be between 0.05 and 2"),
    "no error scale": (["--rule", "rebate"], "error_scale is missing"),
    "error scale 0": (["--error-scale", "0"], "error_scale is 0.0; it must be above 0"),
    "error scale 1e308": (["--error-scale", "1e308"], "error_scale is 1e+308; it must be above 0"),
    "error scale 1e90": (["--error-scale", "1e90"], "agent 'fay': a fee for 408 samples"),
    "unit 0": (["--unit", "0"], "unit is 0.0"),
    "unit tiny": (["--unit", "1e-30"], "take a larger unit"),
    "retention": (["--retention", "1.5"], "retention is 1.5"),
    "retention digits": (["--retention", "0.12345678"], "at most six decimals"),
    "consistency": (["--consistency", "-1"], "consistency is -1.0"),
    "seed": (["--seed", "-1"], "--seed"),
    "seed text": (["--seed", "abc"], "--seed"),
    "format": (["--output", "settlement.xlsx"], "end the name in .json or .parquet or .csv"),
    "directory": (["--output", "nowhere/settlement.json"], "the directory nowhere is not there"),
    "plot format": (["--plot", "plot.txt"], "end the name in .png"),
    "statement": (["--statement", "nobody"], "there is no agent 'nobody'"),
    "terms": (["--terms", "none.toml"], "none.toml: cannot be read"),
    "measured": (["--input", "measured"], "local_loss is missing"),
    "unknown option": (["--lambda", "1"], "--lambda"),
}


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_bad_options_exit_2_with_one_message_and_no_output(
    fedfact, agents_csv, tmp_path, monkeypatch, options, message
):
    monkeypatch.chdir(tmp_path)
    base = [] if "error_scale is missing" in message else list(TERMS)
    before = sorted(tmp_path.iterdir())
    extra = [] if "--output" in options else ["--output", "result.json"]
    run = fedfact("settle", agents_csv, *base, *options, *extra)
    assert run.code == 2
    assert message in run.err
    assert run.out == ""
    assert sorted(tmp_path.iterdir()) == before


BAD_AGENTS = {
    "cost 1e308": (
        "z,1e308,100",
        "row 7 (line 8): reported_cost is 1e308; it must be above 0, from",
    ),
    "cost 1e-320": ("z,1e-320,100", "row 7 (line 8): reported_cost is 1e-320; it must be above 0"),
    "cost 1e90": ("z,1e90,100", "row 7 (line 8): agent 'z': its {} does not fit in 64 bits"),
    "cost 1e-90": ("z,1e-90,100", None),
    "NaN": ("z,nan,100", "row 7 (line 8): reported_cost is nan"),
    "fraction": ("z,1,1.5", "row 7 (line 8): samples is 1.5"),
    "twice": ("ann,1,1", "row 7 (line 8): agent 'ann' is there twice"),
    "ragged": ("z,1", "row 7 (line 8): has 2 fields"),
}


@pytest.mark.parametrize(("row", "message"), BAD_AGENTS.values(), ids=BAD_AGENTS)
@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
def test_bad_agents_exit_2_naming_file_and_row(fedfact, agents_csv, tmp_path, row, message, rule):
    agents_csv.write_text(agents_csv.read_text() + row + "\n")
    result = tmp_path / "result.json"
    options = ["--rule", rule, "--seed", 1, "--output", result]
    if rule == "sandwich":  # which has no charge
        options.append("--penalty")
    run = fedfact("settle", agents_csv, *TERMS, *options)
    if message is None:  # absurd, but it can be settled
        assert run.code == 0
        return
    assert run.code == 2
    assert run.err.startswith(f"error: {agents_csv}")
    assert message.format("penalty" if rule == "sandwich" else "consistency charge") in run.err
    assert len(run.err.splitlines()) == 1
    assert not result.exists()


def test_an_input_is_never_overwritten(fedfact, agents_csv):
    text = agents_csv.read_text()
    run = fedfact("settle", agents_csv, *TERMS, "--output", agents_csv)
    assert run.code == 2
    assert "is an input" in run.err
    assert agents_csv.read_text() == text


def test_escrow_and_minimum_samples_are_kept(fedfact, agents_csv, tmp_path):
    terms = tmp_path / "terms.toml"
    for line, message in [
        ("escrow = 1000", "exceeds the escrow of 0.001000 in the terms"),
        (
            "minimum_samples = 1340",
            "row 6 (line 7): agent 'fay': samples is 408; with a minimum of",
        ),
        ("minimum_samples = 1224", None),  # a third of it is billed, and a member has that
        ("escrow = 100_000_000", None),
    ]:
        terms.write_text(f"error_scale = 1.0\nunit = 1e-6\n{line}\n")
        run = fedfact("settle", agents_csv, "--terms", terms)
        assert run.code == (2 if message else 0)
        assert (message or "") in run.err


def test_chatter_goes_to_stderr(fedfact, agents_csv, tmp_path):
    header, *rows = agents_csv.read_text().splitlines()
    agents_csv.write_text("\n".join([f"{header},site", *(f"{row},x" for row in rows)]))
    plot = tmp_path / "plot.png"
    run = fedfact("settle", agents_csv, *TERMS, "--json", "--plot", plot, "--unit", "10")
    assert run.code == 0
    json.loads(run.out)
    assert "without a meaning here: site" in run.err
    assert "no fee comes to more than one unit of 10" in run.err
    assert f"wrote {plot}" in run.err


def test_faults_of_ours_exit_1(agents_csv, tmp_path):
    """A bug must not look like bad input: any other exception ends with status 1."""
    code = (
        "import importlib, sys; from fedfact.cli import main\n"
        "importlib.import_module('fedfact.cli.settle').read_agents = lambda path: 1 / 0\n"
        f"sys.argv = ['fedfact', 'settle', {str(agents_csv)!r}]; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    assert "ZeroDivisionError" in run.stderr


def test_the_installed_command_runs(agents_csv):
    command = Path(sys.executable).with_name("fedfact")
    run = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"fedfact {__version__}"


@pytest.mark.parametrize("command", ["settle", "advise"])
def test_help_has_an_example(fedfact, command):
    run = fedfact(command, "--help")
    assert run.code == 0
    assert f"fedfact {command} " in run.out
    assert "Example" in run.out
    assert "--json" in run.out


def test_names_are_printed_as_they_are(fedfact, tmp_path):
    """Neither as markup nor as emoji, whatever the terminal's library makes of such text."""
    names = ["[bold]x[/bold]", ":smile:", "Zürich, Süd", "[red]", "日本", "a" * 60]
    path = tmp_path / "agents.json"
    rows = [{"agent": name, "reported_cost": 1e-6, "samples": 1000} for name in names]
    path.write_text(json.dumps(rows))
    run = fedfact("settle", path, *TERMS)
    assert run.code == 0
    assert all(name in run.out for name in names)
    for name in names:
        assert f"Statement for {name}\n" in fedfact("settle", path, *TERMS, "--statement", name).out


def test_sizes_exponent_and_negative_fees(fedfact, tmp_path):
    """A member that does more than its size asks for is paid for it, in its own column."""
    path = tmp_path / "clinics.csv"
    path.write_text("agent,reported_cost,samples,size\na,1,900,3\nb,1,50,1\nc,1,50,2\n")
    terms = ["--error-scale", 60_000, "--exponent", 0.5, "--unit", 0.01, "--currency", "EUR"]
    command = ["settle", path, *terms, "--rule", "shared"]
    document = json.loads(fedfact(*command, "--json").out)
    assert (document["exponent"], document["currency"]) == (0.5, "EUR")
    # x = 900·6/3 = 1,800 of M = 1,000: 3·(60,000/√1,800 − 60,000/√1,000) = −1,449.457…
    assert document["agents"][0]["fee"] == -144_945
    run = fedfact(*command)
    assert "-1,449.45" in run.out
    assert "-1,449.45 EUR  paid to you\n" in fedfact(*command, "--statement", "a").out
    refused = fedfact("settle", path, *terms, "--rule", "sandwich", "--seed", 1)
    assert refused.code == 2
    assert "the sandwich rule knows no sizes" in refused.err


@pytest.mark.parametrize("rule", RULES)
def test_the_penalty_is_shown_only_if_asked_and_never_as_part_of_the_fee(fedfact, examples, rule):
    base = ["settle", examples / "hospitals.csv", "--terms", examples / "terms.toml"]
    base += ["--rule", rule, "--seed", 1]
    for more in ([], ["--json"], ["--statement", "Oak"]):
        assert "penalty" not in fedfact(*base, *more).out
        shown = fedfact(*base, *more, "--penalty").out
        assert "penalty" in shown
        assert "part of the fee" not in shown
    assert "it moves no money and may exceed the fee" in fedfact(*base, "--penalty").out
    plain, compared = (
        json.loads(fedfact(*base, "--json", *more).out) for more in ([], ["--penalty"])
    )
    for row, other in zip(plain["agents"], compared["agents"], strict=True):
        assert row == {name: value for name, value in other.items() if name != "penalty"}


FAR = "of the others, the median agent uses"


def test_terms_that_do_not_suit_the_samples_are_remarked(fedfact, examples):
    """The issue's example: honest hospitals charged 9,035 of 9,041 in all, by a wrong scale."""
    hospitals, terms = examples / "hospitals.csv", examples / "terms.toml"
    wrong = fedfact("settle", hospitals, "--error-scale", 1000)
    assert wrong.code == 0
    assert "the median agent uses 44.7 times as many samples as would be best at its" in wrong.err
    document = json.loads(fedfact("settle", hospitals, "--error-scale", 1000, "--json").out)
    assert "44.7 times as many" in document["remarks"][0]
    small = fedfact("settle", hospitals, "--error-scale", 2e8, "--unit", 0.01)
    assert "uses 10.0 times fewer samples than would be best" in small.err
    for fine in (["--terms", terms], ["--error-scale", 2e6, "--exponent", 1.05, "--unit", 0.01]):
        assert "the median agent" not in fedfact("settle", hospitals, *fine).err
    asked = ["advise", "--cost", 0.5, "--others", hospitals, "--terms"]
    assert FAR not in fedfact(*asked, terms).err


def test_advice_with_terms_that_do_not_suit_the_others_is_remarked(fedfact, examples, tmp_path):
    terms = tmp_path / "terms.toml"
    terms.write_text("error_scale = 1000\nunit = 0.01\n")
    others = ["--others", examples / "hospitals.csv"]
    run = fedfact("advise", "--cost", 0.5, *others, "--terms", terms)
    assert run.code == 0
    assert f"{FAR} 44.7 times as many samples" in run.err
    (remark,) = json.loads(
        fedfact("advise", "--cost", 0.5, *others, "--terms", terms, "--json").out
    )["remarks"]
    assert remark.startswith(FAR)
    alike = ("advise", "--cost", 50, "--terms", examples / "terms.toml", "--agents", 10)
    assert "times as many samples as would be best at your cost" in (
        fedfact(*alike, "--total", 20_000).err
    )
    assert fedfact(*alike).err == ""
    assert "the median agent" not in fedfact("advise", "--cost", 0.5, "--terms", terms).err


def test_who_uses_all_it_has_is_not_remarked(fedfact, tmp_path):
    path = tmp_path / "small.csv"
    rows = "".join(f"{name},1e-6,100,100\n" for name in "abc")
    path.write_text("agent,reported_cost,samples,capacity\n" + rows)
    assert "the median agent" not in fedfact("settle", path, *TERMS).err
    path.write_text("agent,reported_cost,samples\n" + rows.replace(",100,100", ",100"))
    assert "uses 10.0 times fewer samples than" in fedfact("settle", path, *TERMS).err


@pytest.mark.parametrize("rule", RULES)
def test_the_surplus_is_explained_where_it_appears(fedfact, examples, rule):
    base = ["settle", examples / "hospitals.csv", "--terms", examples / "terms.toml"]
    run = fedfact(*base, "--rule", rule, "--seed", 1)
    document = json.loads(fedfact(*base, "--rule", rule, "--seed", 1, "--json").out)
    assert f"surplus {document['surplus'] / 100:,.2f} EUR (" in run.out
    said = " ".join(run.out.partition("surplus")[2].split())
    assert "The surplus is the operator's" in said
    assert ("Charges are given back to nobody" in said) is RULES[rule].charges
    assert RULES[rule].surplus_reason in said
