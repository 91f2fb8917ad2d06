"""``fedfact train`` as a researcher meets it."""

import gzip
import json
import re

import pytest
import torch

from fedfact.training import Machine

SMALL = (
    *("train", "digits", "--device", "cpu", "--samples", "60,40,20"),
    *("--epochs", 2, "--local-steps", 1),
)


pytestmark = pytest.mark.usefixtures("alone")


def test_the_table_shows_alone_and_together(fedfact):
    document = json.loads(fedfact(*SMALL, "--json").out)
    result = fedfact(*SMALL)
    assert (result.code, result.err) == (0, "")
    lines = [" ".join(line.split()) for line in result.out.splitlines()]

    def row(name, ends):
        return "{} {:.4f} {:.2%} {:.4f} {:.2%}".format(
            name, *(ends[end][key] for end in ("final", "best") for key in ("loss", "accuracy"))
        )

    local = document["local"]
    ranked = sorted(local["agents"], key=lambda agent: agent["final"]["loss"])
    for line in (
        row("alone, mean", local),
        row("alone, best agent", ranked[0]),
        row("alone, worst agent", ranked[-1]),
        row("together", document["federated"]),
    ):
        assert line in lines
    assert lines[-1] == (
        "digits: 3 agents with 20 to 60 samples, iid, 2 epochs, 1 local steps, seed 0, cpu fp32; "
        "scores on the test set."
    )


def test_the_json_document_is_the_summary(fedfact, tmp_path):
    result = fedfact(*SMALL, "--seed", 7, "--json", "-o", tmp_path / "out")
    document = json.loads(result.out)
    assert result.code == 0
    assert document == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert document["samples"] == [60, 40, 20]
    assert document["job"]["seed"] == 7
    assert document["job"]["epochs"] == 2
    assert document["job"]["local steps"] == 1
    assert document["federated"]["curve"]["epoch"] == [1, 2]
    assert len(document["local"]["agents"]) == 3
    assert result.err == f"note: wrote {tmp_path / 'out' / 'summary.json'}\n"


@pytest.mark.parametrize(("only", "other"), [("local", "federated"), ("federated", "local")])
def test_only_one_of_the_two(fedfact, only, other):
    document = json.loads(fedfact(*SMALL, "--only", only, "--json").out)
    assert only in document
    assert other not in document
    text = fedfact(*SMALL, "--only", only).out
    assert ("together" in text) == (only == "federated")
    assert ("alone, mean" in text) == (only == "local")


def test_options_reach_the_training(fedfact):
    options = ("--agents", 2, "--samples", 50, "--epochs", 3, "--every", 2, "--json")
    plain = fedfact("train", "digits", *options, "--device", "cpu", "--engine", "plain")
    fast = fedfact("train", "digits", *options, "--device", "cpu", "--workers", 2)
    assert plain.out == fast.out
    document = json.loads(plain.out)
    assert document["samples"] == [50, 50]
    assert document["local"]["agents"][1]["curve"]["epoch"] == [2, 3]
    skewed = fedfact("train", "digits", *options, "--device", "cpu", "--partition", "dirichlet:0.1")
    names = ("samples of the agents", "seed", "first weights")
    same = [json.loads(skewed.out)["job"][name] == document["job"][name] for name in names]
    assert same == [False, True, True]
    rough = fedfact("train", "digits", *options, "--device", "cpu", "--precision", "bf16")
    assert json.loads(rough.out)["job"]["arithmetic"] == "cpu bf16"


def test_one_agent_has_one_row_alone(fedfact):
    result = fedfact("train", "digits", "--agents", 1, "--samples", 60, "--epochs", 1)
    assert "best agent" not in result.out
    assert "digits: 1 agents with 60 samples, iid, 1 epochs" in result.out


def test_progress_goes_to_stderr(fedfact, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    result = fedfact(*SMALL, "--json")
    assert json.loads(result.out)["samples"] == [60, 40, 20]
    for word in ("local", "federated", "images/s", "100 %"):
        assert word in re.sub("\x1b\\[[0-9;?]*[a-zA-Z]", "", result.err)


def test_a_finished_directory_is_not_trained_again(fedfact, tmp_path, monkeypatch):
    first = fedfact(*SMALL, "-o", tmp_path)
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    monkeypatch.setattr(Machine, "engine", None)
    again = fedfact(*SMALL, "-o", tmp_path)
    assert (again.code, again.out) == (0, first.out)
    assert again.err.count("found finished, going on from there") == 2
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == files


def test_another_trainings_directory_is_refused(fedfact, tmp_path):
    fedfact(*SMALL, "-o", tmp_path)
    result = fedfact(*SMALL, "--seed", 1, "-o", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert "local.checkpoint: is of another training (" in result.err
    assert "name another directory, or delete it to start anew" in result.err


def test_a_damaged_checkpoint_is_told_and_trained_anew(fedfact, tmp_path):
    first = fedfact(*SMALL, "-o", tmp_path)
    path = tmp_path / "federated.checkpoint"
    path.write_bytes(path.read_bytes()[:-10])
    again = fedfact(*SMALL, "-o", tmp_path)
    assert (again.code, again.out) == (0, first.out)
    assert "federated.checkpoint: is damaged and was not used; starting anew" in again.err


@pytest.mark.parametrize("kept", [True, False])
def test_ctrl_c_exits_130(fedfact, tmp_path, monkeypatch, kept):
    options = ["-o", tmp_path / "out"] if kept else []
    with monkeypatch.context() as patch:
        patch.setattr("fedfact.training.kept.training.train_federated", interrupted)
        result = fedfact(*SMALL, *options)
    assert (result.code, result.out) == (130, "")
    assert ("the same command goes on from" in result.err) == kept
    again = fedfact(*SMALL, *options)
    assert again.code == 0
    assert ("local.checkpoint: found finished" in again.err) == kept
    assert again.out == fedfact(*SMALL).out


def interrupted(*_, **__):
    raise KeyboardInterrupt


BAD = {
    "data set": (["digit"], "data set 'digit' is not known; did you mean digits?"),
    "no agents": (["--agents", "0"], "agents are 0; take 1 or more"),
    "no samples": (["--samples", "0"], "is to get 0 samples; give every agent at least 1"),
    "negative samples": (["--samples", "50,-1"], "is to get -1 samples; give every agent"),
    "too many samples": (["--samples", "1000,1000"], "2 agents want 2000 samples together"),
    "absurdly many samples": (["--samples", f"{10**20}"], "samples; give every agent 1 to 1438"),
    "absurdly many agents": (["--agents", f"{10**20}"], "agents cannot share 1438 samples"),
    "more agents than samples": (
        ["--agents", "2000"],
        "2000 agents cannot share 1438 samples; take fewer",
    ),
    "count": (["--agents", "3", "--samples", "5,5"], "for 2 agents of 3; give one or 3"),
    "words": (["--samples", "many"], "--samples is 'many'; give one whole number, or one for each"),
    "gap": (["--samples", "5,,5"], "--samples is '5,,5'; give one whole number"),
    "partition": (["--partition", "sorted"], "partition 'sorted' is not known; write iid"),
    "skew": (["--partition", "dirichlet:0"], "the concentration is not a number above 0"),
    "epochs": (["--epochs", "-1"], "epochs is -1; it must be 1 or more"),
    "no epochs": (["--epochs", "0"], "epochs is 0; it must be 1 or more"),
    "local steps": (["--local-steps", "0"], "local steps is 0; it must be 1 or more"),
    "every": (["--every", "0"], "0 epochs apart; take 1 or more"),
    "workers": (["--workers", "0"], "workers are 0; take 1 or more"),
    "plain workers": (["--engine", "plain", "--workers", "2"], "the plain engine has no workers"),
    "cuda": (["--device", "cuda"], "there is no CUDA device here; take device cpu or auto"),
    "engine": (["--engine", "turbo"], "'turbo' is not one of"),
    "seed": (["--seed", "-1"], "--seed"),
    "no data": (["mnist", "--data-dir", "nowhere"], "nowhere: there is no such directory"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input_exits_2_with_the_remedy(fedfact, monkeypatch, options, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    result = fedfact("train", *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_the_plain_engine_is_not_for_cuda(fedfact, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    result = fedfact("train", "--engine", "plain", "--device", "cuda")
    assert (result.code, result.out) == (2, "")
    assert "the plain engine runs on the CPU; take device cpu or the fast engine" in result.err


@pytest.mark.parametrize(
    "content",
    [b"", b"garbage", gzip.compress(b"\0\0\x08\x03" + bytes(9))],
    ids=["empty", "garbage", "cut"],  # gzip writes the time, and workers must agree on the name
)
def test_a_corrupt_file_exits_2(fedfact, tmp_path, content):
    for kind in ("train", "t10k"):
        for rest in ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"):
            (tmp_path / f"{kind}-{rest}").write_bytes(content)
    result = fedfact("train", "mnist", "--data-dir", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert f"error: {tmp_path / 'train-images-idx3-ubyte.gz'}: " in result.err
    assert "again" in result.err


def test_a_wrong_directory_in_the_environment_exits_2(fedfact, tmp_path, monkeypatch):
    monkeypatch.setenv("FEDFACT_DATA", str(tmp_path / "none"))
    result = fedfact("train", "ham10000")
    assert (result.code, result.out) == (2, "")
    assert "create it, or correct or unset FEDFACT_DATA" in result.err


def test_an_output_that_cannot_be_made_exits_2(fedfact, tmp_path, monkeypatch):
    monkeypatch.setattr(Machine, "engine", None)  # refused before any work
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", tmp_path / "file" / "below"):
        result = fedfact(*SMALL, "-o", output)
        assert (result.code, result.out) == (2, "")
        assert f"error: {output}: cannot be written to (" in result.err
        assert "; name another directory" in result.err


def test_checkpoints_at_no_epoch_are_refused(fedfact, tmp_path):
    result = fedfact(*SMALL, "--save-every", 0, "-o", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert "checkpoints are to be 0 epochs apart; take 1 or more" in result.err


def test_ctrl_c_before_anything_was_saved_promises_nothing(fedfact, tmp_path, monkeypatch):
    def stopped(self, job, horizon):
        raise KeyboardInterrupt

    monkeypatch.setattr(Machine, "engine", stopped)
    result = fedfact(*SMALL, "-o", tmp_path)
    assert (result.code, result.out, result.err) == (130, "", "note: stopped\n")


def test_refusals_come_before_the_data_is_read(fedfact, tmp_path, monkeypatch):
    monkeypatch.setattr("fedfact.training.setup.load", None)
    (tmp_path / "file").write_text("")
    for wrong in (["--every", 0], ["--save-every", 0], ["-o", tmp_path / "file"]):
        assert fedfact(*SMALL, *wrong).code == 2
    assert fedfact(*SMALL, "--partition", "sorted").code == 2
    monkeypatch.setenv("FEDFACT_DATA", str(tmp_path))
    result = fedfact("train", "ham10000")
    assert result.code == 2
    assert "has no ResNet-50 weights; put" in result.err
