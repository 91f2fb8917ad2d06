"""Both trainings in one directory: what is summed up, and the files that are written."""

import json

import pytest

from fedfact import InputError
from fedfact.training import Curve, Federated, Machine, train_federated, train_local
from fedfact.training.run import run
from fedfact.training.summary import summary

PLAIN = Machine("cpu", plain=True)


def test_final_and_best_by_hand(job):
    """The best epoch is that of the lowest loss; the mean is over agents, each at its own best."""
    local = [
        Curve.from_rows([(1, 0.75, 0.5), (2, 0.25, 0.75), (3, 0.5, 1.0)]),
        Curve.from_rows([(1, 1.75, 0.25), (2, 1.5, 0.5), (3, 1.0, 0.5)]),
    ]
    together = Curve.from_rows([(1, 0.125, 1.0), (3, 0.25, 0.75)])
    result = summary(job, PLAIN, Federated(together, {}), local)
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
    assert result == summary(job, PLAIN, federated, local)
    assert result["job"] == job.describe()
    assert result["arithmetic"] == "cpu fp32"
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
    run(job, PLAIN, report=lambda *call: calls.append(call))
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
    torn, other = tmp_path / ".local.checkpoint.abc123", tmp_path / ".mine"
    torn.write_bytes(b"half")
    other.write_bytes(b"whole")
    run(job, PLAIN, output=tmp_path)
    assert not torn.exists()
    assert other.exists()


def test_checkpoints_at_no_epoch_are_refused_without_an_output_too(job):
    with pytest.raises(InputError, match="checkpoints are to be 0 epochs apart; take 1 or more"):
        run(job, PLAIN, save_every=0)
