"""Checkpoints: whole or not used, of this training or refused, and going on is never stopping."""

import contextlib
import copy
import errno
import hashlib
import io
import itertools
import json
import os
import signal
from dataclasses import replace

import pytest
import torch

from fedfact import InputError
from fedfact.training import Checkpoint, Machine, train_federated, train_local
from fedfact.training.agent import Agent
from fedfact.training.kept import run

PLAIN = Machine("cpu", plain=True)
STATE = {
    "finished": False,
    "done": 3,
    "engine": {"weights": torch.arange(50.0), "agents": [{"step": 3, "optimiser": {}}]},
}


@pytest.fixture
def saved(tmp_path):
    """A checkpoint in a file, and the notes that it makes."""
    notes = []
    checkpoint = Checkpoint(tmp_path / "c", {"seed": 1, "drops": (0.5, 0.75)}, note=notes.append)
    checkpoint.save(STATE)
    checkpoint.notes = notes
    return checkpoint


def test_what_was_saved_is_loaded(saved, bits):
    assert bits(saved.load()) == bits(STATE)
    assert saved.notes == [f"{saved.path}: found unfinished, going on from there"]
    saved.save({"finished": True})
    assert saved.load() == {"finished": True}
    assert saved.notes[1:] == [f"{saved.path}: found finished, going on from there"]


def test_where_there_is_none_nothing_is_loaded(tmp_path):
    notes = []
    assert Checkpoint(tmp_path / "c", {}, note=notes.append).load() is None
    assert notes == []


def test_a_torn_checkpoint_is_never_loaded(saved):
    data = saved.path.read_bytes()
    lengths = {*range(0, len(data), 37), *range(len(data) - 80, len(data))}
    for length in lengths:
        saved.path.write_bytes(data[:length])
        assert saved.load() is None
    assert saved.notes == [f"{saved.path}: is damaged and was not used; starting anew"] * len(
        lengths
    )


def test_a_changed_checkpoint_is_never_loaded(saved):
    data = saved.path.read_bytes()
    for place in {*range(0, len(data), 23), *range(len(data) - 80, len(data))}:
        for bit in (1, 128):
            changed = bytearray(data)
            changed[place] ^= bit
            saved.path.write_bytes(changed)
            assert saved.load() is None
    for changed in (data + b"\0", data + data, b"\0" + data, data[::-1], bytes(len(data))):
        saved.path.write_bytes(changed)
        assert saved.load() is None
    saved.path.write_bytes(data)
    assert saved.load() is not None


def test_a_save_that_breaks_off_leaves_the_old_one_and_no_rest(saved, bits):
    with pytest.raises(Exception, match="pickle"):
        saved.save({"finished": False, "weights": torch.zeros(10), "bad": lambda: None})
    assert bits(saved.load()) == bits(STATE)
    assert [path.name for path in saved.path.parent.iterdir()] == ["c"]


def test_another_trainings_checkpoint_is_refused_by_what_differs(saved):
    other = Checkpoint(saved.path, {"seed": 1, "drops": (0.5,)})
    with pytest.raises(InputError) as refusal:
        other.load()
    assert str(refusal.value) == (
        f"{saved.path}: is of another training (drops: [0.5, 0.75] there, [0.5] here); name "
        "another directory, or delete it to start anew"
    )


def test_how_often_it_is_written(tmp_path):
    due = [Checkpoint(tmp_path, {}, every=3).is_due(k, k + 1) for k in range(7)]
    assert due == [False, False, True, False, False, True, False]
    assert Checkpoint(tmp_path, {}, every=3).is_due(2, 7)
    assert not Checkpoint(tmp_path, {}, every=3).is_due(4, 4)
    with pytest.raises(InputError, match="checkpoints are to be 0 epochs apart; take 1 or more"):
        Checkpoint(tmp_path, {}, every=0)


class Stop(Exception):  # noqa: N818
    pass


class Stopping:
    """A machine whose engines stop for good before the call with this number."""

    def __init__(self, machine, calls):
        self._machine, self.describe = machine, machine.describe
        self.calls, self.steps = calls, 0

    def engine(self, job, horizon):
        engine = self._machine.engine(job, horizon)
        update, average = engine.update, engine.average

        def counted(work, steps=0):
            if self.calls == 0:
                raise Stop
            self.calls -= 1
            self.steps += steps
            return work

        engine.update = lambda steps: counted(update, max(steps))(steps)
        engine.average = lambda: counted(average)()
        return engine


def until_done(train, job, machine, path, calls, **options):
    """Train in pieces of so many calls; the result, and the steps it took in all.

    A training whose every piece is shorter than an epoch would never end: pieces grow.
    """
    steps = 0
    for more in itertools.count():
        stopping = Stopping(machine, calls + more)
        checkpoint = Checkpoint(path, job.describe())
        try:
            return train(job, stopping, checkpoint=checkpoint, **options), steps + stopping.steps
        except Stop:
            steps += stopping.steps


@pytest.mark.parametrize(
    ("h", "machine"), [(1, PLAIN), (2, Machine("cpu", workers=2)), (5, PLAIN)], ids=[1, 2, 5]
)
def test_stopped_once_at_any_call_federated_training_ends_the_same(job, bits, tmp_path, machine, h):
    """3 steps an epoch and 9 in all; at most one epoch, and the round it ends in, is repeated."""
    job = replace(job, recipe=replace(job.recipe, epochs=3, local_steps=h))
    whole = train_federated(job, machine)
    rounds = -(-9 // h)
    for calls in range(2 * rounds):
        path = tmp_path / f"{calls}"
        stopping = Stopping(machine, calls)
        with pytest.raises(Stop):
            train_federated(job, stopping, checkpoint=Checkpoint(path, job.describe()))
        rest = Stopping(machine, 1000)
        again = train_federated(job, rest, checkpoint=Checkpoint(path, job.describe()))
        assert bits(again.weights) == bits(whole.weights)
        assert again.curve == whole.curve
        assert stopping.steps + rest.steps <= 9 + 3 + h - 1


@pytest.mark.parametrize("h", [1, 2, 5])
def test_stopped_once_at_any_call_local_training_ends_the_same(job, tmp_path, h):
    job = replace(job, recipe=replace(job.recipe, epochs=3, local_steps=h))
    whole = train_local(job, PLAIN)
    for calls in range(3 * -(-3 // h)):
        path = tmp_path / f"{calls}"
        stopping = Stopping(PLAIN, calls)
        with pytest.raises(Stop):
            train_local(job, stopping, checkpoint=Checkpoint(path, job.describe()))
        rest = Stopping(PLAIN, 1000)
        again = train_local(job, rest, checkpoint=Checkpoint(path, job.describe()))
        assert again == whole
        assert stopping.steps + rest.steps <= 9 + 3


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
def test_stopped_again_and_again_both_trainings_end_the_same(job, bits, tmp_path, optimiser):
    recipe = replace(
        job.recipe, optimiser=optimiser, rate=0.02, momentum=0.9, drops=(0.5,), epochs=6
    )
    job = replace(job, recipe=recipe)
    whole, alone = train_federated(job, PLAIN), train_local(job, PLAIN)
    again, _ = until_done(train_federated, job, PLAIN, tmp_path / "f", 2)
    assert bits(again.weights) == bits(whole.weights)
    assert again.curve == whole.curve
    assert until_done(train_local, job, PLAIN, tmp_path / "l", 1)[0] == alone


def test_stopped_with_augmentation_and_weights_both_trainings_end_the_same(
    augmented_job, bits, tmp_path
):
    whole, alone = train_federated(augmented_job, PLAIN), train_local(augmented_job, PLAIN)
    again, _ = until_done(train_federated, augmented_job, PLAIN, tmp_path / "f", 2)
    assert bits(again.weights) == bits(whole.weights)
    assert again.curve == whole.curve
    assert until_done(train_local, augmented_job, PLAIN, tmp_path / "l", 1)[0] == alone


def test_the_fast_engine_goes_on_where_the_plain_one_stopped(job, bits, tmp_path):
    whole = run(job, PLAIN, output=tmp_path / "whole")
    for kind in ("local", "federated"):
        with pytest.raises(Stop):
            run(job, Stopping(PLAIN, 5), only=kind, output=tmp_path / "parts")
    assert run(job, Machine("cpu", workers=3), output=tmp_path / "parts") == whole
    for name in ("model.pt", "summary.json"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("kind", ["local", "federated"])
def test_ctrl_c_while_workers_are_at_work_leaves_a_checkpoint(job, tmp_path, monkeypatch, kind):
    """The signal comes from within an agent's eighth step, when the main thread waits."""
    whole, update, taken = run(job, PLAIN, only=kind), Agent.update, []

    def interrupted(agent, steps):
        update(agent, steps)
        taken.append(steps)
        if len(taken) == 8:
            os.kill(os.getpid(), signal.SIGINT)

    fast = Machine("cpu", workers=2)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Agent, "update", interrupted)
            with pytest.raises(KeyboardInterrupt):
                run(job, fast, only=kind, output=tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    notes = []
    assert run(job, fast, only=kind, output=tmp_path, note=notes.append) == whole
    assert [note.split(": ")[1] for note in notes] == ["found unfinished, going on from there"]


def test_tests_far_apart_are_the_same_after_a_stop(job, tmp_path):
    whole, alone = train_federated(job, PLAIN, every=3), train_local(job, PLAIN, every=3)
    assert whole.curve.epochs == alone[0].epochs == [3, 4]
    again, _ = until_done(train_federated, job, PLAIN, tmp_path / "f", 5, every=3)
    assert again.curve == whole.curve
    assert until_done(train_local, job, PLAIN, tmp_path / "l", 3, every=3)[0] == alone


def test_a_damaged_checkpoint_costs_time_and_nothing_else(job, tmp_path):
    whole, notes = run(job, PLAIN), []
    with pytest.raises(Stop):
        run(job, Stopping(PLAIN, 5), output=tmp_path)
    path = tmp_path / "local.checkpoint"
    path.write_bytes(path.read_bytes()[:-1])
    (tmp_path / ".local.checkpoint.x1y2z3").write_bytes(b"half a checkpo")  # of a killed process
    (tmp_path / ".summary.json.x1y2z3").write_bytes(b"{")
    assert run(job, PLAIN, output=tmp_path, note=notes.append) == whole
    assert notes == [f"{path}: is damaged and was not used; starting anew"]


def test_what_is_finished_is_not_done_again(job, tmp_path):
    whole = run(job, PLAIN, output=tmp_path)
    model = (tmp_path / "model.pt").read_bytes()
    (tmp_path / "model.pt").unlink()
    (tmp_path / "summary.json").unlink()
    notes = []
    assert run(job, Stopping(PLAIN, 0), output=tmp_path, note=notes.append) == whole
    assert (tmp_path / "model.pt").read_bytes() == model
    assert [note.split(": ")[1] for note in notes] == ["found finished, going on from there"] * 2


@pytest.mark.parametrize("finished", [False, True], ids=["unfinished", "finished"])
def test_checkpoints_of_another_job_are_refused(job, tmp_path, finished):
    try:
        run(job, Stopping(PLAIN, 1000 if finished else 5), only="local", output=tmp_path)
    except Stop:
        assert not finished
    before = (tmp_path / "local.checkpoint").read_bytes()
    longer = replace(job, recipe=replace(job.recipe, epochs=9))
    swapped = replace(job, shards=[job.shards[1], job.shards[0], job.shards[2]])
    for other, machine, options, what in (
        (longer, PLAIN, {}, "epochs: 4 there, 9 here"),
        (replace(job, seed=6), PLAIN, {}, "first weights: "),
        (swapped, PLAIN, {}, "samples of the agents: "),
        (job, Machine("cpu", precision="bf16"), {}, "arithmetic: cpu fp32 there, cpu bf16 here"),
        (job, PLAIN, {"every": 2}, "epochs between tests: 1 there, 2 here"),
    ):
        with pytest.raises(InputError) as refusal:
            run(other, machine, output=tmp_path, **options)
        assert f"is of another training ({what}" in str(refusal.value)
        assert "name another directory, or delete it to start anew" in str(refusal.value)
    (tmp_path / "federated.checkpoint").write_bytes(before)
    with pytest.raises(InputError, match=r"\(training: local there, federated here\)"):
        run(job, PLAIN, only="federated", output=tmp_path)
    assert (tmp_path / "local.checkpoint").read_bytes() == before


def test_fewer_checkpoints_are_written_when_asked(job, tmp_path, monkeypatch):
    saves = []
    save = Checkpoint.save

    def noted(checkpoint, state):
        saves.append((checkpoint.path.name, state.get("epoch", state.get("done"))))
        save(checkpoint, state)

    monkeypatch.setattr(Checkpoint, "save", noted)
    run(job, PLAIN, output=tmp_path / "1")
    local = [("local.checkpoint", epoch) for epoch in (1, 2, 3, None)]
    # two steps a round, three an epoch
    assert saves == [*local, *(("federated.checkpoint", done) for done in (4, 6, 10, None))]
    saves.clear()
    run(job, PLAIN, output=tmp_path / "2", save_every=2)
    assert saves == [
        *(("local.checkpoint", epoch) for epoch in (2, None)),
        *(("federated.checkpoint", done) for done in (6, None)),
    ]


def test_a_full_disk_is_told_of_and_leaves_nothing(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fedfact.io.files.os.fsync", full)
    with pytest.raises(InputError, match=r"a.checkpoint: cannot be written \(no space left.*make"):
        Checkpoint(tmp_path / "a.checkpoint", {}).save({"finished": False})
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_while_the_state_is_written_is_told_of(tmp_path):
    """A write that fails deep inside PyTorch, which makes another error of it."""
    resource = pytest.importorskip("resource", reason="this system has no limits to set")
    before, ignored = (
        resource.getrlimit(resource.RLIMIT_FSIZE),
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(
            InputError, match=r"a\.checkpoint: cannot be written \(file too large\)"
        ):
            Checkpoint(tmp_path / "a.checkpoint", {}).save({**STATE, "more": torch.zeros(100_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert list(tmp_path.iterdir()) == []


def rubbish(path, state, about):
    """A checkpoint whose SHA-256 is right, whatever is in it."""
    buffer = io.BytesIO()
    torch.save(state, buffer)
    data = buffer.getvalue() if isinstance(state, dict | list | int) else state
    data += about + hashlib.sha256(about).digest() + len(about).to_bytes(8, "little")
    path.write_bytes(data + hashlib.sha256(data).digest() + b"fedfact checkpoint 2\n")


@pytest.mark.parametrize("kind", ["federated", "local"])
def test_rubbish_with_a_right_hash_is_refused(job, tmp_path, kind):
    train = {"federated": train_federated, "local": train_local}[kind]
    whole, states = Checkpoint(tmp_path / "whole", {}, 1), []
    whole.save = lambda state: states.append(copy.deepcopy(state))
    train(job, PLAIN, checkpoint=whole)
    going, done = states[0], states[-1]
    assert (going["finished"], done["finished"]) == (False, True)
    wrong = [{}, [], 7, {"finished": 1}, {"finished": False}, {"finished": True}]
    for state in (going, done):
        wrong += [{**state, key: value} for key in state for value in (None, -1, "x", [], {}, 1e9)]
    for agent in range(2):
        for key in ("step", "weights", "optimiser"):
            for value in (-1, 10**9, "x", [], {"state": {0: {"exp_avg": torch.ones(3)}}}):
                inner = copy.deepcopy(going)
                inner["engine"]["agents"][agent][key] = value
                wrong.append(inner)
    path = tmp_path / "rubbish"
    for state in wrong:
        rubbish(path, state, json.dumps({"job": {}, "finished": False}).encode())
        with contextlib.suppress(InputError):
            train(job, PLAIN, checkpoint=Checkpoint(path, {}, 10**6))


@pytest.mark.parametrize(
    "about", [b"", b"[]", b"{}", b"\xff", b'{"job": 7, "finished": 1}', b"[" * 9000]
)
def test_rubbish_about_itself_is_no_checkpoint(tmp_path, about):
    rubbish(tmp_path / "rubbish", b"no state at all", about)
    checkpoint = Checkpoint(tmp_path / "rubbish", {"a": 1}, 1)
    assert not checkpoint.is_finished()
    with pytest.raises(InputError, match="delete it to start anew"):
        checkpoint.load()
