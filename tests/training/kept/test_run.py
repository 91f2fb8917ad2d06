"""Both trainings in one directory: what is summed up, and the files that are written."""

import errno
import json
import os
from dataclasses import replace

import pytest
import torch

from fedfact import InputError
from fedfact.io.files import alone
from fedfact.training import Federated, Machine, TrainingCurve, train_federated, train_local
from fedfact.training.kept import run, summary

PLAIN = Machine("cpu", plain=True)


def test_final_and_best_by_hand(job):
    """The best epoch is that of the lowest loss; the mean is over agents, each at its own best."""
    local = [
        TrainingCurve.from_rows([(1, 0.75, 0.5), (2, 0.25, 0.75), (3, 0.5, 1.0)]),
        TrainingCurve.from_rows([(1, 1.75, 0.25), (2, 1.5, 0.5), (3, 1.0, 0.5)]),
    ]
    together = TrainingCurve.from_rows([(1, 0.125, 1.0), (3, 0.25, 0.75)])
    result = summary({}, job, Federated(together, {}), local)
    assert result["federated"] == {
        "final": {"epoch": 3, "loss": 0.25, "accuracy": 0.75},
        "best": {"epoch": 1, "loss": 0.125, "accuracy": 1.0},
        "curve": {"epoch": [1, 3], "loss": [0.125, 0.25], "accuracy": [1.0, 0.75]},
    }
    assert result["local"]["final"] == {"epoch": 3, "loss": 0.75, "accuracy": 0.75}
    assert result["local"]["best"] == {"epoch": 2.5, "loss": 0.625, "accuracy": 0.625}
    assert [agent["best"]["epoch"] for agent in result["local"]["agents"]] == [2, 3]


def test_the_summary_is_of_both_trainings(job):
    federated, local = train_federated(job, PLAIN), train_local(job, PLAIN)
    result = run(job, PLAIN)
    about = {**job.describe(), "arithmetic": "cpu fp32", "torch": torch.__version__}
    assert result == summary(about, job, federated, local)
    assert result["samples"] == [20, 13, 7]
    assert result["federated"]["curve"]["epoch"] == [1, 2, 3, 4]


def test_files_hold_the_summary_and_the_model(job, tmp_path, bits, load_model):
    output = tmp_path / "some" / "where"
    result = run(job, PLAIN, output=output)
    assert sorted(path.name for path in output.iterdir()) == [
        *("federated.checkpoint", "local.checkpoint", "model.pt", "summary.json")
    ]
    assert json.loads((output / "summary.json").read_text()) == json.loads(json.dumps(result))
    weights = load_model(output / "model.pt")
    assert bits(weights) == bits(train_federated(job, PLAIN).weights)
    model = job.network()
    model.load_state_dict(weights)
    assert (output / "model.pt").stat().st_mode & 0o400


@pytest.mark.parametrize("name", ["model.pt", "summary.json", "local.checkpoint"])
def test_nothing_is_written_where_a_link_leads_out_of_the_directory(job, tmp_path, name):
    (tmp_path / "own").write_text("mine")
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / name).symlink_to(tmp_path / "own")
    with pytest.raises(InputError, match=f"{name}: leads out of .*results; remove the link"):
        run(job, PLAIN, output=tmp_path / "results")
    assert (tmp_path / "own").read_text() == "mine"


@pytest.mark.parametrize(("only", "other"), [("local", "federated"), ("federated", "local")])
def test_only_one_of_the_two(job, tmp_path, only, other):
    both, one = run(job, PLAIN), run(job, PLAIN, only=only, output=tmp_path)
    assert other not in one
    assert one[only] == both[only]
    assert (tmp_path / "model.pt").exists() == (only == "federated")
    assert not (tmp_path / f"{other}.checkpoint").exists()
    assert run(job, PLAIN, output=tmp_path) == both


def test_two_runs_write_the_same_bytes(job, tmp_path):
    for name, machine in (("one", PLAIN), ("other", Machine("cpu", workers=2))):
        run(job, machine, output=tmp_path / name)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "other" / path.name).read_bytes()


def test_an_output_that_cannot_be_made_is_refused_before_any_work(job, tmp_path, monkeypatch):
    monkeypatch.setattr(Machine, "engine", None)
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(
            InputError, match=r"file.*: cannot be written to .*; name another directory"
        ):
            run(job, PLAIN, output=output)


def test_progress_is_reported_for_both(job):
    calls = []
    run(job, PLAIN, progress=lambda *call: calls.append(call))
    for kind, total in (("local", 4 * 40), ("federated", 4 * 20 + 6 * 13 + 12 * 7)):
        done = [call[1] for call in calls if call[0] == kind]
        assert done == sorted(done)
        assert (done[0], done[-1]) == (0, total)
        assert {call[2:] for call in calls if call[0] == kind} == {(total, "images")}


@pytest.mark.parametrize("name", ["local.checkpoint", "model.pt", "summary.json"])
def test_a_directory_where_a_file_must_go_is_refused_before_any_work(
    job, tmp_path, monkeypatch, name
):
    monkeypatch.setattr(Machine, "engine", None)
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match=r"is a directory; remove it, or name another one"):
        run(job, PLAIN, output=tmp_path)


def test_what_a_killed_process_left_is_cleared_away(job, tmp_path):
    torn = tmp_path / ".local.checkpoint.abc123.part"
    torn.write_bytes(b"half")
    others = [tmp_path / name for name in (".mine", ".summary.json.swp", ".mine.part")]
    for other in others:
        other.write_bytes(b"whole")
    folder = tmp_path / ".model.pt.1.part"
    folder.mkdir()
    run(job, PLAIN, output=tmp_path)
    assert not torn.exists()
    assert all(path.exists() for path in (*others, folder))


@pytest.mark.parametrize("only", [None, "local", "federated"])
@pytest.mark.parametrize("kind", ["local", "federated"])
def test_any_checkpoint_of_another_training_is_refused_before_any_work(
    job, tmp_path, monkeypatch, kind, only
):
    run(replace(job, seed=job.seed + 1), PLAIN, only=kind, output=tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr(Machine, "engine", None)
    with pytest.raises(
        InputError, match=rf"{kind}.checkpoint: is of another training \(.* there, "
    ):
        run(job, PLAIN, only=only, output=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_what_was_finished_before_stays_in_the_summary(job, tmp_path):
    both = run(job, PLAIN, output=tmp_path)
    assert run(job, PLAIN, only="local", output=tmp_path) == both
    assert run(job, PLAIN, only="federated", output=tmp_path) == both


def test_two_processes_do_not_train_in_one_directory(job, tmp_path):
    with (
        alone(tmp_path, wait=False),
        pytest.raises(InputError, match="another process is at work there; wait for it, or name"),
    ):
        run(job, PLAIN, output=tmp_path)
    run(job, PLAIN, output=tmp_path)


def test_a_full_disk_in_the_end_is_told_of(job, tmp_path, monkeypatch):
    run(job, PLAIN, output=tmp_path)

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fedfact.io.files.os.fsync", full)
    with pytest.raises(InputError, match=r"model.pt: cannot be written \(no space left"):
        run(job, PLAIN, output=tmp_path)


def test_checkpoints_at_no_epoch_are_refused_without_an_output_too(job):
    with pytest.raises(InputError, match="checkpoints are to be 0 epochs apart; take 1 or more"):
        run(job, PLAIN, save_every=0)
