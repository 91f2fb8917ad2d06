"""A study written as TOML and read again is the same study."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedfact.data.registry import DATASETS
from fedfact.errors import InputError
from fedfact.study.config.load import read_study
from fedfact.study.config.study import Study
from fedfact.study.config.write_toml import to_toml

PUBLISHED = sorted(Path(__file__).parents[3].glob("publications/neurips2024/*.toml"))
POSITIVE = st.floats(1e-90, 1e90)
COUNT = st.integers(1, 10**6)


def optional(**choices):
    """Any of these keys, or none."""
    return st.fixed_dictionaries({}, optional=choices)


TRAINING = optional(
    optimiser=st.sampled_from(["sgd", "adam"]),
    rate=POSITIVE,
    momentum=st.floats(0, 0.999),
    weight_decay=st.floats(0, 1e9),
    drops=st.lists(st.floats(1e-9, 1), max_size=3).map(tuple),
    batch=COUNT,
    epochs=COUNT,
    local_steps=COUNT,
    test_every=COUNT,
    weighted=st.booleans(),
    augment=st.fixed_dictionaries(
        {"rotation": st.floats(1e-9, 180)},
        optional={
            "horizontal_flip": st.booleans(),
            "vertical_flip": st.booleans(),
            "brightness": st.floats(0, 1),
            "contrast": st.floats(0, 1),
        },
    ),
)
TERMS = optional(
    error_scale=POSITIVE,
    alpha=st.floats(0, 1.9),
    retention=st.integers(0, 10**6).map(lambda k: k / 10**6),
    consistency=st.floats(0, 1e6),
    loss_value=st.floats(1e-3, 1e3),
)


@st.composite
def studies(draw):
    n = draw(st.integers(3, 20))
    training = draw(TRAINING)
    keys = {"agents": n, "dataset": draw(st.sampled_from(["digits", "mnist", "cifar10"]))}
    if draw(st.booleans()):
        values = tuple(draw(st.lists(POSITIVE, min_size=n, max_size=n)))
        name = draw(st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), min_size=1))
        keys["costs"] = {"kind": "file", "values": values, "file": name}
    else:
        kind = draw(st.sampled_from(["uniform", "gaussian", "lognormal"]))
        spread = 0.1 if kind == "uniform" else draw(st.floats(0.001, 1))
        keys["costs"] = {"kind": kind, "spread": spread, "mean": draw(POSITIVE)}
    own = "sgd" if keys["dataset"] == "cifar10" else "adam"
    if training.get("optimiser", own) == "adam":
        training.pop("momentum", None)  # it has none
    count = st.integers(0, n // 2)
    deviators = {
        "free-ride": st.floats(0.001, 0.999),
        "misreport": st.floats(-0.99, 50).filter(lambda x: x != 0),
    }
    keys["deviators"] = tuple(
        {
            "kind": kind,
            "number": draw(count | st.tuples(count, count).filter(lambda t: t[0] != t[1])),
            "strength": draw(strength),
        }
        for kind, strength in deviators.items()
        if draw(st.booleans())
    )
    more = {
        "name": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
        "partitions": st.sampled_from([("iid",), ("dirichlet:0.30", "iid"), ("dirichlet:1e-3",)]),
        "samples": COUNT | st.lists(COUNT, min_size=n, max_size=n).map(tuple),
        "seeds": st.integers(1, 1000),
        "score": st.sampled_from(["final", "best"]),
        "training": st.just(training),
        "terms": TERMS,
    }
    return Study.model_validate(keys | draw(st.fixed_dictionaries({}, optional=more)))


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """Write a study, read it."""
    path = tmp_path_factory.mktemp("again") / "study.toml"

    def read(study):
        path.write_text(to_toml(study), encoding="utf-8")
        return read_study(str(path))

    return read


def check(study, found):
    """The same, with the recipe spelled out."""
    same = study.model_copy(update={"training": found.training})
    assert found == same
    assert found.recipe() == study.recipe()
    assert found.training.test_every == study.training.test_every
    assert to_toml(found) == to_toml(study)
    training = found.training.model_dump()
    absent = {name for name, value in training.items() if value is None}
    recipe = study.recipe()
    assert absent == {n for n in ("image_size", "augment") if getattr(recipe, n) is None}


@settings(max_examples=150, deadline=None)
@given(studies())
def test_any_study_comes_back(again, study):
    check(study, again(study))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_the_papers_studies_come_back(again, path):
    study = read_study(str(path))
    check(study, again(study))


@pytest.mark.parametrize("name", DATASETS)
def test_presets_come_back(again, name):
    study = read_study(name)
    check(study, again(study))
    assert study.name == study.dataset == name


def test_what_was_written_is_run_again_without_the_file_of_costs(again, tmp_path):
    (tmp_path / "my costs.csv").write_text(
        "agent,true_cost,samples\nann,1e-4,100\nbob,2e-4,70\ncy,4e-4,50\n"
    )
    (tmp_path / "study.toml").write_text('dataset = "digits"\n[costs]\nfile = "my costs.csv"\n')
    study = read_study(str(tmp_path / "study.toml"))
    assert (study.agents, study.samples) == (3, (100, 70, 50))
    assert study.costs.values == (1e-4, 2e-4, 4e-4)
    (tmp_path / "my costs.csv").unlink()
    check(study, again(study))


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """The file of a study that was run with costs, agents and samples of a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "costs.csv").write_text(
        "agent,true_cost,samples\nann,1e-4,100\nbob,2e-4,70\ncy,4e-4,50\n"
    )
    (tmp_path / "old" / "my.toml").write_text('dataset = "digits"\ncosts.file = "costs.csv"\n')
    (tmp_path / "old" / "study.toml").write_text(to_toml(read_study("old/my.toml")))
    return "old/study.toml"


@pytest.mark.parametrize("override", ["costs.file=new.csv", 'costs={file="new.csv"}'])
def test_another_file_of_costs_replaces_all_that_came_from_the_first(ran, override):
    Path("new.csv").write_text("agent,true_cost\ndot,1e-3\neve,2e-3\nfay,3e-3\ngil,4e-3\n")
    study = read_study(ran, [override])
    assert (study.costs.file, study.costs.names) == ("new.csv", ("dot", "eve", "fay", "gil"))
    assert study.costs.values == (1e-3, 2e-3, 3e-3, 4e-3)
    assert (study.agents, study.samples) == (4, None)


def test_what_is_given_beside_another_file_of_costs_stays(ran):
    Path("new.csv").write_text("agent,true_cost,samples\na,1e-3,5\nb,2e-3,6\nc,3e-3,7\n")
    assert read_study(ran, ["costs.file=new.csv"]).samples == (5, 6, 7)
    assert read_study(ran, ["costs.file=new.csv", "samples=[1, 2, 3]"]).samples == (1, 2, 3)
    with pytest.raises(InputError, match="3 numbers for 4 agents"):
        read_study(ran, ["costs.file=new.csv"], agents=4)
    Path("old/study.toml").write_text(re.sub(r"samples = .*", "samples = 9", Path(ran).read_text()))
    assert read_study(ran, ["costs.file=new.csv"]).samples == 9


@pytest.mark.parametrize(
    ("given", "written"),
    [("dirichlet:0.30", "dirichlet:0.3"), ("dirichlet:3e-1", "dirichlet:0.3"),
     ("dirichlet:5.0", "dirichlet:5"), ("dirichlet:5", "dirichlet:5"), ("iid", "iid"),
     ("dirichlet: 1e-5", "dirichlet:1e-05"), ("dirichlet:1e22", "dirichlet:1e+22")],
)  # fmt: skip
def test_a_partition_is_written_in_one_way(given, written):
    """Else what is finished would be trained again."""
    study = read_study("digits", partitions=[given])
    assert study.partitions == (written,)
    assert read_study("digits", partitions=[written]) == study


def test_adam_has_no_momentum_of_another_recipe(again):
    study = read_study("cifar10", ["training.optimiser=adam"])
    assert study.recipe().momentum == 0
    check(study, again(study))


def test_overrides_leave_the_presets_as_they_are():
    before = read_study("digits")
    read_study("digits", ["costs.spread=0.5", "training.epochs=2", "terms.alpha=0.5"])
    assert read_study("digits") == before


def test_an_override_wins_over_the_file_and_a_value_is_toml_or_a_word(tiny_toml):
    plain = read_study(str(tiny_toml))
    for override, key, value in (
        ("training.epochs=9", "training", plain.training.model_copy(update={"epochs": 9})),
        ("score=best", "score", "best"),
        ('score="best"', "score", "best"),
        (" seeds = 5 ", "seeds", 5),
        ("partitions=['iid']", "partitions", ("iid",)),
        ("costs.kind=lognormal", "costs", plain.costs.model_copy(update={"kind": "lognormal"})),
    ):
        assert read_study(str(tiny_toml), [override]) == plain.model_copy(update={key: value})
    assert read_study(str(tiny_toml), ["seeds=5", "seeds=6"]).seeds == 6
    assert read_study(str(tiny_toml), agents=9, seeds=None).agents == 9


def test_the_written_study_says_all_that_was_run(tiny):
    written = tomllib.loads((tiny / "study.toml").read_text())
    assert written["costs"] == {"kind": "gaussian", "mean": 4e-4, "spread": 0.1}
    assert written["training"] == {
        "optimiser": "adam", "rate": 2e-3, "momentum": 0.0, "weight_decay": 0.0, "drops": [],
        "batch": 32, "epochs": 3, "local_steps": 2, "weighted": False, "test_every": 1,
    }  # fmt: skip
    assert written["terms"]["unit"] == 1e-9
