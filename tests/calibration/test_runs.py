"""Runs from files: what is read, and what is refused with its place."""

import json

import numpy as np
import pytest

from fedfact.calibration import Runs, read_runs
from fedfact.errors import InputError


def test_any_measure_is_read_from_its_column(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("samples,seed,loss,error\n8,0,0.5,0.25\n16,1,0.25,0.125\n")
    loss, error = read_runs(path), read_runs(path, "error")
    assert (loss.measure, error.measure) == ("loss", "error")
    assert (loss.loss.tolist(), error.loss.tolist()) == ([0.5, 0.25], [0.25, 0.125])
    assert error.samples.tolist() == [8, 16]
    with pytest.raises(InputError, match="column auc is missing; found samples, seed, loss, error"):
        read_runs(path, "auc")
    with pytest.raises(InputError, match="seed is not measured; name a column such as loss"):
        read_runs(path, "seed")


def test_json_and_more_columns_are_read(tmp_path):
    rows = [{"samples": 8, "seed": 0, "loss": 0.5, "who": "x"}]
    (tmp_path / "runs.json").write_text(json.dumps({"runs": rows}))
    assert read_runs(tmp_path / "runs.json").loss.tolist() == [0.5]


def test_mean_and_variance_by_size():
    samples, seed = np.repeat([8, 4, 2, 1], 3), np.tile([0, 1, 2], 4)
    sizes = Runs(samples, seed, np.arange(12.0)).sizes()
    assert sizes.samples.tolist() == [1, 2, 4, 8]
    assert sizes.count.tolist() == [3] * 4
    assert sizes.mean.tolist() == [10, 7, 4, 1]
    assert sizes.variance.tolist() == [1] * 4


def test_runs_that_differ_in_rounding_alone_are_alike(make_runs):
    sizes = make_runs(lambda m: 0.1 + 3 * m**-0.45, seeds=3).sizes()
    assert not sizes.variance.any()


BAD = {
    "no seed": ("samples,loss\n1,2\n", "column seed is missing; found samples, loss"),
    "empty": ("", "is empty; give a CSV with the columns samples, seed, loss"),
    "header": ("samples,seed,loss\n", "has a header and no runs; write one line for each run"),
    "text": ("samples,seed,loss\n8,0,low\n", "row 1 (line 2): loss is low; it must be a number"),
    "NaN": ("samples,seed,loss\n8,0,nan\n", "loss is nan; it must be a finite number"),
    "half": ("samples,seed,loss\n8.5,0,1\n", "samples is 8.5; it must be a whole number"),
    "none": ("samples,seed,loss\n0,0,1\n", "samples is 0; it must be above 0"),
    "seed": ("samples,seed,loss\n8,-1,1\n", "row 1 (line 2): seed is -1; it must be a whole"),
    "huge": (
        "samples,seed,loss\n8,0,1\n8,1,1e51\n",
        "row 2 (line 3): loss is 1e+51, and the largest must be from 1e-15 to 1e+50; give it in",
    ),
    "tiny": (
        "samples,seed,loss\n8,0,1e-16\n8,1,0\n",
        "row 1 (line 2): loss is 1e-16, and the largest must be from 1e-15 to 1e+50; give it in",
    ),
    "below 0": (
        "samples,seed,loss\n8,0,1\n8,1,-0.5\n",
        "row 2 (line 3): loss is -0.5; it must be 0 or above. Add the same number to all: that",
    ),
    "twice": (
        "samples,seed,loss\n8,0,1\n8,1,1\n8,0,2\n",
        "row 3 (line 4): 8 samples with seed 0 are in row 1 (line 2) already; keep one",
    ),
    "list": ('{"agents": []}', 'give a list of objects, or {"runs": [...]}, one for each run'),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_bad_files_are_refused(tmp_path, text, message):
    (tmp_path / "runs.csv").write_text(text)
    with pytest.raises(InputError) as refused:
        read_runs(tmp_path / "runs.csv")
    assert message in str(refused.value)


def test_too_few_sizes_or_seeds_are_refused(make_runs):
    with pytest.raises(InputError, match="there are 3 sizes; train at 4 or more"):
        make_runs(lambda m: m**-0.5, sizes=(1, 2, 4)).sizes()
    with pytest.raises(InputError, match="50 samples: there are 2 seeds; train with 3"):
        make_runs(lambda m: m**-0.5, seeds=2).sizes()
    runs = make_runs(lambda m: m**-0.5)
    kept = np.flatnonzero((runs.samples != 1600) | (runs.seed == 4))
    fewer = Runs(runs.samples[kept], runs.seed[kept], runs.loss[kept])
    with pytest.raises(InputError, match="1,600 samples: there is 1 seed"):
        fewer.sizes()
