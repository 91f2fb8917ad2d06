"""A study's tables from their Parquet files, no larger in memory than `limits` allows.

A few bytes of Parquet can stand for any number of values. So what a file says of itself is held
against the limits before it is read, and texts stay in their dictionaries until it is known how
long they are all together.
"""

from pathlib import Path
from typing import Any

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...errors import InputError
from ...io import limits
from ...io.regular import open_regular

AGAIN = "finish the study anew with --resume"


def read_table(path: Path, within: Path) -> dict[str, npt.NDArray[Any]]:
    """The columns of a file, which must lie in this directory."""
    try:
        with open_regular(path, limits.RESULTS, within) as file:
            found = pq.ParquetFile(file)
            _check_size(path, found.metadata)
            texts = [field.name for field in found.schema_arrow if _is_text(field.type)]
            file.seek(0)
            table = pq.ParquetFile(file, read_dictionary=texts).read(use_threads=False)
            if sum(map(_length, table.columns)) > limits.RESULTS:
                raise _too_large(path)
            return {name: _plain(table[name]) for name in table.column_names}
    except FileNotFoundError:
        raise InputError(f"{path}: is missing; {AGAIN}") from None
    except InputError:
        raise
    except (OSError, MemoryError, pa.ArrowException, ValueError, KeyError) as error:
        first = str(error).partition("\n")[0][:200]
        raise InputError(f"{path}: cannot be read ({first}); {AGAIN}") from None


def _check_size(path: Path, about: Any) -> None:
    """Refuse what says that it holds too much."""
    groups = [about.row_group(k) for k in range(about.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
    values = sum(max(chunk.num_values, 0) for chunk in chunks)
    size = sum(max(chunk.total_uncompressed_size, 0) for chunk in chunks)
    cells = about.num_rows * about.num_columns
    if (
        about.num_columns > limits.COLUMNS
        or max(values, cells) > limits.VALUES
        or size > limits.RESULTS
        or sum(group.num_rows for group in groups) != about.num_rows
    ):
        raise _too_large(path)


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
