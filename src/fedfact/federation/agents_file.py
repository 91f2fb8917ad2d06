"""Agents from a file: CSV with a header line, or JSON with a list of objects.

Columns: agent, reported_cost, samples; optional true_cost, capped, and local_loss together with
federated_loss. Whatever is wrong is said with the file, the row and what to do about it.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..files import read_text
from ..mechanism import InputError, Population
from ..mechanism.arrays import Bools, Floats, Ints
from .columns import Columns, shorten

REQUIRED = ("agent", "reported_cost", "samples")
OPTIONAL = ("true_cost", "capped", "local_loss", "federated_loss")


@dataclass(frozen=True, slots=True, eq=False)
class AgentsFile:
    """What a file says of its agents, in columns; and which other columns it has."""

    path: Path
    agents: list[str]
    reported_cost: Floats
    samples: Ints
    true_cost: Floats | None
    capped: Bools | None
    local_loss: Floats | None
    federated_loss: Floats | None
    ignored: list[str]
    place: Callable[[int], str]
    """Where the k-th agent stands in the file, in words."""

    def population(self, *, measured: bool | None = None) -> Population:
        """The agents to settle; by measured losses if asked, or if not asked and they are there."""
        missing = [name for name in ("local_loss", "federated_loss") if getattr(self, name) is None]
        if missing and (measured or (measured is None and len(missing) == 1)):
            raise InputError(
                f"{self.path}: column {missing[0]} is missing; settling by measured losses needs "
                "local_loss and federated_loss"
            )
        take = measured is not False
        try:
            return Population(
                agents=self.agents,
                reported_cost=self.reported_cost,
                samples=self.samples,
                capped=self.capped,
                local_loss=self.local_loss if take else None,
                federated_loss=self.federated_loss if take else None,
            )
        except InputError as error:
            raise self.locate(error) from None

    def locate(self, error: InputError) -> InputError:
        """The error with its place in this file put before it."""
        where = str(self.path)
        if error.index is not None:
            where += f", {self.place(error.index)}"
        return InputError(f"{where}: {error}")


def read_agents(path: Path) -> AgentsFile:
    """Read a file of agents, checking every value by itself."""
    text = read_text(path, "a CSV or JSON file")
    if not text.strip():
        raise InputError(f"{path}: is empty; give a CSV with the columns {', '.join(REQUIRED)}")
    is_json = path.suffix.lower() == ".json" or text.lstrip()[:1] in ("[", "{")
    columns, place = (_from_json if is_json else _from_csv)(path, text)
    read = Columns(path, columns, place)

    def optional(name: str, reader: Callable[[str], Any]) -> Any:
        return reader(name) if name in columns else None

    return AgentsFile(
        path=path,
        agents=read.names("agent"),
        reported_cost=read.costs("reported_cost"),
        samples=read.whole("samples"),
        true_cost=optional("true_cost", read.costs),
        capped=optional("capped", read.truth),
        local_loss=optional("local_loss", read.numbers),
        federated_loss=optional("federated_loss", read.numbers),
        ignored=[name for name in columns if name not in REQUIRED + OPTIONAL],
        place=place,
    )


def _from_csv(path: Path, text: str) -> tuple[dict[str, list[Any]], Callable[[int], str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[int] = []
    try:
        header = next(row for row in reader if any(map(str.strip, row)))
        names = [name.strip() for name in header]
        _check_names(path, names)
        columns: dict[str, list[Any]] = {name: [] for name in names}
        for row in reader:
            if not any(map(str.strip, row)):
                continue  # a blank line
            lines.append(reader.line_num)
            if len(row) != len(names):
                raise InputError(
                    f"{path}, row {len(lines)} (line {lines[-1]}): has {len(row)} fields where the "
                    f"header has {len(names)}; write as many as the header names"
                )
            for column, field in zip(columns.values(), row, strict=True):
                column.append(field)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: is not valid CSV ({error})") from None
    if not lines:
        raise InputError(f"{path}: has a header and no agents; write one line for each agent")
    return columns, lambda k: f"row {k + 1} (line {lines[k]})"


def _from_json(path: Path, text: str) -> tuple[dict[str, list[Any]], Callable[[int], str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid JSON ({error})") from None
    rows = document.get("agents") if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f'{path}: give a list of objects, or {{"agents": [...]}}, one for each agent with '
            f"{', '.join(REQUIRED)}"
        )
    names = list(dict.fromkeys(name for row in rows for name in row))
    _check_names(path, names)
    for k, row in enumerate(rows):
        for name in names:
            if name in REQUIRED + OPTIONAL and name not in row:
                raise InputError(f"{path}, row {k + 1}: {name} is missing; give it for every agent")
    columns = {name: [row.get(name) for row in rows] for name in names}
    return columns, lambda k: f"row {k + 1}"


def _check_names(path: Path, names: list[str]) -> None:
    for name in REQUIRED:
        if name not in names:
            found = shorten(", ".join(names), 80) or "nothing"
            raise InputError(
                f"{path}: column {name} is missing; found {found}. Name the columns "
                f"{', '.join(REQUIRED)} in the first line, separated by commas"
            )
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: column {name!r} is there twice; keep one")
