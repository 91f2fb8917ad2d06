"""Runs by training: what is drawn and trained, what is kept, and what goes on after a stop."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fedfact.calibration import read_runs
from fedfact.calibration.trained import Grid, train_runs
from fedfact.data.registry import load
from fedfact.errors import InputError
from fedfact.io.files import alone
from fedfact.training import RECIPES, Machine, train_local
from fedfact.training.seeds import generator
from fedfact.training.setup import assemble

RESULTS = Path(__file__).parents[2] / "results" / "calibration"

SMALL = Grid(data="digits", sizes=[20, 40, 80], whole=160, seeds=3, epochs=1)


@pytest.fixture
def machine():
    return Machine("cpu")


def test_every_seed_trains_every_size_and_all_is_written(machine, tmp_path):
    notes = []
    runs = train_runs(SMALL, machine, tmp_path / "out", note=notes.append)
    assert runs.samples.tolist() == [m for m in (20, 40, 80, 160) for _ in range(3)]
    assert runs.seed.tolist() == [0, 1, 2] * 4
    assert len(set(runs.loss.tolist())) == 12
    file = tmp_path / "out" / "runs.csv"
    assert read_runs(file).loss.tolist() == runs.loss.tolist()
    again = train_runs(SMALL, machine, tmp_path / "out", measure="error", resume=True)
    assert (again.measure, again.loss.tolist()) == ("error", read_runs(file, "error").loss.tolist())
    wrong = again.loss * 359  # test images
    assert wrong == pytest.approx(wrong.round(), abs=1e-6)
    assert notes == ["the loss is measured on 359 test images after 1 epochs at every size"]
    kept = sorted((tmp_path / "out" / "trained").iterdir())
    assert [path.suffix for path in kept] == [".json"] * 3
    about = json.loads(kept[0].read_text())["about"]
    assert (about["samples"], about["epochs"], about["seed"]) == ([20, 40, 80, 160], 1, 0)


def test_a_run_is_the_local_training_of_samples_drawn_for_it(machine, tmp_path):
    runs = train_runs(SMALL, machine, tmp_path / "out")
    dataset, recipe = load("digits"), replace(RECIPES["digits"], epochs=1)
    drawn = [
        np.sort(generator(2, "calibration", m).choice(1438, m, replace=False))
        for m in (20, 40, 80, 160)
    ]
    job = assemble(dataset, drawn, recipe, 2, "iid")
    alone = [curve.final.loss for curve in train_local(job, machine)]
    assert runs.loss[runs.seed == 2].tolist() == alone


def test_seeds_can_be_added_and_what_is_finished_is_not_done_again(machine, tmp_path, monkeypatch):
    first = train_runs(SMALL, machine, tmp_path / "out")
    more = Grid(data="digits", sizes=[20, 40, 80], whole=160, seeds=4, epochs=1)
    with pytest.raises(InputError, match="holds runs already; go on with them by --resume"):
        train_runs(more, machine, tmp_path / "out")
    notes = []
    second = train_runs(more, machine, tmp_path / "out", resume=True, note=notes.append)
    assert "3 of 4 trainings are there already" in notes
    assert second.loss[second.seed < 3].tolist() == first.loss.tolist()


def test_what_was_stopped_goes_on_and_leaves_no_half_file(machine, tmp_path):
    whole = train_runs(SMALL, machine, tmp_path / "whole")

    def stopping(what, done, total, unit):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_runs(SMALL, machine, tmp_path / "out", progress=stopping)
    assert not (tmp_path / "out" / "runs.csv").exists()
    assert len(list((tmp_path / "out" / "trained").glob("*.json"))) == 1
    resumed = train_runs(SMALL, machine, tmp_path / "out", resume=True)
    assert resumed.loss.tolist() == whole.loss.tolist()
    files = [tmp_path / name / "runs.csv" for name in ("out", "whole")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_damaged_training_is_refused(machine, tmp_path):
    train_runs(SMALL, machine, tmp_path / "out")
    path = next((tmp_path / "out" / "trained").glob("*.json"))
    path.write_text(path.read_text()[:40])
    with pytest.raises(InputError, match="is damaged; delete it to train it again"):
        train_runs(SMALL, machine, tmp_path / "out", resume=True)
    assert (tmp_path / "out" / "runs.csv").exists()


@pytest.mark.parametrize("score", ["[1e308, 0.5]", f"[1{'0' * 400}, 0.5]", "[-1, 0.5]", "[1, 1.5]"])
def test_scores_that_no_training_has_are_refused(machine, tmp_path, score):
    train_runs(SMALL, machine, tmp_path / "out")
    path = next((tmp_path / "out" / "trained").glob("*.json"))
    kept = json.loads(path.read_text())
    first = json.dumps(kept["scores"][0])
    path.write_text(path.read_text().replace(first, score, 1))
    with pytest.raises(InputError, match="is damaged; delete it to train it again"):
        train_runs(SMALL, machine, tmp_path / "out", resume=True)


def test_two_at_once_are_refused(machine, tmp_path):
    with (
        alone(tmp_path, wait=False),
        pytest.raises(InputError, match="another process is at work there"),
    ):
        train_runs(SMALL, machine, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_default_grid_halves_the_whole():
    assert Grid(data="digits", seeds=3).resolved(1438) == [22, 44, 89, 179, 359, 719, 1438]
    assert Grid(data="digits", seeds=3, whole=64).resolved(1438) == [1, 2, 4, 8, 16, 32, 64]
    assert Grid(data="digits", seeds=3, sizes=(5, 9, 7), whole=11).resolved(12) == [5, 7, 9, 11]


BAD = {
    "seeds": ({"seeds": 2}, "seeds are 2; take 3 to 1000"),
    "large": ({"whole": 2000}, "a size is 2,000, and there are 1,438 samples to train on"),
    "none": ({"sizes": [0, -5]}, "a size is -5, and there are 1,438"),
    "above": ({"sizes": [10, 20, 30, 200]}, "a size is 200, and the whole has 160 samples"),
    "few": ({"sizes": [20, 40]}, "there are 3 sizes, the whole among them; name 3 or more below"),
    "name": ({"data": "digts"}, "data set 'digts' is not known; did you mean digits?"),
    "form": ({"data": "a/b"}, "data 'a/b' is not known; write digits:K/N, a PATH.npz"),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_bad_grids_are_refused_before_any_work(machine, tmp_path, change, message):
    with pytest.raises(InputError) as refused:
        train_runs(replace(SMALL, **change), machine, tmp_path / "out")
    assert message in str(refused.value)
    assert not (tmp_path / "out").exists()


def own_images(path, side, images=300):
    rng = np.random.default_rng(0)
    labels = np.arange(images) % 4
    pixels = rng.integers(0, 100, (images, side, side), dtype=np.uint8)
    pixels[np.arange(images), labels * 2] += 150
    np.savez(path, images=pixels, labels=labels)


def test_of_ones_own_images_a_fifth_is_held_out(machine, tmp_path):
    own_images(tmp_path / "own.npz", 8)
    notes = []
    grid = Grid(data=str(tmp_path / "own.npz"), sizes=[16, 32, 64], seeds=3, epochs=2)
    runs = train_runs(grid, machine, tmp_path / "out", note=notes.append)
    assert runs.samples.max() == 240  # four fifths are the whole
    assert notes[0].startswith("the loss is measured on 60 test images")


def test_images_that_no_network_takes_are_refused(machine, tmp_path):
    own_images(tmp_path / "own.npz", 9)
    grid = Grid(data=str(tmp_path / "own.npz"), sizes=[16, 32, 64], seeds=3)
    with pytest.raises(InputError, match=r"images are \(9, 9, 1\) .* and no network takes them"):
        train_runs(grid, machine, tmp_path / "out")


@pytest.mark.parametrize("name", ["digits", "mnist", "cifar10"])
def test_the_runs_in_the_results_are_those_of_their_trainings(name):
    """Every loss and error is in the kept training of its size and seed."""
    kept = {}
    for path in (RESULTS / name / "trained").iterdir():
        training = json.loads(path.read_text())
        of_sizes = zip(training["about"]["samples"], training["scores"], strict=True)
        kept |= {(size, training["about"]["seed"]): score for size, score in of_sizes}
    loss, error = (read_runs(RESULTS / name / "runs.csv", of) for of in ("loss", "error"))
    pairs = list(zip(loss.samples.tolist(), loss.seed.tolist(), strict=True))
    assert sorted(pairs) == sorted(kept)
    assert loss.loss.tolist() == [kept[pair][0] for pair in pairs]
    assert error.loss == pytest.approx([1 - kept[pair][1] for pair in pairs], abs=1e-9)
