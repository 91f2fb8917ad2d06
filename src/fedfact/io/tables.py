"""Columns from a file: CSV with a header line, or JSON with a list of objects."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from . import limits
from .columns import Columns, shorten
from .files import read_text

Names = tuple[str, ...]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""How a cell begins that a spreadsheet may run, with the quotes that keep it from that."""


def read_columns(
    path: Path, required: Names, optional: Names = (), *, of: str = "agent"
) -> Columns:
    """The columns of a file, which must have the required ones; values are checked when taken.

    ``of`` says what a row is about.
    """
    text = read_text(path, "a CSV or JSON file")
    if not text.strip():
        raise InputError(f"{path}: is empty; give a CSV with the columns {', '.join(required)}")
    is_json = path.suffix.lower() == ".json" or text.lstrip()[:1] in ("[", "{")
    if is_json:
        return Columns(path, *_from_json(path, text, required, required + optional, of))
    return Columns(path, *_from_csv(path, text, required, of))


def to_csv(columns: Mapping[str, Sequence[Any]], line_end: str = "\n") -> str:
    """Columns as CSV, in which a spreadsheet runs nothing: a text like ``=1+1`` gets a quote.

    Numbers stay as they are, those below 0 too. `read_columns` takes the quote off again. RFC 4180
    wants lines that end with both a carriage return and a line feed; most programs take either.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator=line_end)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([_quoted(cell) if isinstance(cell, str) else cell for cell in row])
    return file.getvalue()


def _quoted(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _unquoted(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _from_csv(
    path: Path, text: str, required: Names, of: str
) -> tuple[dict[str, list[Any]], Callable[[int], str]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[int] = []
    try:
        header = next(row for row in reader if any(map(str.strip, row)))
        names = [name.strip() for name in header]
        _check_names(path, names, required)
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
                column.append(_unquoted(field))
            if len(lines) > limits.ROWS:
                raise InputError(f"{path}: has more than {limits.ROWS:,} rows; give fewer")
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: is not valid CSV ({error})") from None
    if not lines:
        raise InputError(f"{path}: has a header and no {of}s; write one line for each {of}")
    return columns, lambda k: f"row {k + 1} (line {lines[k]})"


def _from_json(
    path: Path, text: str, required: Names, known: Names, of: str
) -> tuple[dict[str, list[Any]], Callable[[int], str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid JSON ({error})") from None
    rows = document.get(f"{of}s") if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(
            f'{path}: give a list of objects, or {{"{of}s": [...]}}, one for each {of} with '
            f"{', '.join(required)}"
        )
    names = list(dict.fromkeys(name for row in rows for name in row))
    _check_names(path, names, required)
    for k, row in enumerate(rows):
        for name in names:
            if name in known and name not in row:
                raise InputError(f"{path}, row {k + 1}: {name} is missing; give it for every {of}")
    columns = {name: [row.get(name) for row in rows] for name in names}
    return columns, lambda k: f"row {k + 1}"


def _check_names(path: Path, names: list[str], required: Names) -> None:
    if len(names) > limits.COLUMNS:
        raise InputError(f"{path}: has {len(names):,} columns; give at most {limits.COLUMNS:,}")
    for name in required:
        if name not in names:
            found = shorten(", ".join(names), 80) or "nothing"
            raise InputError(
                f"{path}: column {name} is missing; found {found}. Name the columns "
                f"{', '.join(required)} in the first line, separated by commas"
            )
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{path}: column {name!r} is there twice; keep one")
