"""``fedfact calibrate`` as an operator meets it: from a file of runs to lines of terms."""

import json
import re

import numpy as np
import pytest

from fedfact import InputError, calibrate, plot, read_runs, read_terms


@pytest.fixture
def runs_csv(tmp_path):
    rng, rows = np.random.default_rng(3), ["samples,seed,loss"]
    for m in (50, 100, 200, 400, 800, 1600, 3200):
        for seed in range(5):
            rows.append(f"{m},{seed},{(3 * m**-0.45 + 0.08) * (1 + 0.03 * rng.standard_normal())}")
    (tmp_path / "runs.csv").write_text("\n".join(rows))
    return tmp_path / "runs.csv"


def test_text_names_the_fit_the_bound_and_the_terms(fedfact, runs_csv):
    run = fedfact("calibrate", runs_csv, "--value", "5e6")
    assert (run.code, run.err) == (0, "")
    found = calibrate(read_runs(runs_csv), value=5e6)
    for word in (
        "from 35 runs at 7 sizes",
        "b, the exponent",
        "Worst misfit:",
        "b is known to ±0.05",
        "a whole of 3,200 samples saves a member this much",
        f"q set by members of {found.published.binding.samples:,} samples",
        f"error_scale = {found.terms.error_scale!r}\nexponent = {found.terms.exponent!r}\n",
    ):
        assert word in run.out


def test_json_is_the_document(fedfact, runs_csv):
    run = fedfact("calibrate", runs_csv, "--members", "100:800", "--whole", "4000", "--json")
    told = json.loads(run.out)
    assert (told["whole"], told["whole_trained"]) == (4000, 3200)
    assert (told["members"][0]["samples"], told["members"][-1]["samples"]) == (100, 800)
    assert told["q"] == min(member["ratio"] for member in told["members"])
    listed = fedfact("calibrate", runs_csv, "--members", "800,100", "--json")
    assert [member["samples"] for member in json.loads(listed.out)["members"]] == [100, 800]


def test_another_measure_is_another_column(fedfact, runs_csv):
    lines = runs_csv.read_text().splitlines()
    errors = [f"{line},{float(line.split(',')[2]) / 3!r}" for line in lines[1:]]
    runs_csv.write_text("\n".join([f"{lines[0]},error", *errors]))
    told = json.loads(fedfact("calibrate", runs_csv, "--measure", "error", "--json").out)
    loss = json.loads(fedfact("calibrate", runs_csv, "--json").out)
    assert (told["measure"], loss["measure"]) == ("error", "loss")
    assert told["terms"]["error_scale"] == pytest.approx(loss["terms"]["error_scale"] / 3, rel=1e-4)
    out = fedfact("calibrate", runs_csv, "--measure", "error").out
    for words in ("error = 0.", "mean error", "In error, a whole of 3,200"):
        assert words in out
    missing = fedfact("calibrate", runs_csv, "--measure", "auc")
    assert (missing.code, missing.out) == (2, "")
    assert "column auc is missing; found samples, seed, loss, error" in missing.err


def test_of_a_curve_that_is_no_power_law_it_says_so(fedfact, examples):
    runs = examples.parent / "results" / "calibration" / "cifar10" / "runs.csv"
    out = fedfact("calibrate", runs, "--measure", "error").out
    assert "That is more than seeds explain: the curve is no power law" in out
    assert "would narrow b" not in out
    refused = fedfact("calibrate", runs)
    assert (refused.code, refused.out) == (2, "")
    assert "the loss rises from 1.787 at 781 samples to 2.318 at 1,562" in refused.err
    assert "the share of wrong answers may fall where the loss does not (--meas" in refused.err


def test_few_noisy_runs_say_how_many_more_are_needed(fedfact, runs_csv):
    lines = runs_csv.read_text().splitlines()
    kept = [line for line in lines[1:] if int(line.split(",")[1]) < 3]
    runs_csv.write_text("\n".join([lines[0], *kept]))
    out = fedfact("calibrate", runs_csv).out
    more, each = re.search(r"About (\d+) more runs, (\d+) at each size, would narrow", out).groups()
    assert int(more) == 7 * int(each) > 0


def test_settle_and_advise_take_its_lines(fedfact, runs_csv, examples):
    out = fedfact("calibrate", runs_csv, "--value", "1e6").out
    terms = runs_csv.with_name("terms.toml")
    terms.write_text(out.partition("For terms.toml:")[2] + 'unit = 0.01\ncurrency = "EUR"\n')
    assert read_terms(terms).exponent == calibrate(read_runs(runs_csv)).terms.exponent
    assert fedfact("settle", examples / "hospitals.csv", "--terms", terms).code == 0
    assert fedfact("advise", "--cost", "0.5", "--terms", terms).code == 0


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
@pytest.mark.parametrize("members", [(), ("--members", "60:900"), ("--whole", "9000")])
def test_a_picture(fedfact, runs_csv, tmp_path, ending, members):
    path = tmp_path / f"curve{ending}"
    run = fedfact("calibrate", runs_csv, *members, "--plot", path)
    assert run.err == f"note: wrote {path}\n"
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)


def test_a_notebook_draws_it_and_shows_it(runs_csv):
    found = calibrate(read_runs(runs_csv))
    assert plot(found).title == "The learning curve, and what federation saves members"
    title, header, *_ = repr(found).splitlines()
    terms = found.terms
    assert title == (
        f"Calibration from {len(found.runs)} runs: "
        f"error_scale = {terms.error_scale:g}, exponent = {terms.exponent:.3f}"
    )
    assert header.split()[:2] == ["samples", "runs"]
    assert f"<caption>{title}</caption>" in found._repr_html_()


BAD = {
    "no file": (["none.csv"], "none.csv: cannot be read"),
    "members": (["--members", "few"], "--members is 'few'; give whole numbers, 400,800,1600, or"),
    "range": (["--members", "800:100"], "--members is '800:100'"),
    "large": (["--members", "3200"], "runs.csv: a member of 3,200 samples is too close to the"),
    "whole": (["--whole", "60"], "runs.csv: the whole is 60 samples"),
    "value": (["--value", "nan"], "runs.csv: the value of one unit is nan"),
    "plot": (["--plot", "curve.gif"], "end the name in .png"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_questions_exit_2(fedfact, runs_csv, options, message):
    file = [] if options == ["none.csv"] else [runs_csv]
    run = fedfact("calibrate", *file, *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_a_curve_that_rises_is_refused_with_its_place(fedfact, runs_csv):
    text = re.sub(r"^800,(\d),.*$", r"800,\1,0.3\1", runs_csv.read_text(), flags=re.M)
    runs_csv.write_text(text)
    run = fedfact("calibrate", runs_csv)
    assert (run.code, run.out) == (2, "")
    assert re.search(r"runs.csv: the loss rises from .* at 400 samples to .* at 800", run.err)


def test_it_needs_no_torch_and_a_picture_says_what_it_needs(python_without, runs_csv):
    code = f"""
import sys
from fedfact import cli
sys.argv = ["fedfact", "calibrate", {str(runs_csv)!r}]
cli.main()
"""
    done = python_without("torch", code)
    assert "For terms.toml:" in done.stdout
    done = python_without("matplotlib", code.replace("]\ncli", ', "--plot", "curve.png"]\ncli'))
    assert done.stderr == "error: this needs matplotlib: pip install 'fedfact[plot]'\n"


def test_a_refusal_is_an_input_error(runs_csv):
    with pytest.raises(InputError, match="too close to the whole"):
        calibrate(read_runs(runs_csv), members=[2000])


TRAIN = [
    "--data",
    "digits",
    "--sizes",
    "40:160",
    "--whole",
    "640",
    "--seeds",
    "3",
    "--epochs",
    "12",
]


def test_it_trains_and_says_the_same_of_the_file_it_wrote(fedfact, tmp_path):
    first = fedfact("calibrate", *TRAIN, "--device", "cpu", "-o", tmp_path / "out", "--json")
    assert first.code == 0, first.err
    assert f"note: wrote {tmp_path / 'out' / 'runs.csv'}" in first.err
    again = fedfact("calibrate", tmp_path / "out" / "runs.csv", "--json")
    assert json.loads(again.out) == json.loads(first.out)
    held = fedfact("calibrate", *TRAIN, "-o", tmp_path / "out")
    assert (held.code, held.out) == (2, "")
    assert "holds runs already; go on with them by --resume" in held.err
    resumed = fedfact("calibrate", *TRAIN, "-o", tmp_path / "out", "--resume", "--json")
    assert json.loads(resumed.out) == json.loads(first.out)
    assert "3 of 3 trainings are there already" in resumed.err


BAD_TRAININGS = {
    "nothing": ([], "give a file of runs, or --data to train on"),
    "both": (["x.csv", "--data", "digits"], "give a file of runs (x.csv) or --data digits, not"),
    "no data": (["x.csv", "--seeds", "3", "-o", "o"], "--seeds, --output: only for trainings;"),
    "resume": (["x.csv", "--resume"], "--resume: only for trainings; add --data"),
    "measure": (["--data", "digits", "--measure", "auc"], "the measure is auc; trainings have"),
    "where": (["--data", "own.npz"], "say where the runs go with -o DIR"),
    "sizes": (["--data", "digits", "--sizes", "a:b"], "--sizes is 'a:b'; give whole numbers"),
    "range": (["--data", "digits", "--sizes", "80:20"], "--sizes is '80:20'"),
}


@pytest.mark.parametrize(("options", "message"), BAD_TRAININGS.values(), ids=BAD_TRAININGS)
def test_bad_trainings_exit_2(fedfact, options, message):
    run = fedfact("calibrate", *options)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


@pytest.mark.slow
def test_ctrl_c_leaves_no_runs_and_resume_goes_on(start_process, fedfact, tmp_path):
    out = tmp_path / "out"
    first = start_process("runs.csv,1,before", "calibrate", *TRAIN, "-o", out)
    first.communicate(timeout=120)
    assert first.returncode != 0
    assert not (out / "runs.csv").exists()
    resumed = fedfact("calibrate", *TRAIN, "-o", out, "--resume", "--json")
    assert "3 of 3 trainings are there already" in resumed.err
    assert [path.name for path in out.glob(".*")] == []
    assert json.loads(resumed.out)["runs"] == 12
