"""A study goes on where it stopped: nothing twice, nothing of another study, nothing half done."""

import fcntl
import json
import os
import shutil

import pytest

from fedfact.errors import InputError
from fedfact.study import run
from fedfact.study.files.directory import read_result
from fedfact.training.kept import training as kept

RIDERS = 'deviators=[{kind="free-ride", number=[0, 2], strength=%s}]'
LIARS = 'deviators=[{kind="misreport", number=[0, 2], strength=%s}]'


@pytest.fixture
def copy(tiny, tmp_path):
    """The tiny study's directory, to be changed."""
    return shutil.copytree(tiny, tmp_path / "copy")


def stopped(*_, **__):
    raise KeyboardInterrupt


def everything(output):
    return {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}


def test_finished_parts_are_not_trained_again(copy, run_tiny, contents, no_training):
    before = contents(copy)
    with no_training():
        run_tiny(copy, resume=True)
    assert contents(copy) == before


def test_one_missing_part_is_trained_and_no_other(copy, run_tiny, contents, monkeypatch):
    before, trained_now = contents(copy), []
    (copy / "trained" / "dirichlet-0.3-seed1.json").unlink()
    (copy / "summary.json").unlink()
    train_local = kept.train_local

    def watched(job, *arguments, **options):
        trained_now.append((job.partition, job.seed))
        return train_local(job, *arguments, **options)

    monkeypatch.setattr(kept, "train_local", watched)
    run_tiny(copy, resume=True)
    assert trained_now == [("dirichlet:0.3", 1)]
    assert contents(copy) == before


def test_resume_in_a_fresh_directory_just_runs(tiny, run_tiny, contents, tmp_path):
    run_tiny(tmp_path / "new", resume=True)
    assert contents(tmp_path / "new") == contents(tiny)


def test_without_resume_a_directory_with_a_study_is_refused(copy, run_tiny):
    before = everything(copy)
    with pytest.raises(InputError, match="holds a study already; go on with it by --resume"):
        run_tiny(copy)
    assert everything(copy) == before


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("training.epochs=4", "training.epochs"),
        ("training.rate=0.01", "training.rate"),
        ("training.local_steps=3", "training.local_steps"),
        ("training.test_every=2", "training.test_every"),
        ("agents=6", "agents"),
        ("costs.mean=5e-4", "costs.mean"),
        ("costs.spread=0.2", "costs.spread"),
        ("costs.kind=lognormal", "costs.kind"),
        ("samples=40", "samples"),
        ("terms.error_scale=2.0", "terms.error_scale"),
        ("dataset=mnist", "dataset"),
    ],
)
def test_other_settings_are_refused_before_anything_is_changed(copy, run_tiny, override, key):
    before = everything(copy)
    with pytest.raises(InputError, match=rf"is of another study \({key}: .* there, .* here\)"):
        run_tiny(copy, override, "seeds=3", resume=True)
    assert everything(copy) == before


@pytest.mark.parametrize("words", [RIDERS, LIARS], ids=["free riders", "misreporters"])
@pytest.mark.parametrize("finished", [True, False])
def test_deviators_of_another_strength_are_refused_before_anything_is_changed(
    run_tiny, tmp_path, monkeypatch, words, finished
):
    """A training of who holds back half is not one of who holds back a fifth."""
    output = tmp_path / "out"
    run_tiny(output, words % "0.5", 'partitions=["iid"]', "seeds=1")
    if not finished:
        sorted((output / "trained").glob("*.json"))[0].unlink()
        (output / "summary.json").unlink()
    before = everything(output)
    with pytest.raises(InputError, match=r"strength|another training|another study"):
        run_tiny(output, words % "0.2", 'partitions=["iid"]', "seeds=1", resume=True)
    assert everything(output) == before


def test_more_seeds_and_partitions_use_what_is_there(
    copy, tiny, run_tiny, contents, no_training, tmp_path
):
    more = ("seeds=3", 'partitions=["dirichlet:0.3", "iid"]')
    run_tiny(copy, *more, resume=True)
    run_tiny(tmp_path / "fresh", *more)
    assert contents(copy) == contents(tmp_path / "fresh")
    with no_training():  # fewer again: all is there
        run_tiny(copy, resume=True)
        assert contents(copy)["summary.json"] == contents(tiny)["summary.json"]


def test_terms_and_score_settle_anew_without_training(
    copy, run_tiny, contents, no_training, tmp_path
):
    other = ("terms.retention=0.5", "terms.unit=1e-6", "terms.alpha=0.5", "score=best", "name=two")
    with no_training():
        run_tiny(copy, *other, resume=True)
    run_tiny(tmp_path / "fresh", *other)
    assert contents(copy) == contents(tmp_path / "fresh")


def test_a_training_that_was_stopped_half_way_goes_on(
    tiny, run_tiny, contents, tmp_path, monkeypatch, no_training
):
    output, notes = tmp_path / "out", []
    with monkeypatch.context() as patch:
        patch.setattr("fedfact.training.kept.training.train_federated", stopped)
        with pytest.raises(KeyboardInterrupt):
            run_tiny(output)
    assert sorted(path.name for path in (output / "trained").iterdir()) == ["iid-seed0.local"]
    run_tiny(output, resume=True, note=notes.append)
    assert "iid-seed0.local: found finished, going on from there" in notes[0]
    assert contents(output) == contents(tiny)


def test_what_killed_processes_left_is_cleared_away(copy, run_tiny, contents, tiny):
    """Checkpoints of a training that is finished, and files that were being written."""
    for name in ("iid-seed0.local", "iid-seed1.federated", ".iid-seed0.json.abc.part"):
        (copy / "trained" / name).write_bytes(b"left")
    for name in ("summary.json", "curves.parquet", "study.toml", "manifest.json"):
        (copy / f".{name}.abc.part").write_bytes(b"left")
    run_tiny(copy, resume=True)
    assert contents(copy) == contents(tiny)


def test_another_process_in_the_directory_is_refused(copy, run_tiny):
    before = everything(copy)
    lock = os.open(copy, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process is at work there"):
            run_tiny(copy, "seeds=3", resume=True)
    finally:
        os.close(lock)
    assert everything(copy) == before


DAMAGES = {
    "torn": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "nothing in it": lambda text: "{}",
    "a list": lambda text: "[]",
    "no curves": lambda text: json.dumps({"about": json.loads(text)["about"]}),
    "no words": lambda text: json.dumps(
        {k: v for k, v in json.loads(text).items() if k != "about"}
    ),
    "no text": lambda text: "\0\0",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_part_is_told_with_the_remedy(copy, run_tiny, no_training, damage):
    """Whether it is the only fault or trainings are missing as well."""
    path = copy / "trained" / "iid-seed1.json"
    path.write_text(damage(path.read_text()))
    for overrides in ((), ("seeds=3",)):
        with no_training(), pytest.raises(InputError, match=r"iid-seed1\.json: .*delete") as told:
            run_tiny(copy, *overrides, resume=True)
        assert str(path) in str(told.value)


def test_the_part_of_another_training_is_refused(copy, run_tiny, tiny):
    shutil.copy(copy / "trained" / "iid-seed0.json", copy / "trained" / "iid-seed1.json")
    with pytest.raises(InputError, match=r"iid-seed1\.json: is of another training"):
        run_tiny(copy, resume=True)


@pytest.mark.parametrize("text", ["", "seeds = [", "terms = 3", "\0", "[training]\n"])
def test_a_damaged_study_file_is_refused(copy, run_tiny, text):
    (copy / "study.toml").write_text(text)
    before = everything(copy)
    with pytest.raises(InputError, match=r"study\.toml: .*name another directory"):
        run_tiny(copy, resume=True)
    assert everything(copy) == before


def test_who_stops_while_adding_seeds_leaves_no_summary_that_does_not_fit(
    copy, run_tiny, monkeypatch
):
    """Settings, tables and summary are of one study, or the directory is called unfinished."""
    for where in ("train", "write_tables", "write_json"):
        with monkeypatch.context() as patch:
            patch.setattr(run, where, stopped)
            with pytest.raises(KeyboardInterrupt):
                run_tiny(copy, "seeds=3", resume=True)
        try:
            found = read_result(copy)
        except InputError:
            continue
        assert "seeds = 2" in found.config
        assert found.summary["seeds"] == [0, 1]
        assert set(found.agents["seed"]) == {0, 1}
    run_tiny(copy, "seeds=3", resume=True)
    assert read_result(copy).summary["seeds"] == [0, 1, 2]


def change(path, edit):
    document = json.loads(path.read_text())
    edit(document)
    path.write_text(json.dumps(document))


def test_trainings_without_a_study_beside_them_need_resume_too(copy, run_tiny):
    (copy / "study.toml").unlink()
    before = everything(copy)
    with pytest.raises(InputError, match="holds a study already"):
        run_tiny(copy)
    assert everything(copy) == before


def test_trainings_on_other_data_are_refused(copy, run_tiny, no_training):
    (copy / "study.toml").unlink()
    part = copy / "trained" / "iid-seed0.json"
    change(part, lambda kept: kept["about"].update({"data set": "mnist 0123456789abcdef"}))
    with pytest.raises(InputError, match=r"another training \(data: mnist there, digits here\)"):
        run_tiny(copy, resume=True)


@pytest.mark.parametrize("text", ["{", "[]", "{}", "3"])
def test_a_damaged_manifest_is_written_anew(copy, run_tiny, no_training, text):
    seconds = json.loads((copy / "manifest.json").read_text())["seconds"]
    (copy / "manifest.json").write_text(text)
    run_tiny(copy, resume=True)
    made = json.loads((copy / "manifest.json").read_text())
    assert made["seconds"] == seconds
    assert made["device"] == "cpu fp32"


def test_the_manifest_keeps_the_machine_that_trained_and_tells_the_seconds_of_what_is_shown(
    copy, run_tiny, no_training
):
    change(copy / "manifest.json", lambda made: made.update(device="cuda bf16", seconds={}))
    run_tiny(copy, "seeds=1", resume=True, command="fedfact run again")
    made = json.loads((copy / "manifest.json").read_text())
    assert (made["device"], made["command"]) == ("cuda bf16", "fedfact run again")
    assert made["trained_by"] == "fedfact run"
    assert made["seeds"] == [0]
    assert list(made["seconds"]) == ["iid, seed 0", "dirichlet:0.3, seed 0"]


def test_the_command_that_trained_stays_while_the_study_does(copy, run_tiny, no_training):
    """It may name the device, which who only settles anew does not."""

    def told(*overrides, command):
        run_tiny(copy, *overrides, resume=True, command=command)
        made = json.loads((copy / "manifest.json").read_text())
        return made["command"], made.get("trained_by")

    change(copy / "manifest.json", lambda made: made.update(command="first --device cuda"))
    with no_training():
        assert told(command="again") == ("first --device cuda", None)
        assert told("score=best", command="best") == ("best", "first --device cuda")
        assert told("score=best", command="again") == ("best", "first --device cuda")
        assert told("terms.alpha=0.5", command="alpha") == ("alpha", "first --device cuda")
        (copy / "summary.json").unlink()  # whoever made it so was not done
        assert told("terms.alpha=0.5", command="more") == ("more", "first --device cuda")
    assert told("seeds=3", command="new") == ("new", None)


def test_there_is_no_ratio_to_a_loss_below_zero_in_any_seed(copy, run_tiny, no_training):
    part = copy / "trained" / "iid-seed1.json"
    change(part, lambda kept: kept["federated"][-1].__setitem__(1, 1e-6))
    with no_training():
        iid = run_tiny(copy, resume=True).summary["arms"][0]
    believed = iid["loss"]["fact_believed"]["seeds"]
    assert believed[0] > 0 > believed[1]
    assert iid["ratio"]["fact_believed"] is None
    assert iid["ratio"]["fact_paper"]["seeds"][1] > 1


WRONG = {
    "empty curve": lambda kept: kept["local"].__setitem__(0, []),
    "words": lambda kept: kept["local"][0].__setitem__(-1, ["a", "b", "c"]),
    "no number": lambda kept: kept["federated"][-1].__setitem__(1, float("nan")),
    "too few classes": lambda kept: kept.update(classes=kept["classes"][:3]),
    "an agent less": lambda kept: kept["local"].pop(),
}


@pytest.mark.parametrize("edit", WRONG.values(), ids=WRONG)
def test_a_part_that_is_none_is_refused_before_anything_is_changed(copy, run_tiny, edit):
    part = copy / "trained" / "iid-seed1.json"
    change(part, edit)
    before = everything(copy)
    with pytest.raises(InputError, match=r"iid-seed1\.json: is damaged; delete it to train"):
        run_tiny(copy, resume=True)
    assert everything(copy) == before


def test_losses_beyond_all_money_name_the_training(copy, run_tiny):
    part = copy / "trained" / "iid-seed1.json"
    change(part, lambda kept: kept["local"][0][-1].__setitem__(1, 1e12))
    before = everything(copy)
    with pytest.raises(InputError, match="tiny, iid, seed 1: agent 'agent-01': "):
        run_tiny(copy, resume=True)
    assert everything(copy) == before


@pytest.mark.parametrize("name", ["summary.json", "agents.parquet", "report.html", "manifest.json"])
def test_a_directory_in_the_place_of_a_file_is_refused_first(copy, run_tiny, name):
    (copy / name).unlink(missing_ok=True)
    (copy / name).mkdir()
    before = everything(copy)
    with pytest.raises(InputError, match=f"{name}: is a directory; remove it, or name another"):
        run_tiny(copy, resume=True)
    assert everything(copy) == before


@pytest.mark.parametrize("name", ["trained", "figures"])
def test_a_file_in_the_place_of_a_folder_is_refused_first(tmp_path, run_tiny, name):
    (tmp_path / name).write_text("")
    with pytest.raises(
        InputError, match=f"{name}: is no directory to write to; remove it, or name another"
    ):
        run_tiny(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
