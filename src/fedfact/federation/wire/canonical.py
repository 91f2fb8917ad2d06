"""Canonical JSON: one text for one document, so that hashes and signatures mean the same to all.

Keys sorted, no space, UTF-8; texts, whole numbers, truth values, null, lists and objects. There are
no floats: amounts are whole, and every other number is a text, the shortest decimal that reads back
as the same float (what Python prints).
"""

import hashlib
import json
import math
from typing import Any

from ...errors import InputError

MOST = 1 << 20
"""The longest document, in bytes."""

DEEPEST = 16
LARGEST_INTEGER = 2**63 - 1


def canonical(document: Any) -> bytes:
    """The bytes of a document.

    >>> canonical({"b": [1, True, None], "a": "ü"}).decode()
    '{"a":"ü","b":[1,true,null]}'
    """
    _check(document, DEEPEST)
    try:
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode()
    except UnicodeEncodeError:
        raise InputError("a text in the document cannot be written in UTF-8") from None


def read_canonical(data: bytes, most: int = MOST) -> Any:
    """The document that these bytes are, if they are the canonical bytes of one."""
    if len(data) > most:
        raise InputError(f"the document has {len(data)} bytes, more than the {most} allowed")
    try:
        document = json.loads(data.decode(), parse_float=_no_float, parse_constant=_no_float)
        same = canonical(document) == data  # also refuses a key that is there twice
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a canonical JSON document ({error})") from None
    if not same:
        raise InputError("the document is JSON, but not in its canonical form")
    return document


def digest(data: bytes) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def decimal(number: float) -> str:
    """A float as text.

    >>> decimal(0.1), decimal(2), decimal(1.024e-7)
    ('0.1', '2.0', '1.024e-07')
    """
    return repr(float(number) + 0.0)  # there is one zero, not two


def number_of(text: str) -> float:
    """The float that `decimal` wrote, and no other spelling of it."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or decimal(number) != text:
        raise InputError(f"{text[:40]!r} is no number as it should be written, such as '0.5'")
    return number


def without_floats(document: Any) -> Any:
    """A document whose floats are replaced by their texts."""
    if isinstance(document, float):
        return decimal(document)
    if isinstance(document, dict):
        return {key: without_floats(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [without_floats(value) for value in document]
    return document


def _no_float(text: str) -> Any:
    raise ValueError(f"{text[:20]} is no whole number")


def _check(value: Any, depth: int) -> None:
    if depth == 0:
        raise InputError("the document is nested too deeply")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InputError(f"the key {key!r} is no text")
            _check(inner, depth - 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, depth - 1)
    elif isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise InputError("a whole number in the document is out of range")
    elif value is not None and not isinstance(value, str):
        raise InputError(f"a {type(value).__name__} has no place in a canonical document")
