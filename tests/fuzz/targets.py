"""Every command that reads a file, with the files that it reads and how these are damaged.

A target that is new belongs here. ``share`` is how many of a thousand cases are its own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from . import mutations as change
from .base import TRAIN

SEED = ("--seed", "7")


@dataclass(frozen=True)
class Target:
    """A command: in which folder of the base, what it reads there, and what it may write."""

    name: str
    share: int
    folder: str
    files: dict[str, Callable]
    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Only where all is well; ``*``: what a member is sent is kept, though it may be declined."""
    goes_on: bool = False
    """Whether it goes on with what it finds, and so may write it anew."""


J, T, C = change.json_file, change.toml_file, change.csv_file
PLAIN = "plain"
TARGETS = [
    Target(
        "settle CSV",
        240,
        PLAIN,
        {"agents.csv": C},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle JSON",
        140,
        PLAIN,
        {"agents.json": J},
        ("settle", "agents.json", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle to CSV",
        20,
        PLAIN,
        {"agents.csv": C},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "-o", "out.csv", "--json"),
        ("out.csv",),
    ),
    Target(
        "settle terms",
        130,
        PLAIN,
        {"terms.toml": T},
        ("settle", "agents.csv", "--terms", "terms.toml", *SEED, "--json"),
    ),
    Target(
        "settle flat terms",
        60,
        PLAIN,
        {"flat.toml": T},
        ("settle", "agents.csv", "--terms", "flat.toml", *SEED, "--json"),
    ),
    Target(
        "settle published terms",
        90,
        PLAIN,
        {"terms.json": J},
        ("settle", "agents.csv", "--terms", "terms.json", *SEED, "--json"),
    ),
    Target(
        "advise",
        15,
        PLAIN,
        {"terms.toml": T, "agents.csv": C},
        ("advise", "--cost", "1e-6", "--terms", "terms.toml", "--others", "agents.csv", "--json"),
    ),
    Target("run", 130, PLAIN, {"study.toml": T}, ("run", "study.toml", "-o", "runs")),
    Target(
        "run costs",
        20,
        PLAIN,
        {"agents.csv": C},
        ("run", "study.toml", "-o", "runs", "-s", "costs.file=agents.csv"),
    ),
    Target(
        "lab costs",
        15,
        PLAIN,
        {"agents.csv": C},
        ("lab", "attack", "--costs", "agents.csv", "--json"),
    ),
    Target(
        "lab terms",
        25,
        PLAIN,
        {"flat.toml": T},
        ("lab", "equilibrium", "--terms", "flat.toml", "--json"),
    ),
    Target(
        "compare costs",
        15,
        PLAIN,
        {"agents.json": J},
        (
            "compare",
            "--costs",
            "agents.json",
            "--populations",
            "9",
            "--rounds",
            "9",
            "-o",
            "compared",
        ),
        ("compared",),
    ),
    Target(
        "init",
        25,
        PLAIN,
        {"terms.toml": T},
        (
            "federation",
            "init",
            "made",
            "--members",
            "oak=../join/oak/oak.csr,elm=../join/elm/elm.csr,fir=../join/fir/fir.csr",
            "--terms",
            "terms.toml",
        ),
    ),
    Target(
        "init request",
        10,
        "join",
        {"oak/oak.csr": change.text_file},
        (
            "federation",
            "init",
            "made",
            "--members",
            "oak=oak/oak.csr,elm=elm/elm.csr,fir=fir/fir.csr",
        ),
    ),
    Target(
        "join kit",
        15,
        "join",
        {"oak.kit.json": J},
        ("federation", "join", "oak.kit.json", "--config", "oak/agent.toml", "--check"),
        ("*",),
    ),
    Target(
        "join config",
        12,
        "join",
        {"oak/agent.toml": T},
        ("federation", "join", "oak.kit.json", "--config", "oak/agent.toml", "--check"),
        ("*",),
    ),
    Target(
        "join data",
        6,
        "join",
        {"oak/own.npz": change.npz_file},
        ("federation", "join", "oak.kit.json", "--config", "oak/agent.toml", "--check"),
        ("*",),
    ),
    Target(
        "ledger show",
        12,
        "house",
        {"ledger.jsonl": change.text_file},
        ("ledger", "show", "ledger.jsonl", "--json"),
    ),
    Target(
        "ledger show SQLite",
        4,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("ledger", "show", "ledger.db", "--json"),
    ),
    Target(
        "ledger export",
        5,
        "house/operator",
        {"ledger.db": change.sqlite_file},
        ("ledger", "export", "ledger.db", "-o", "out.jsonl"),
        ("out.jsonl",),
    ),
    Target(
        "verify",
        8,
        "house",
        {"ledger.jsonl": change.text_file},
        ("verify", "ledger.jsonl", "--json"),
    ),
    Target(
        "verify SQLite",
        4,
        "house",
        {"operator/ledger.db": change.sqlite_file},
        ("verify", "operator", "--json"),
    ),
    Target(
        "statement",
        6,
        "house",
        {"ledger.jsonl": change.text_file},
        ("statement", "ledger.jsonl", "birch", "--json"),
    ),
    Target(
        "verify --agent",
        5,
        "house",
        {
            f"birch/{name}": how
            for name, how in {
                "contract.json": J,
                "heads.jsonl": change.text_file,
                "training.bin": change.text_file,
                "rounds.jsonl": change.text_file,
                "statements/*.json": J,
            }.items()
        },
        ("verify", "ledger.jsonl", "--agent", "birch", "--json"),
    ),
    Target(
        "status",
        8,
        "house",
        {"operator/terms.json": J, "operator/members.json": J},
        ("federation", "status", "operator", "--json"),
    ),
    Target(
        "report",
        5,
        "study",
        {"summary.json": J, "manifest.json": J, "study.toml": T},
        ("report", ".", "-o", "page"),
        ("page",),
    ),
    Target(
        "report tables",
        3,
        "study",
        {"*.parquet": change.parquet_file},
        ("report", ".", "-o", "page"),
        ("page",),
    ),
    Target(
        "run --resume",
        2,
        "study",
        {"trained/*.json": J, "study.toml": T},
        ("run", "../plain/study.toml", "-o", ".", "--resume"),
        goes_on=True,
    ),
    Target(
        "train",
        2,
        "training",
        {"*.checkpoint": change.checkpoint_file, "summary.json": J},
        (*TRAIN, "-o", "."),
        goes_on=True,
    ),
]
