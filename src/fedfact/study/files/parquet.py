"""A study's tables from their Parquet files, no larger in memory than `limits` allows.

A few bytes of Parquet can stand for any number of values. So what a file says of itself, in its
footer and in the head of each page, is held against the limits before it is unpacked, and texts
stay in their dictionaries until it is known how long they are all together.
"""

from pathlib import Path
from typing import Any

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...errors import InputError
from ...io import limits
from ...io.columns import shorten
from ...io.regular import read_bytes
from .pages import extent

AGAIN = "finish the study anew with --resume"

MOST_FOOTER = limits.MIB
"""The footer of a table of a thousand columns; one of many megabytes takes gigabytes to read."""


def read_table(path: Path, within: Path) -> dict[str, npt.NDArray[Any]]:
    """The columns of a file, which must lie in this directory."""
    try:
        data = read_bytes(path, limits.RESULTS, within)
        if MOST_FOOTER < int.from_bytes(data[-8:-4], "little") < len(data):
            raise _too_large(path)
        found = pq.ParquetFile(pa.BufferReader(data))
        _check_size(path, data, found.metadata)
        texts = [field.name for field in found.schema_arrow if _is_text(field.type)]
        _check_types(path, found.schema_arrow)
        file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
        table = file.read(use_threads=False)
        if sum(map(_length, table.columns)) > limits.RESULTS:
            raise _too_large(path)
        return {name: _plain(table[name]) for name in table.column_names}
    except FileNotFoundError:
        raise InputError(f"{path}: is missing; {AGAIN}") from None
    except (InputError, MemoryError):
        raise
    except (OSError, pa.ArrowException, ValueError, KeyError) as error:
        first = str(error).partition("\n")[0][:200]
        raise InputError(f"{path}: cannot be read ({first}); {AGAIN}") from None


def _check_size(path: Path, data: bytes, about: Any) -> None:
    """Refuse what says that it holds too much."""
    groups = [about.row_group(k) for k in range(about.num_row_groups)]
    if (
        about.num_columns > limits.COLUMNS
        or about.num_rows * about.num_columns > limits.VALUES
        or sum(group.num_rows for group in groups) != about.num_rows
    ):
        raise _too_large(path)
    _, values, size = extent(data, about)
    if values > limits.VALUES or size > limits.RESULTS:
        raise _too_large(path)


def _check_types(path: Path, schema: Any) -> None:
    """Refuse what no study has: a list of texts, say, repeats a long one without end."""
    for field in schema:
        kind = field.type.value_type if pa.types.is_list(field.type) else field.type
        dictionary = pa.types.is_dictionary(field.type) and _is_text(kind.value_type)
        known = pa.types.is_primitive(kind) or pa.types.is_null(kind) or dictionary
        if not (known or _is_text(field.type)):
            name, told = shorten(field.name, 50), shorten(str(field.type), 50)
            raise InputError(f"{path}: column {name} holds {told}, which no study has; {AGAIN}")


def _too_large(path: Path) -> InputError:
    return InputError(
        f"{path}: holds more than {limits.VALUES:,} values, or {limits.RESULTS >> 20} MiB; is it a "
        f"study's? {AGAIN}"
    )


def _is_text(kind: Any) -> bool:
    return any(
        is_(kind) for is_ in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    )


def _length(column: Any) -> int:
    """The bytes that a column of texts has when each row has its own."""
    total = 0
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            lengths = pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
            total += pc.sum(lengths).as_py() or 0
    return total


def _plain(column: Any) -> npt.NDArray[Any]:
    """A column as an array."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    array: npt.NDArray[Any] = column.to_numpy()
    return array
