"""``fedfact run`` as a researcher meets it."""

import fcntl
import json
import os
import re
import shlex
import signal

import pytest
import torch

SMALL = """\
name = "small"
dataset = "digits"
agents = 6
partitions = ["iid"]
seeds = 1
[costs]
mean = 1e-3
[training]
epochs = 1
"""
LOSSES = ("local", "federated", "fact_paper", "fact_realised", "fact_believed", "fact_settled",
          "fact_rebate")  # fmt: skip


@pytest.fixture(autouse=True)
def at_home(alone, monkeypatch, tmp_path):
    """No directory but the test's own, either."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small(tmp_path):
    """The words of a small study's command, but for the directory."""
    (tmp_path / "small.toml").write_text(SMALL)
    return "run", "small.toml", "--device", "cpu"


@pytest.fixture
def no_page(monkeypatch):
    """Pages take seconds; here one line does."""

    def write(results, folder, report=None):
        (folder / "report.html").write_text(results[0].summary["study"])
        return folder / "report.html"

    monkeypatch.setattr("fedfact.report.study.page.write_report", write)


@pytest.mark.slow
def test_a_study_ends_with_the_path_of_its_page(fedfact, small, tmp_path):
    result = fedfact(*small, "-o", "out")
    assert result.code == 0
    assert result.out.endswith("\nThe page: out/report.html\n")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<!doctype html>" in page.lower()
    assert "small" in page
    figures = sorted(path.name for path in (tmp_path / "out" / "figures").iterdir())
    for stem in ("figure-1-truthfulness", "figure-2-losses", "figure-3-penalty", "money-flow"):
        for ending in (".svg", ".png"):
            assert f"{stem}{ending}" in figures
            assert (tmp_path / "out" / "figures" / f"{stem}{ending}").stat().st_size > 1000


def shown(text, value):
    """Whether a number in a table is this one, to the digits it has."""
    return abs(float(text) - value) <= 0.5001 * 10.0 ** -len(text.partition(".")[2])


def test_the_table_shows_every_reading(fedfact, small, no_page):
    (arm,) = json.loads(fedfact(*small, "-o", "json", "--json", "--seeds", 2).out)["arms"]
    result = fedfact(*small, "-o", "out", "--seeds", 2)
    cells = re.findall(r"([\d.]+)\s*%?\s*±\s*([\d.]+)", result.out)
    wanted = [(100, arm["accuracy"][name]) for name in ("local", "federated")]
    wanted += [(1, arm["loss"][name]) for name in LOSSES]
    assert len(cells) >= len(wanted)
    for (mean, half), (scale, of) in zip(cells, wanted, strict=False):
        assert shown(mean, scale * of["mean"])
        assert shown(half, scale * (of["high"] - of["mean"]))


def test_one_seed_has_no_interval_to_show(fedfact, small, no_page):
    out = fedfact(*small, "-o", "out").out
    assert "FACT, as settled" in out
    assert "Test accuracy and loss, mean over agents. FACT" in out
    assert "±" not in out


def test_the_json_document_is_the_summary(fedfact, small, no_page, tmp_path):
    result = fedfact(*small, "-o", "out", "--json")
    assert result.code == 0
    assert json.loads(result.out) == json.loads((tmp_path / "out" / "summary.json").read_text())
    assert (tmp_path / "out" / "report.html").exists()
    assert "1 of 1 done: iid, seed 0" in result.err


def test_results_go_below_runs_where_no_directory_is_named(fedfact, small, no_page, tmp_path):
    assert fedfact(*small).code == 0
    assert (tmp_path / "runs" / "small" / "summary.json").exists()
    assert fedfact(*small, "-s", "name=other").code == 0
    assert (tmp_path / "runs" / "other" / "summary.json").exists()


def test_options_reach_the_study(fedfact, small, no_page):
    options = ("--partition", "dirichlet:0.5", "--partition", "iid", "--seeds", 2, "--agents", 7)
    document = json.loads(fedfact(*small, *options, "-s", "score=best", "-o", "out", "--json").out)
    assert [arm["arm"] for arm in document["arms"]] == ["dirichlet:0.5", "iid"]
    assert (document["seeds"], document["agents"], document["score"]) == ([0, 1], 7, "best")


def test_no_argument_is_the_digits_study(fedfact, no_page, tmp_path):
    assert fedfact("run", "-s", "training.epochs=1", "--seeds", 1, "--agents", 4).code == 0
    found = json.loads((tmp_path / "runs" / "digits" / "summary.json").read_text())
    assert (found["study"], found["dataset"], found["agents"]) == ("digits", "digits", 4)
    assert [arm["arm"] for arm in found["arms"]] == ["iid", "dirichlet:0.6", "dirichlet:0.3"]


def test_the_manifest_says_what_was_run_on_what(fedfact, small, no_page, tmp_path):
    words = (*small, "-o", "my out", "-s", "name=x")
    fedfact(*words)
    manifest = json.loads((tmp_path / "my out" / "manifest.json").read_text())
    assert shlex.split(manifest["command"]) == ["fedfact", *words]
    assert manifest["device"] == "cpu fp32"
    assert manifest["torch"] == torch.__version__
    assert set(manifest["seconds"]) == {"iid, seed 0"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", manifest["finished"])


def test_costs_come_from_a_file_beside_the_study(fedfact, no_page, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "costs.csv").write_text(
        "agent,true_cost,samples\nann,1e-3,31\nbob,2e-3,20\ncy,4e-3,10\n"
    )
    (folder / "s.toml").write_text(
        'dataset = "digits"\nseeds = 1\n[costs]\nfile = "costs.csv"\n[training]\nepochs = 1\n'
    )
    result = fedfact("run", folder / "s.toml", "-o", "out", "--json")
    assert result.code == 0, result.err
    assert json.loads(result.out)["agents"] == 3
    again = fedfact("run", tmp_path / "out" / "study.toml", "-o", "again", "--json")
    assert again.out == result.out


# Going on


def test_a_study_that_is_there_needs_resume_and_is_not_trained_again(
    fedfact, small, no_page, tmp_path, monkeypatch
):
    first = fedfact(*small, "-o", "out")
    monkeypatch.setattr("fedfact.training.kept.training.train_local", None)
    before = (tmp_path / "out" / "summary.json").read_bytes()
    refused = fedfact(*small, "-o", "out")
    assert (refused.code, refused.out) == (2, "")
    assert "out: holds a study already; go on with it by --resume" in refused.err
    assert "or name another directory with -o" in refused.err
    again = fedfact(*small, "-o", "out", "--resume")
    assert (again.code, again.out) == (0, first.out)
    assert (tmp_path / "out" / "summary.json").read_bytes() == before


def test_another_study_is_refused_with_the_key(fedfact, small, no_page, tmp_path):
    fedfact(*small, "-o", "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    result = fedfact(*small, "-o", "out", "--resume", "-s", "training.epochs=2")
    assert (result.code, result.out) == (2, "")
    assert "is of another study (training.epochs: 1 there, 2 here)" in result.err
    after = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert after == before


def test_ctrl_c_exits_130_and_says_how_to_go_on(fedfact, small, no_page, tmp_path, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("fedfact.training.kept.training.train_federated", stopped)
        result = fedfact(*small, "-o", "out")
    assert (result.code, result.out) == (130, "")
    assert "note: stopped; the same command with --resume goes on from out\n" in result.err
    again = fedfact(*small, "-o", "out", "--resume")
    assert again.code == 0
    assert "iid-seed0.local: found finished" in again.err
    fedfact(*small, "-o", "whole")
    for name in ("summary.json", "curves.parquet", "agents.parquet", "settlement.parquet"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_training_that_diverges_exits_2_with_a_remedy(fedfact, small, no_page):
    result = fedfact(*small, "-o", "out", "-s", "training.rate=1e30", "-s", "training.epochs=3")
    assert (result.code, result.out) == (2, "")
    assert "take a lower learning rate" in result.err
    assert "Traceback" not in result.err


def test_another_process_at_work_is_told(fedfact, small, no_page, tmp_path):
    fedfact(*small, "-o", "out")
    lock = os.open(tmp_path / "out", os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = fedfact(*small, "-o", "out", "--resume")
    finally:
        os.close(lock)
    assert (result.code, result.out) == (2, "")
    assert "out: another process is at work there" in result.err


# Refusals, before anything is read, computed or written


def key(text):
    """In the table of a value, an override that sets it."""
    return ["-s", text]


def free_riders(**changes):
    keys = {"kind": '"free-ride"', "number": 1, "strength": 0.5, **changes}
    return key(f"deviators=[{{{', '.join(f'{k} = {v}' for k, v in keys.items() if v)}}}]")


HUGE = 10**20
BAD = {
    "unknown preset": (["digts"], "study 'digts' is not known; did you mean digits?"),
    "no file": (["none.toml"], "none.toml: cannot be read (no such file or directory)"),
    "a directory": (["."], "study '.' is not known; give digits, mnist, cifar10, ham10000 or a"),
    "a very long name": (["d" * 300], "is not known"),
    "unknown key": (key("agent=3"), "unknown key 'agent'; did you mean agents?"),
    "unknown key, far from any": (key("zzz=3"), "unknown key 'zzz'; the keys are name, dataset,"),
    "key of a table": (key("epochs=3"), "unknown key 'epochs'; did you mean training.epochs?"),
    "key of a table, misspelt": (key("epocs=3"), "unknown key 'epocs'; did you mean training.epoc"),
    "key like another": (key("mean=3"), "unknown key 'mean'; did you mean costs.mean?"),
    "key of another table": (key("costs.alpha=1"), "key 'costs.alpha'; did you mean terms.alpha?"),
    "key of the study": (key("training.seeds=1"), "key 'training.seeds'; did you mean seeds?"),
    "unknown key in costs": (key("costs.meen=3"), "unknown key 'costs.meen'; did you mean mean?"),
    "unknown key in training": (
        key("training.epoch=3"),
        "unknown key 'training.epoch'; did you mean epochs?",
    ),
    "unknown key in terms": (key("terms.alfa=1"), "unknown key 'terms.alfa'; did you mean alpha?"),
    "unknown key in deviators": (
        free_riders(numbr=1),
        "unknown key 'deviators.numbr'; did you mean number?",
    ),
    "a dash in a key": (key("par-titions=1"), "unknown key 'par-titions'; did you mean partitions"),
    "a dash in an inner key": (
        key("training.local-steps=3"),
        "unknown key 'training.local-steps'; did you mean local_steps?",
    ),
    "unknown table": (key("train.epochs=3"), "unknown key 'train'; did you mean training?"),
    "typo in data set": (key("dataset=mnits"), "dataset is 'mnits'; it must be 'digits', 'mnist'"),
    "typo in kind": (key("costs.kind=gausian"), "costs.kind is 'gausian'; it must be"),
    "typo in kind, nearest": (key("costs.kind=gausian"), "did you mean gaussian?"),
    "typo in score": (key("score=fina"), "score is 'fina'; it must be 'final' or 'best'; did you"),
    "typo in split": (key("split=lession"), "did you mean lesion?"),
    "typo in optimiser": (key("training.optimiser=admam"), "training.optimiser is 'admam'"),
    "typo in deviators": (free_riders(kind='"free-rid"'), "did you mean free-ride?"),
    "text for a number": (key("seeds=many"), "seeds is 'many'"),
    "number in quotes": (key('agents="6"'), "agents is '6'"),
    "part of an agent": (key("agents=6.5"), "agents is 6.5"),
    "truth for a number": (key("costs.mean=true"), "costs.mean is True"),
    "number for a name": (key("name=3"), "name is 3"),
    "number for a table": (key("training=3"), "training is 3"),
    "nan cost": (key("costs.mean=nan"), "costs.mean is nan"),
    "infinite cost": (key("costs.mean=inf"), "costs.mean is inf"),
    "negative cost": (key("costs.mean=-1e-3"), "costs.mean is -0.001"),
    "no cost": (key("costs.mean=0"), "costs.mean is 0"),
    "cost beyond all money": (key("costs.mean=1e300"), "costs.mean is 1e+300"),
    "nan spread": (key("costs.spread=nan"), "costs.spread is nan"),
    "spread": (key("costs.spread=1.5"), "costs.spread is 1.5"),
    "nan alpha": (key("terms.alpha=nan"), "terms.alpha is nan"),
    "alpha": (key("terms.alpha=2"), "terms.alpha is 2"),
    "nan retention": (key("terms.retention=nan"), "terms.retention is nan"),
    "fine retention": (key("terms.retention=0.1234567"), "retention is 0.1234567"),
    "negative unit": (key("terms.unit=-1"), "terms.unit is -1"),
    "tiny unit": (key("terms.unit=1e-300"), "unit is 1e-300"),
    "huge loss value": (key("terms.loss_value=1e300"), "loss_value is 1e+300"),
    "huge error scale": (key("terms.error_scale=1e300"), "error_scale is 1e+300"),
    "nan strength": (free_riders(strength="nan"), "deviators.strength is nan"),
    "free riders without strength": (free_riders(strength=None), "deviators.strength is missing"),
    "free riders hold back all": (free_riders(strength=1.0), "strength in (0, 1)"),
    "misreport of nothing": (free_riders(kind='"misreport"', strength="0.0"), "and not 0"),
    "more deviators than agents": (free_riders(number=7), "7 deviate of 6 agents"),
    "negative deviators": (free_riders(number=-1), "deviators.number is -1"),
    "the same deviators twice": (free_riders(number=[2, 2]), "two arms are the same"),
    "no number of deviators": (free_riders(number="[]"), "number is empty"),
    "rate": (key("training.rate=inf"), "training.rate is inf"),
    "momentum": (key("training.momentum=nan"), "training.momentum is nan"),
    "momentum of Adam": (key("training.momentum=0.9"), "Adam takes none; leave it out, or take"),
    "spread of one cost": (key("costs.spread=0.9"), "spread is 0.9, and costs of kind uniform"),
    "split of digits": (key("split=image"), "split is 'image', and only ham10000 has a test set"),
    "turned the wrong way": (
        key("training.augment.rotation=-5"),
        "training.augment.rotation is -5; it must be greater than or equal to 0",
    ),
    "more than all light": (
        key("training.augment.brightness=1.5"),
        "training.augment.brightness is 1.5; it must be less than or equal to 1",
    ),
    "more than half a circle": (key("training.augment.hue=0.6"), "training.augment.hue is 0.6"),
    "nan contrast": (key("training.augment.contrast=nan"), "training.augment.contrast is nan"),
    "a number for a flip": (
        key("training.augment.vertical_flip=1"), "training.augment.vertical_flip is 1; it must be"
    ),
    "augmented by nothing": (key("training.augment={}"), "training.augment: it changes nothing"),
    "hue of grey": (key("training.augment.hue=0.1"), "hue is 0.1, and images of digits are grey"),
    "unknown key in augment": (
        key("training.augment.rotate=3"),
        "unknown key 'training.augment.rotate'; did you mean rotation?",
    ),
    "key of augment": (key("training.hue=1"), "'training.hue'; did you mean training.augment.hue?"),
    "image size of digits": (
        key("training.image_size=32"),
        "image_size is 32, and only the network of ham10000 takes images of other sizes",
    ),
    "no image size": (key("training.image_size=0"), "training.image_size is 0"),
    "weighted": (key("training.weighted=1"), "training.weighted is 1"),
    "drops": (key("training.drops=[1.5]"), "training.drops is 1.5"),
    "batch": (key("training.batch=0"), "training.batch is 0"),
    "epochs without end": (key(f"training.epochs={HUGE}"), f"training.epochs is {HUGE}"),
    "test_every": (key("training.test_every=0"), "training.test_every is 0"),
    "samples of five for six": (key("samples=[9,9,9,9,9]"), "samples: 5 numbers for 6 agents"),
    "no samples": (key("samples=0"), "samples is 0"),
    "an agent without samples": (key("samples=[1,2,3,4,5,0]"), "samples is 0"),
    "absurdly many samples": (key(f"samples={HUGE}"), "samples"),
    "two agents": (["--agents", "2"], "agents is 2"),
    "absurdly many agents": (["--agents", f"{HUGE}"], "agents"),
    "no seeds": (["--seeds", "0"], "seeds is 0"),
    "absurdly many seeds": (["--seeds", f"{10**9}"], f"seeds is {10**9}"),
    "partition": (["--partition", "sorted"], "partition 'sorted' is not known; write iid or"),
    "concentration": (["--partition", "dirichlet:0"], "the concentration is not a number above 0"),
    "partitions twice": (["--partition", "iid", "--partition", "iid"], "partitions: one is there"),
    "partitions twice in other words": (
        ["--partition", "dirichlet:0.3", "--partition", "dirichlet:0.30"],
        "partitions: one is there",
    ),
    "no partitions": (key("partitions=[]"), "partitions"),
    "one partition without its list": (key("partitions=iid"), "partitions is 'iid'"),
    "slash in the name": (key("name=../x"), "name is '../x'"),
    "no name": (key('name=""'), "name is ''"),
    "override without a value": (key("seeds"), "-s seeds: is not KEY=VALUE"),
    "override without a key": (key("=3"), "-s =3: is not KEY=VALUE"),
    "override of half a key": (key("training.=3"), "-s training.=3: is not KEY=VALUE"),
    "override within a number": (key("seeds.x=3"), "seeds is not a table; set it as a whole"),
    "override within a list": (key("partitions.x=3"), "partitions is not a table"),
    "override with broken TOML": (key("partitions=[iid"), "the value is not valid TOML"),
    "costs file": (key("costs.file=none.csv"), "none.csv: cannot be read"),
    "kind file without one": (key("costs.kind=file"), "costs: "),
    "cuda": (["--device", "cuda"], "there is no CUDA device here; take device cpu or auto"),
    "device": (["--device", "tpu"], "'tpu' is not one of"),
}  # fmt: skip


@pytest.fixture
def refused(fedfact, monkeypatch, tmp_path):
    """Run what is to be refused, where nothing can be read, trained or written; what it says."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("train_local", "train_federated"):
        monkeypatch.setattr(f"fedfact.training.kept.training.{name}", None)

    def never_ends(*_):
        raise TimeoutError

    def run(*words, data=False):
        if not data:
            monkeypatch.setattr("fedfact.study.run.load_to_train", None)
        before = signal.signal(signal.SIGALRM, never_ends)
        signal.alarm(5)
        try:
            result = fedfact("run", *words, "-o", "below/out")
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        assert (result.code, result.out) == (2, "")
        assert "Traceback" not in result.err
        assert not (tmp_path / "below").exists()
        return " ".join(result.err.split())

    return run


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_a_bad_study_exits_2_with_the_remedy(refused, small, options, message):
    study = [] if options[0][0] != "-" else ["small.toml"]
    assert message in refused(*study, *options)


def of_data(name, wrong):
    return pytest.param(*wrong, id=name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        of_data("samples", (key("samples=500"), "the agents want 3,000 samples and there are")),
        of_data("cost", (key("costs.mean=1e-6"), "the agents want 6,000 samples and there are")),
        of_data("tiny cost", (key("costs.mean=1e-80"), "per sample")),
        of_data("agents", (["--agents", "2000"], "take fewer agents")),
        of_data("alpha", (key("terms.alpha=1.99999999"), "alpha")),
        of_data("unit", (key("terms.unit=1e-30"), "take a larger unit")),
        of_data(
            "misreport",
            (free_riders(kind='"misreport"', strength="1e300"), "strength"),
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mean", ["given", "found"])
def test_what_does_not_fit_the_data_is_refused_before_any_training(
    refused, tmp_path, options, message, mean
):
    text = SMALL if mean == "given" else SMALL.replace("mean = 1e-3\n", "")
    (tmp_path / "small.toml").write_text(text)
    assert message in refused("small.toml", *options, data=True)


def test_data_that_is_not_there_is_refused(refused):
    assert "nowhere: there is no such directory" in refused(
        "mnist", "--data-dir", "nowhere", data=True
    )


FILES = {
    "broken": (b"name = ", "x.toml: is not valid TOML ("),
    "latin": ('name = "größe"'.encode("latin-1"), "x.toml: is not UTF-8 text"),
    "zeros": (b"\0\0", "x.toml: is not UTF-8 text"),
    "empty": (b"", "x.toml: dataset is missing; give it"),
    "twice": (b'dataset = "digits"\ndataset = "mnist"\n', "x.toml: is not valid TOML ("),
    "no data set": (b'name = "x"\nagents = 6\n', "dataset is missing; give it"),
    "data set as table": (b"[dataset]\nname = 3\n", "dataset is"),
    "deviators as table": (b'dataset = "digits"\n[deviators]\nkind = "misreport"\n', "deviators"),
    "strange key": (b'dataset = "digits"\n"my key" = 3\n', "unknown key 'my key'"),
    "no key": (b'dataset = "digits"\n"" = 3\n', "unknown key ''"),
}


@pytest.mark.parametrize(("content", "message"), FILES.values(), ids=FILES)
def test_a_bad_file_exits_2(refused, tmp_path, content, message):
    (tmp_path / "x.toml").write_bytes(content)
    assert message in refused("x.toml")


COSTS = {
    "missing": (None, "costs.csv: cannot be read"),
    "empty": ("", "costs.csv: is empty"),
    "no cost": ("agent,samples\na,1\nb,1\nc,1\n", "costs.csv: column true_cost is missing"),
    "words": ("agent,true_cost\na,1\nb,much\nc,1\n", "much"),
    "negative": ("agent,true_cost\na,1\nb,-1\nc,1\n", "-1"),
    "nan": ("agent,true_cost\na,1\nb,nan\nc,1\n", "nan"),
    "too few": ("agent,true_cost\na,1\nb,1\nc,1\n", "costs: 3 costs for 6 agents; give as many"),
    "ragged": ("agent,true_cost\na,1\nb\nc,1\n", "has 1 fields where the header has 2"),
    "part of a sample": ("agent,true_cost,samples\na,1,1.5\n", "1.5"),
}


@pytest.mark.parametrize(("content", "message"), COSTS.values(), ids=COSTS)
def test_a_bad_file_of_costs_exits_2(refused, tmp_path, content, message):
    (tmp_path / "small.toml").write_text(SMALL.replace("mean = 1e-3", 'file = "costs.csv"'))
    if content is not None:
        (tmp_path / "costs.csv").write_text(content)
    assert message in refused("small.toml")


def test_a_mean_beside_a_file_of_costs_is_refused(refused, tmp_path):
    (tmp_path / "small.toml").write_text(SMALL.replace("mean", 'file = "costs.csv"\nmean'))
    (tmp_path / "costs.csv").write_text("agent,true_cost\n" + "".join(f"{k},1\n" for k in range(6)))
    assert "costs come from a file; leave out mean" in refused("small.toml")


def test_an_output_that_cannot_be_made_exits_2(fedfact, small, tmp_path, monkeypatch):
    monkeypatch.setattr("fedfact.study.run.load_to_train", None)  # refused before any work
    (tmp_path / "file").write_text("")
    for output in ("file", "file/below", "x" * 300):
        result = fedfact(*small, "-o", output)
        assert (result.code, result.out) == (2, "")
        assert f"error: {output}: cannot be " in result.err
        assert "name another directory with -o" in result.err
        assert "Traceback" not in result.err


def test_ham10000_is_told_of_missing_weights_first(fedfact, tmp_path, monkeypatch):
    monkeypatch.setattr("fedfact.training.setup.load", None)
    monkeypatch.setenv("FEDFACT_DATA", str(tmp_path))
    result = fedfact("run", "ham10000", "-o", "out")
    assert (result.code, result.out) == (2, "")
    assert "has no ResNet-50 weights; put" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_help_names_every_option(fedfact, word):
    result = fedfact("run", word)
    assert result.code == 0
    for option in ("--partition", "--seeds", "--agents", "--device", "--data-dir", "--output",
                   "--resume", "--set", "--json", "-s", "-o"):  # fmt: skip
        assert option in result.out
    assert "fedfact run mnist" in result.out
