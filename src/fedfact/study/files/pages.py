"""What the pages of a Parquet file say of themselves, read before any of them is unpacked.

The footer is a summary that pyarrow does not hold the pages against, so it may promise little where
a page unpacks to gigabytes. Each page has a head of its own (``PageHeader`` in parquet.thrift, in
Thrift's compact protocol), and no more memory is taken for a page than its head says.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

PAGES = 100_000
"""The pages of a file: a study's table has two a column and a million rows."""

_TRUE, _FALSE, _INT32, _INT64, _BYTES, _STRUCT = 1, 2, 5, 6, 8, 12
_KIND, _UNPACKED, _PACKED = ((field, _INT32) for field in (1, 2, 3))
_CONTENT = {0: (5, 2), 2: (7, 2), 3: (8, 4)}
"""Of each kind of page, the field with more about it, and where that has the encoding."""

_ENCODINGS = {0, 2, 3, 8}
"""Plain, run lengths and dictionaries: in others a few bytes can make any number of long texts."""


class PageError(ValueError):
    """The pages are not as the format, or a study's table, has them."""


class Extent(NamedTuple):
    """What pages come to when they are unpacked."""

    pages: int
    values: int
    size: int


def extent(data: bytes, about: Any) -> Extent:
    """All pages of a file together, at the places that its footer says, as pyarrow reads it."""
    if not str(about.created_by).startswith("parquet-cpp"):  # pyarrow reads others less strictly
        raise PageError("it was not written by pyarrow")
    pages = values = size = 0
    for k in range(about.num_row_groups):
        group = about.row_group(k)
        for chunk in map(group.column, range(group.num_columns)):
            for more_values, more_bytes in _pages(data, chunk):
                pages += 1
                values += more_values
                size += more_bytes
                if pages > PAGES:
                    raise PageError(f"it has more than {PAGES:,} pages")
    return Extent(pages, values, size)


def _pages(data: bytes, chunk: Any) -> Iterator[tuple[int, int]]:
    """The values and bytes of each page of a column's chunk, which its pages fill exactly."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < at:
        at = chunk.dictionary_page_offset
    end = at + chunk.total_compressed_size
    if not 0 <= at <= end <= len(data):
        raise PageError("a column lies outside the file")
    while at < end:
        head, at = _struct(data, at)
        packed, unpacked = head.get(_PACKED, -1), head.get(_UNPACKED, -1)
        more, encoding = _CONTENT.get(head.get(_KIND, -1), (0, 0))
        content = head.get((more, _STRUCT), {})
        values = content.get((1, _INT32), -1)
        if min(packed, unpacked, values) < 0 or packed > end - at:
            raise PageError("the head of a page makes no sense")
        if content.get((encoding, _INT32)) not in _ENCODINGS:
            raise PageError("a page has an encoding that studies do not use")
        yield values, unpacked
        at += packed


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[dict[tuple[int, int], Any], int]:
    """A Thrift struct: its fields by number and type, and where it ends."""
    fields: dict[tuple[int, int], Any] = {}
    number = 0
    while True:
        mark, at = _byte(data, at)
        if mark == 0:
            return fields, at
        kind = mark & 15
        if mark >> 4:
            number += mark >> 4
        else:
            number, at = _integer(data, at, 16)
        value: Any = None
        if kind in (_INT32, _INT64):
            value, at = _integer(data, at, 32 if kind == _INT32 else 64)
        elif kind == _BYTES:
            length, at = _unsigned(data, at)
            at += length
        elif kind == _STRUCT and depth < 2:
            value, at = _struct(data, at, depth + 1)
        elif kind not in (_TRUE, _FALSE):
            raise PageError("the head of a page has what no head has")
        if (number, kind) in fields or not 0 < number < 1 << 15:
            raise PageError("the head of a page names a field twice, or one that cannot be")
        fields[number, kind] = value


def _byte(data: bytes, at: int) -> tuple[int, int]:
    if at >= len(data):
        raise PageError("the file ends in the head of a page")
    return data[at], at + 1


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first."""
    value = shift = 0
    while shift < 70:
        byte, at = _byte(data, at)
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
    raise PageError("the head of a page has a number without an end")


def _integer(data: bytes, at: int, bits: int) -> tuple[int, int]:
    """A number with a sign (zigzag), of at most so many bits."""
    value, at = _unsigned(data, at)
    if value >> bits:
        raise PageError("the head of a page has a number that is too large")
    return value >> 1 ^ -(value & 1), at
