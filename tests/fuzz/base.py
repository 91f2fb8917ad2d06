"""Good files of every kind that a command reads, made once: `make_base` puts them in a folder."""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
from PIL import Image

from fedfact.cli.app import app
from fedfact.federation.deploy.flare.kits.request import make_request
from fedfact.federation.deploy.flare.kits.set_up import set_up
from fedfact.federation.ledger.export import export
from fedfact.federation.operator.directory import DEFAULT_TERMS
from fedfact.study.config.load import read_study
from fedfact.study.run import run_study
from fedfact.training import Machine, train_federated
from fedfact.training.checkpoint import Checkpoint
from fedfact.training.kept import run
from fedfact.training.setup import prepare

from ..federation.conftest import House

AGENTS = """agent,reported_cost,samples,true_cost,capacity,left
ann,4e-6,500,4e-6,500,no
bob,2e-6,707,2e-6,707,no
cy,1e-6,1000,1e-6,2000,false
dee,3e-6,577,3e-6,577,true
eve,5e-6,447,5e-6,450,0
fay,6e-6,408,6e-6,900,
"""
RUNS = "samples,seed,loss\n" + "".join(
    f"{m},{seed},{8 / m + 0.25 + 0.004 * (seed - 1) * 20 / m!r}\n"
    for m in (20, 40, 80, 160, 320)
    for seed in range(3)
)
TERMS = """name = "oaks"
[money]
error_scale = 1.0
rule = "sandwich"
exponent = 0.9
unit = 1e-6
minimum_samples = 5
[training]
network = "digits"
rounds = 6
[conduct]
quorum = 3
"""
FLAT = """rule = "rebate"
error_scale = 1.0
unit = 1e-6
alpha = 1.0
retention = 0.1
escrow = 100000
"""
STUDY = """name = "tiny"
dataset = "digits"
agents = 4
partitions = ["iid", "dirichlet:0.3"]
seeds = 2
samples = [20, 30, 40, 50]
[costs]
kind = "gaussian"
mean = 4e-4
[training]
epochs = 2
local_steps = 2
[terms]
alpha = 1.0
[[deviators]]
kind = "misreport"
strength = 1.2
number = 1
"""
OWN_COSTS = """agents = 6
dataset = "digits"
samples = 20
seeds = 1
[costs]
file = "agents.csv"
"""
TRAIN = (
    "train",
    "digits",
    "--agents",
    "3",
    "--samples",
    "12",
    "--epochs",
    "2",
    "--local-steps",
    "1",
)
GO_ON = ("--epochs", "1", "--device", "cpu", "--resume", "--json")
COLLAPSE = ("lab", "collapse", "digits", "--agents", "3", "--seeds", "1", *GO_ON)
SIZES = ("calibrate", "--data", "digits", "--sizes", "12,24,48,96", "--seeds", "3", *GO_ON)
TRAIN = (*TRAIN, "--engine", "plain", "--device", "cpu", "--every", "1")


def make_base(root: Path) -> None:
    """Write all of it below this folder."""
    for name in ("plain", "training", "join", "data/mnist"):
        (root / name).mkdir(parents=True)
    (root / "plain/agents.csv").write_text(AGENTS)
    lines = [line.split(",") for line in AGENTS.splitlines()]
    rows = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    numbers = [{**row, "samples": int(row["samples"])} for row in rows]
    (root / "plain/agents.json").write_text(json.dumps({"agents": numbers}))
    (root / "plain/terms.toml").write_text(TERMS)
    (root / "plain/flat.toml").write_text(FLAT)
    (root / "plain/costs.toml").write_text(OWN_COSTS)
    (root / "plain/runs.csv").write_text(RUNS)
    _federations(root)
    _trained(root)
    _lab(root)
    _pictures(root)


def _federations(root: Path) -> None:
    house = House(root / "house", members=3, rounds=2)
    house.run()
    (root / "house/ledger.jsonl").write_bytes(export(house.entries()))
    (root / "plain/terms.json").write_bytes((house.directory / "season-1/terms.json").read_bytes())
    requests = {}
    for name in ("oak", "elm", "fir"):
        own = root / "join" / name
        own.mkdir()
        (own / "member.toml").write_text(
            f'name = "{name}"\ntrue_cost = 1.0\ndata = "own.npz"\nmost_samples = 40\n'
        )
        images = np.arange(50 * 64, dtype=np.uint8).reshape(50, 8, 8)
        np.savez_compressed(own / "own.npz", images=images, labels=np.arange(50) % 10)
        requests[name] = make_request(own / "member.toml")
    kits = set_up(root / "join/operator", DEFAULT_TERMS, requests)
    shutil.copy(kits["oak"], root / "join/oak.kit.json")
    shutil.copy(root / "join/operator/address.json", root / "house/operator")
    shutil.copytree(root / "join/operator/tls", root / "house/operator/tls")
    (root / "house/elsewhere").mkdir()
    (root / "house/elsewhere/ledger.url").write_text("sqlite:///operator/ledger.db\n")


def _trained(root: Path) -> None:
    (root / "plain/study.toml").write_text(STUDY)
    study = read_study(str(root / "plain/study.toml"))
    run_study(study, Machine("cpu"), root / "study", command="fedfact run study.toml")
    machine = Machine("cpu", plain=True)
    from dataclasses import replace

    from fedfact.training import RECIPES

    job = prepare(
        "digits",
        agents=3,
        samples=[12] * 3,
        recipe=replace(RECIPES["digits"], epochs=2, local_steps=1),
    )
    run(job, machine, output=root / "training")
    half = {}

    class Half(Checkpoint):
        def save(self, state):
            if not state["finished"]:
                super().save(state)
                half.setdefault("done", True)

    about = {"training": "federated", **machine.describe(job), "epochs between tests": 1}
    train_federated(job, machine, checkpoint=Half(root / "training/half.checkpoint", about))
    assert half
    (root / "training/federated.checkpoint").unlink()
    (root / "training/half.checkpoint").rename(root / "training/federated.checkpoint")


def _lab(root: Path) -> None:
    for folder, words in (("collapse", COLLAPSE), ("calibrated", SIZES)):
        app([*words, "-o", str(root / folder)], standalone_mode=False)


def _pictures(root: Path) -> None:
    rng = np.random.default_rng(5)
    for part, number in (("train", 36), ("t10k", 10)):
        images = rng.integers(0, 256, (number, 28, 28), np.uint8)
        labels = (np.arange(number) % 10).astype(np.uint8)
        for name, array in (("images-idx3", images), ("labels-idx1", labels)):
            sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
            content = bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()
            packed = gzip.compress(content, mtime=0) if part == "train" else content
            ending = ".gz" if part == "train" else ""
            (root / f"data/mnist/{part}-{name}-ubyte{ending}").write_bytes(packed)
    own = root / "join/painted"
    shutil.copytree(root / "join/oak", own)
    config = (own / "member.toml").read_text()
    (own / "member.toml").write_text(config.replace("own.npz", "pictures/"))
    for k in range(10):
        (own / f"pictures/{k}").mkdir(parents=True)
        for number in range(3):
            image = Image.fromarray(rng.integers(0, 256, (8, 8), np.uint8))
            image.save(own / f"pictures/{k}/{number}.png")
