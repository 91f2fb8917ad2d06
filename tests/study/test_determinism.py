"""The same study gives the same files, and what is added to a study changes nothing in it."""

import pytest

from fedfact.data import load
from fedfact.study.config.agents import agents_of
from fedfact.study.config.arm import arms
from fedfact.study.config.load import read_study
from fedfact.study.files.trained import job_of

RIDERS = 'deviators=[{kind="free-ride", number=[0, 1, 3], strength=0.5}]'
TABLES = ("curves", "agents", "settlement")


def test_two_runs_write_the_same_bytes(tiny, run_tiny, contents, tmp_path):
    document = run_tiny(tmp_path / "again").summary
    assert contents(tmp_path / "again") == contents(tiny)
    assert document == run_tiny(tmp_path / "again", resume=True).summary


def test_more_seeds_and_partitions_leave_the_first_as_they_are(
    tiny, run_tiny, lines, summary_of, tmp_path
):
    run_tiny(tmp_path / "more", "seeds=3", 'partitions=["dirichlet:0.3", "dirichlet:5", "iid"]')
    for table in TABLES:
        for arm in ("iid", "dirichlet:0.3"):
            for seed in range(2):
                few = lines(tiny, table, arm=arm, seed=seed)
                assert few == lines(tmp_path / "more", table, arm=arm, seed=seed) != []
    few = {arm["arm"]: arm for arm in summary_of(tiny)["arms"]}
    many = {arm["arm"]: arm for arm in summary_of(tmp_path / "more")["arms"]}
    assert list(many) == ["dirichlet:0.3", "dirichlet:5", "iid"]
    for arm, said in few.items():
        assert many[arm]["penalty"] == said["penalty"]
        for name in ("believed", "simulated", "realised"):
            assert many[arm]["truthfulness"][name][:2] == said["truthfulness"][name]
        for group in ("accuracy", "loss", "ratio", "at_local_loss", "spread"):
            for name, value in said[group].items():
                assert many[arm][group][name]["seeds"][:2] == value["seeds"]


def test_seeds_and_partitions_differ(tiny, lines):
    def column(name, **where):
        return [agent[name] for agent in lines(tiny, "agents", **where)]

    assert column("true_cost", arm="iid", seed=0) != column("true_cost", arm="iid", seed=1)
    assert column("true_cost", seed=1, arm="iid") == column(
        "true_cost", seed=1, arm="dirichlet:0.3"
    )
    assert column("labels", seed=0, arm="iid") != column("labels", seed=0, arm="dirichlet:0.3")


@pytest.fixture(scope="module")
def riders(run_tiny, tmp_path_factory):
    """The tiny study with no free riders, one, and three."""
    output = tmp_path_factory.mktemp("riders") / "out"
    run_tiny(output, RIDERS, 'partitions=["dirichlet:0.3"]')
    return output


def of_arms(output, lines, table, **where):
    """Lines by agent, one dictionary for each number of free riders."""
    arms = []
    for number in (0, 1, 3):
        name = f"dirichlet:0.3, {number} of 7 free-ride"
        by_agent = {}
        for line in lines(output, table, arm=name, **where):
            del line["arm"]
            by_agent.setdefault(line["agent"], []).append(line)
        arms.append(by_agent)
    return arms


def test_free_riders_leave_the_data_costs_and_training_of_the_honest_alone(riders, tiny, lines):
    alone = ("agent", "kind", "true_cost", "reported_cost", "agreed", "samples", "labels",
             "local_loss", "local_accuracy")  # fmt: skip
    for seed in range(2):
        agents = of_arms(riders, lines, "agents", seed=seed)
        curves = of_arms(riders, lines, "curves", seed=seed, training="local")
        for arm, trained in zip(agents, curves, strict=True):
            honest = [agent for agent, (line,) in arm.items() if line["kind"] == "honest"]
            for agent in honest:
                assert trained[agent] == curves[0][agent]
                for name in alone:
                    assert arm[agent][0][name] == agents[0][agent][0][name]
        plain = lines(tiny, "curves", arm="dirichlet:0.3", seed=seed, training="local")
        assert [{**line, "arm": ""} for line in plain] == [
            {"arm": "", **line} for lined in curves[0].values() for line in lined
        ]


def test_free_riders_of_a_smaller_number_are_among_those_of_a_larger(riders, lines):
    chosen = []
    for seed in range(2):
        agents = of_arms(riders, lines, "agents", seed=seed)
        rides = [{a for a, (line,) in arm.items() if line["kind"] == "free-ride"} for arm in agents]
        assert list(map(len, rides)) == [0, 1, 3]
        assert rides[1] < rides[2]
        chosen.append(rides[2])
        for arm, who in zip(agents, rides, strict=True):
            for agent, (line,) in arm.items():
                whole = agents[0][agent][0]
                assert line["agreed"] == whole["agreed"]
                assert line["samples"] == (line["agreed"] // 2 if agent in who else line["agreed"])
                assert all(a <= b for a, b in zip(line["labels"], whole["labels"], strict=True))
        assert all(agents[1][a][0]["labels"] == agents[2][a][0]["labels"] for a in rides[1])
    assert chosen[0] != chosen[1]  # drawn from the seed


def test_a_free_rider_uses_some_of_its_own_samples(riders):
    """Its shard in the training is a part of its shard without free riding."""
    study = read_study(str(riders / "study.toml"))
    data = load("digits")
    shards = []
    for arm in arms(study):
        who = agents_of(study, arm, 0, len(data.train))
        shards.append([set(s.tolist()) for s in job_of(study, arm, 0, who, data, None).shards])
        assert list(map(len, shards[-1])) == who.samples.tolist()
    for some in shards[1:]:
        assert all(part <= whole for part, whole in zip(some, shards[0], strict=True))
    held_back = [(p, w) for p, w in zip(shards[2], shards[0], strict=True) if p != w]
    assert len(held_back) == 3
    for part, whole in held_back:  # any of them, not the first
        assert part not in (set(sorted(whole)[: len(part)]), set(sorted(whole)[-len(part) :]))
