"""The paper's experiments, as files: all there, with the paper's numbers."""

import math
from pathlib import Path

import pytest

from fedfact.study.config.agents import agents_of
from fedfact.study.config.arm import arms
from fedfact.study.config.load import read_study
from fedfact.training import Augmentation, Recipe

FOLDER = Path(__file__).parents[2] / "publications" / "neurips2024"
SPLITS = {"iid": "iid", "d06": "dirichlet:0.6", "d03": "dirichlet:0.3"}
IMAGES = {"cifar10": 50_000, "mnist": 60_000, "ham10000": 8_012}  # 80 % of 10,015
RELEASED = ["ham10000-released", "ham10000-released-robustness", "mnist-iid-released"]
SEVEN = [f"{data}-{split}" for data in ("cifar10", "mnist") for split in SPLITS] + ["ham10000"]


def read(name):
    return read_study(str(FOLDER / f"{name}.toml"))


def of(study, arm=0):
    return agents_of(study, arms(study)[arm], 0, IMAGES[study.dataset])


def test_all_experiments_are_there_and_no_other():
    files = sorted(path.stem for path in FOLDER.glob("*.toml"))
    assert files == sorted([*SEVEN, "ham10000-image", "robustness", *RELEASED])


@pytest.mark.parametrize("name", [*SEVEN, "ham10000-image", "robustness"])
def test_what_all_have_in_common(name):
    study, text = read(name), (FOLDER / f"{name}.toml").read_text()
    assert text.startswith("# ")  # says what it is
    assert study.name == name
    assert study.seeds == 3
    assert study.costs.kind == "uniform"
    assert study.terms.error_scale == 1.0
    assert (study.recipe().batch, study.recipe().local_steps) == (128, 6)
    assert study.samples is None
    found = of(study)
    assert found.true_cost.tolist() == [study.costs.mean] * study.agents


@pytest.mark.parametrize("split", SPLITS)
def test_cifar10(split):
    study = read(f"cifar10-{split}")
    assert (study.dataset, study.agents) == ("cifar10", 16)
    assert study.partitions == (SPLITS[split],)
    assert study.costs.mean == 1.024e-7
    assert of(study).samples.tolist() == [3125] * 16
    recipe = study.recipe()
    assert (recipe.epochs, recipe.rate, recipe.optimiser) == (100, 0.05, "sgd")
    assert (recipe.momentum, recipe.weight_decay, recipe.drops) == (0.9, 5e-4, (0.5, 0.75))


@pytest.mark.parametrize("split", SPLITS)
def test_mnist(split):
    study = read(f"mnist-{split}")
    assert (study.dataset, study.agents) == ("mnist", 16)
    assert study.partitions == (SPLITS[split],)
    assert study.costs.mean == 7.111e-8
    assert of(study).samples.tolist() == [3750] * 16
    recipe = study.recipe()
    assert (recipe.epochs, recipe.rate, recipe.optimiser) == (100, 1e-3, "adam")


@pytest.mark.parametrize("split", ["lesion", "image"])
def test_ham10000(split):
    study = read("ham10000" if split == "lesion" else "ham10000-image")
    assert (study.dataset, study.agents, study.split) == ("ham10000", 10, split)
    assert study.partitions == ("iid",)
    assert of(study).samples.tolist() == [801] * 10
    recipe = study.recipe()
    assert (recipe.rate, recipe.optimiser) == (1e-3, "adam")


def test_the_splits_of_ham10000_differ_in_nothing_else():
    one, other = read("ham10000"), read("ham10000-image")
    assert other.model_copy(update={"name": one.name, "split": one.split}) == one


def test_robustness_has_none_one_four_and_eight_riders_with_a_quarter_of_their_data():
    study = read("robustness")
    assert study.agents == 10
    assert [arm.deviators[0][1] for arm in arms(study)] == [0, 1, 4, 8]
    for k, number in enumerate((0, 1, 4, 8)):
        found = of(study, k)
        assert found.kind.count("free-ride") == number
        whole = found.agreed[0]
        assert sorted(found.samples.tolist()) == [whole // 4] * number + [whole] * (10 - number)
        assert whole == round(math.sqrt(1 / study.costs.mean))


@pytest.mark.parametrize(
    ("preset", "images", "samples", "cost"),
    [
        ("cifar10", 50_000, 3125, 1.024e-7),
        ("mnist", 60_000, 3750, 7.111e-8),
        ("ham10000", 8012, 801, 1.5586e-6),
    ],
)
def test_presets_find_the_papers_costs_by_themselves(preset, images, samples, cost):
    study = read_study(preset)
    who = agents_of(study, arms(study)[0], 0, images)
    assert set(who.agreed.tolist()) == {samples}
    assert who.true_cost == pytest.approx(cost, rel=1e-3)


def test_the_released_code_trains_ham10000_with_augmentation_and_weights():
    study = read("ham10000-released")
    assert (study.dataset, study.agents, study.split) == ("ham10000", 10, "stratified")
    assert (study.seeds, study.partitions, study.samples) == (3, ("iid",), None)
    assert of(study).samples.tolist() == [801] * 10
    augment = Augmentation(True, True, 20.0, 0.1, 0.1, 0.1)
    assert study.recipe() == Recipe(
        "adam", 1e-3, batch=64, epochs=50, image_size=224, augment=augment, weighted=True
    )


def test_the_released_robustness_trains_as_released_with_costs_that_are_drawn():
    study, plain = read("ham10000-released-robustness"), read("ham10000-released")
    assert study.recipe() == plain.recipe()
    assert (study.dataset, study.agents, study.split) == ("ham10000", 10, "stratified")
    assert (study.costs.kind, study.costs.mean, study.costs.spread) == ("gaussian", None, 0.1)
    for k, number in enumerate((1, 4, 8)):
        found = of(study, k)
        assert found.kind.count("free-ride") == number
        assert len(set(found.true_cost)) == 10
        assert 8000 <= found.agreed.sum() <= 8012
        quarter = [
            used == max(1, all_ // 4)
            for used, all_ in zip(found.samples, found.agreed, strict=True)
        ]
        assert [each == "free-ride" for each in found.kind] == quarter
        assert found.true_cost.tolist() == of(study, 0).true_cost.tolist()


def test_the_released_rate_of_mnist_is_all_that_differs():
    one, other = read("mnist-iid"), read("mnist-iid-released")
    rate = one.training.model_copy(update={"rate": 5e-4})
    assert other == one.model_copy(update={"name": "mnist-iid-released", "training": rate})
