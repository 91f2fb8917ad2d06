"""The free-rider dilemma trained: what is trained on, once each, and what is said of it."""

import fcntl
import json
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import typer
from matplotlib.figure import Figure
from typer.testing import CliRunner

from fedfact import plot
from fedfact.cli.lab.collapse import collapse as command
from fedfact.data import load
from fedfact.errors import InputError
from fedfact.lab import Setting
from fedfact.lab.play.dynamics import contributions
from fedfact.report.base.pictures import pictures
from fedfact.report.single.collapse import collapse_chart, collapse_says, write_collapse
from fedfact.study.collapse import run as collapse
from fedfact.study.collapse.run import recipe_of, run_collapse
from fedfact.study.collapse.samples import Scenario, collect, deal, first_of_each
from fedfact.training import Job, Machine, kept, train_federated, train_local
from fedfact.training.seeds import generator
from fedfact.training.setup import network_of

AGENTS, SEEDS, EPOCHS = 4, 2, 2
FACT = ("sandwich-paper", "sandwich", "rebate", "shared")
TRAINED = ("local", "federated", "penalised", *FACT, "shaping", "realfm", "auction")
"""All rules but the benchmarks, which nobody could sign."""


def run(output, *, agents=AGENTS, costs="norm:loc=1,scale=0.1", epochs=EPOCHS, **options):
    """A tiny collapse."""
    setting = Setting.read(costs, agents)
    options = {"seeds": SEEDS, "recipe": recipe_of("digits", epochs), **options}
    return run_collapse("digits", setting, Machine("cpu"), output, **options)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The directory of a tiny collapse; not to be changed."""
    output = tmp_path_factory.mktemp("collapse") / "out"
    run(output)
    return output


@pytest.fixture(scope="module")
def document(tiny):
    return json.loads((tiny / "collapse.json").read_text())


def case_of(document, rule, lies=False):
    (found,) = (c for c in document["cases"] if (c["rule"], c["lies"]) == (rule, lies))
    return found


@contextmanager
def watched(monkeypatch, stop_at=None):
    """The trainings that are done meanwhile; Ctrl-C comes when so many are."""
    done = []
    with monkeypatch.context() as patch:
        for kind in ("train_local", "train_federated"):
            train = getattr(kept.training, kind)

            def noted(job, *arguments, kind=kind, train=train, **options):
                if len(done) == stop_at:
                    raise KeyboardInterrupt
                done.append((kind, job.seed, tuple(map(len, job.shards))))
                return train(job, *arguments, **options)

            patch.setattr(kept.training, kind, noted)
        yield done


def everything(output):
    """Every file, but for how long a training took."""
    return {
        path.relative_to(output): re.sub(rb'"seconds": [\d.]+', b"", path.read_bytes())
        for path in output.rglob("*")
        if path.is_file()
    }


def test_every_rule_is_there_twice(document):
    told = [(case["rule"], case["lies"]) for case in document["cases"]]
    assert told == [(name, lies) for lies in (False, True) for name in TRAINED]
    assert document["seeds"] == list(range(SEEDS))
    assert (document["dataset"], document["agents"], document["epochs"]) == (
        "digits", AGENTS, EPOCHS,
    )  # fmt: skip


def test_the_result_is_the_document_and_a_table_of_its_cases(tiny, document, tmp_path):
    shutil.copytree(tiny, tmp_path / "copy")
    found = run(tmp_path / "copy", resume=True)
    assert found.document() == document
    assert [(row["rule"], row["lies"]) for row in found.rows()] == [
        (case["rule"], case["lies"]) for case in document["cases"]
    ]
    assert found.rows()[0]["accuracy"] == document["cases"][0]["accuracy"]["mean"]
    lines = repr(found).splitlines()
    assert lines[0] == f"Collapse on Digits, {AGENTS} agents, seeds {SEEDS}"
    assert len(lines) == 2 + len(document["cases"])
    assert plot(found).title == "The free-rider dilemma, trained"


def test_the_numbers_are_those_of_the_equilibria_trained_directly(document):
    """All of it once more, the slow way: one agent after the other, every case by itself."""
    setting, data, seed = Setting.read(agents=AGENTS), load("digits"), 1
    cost, there = setting.population(seed), len(data.train)
    wanted = {
        (rule.name, lies): contributions(rule, setting, cost, lies)
        for rule in setting.rules(TRAINED)
        for lies in (False, True)
    }
    most = [max(used[k] for used in wanted.values()) for k in range(AGENTS)]
    scale = there / sum(most)
    assert document["scale"][seed] == pytest.approx(scale, rel=1e-12)
    order = generator(seed, "partition").permutation(there)
    room = [int(scale * each + 1e-6) for each in most]
    held = [order[sum(room[:k]) : sum(room[: k + 1])] for k in range(AGENTS)]
    machine = Machine("cpu", plain=True)
    for (rule, lies), used in wanted.items():
        samples = [int(scale * each + 1e-6) for each in used]
        shards = [np.sort(own[:m]) for own, m in zip(held, samples, strict=True) if m]
        job = Job(data, network_of(data, None), shards, recipe_of("digits", EPOCHS), seed)
        if rule == "local":
            scores = [curve.final for curve in train_local(job, machine)]
            behind, agents = np.mean(samples), 1
        else:
            scores = [train_federated(job, machine).curve.final]
            behind, agents = sum(samples), len(shards)
            assert case_of(document, rule, lies)["largest_share"]["values"][seed] == max(
                samples
            ) / sum(samples)
        case = case_of(document, rule, lies)
        assert case["samples"]["values"][seed] == behind
        assert case["contributors"]["values"][seed] == agents
        for name in ("accuracy", "loss"):
            assert case[name]["values"][seed] == np.mean([getattr(s, name) for s in scores])
            assert case[name]["mean"] == np.mean(case[name]["values"])


def test_plain_federated_learning_is_left_with_the_cheapest_agent_and_fact_with_all(document):
    setting = Setting.read(agents=AGENTS)
    A = float(setting.terms.error_scale)
    for seed in range(SEEDS):
        cost, scale = setting.population(seed), document["scale"][seed]
        alone = scale * np.sqrt(A / cost)
        for lies in (False, True):
            plain = case_of(document, "federated", lies)
            assert plain["contributors"]["values"][seed] == 1
            assert abs(plain["samples"]["values"][seed] - alone.max()) <= 1
            for name in FACT:
                fact = case_of(document, name, lies)
                assert fact["contributors"]["values"][seed] == AGENTS
                # Under shared n agents share the work: √(A/(n·c)) is best.
                wanted = alone.sum() / (AGENTS**0.5 if name == "shared" else 1)
                above = 0.01 if name == "sandwich-paper" else 0  # its pool pays for a little more
                most = AGENTS + 1 + above * wanted
                assert abs(fact["samples"]["values"][seed] - wanted) <= most
    for name in ("penalised", "shaping", "realfm"):
        assert case_of(document, name)["contributors"]["mean"] == AGENTS
        assert case_of(document, name, lies=True)["contributors"]["mean"] == 1
    assert [c["rule"] for c in document["cases"] if not c["gives_model"]] == ["auction"] * 2


def test_all_cases_fit_the_images_and_an_agents_samples_are_nested():
    setting = Setting.read(agents=5)
    cases = [Scenario(rule, lies) for rule in setting.rules() for lies in (False, True)]
    found = collect(setting, cases, 3, 500)
    room = found.samples.max(axis=0)
    assert 500 - 5 <= room.sum() <= 500
    dealt = deal(500, room, 3)
    assert [len(own) for own in dealt] == room.tolist()
    together = np.concatenate(dealt)
    assert len(set(together.tolist())) == len(together)
    small, large = np.array([0, 3, 1, 0, 2]), np.array([4, 3, 7, 1, 2])
    less, more = (first_of_each(dealt, m) for m in (small, large))
    assert [len(own) for own in less] == [3, 1, 2]
    assert [len(own) for own in more] == large.tolist()
    for own, of in zip(less, (more[1], more[2], more[4]), strict=True):
        assert set(own) <= set(of)
        assert (np.diff(of) > 0).all()
    for own in deal(500, room, 4):
        assert not any(np.array_equal(own, other) for other in dealt)


def test_equal_contributions_are_trained_once(tiny, document, monkeypatch, tmp_path):
    with watched(monkeypatch) as done:
        run(tmp_path / "out")
    assert len(done) == len(set(done)) == len(list((tiny / "trained").iterdir()))
    for rule in ("federated", "penalised", "shaping"):  # they end alike where agents lie
        assert case_of(document, rule, True)["trained"] == case_of(document, "federated")["trained"]
    assert case_of(document, "sandwich")["trained"] == case_of(document, "rebate", True)["trained"]
    assert case_of(document, "local")["trained"] != case_of(document, "rebate")["trained"]
    assert everything(tmp_path / "out") == everything(tiny)


def test_what_was_stopped_goes_on_and_trains_nothing_twice(tiny, monkeypatch, tmp_path):
    output, notes = tmp_path / "out", []
    with watched(monkeypatch, stop_at=3) as first, pytest.raises(KeyboardInterrupt):
        run(output)
    assert not (output / "collapse.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in (output / "trained").glob("*.json")}
    assert len(kept) == 3
    with watched(monkeypatch) as rest:
        run(output, resume=True, note=notes.append)
    assert not set(first) & set(rest)
    assert len(first) + len(rest) == len(list((tiny / "trained").iterdir()))
    assert notes[0].startswith("3 of ")
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    assert everything(output) == everything(tiny)
    with watched(monkeypatch) as none:
        run(output, resume=True)
    assert none == []


def test_a_training_that_was_stopped_half_way_goes_on_from_its_checkpoint(
    tiny, monkeypatch, tmp_path
):
    output, told, notes = tmp_path / "out", [], []
    monkeypatch.setattr(kept.planned, "PAUSE", 0)

    def stops(what, done, total, unit):
        told.append(done)
        if what == "training" and list((output / "trained").glob("*.checkpoint")):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(output, progress=stops)
    run(output, resume=True, note=notes.append)
    assert any("found unfinished, going on from there" in note for note in notes)
    assert everything(output) == everything(tiny)


def test_more_seeds_use_what_is_there(tiny, document, monkeypatch, tmp_path):
    output = tmp_path / "out"
    one = run(output, seeds=1).document()
    with watched(monkeypatch) as done:
        assert run(output, seeds=SEEDS, resume=True).document() == document
    assert {seed for _, seed, _ in done} == {1}
    with watched(monkeypatch) as done:
        assert run(output, seeds=1, resume=True).document() == one
    assert done == []


def test_the_bar_ends_full(tmp_path):
    told = {}
    run(
        tmp_path / "out",
        seeds=1,
        progress=lambda what, *rest: told.setdefault(what, []).append(rest),
    )
    assert set(told) == {"equilibria, seed 0", "training"}
    for rows in told.values():
        done = [row[0] for row in rows]
        assert done == sorted(done)
        assert rows[-1][0] == rows[-1][1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "holds results already; go on with them by --resume"),
        ({"resume": True, "epochs": 3}, r"other trainings \(epochs: 2 there, 3 here\)"),
        ({"resume": True, "agents": 5}, r"other trainings \(agents: 4 there, 5 here\)"),
        ({"resume": True, "costs": "uniform:loc=1"}, r"other trainings \(costs: norm"),
        ({"resume": True, "seeds": 0}, "seeds are 0; take 1"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_changed(tiny, options, words):
    before = everything(tiny)
    with pytest.raises(InputError, match=words):
        run(tiny, **options)
    assert everything(tiny) == before


def test_refusals_come_before_anything_is_made(tmp_path):
    output, machine, setting = tmp_path / "out", Machine("cpu"), Setting.read(agents=4)
    for name, words in (("ham10000", "take digits, mnist, cifar10"), ("mnits", "mean mnist?")):
        with pytest.raises(InputError, match=words):
            run_collapse(name, setting, machine, output)
    with pytest.raises(InputError, match="epochs is 0"):
        recipe_of("digits", 0)
    with pytest.raises(InputError, match="1,439 agents cannot share 1,438 images"):
        run_collapse("digits", replace(setting, agents=1439), machine, output)
    cases = [Scenario(rule, False) for rule in setting.rules()]
    with pytest.raises(InputError, match="4 images are too few for any of the 4 agents"):
        collect(setting, cases, 0, 4)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written to"):
        run(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_damaged_training_is_refused(tmp_path):
    output = tmp_path / "out"
    run(output, seeds=1, epochs=1)
    path = sorted((output / "trained").glob("*.json"))[0]
    for text in (path.read_text()[:40], '{"about": {}, "scores": [[1, 1]]}', "[1]"):
        path.write_text(text)
        with pytest.raises(InputError, match="is damaged; delete it to train it again"):
            run(output, seeds=1, epochs=1, resume=True)
        assert (output / "collapse.json").exists()
    path.unlink()
    run(output, seeds=1, epochs=1, resume=True)


def test_two_at_once_are_refused(tmp_path):
    output = tmp_path / "out"
    output.mkdir()
    lock = os.open(output, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="another process is at work there"):
            run(output, epochs=1, seeds=1)
    finally:
        os.close(lock)
    assert list(output.iterdir()) == []


def written(chart):
    """Everything that is written on the picture."""
    return re.findall(r"<text[^>]*>([^<]*)", pictures(chart)[".svg"].decode())


def test_the_chart_names_every_rule_with_its_data(document):
    chart = collapse_chart(document)
    assert [panel.title for panel in chart.panels] == [
        "Reports are true", "Agents lie where it pays"
    ]  # fmt: skip
    assert len(chart.rows) == 2 * len(TRAINED)
    assert {len(row) for row in chart.rows} == {len(chart.header)}
    words = written(chart)
    assert sum(word == "FACT rebate" for word in words) == 2
    assert sum(word.startswith("reverse auction, server") for word in words) == 2
    assert any(re.fullmatch(r"[\d.]+ samples of 1 agent", word) for word in words)
    for case in document["cases"]:
        assert f"{100 * (1 - case['accuracy']['mean']):.3g}\N{NO-BREAK SPACE}%" in words


def test_errors_of_a_percent_fill_the_chart():
    """The axis ends a quarter beyond the longest bar, the same in both halves, and begins at 0."""
    document = made(lambda *case: 0.995 if case[1] else 0.99, lambda *_: 40.0)
    for panel in collapse_chart(document).panels:
        axes = Figure().add_subplot()
        panel.draw(axes)
        assert axes.get_xlim() == pytest.approx((0, 1.25 * 0.01))


def made(accuracy, samples):
    """A document with these numbers, for (rule, lies)."""
    rules = Setting.read(agents=4).rules()
    return {
        "title": "Digits",
        "agents": 4,
        "alone": 10.0,
        "cases": [
            {
                "rule": rule.name,
                "title": rule.title,
                "lies": lies,
                "gives_model": rule.gives_model,
                **{
                    key: {"values": [value, value], "mean": value}
                    for key, value in (
                        ("accuracy", accuracy(rule.name, lies)),
                        ("loss", 1.0),
                        ("samples", samples(rule.name, lies)),
                        ("contributors", 4.0),
                    )
                },
            }
            for lies in (False, True)
            for rule in rules
        ],
    }


def test_the_sentence_follows_the_numbers():
    def falls(rule, lies):
        return rule == "federated" or (lies and rule in ("penalised", "realfm"))

    usual = made(
        lambda *case: 0.5 if falls(*case) else 0.9, lambda *case: 11.0 if falls(*case) else 40.0
    )
    assert collapse_says(usual).replace("\N{NO-BREAK SPACE}", " ") == (
        "With true reports plain federated learning collapses to about one agent's data (10.0 "
        "samples are best alone), 11 samples and 50 %; where agents lie PFL (penalty only) and "
        "RealFM do so too, at 50 %. An agent alone reaches 90 %; FACT 90 % with 40 samples, lies "
        "or not."
    )
    none = collapse_says(made(lambda *_: 0.7, lambda *_: 40.0))
    assert none.startswith("With true reports no rule collapses to about one agent's data")
    assert "; where agents lie no other rule does." in none
    broken = made(lambda *_: 0.7, lambda rule, lies: 10.0 if lies and rule == "rebate" else 40.0)
    assert "where agents lie FACT rebate does so too, at 70" in collapse_says(broken)
    assert collapse_says(broken).endswith("with 10 to 40 samples.")


def test_one_seed_has_no_whiskers_and_pictures_are_the_same_each_time(tmp_path):
    one = made(lambda *_: 0.7, lambda *_: 40.0)
    for case in one["cases"]:
        case["accuracy"]["values"] = [0.7]
    picture, _ = write_collapse(one, tmp_path)
    first = {path: path.read_bytes() for path in tmp_path.iterdir()}
    write_collapse(one, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert sorted(path.name for path in first) == ["collapse.png", "collapse.svg"]
    assert picture == tmp_path / "collapse.png"
    assert all(row[5] is None for row in collapse_chart(one).rows)


@pytest.fixture
def lab(monkeypatch, tmp_path):
    """Run the command by itself, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(command)
    words = ("digits", "--agents", 4, "--epochs", 1, "--seeds", 1, "--device", "cpu")

    def run(*more):
        return CliRunner().invoke(app, [str(word) for word in (*words, *more)])

    return run


def test_the_command_prints_a_table_and_the_figure(lab, tmp_path):
    result = lab()
    assert result.exit_code == 0, result.output
    for rule in Setting.read(agents=4).rules(TRAINED):
        assert sum(line.strip().startswith(rule.title) for line in result.stdout.split("\n")) >= 1
    assert "the model is the server's" in result.stdout
    assert result.stdout.endswith("The figure: runs/collapse-digits/collapse.png\n")
    folder = tmp_path / "runs" / "collapse-digits"
    assert (folder / "collapse.png").read_bytes().startswith(b"\x89PNG")
    again = lab("--resume", "--json")
    assert json.loads(again.stdout) == json.loads((folder / "collapse.json").read_text())
    refused = lab()
    assert isinstance(refused.exception, InputError)


def test_ctrl_c_says_how_to_go_on(lab, monkeypatch):
    with watched(monkeypatch, stop_at=1):
        result = lab("-o", "out")
    assert result.exit_code == 130
    assert "stopped; the same command with --resume goes on from out" in result.stderr
    assert lab("-o", "out", "--resume").exit_code == 0


def test_costs_come_from_a_file(lab, tmp_path):
    (tmp_path / "costs.csv").write_text("agent,true_cost\na,1\nb,2\nc,4\nd,8\n")
    result = lab("--costs", "costs.csv", "--json", "-o", "out")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    samples = [case_of(document, name)["samples"]["mean"] for name in ("federated", "rebate")]
    share = 1 + sum(each**-0.5 for each in (2, 4, 8))
    assert samples[1] / samples[0] == pytest.approx(share, rel=0.02)
    (tmp_path / "costs.csv").write_text("agent,true_cost\na,1\nb,2\nc,4\nd,9\n")
    refused = lab("--costs", "costs.csv", "-o", "out", "--resume")
    assert "costs: [1.0, 2.0, 4.0, 8.0] there" in str(refused.exception)


def test_all_is_written_below_the_directory(tiny):
    names = {path.name for path in tiny.iterdir()}
    assert names == {"collapse.json", "setting.json", "trained"}
    assert {path.suffix for path in (tiny / "trained").iterdir()} == {".json"}
    assert collapse.FROM_SCRATCH == ("digits", "mnist", "cifar10")
