"""Canonical JSON: one text for one document, and a refusal in words for everything else."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.federation.wire.canonical import (
    DEEPEST,
    LARGEST_INTEGER,
    MOST,
    canonical,
    decimal,
    number_of,
    read_canonical,
    without_floats,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LEAVES = st.none() | st.booleans() | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | TEXTS
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_a_document_reads_back_as_itself(document):
    data = canonical(document)
    assert read_canonical(data) == document
    assert canonical(read_canonical(data)) == data
    assert json.loads(data) == document


@given(st.dictionaries(TEXTS, LEAVES, min_size=2, max_size=6))
def test_the_order_of_keys_does_not_count(document):
    backwards = dict(reversed(document.items()))
    assert canonical(backwards) == canonical(document)


@given(st.binary(max_size=60) | TEXTS.map(str.encode) | DOCUMENTS.map(json.dumps).map(str.encode))
def test_any_bytes_are_canonical_or_refused(data):
    try:
        document = read_canonical(data)
    except InputError:
        return
    assert canonical(document) == data


@given(DOCUMENTS, st.data())
def test_no_other_spelling_is_read(document, data):
    spelt = data.draw(
        st.sampled_from(
            [
                json.dumps(document, indent=1),
                json.dumps(document, separators=(", ", ":"), ensure_ascii=False),
                " " + json.dumps(document),
                json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":")),
            ]
        )
    ).encode()
    if spelt == canonical(document):
        return
    with pytest.raises(InputError):
        read_canonical(spelt)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1.0",
        b"1e3",
        b"NaN",
        b"-Infinity",
        b"-0",
        b"01",
        b'{"a":1,"a":1}',
        b'{"a":1,"a":2}',
        b'{"b":1,"a":1}',
        b"[1, 2]",
        b'"\\u0041"',
        b'"\\ud800"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        b'"a\nb"',
        b"1\n",
        b"9223372036854775808",
        b"-9223372036854775809",
        b"1" * 5000,
        b"[" * 100_000,
        b"[" * 17 + b"]" * 17,
        b'{"a":' * 20 + b"1" + b"}" * 20,
        b'"' + b"a" * MOST + b'"',
        b"null null",
        b"undefined",
    ],
    ids=lambda data: data[:24].decode("latin1"),
)
def test_what_is_not_canonical_is_refused(data):
    with pytest.raises(InputError):
        read_canonical(data)


def nested(depth):
    document = 1
    for _ in range(depth - 1):
        document = [document]
    return document


def test_limits_are_where_they_are_said_to_be():
    assert read_canonical(canonical(nested(DEEPEST))) == nested(DEEPEST)
    assert read_canonical(canonical([LARGEST_INTEGER, -LARGEST_INTEGER])) == [
        LARGEST_INTEGER,
        -LARGEST_INTEGER,
    ]
    assert read_canonical(b'"' + b"a" * (MOST - 2) + b'"')
    assert read_canonical(b"[1,2]", most=5) == [1, 2]
    with pytest.raises(InputError, match="5 bytes, more than the 4"):
        read_canonical(b"[1,2]", most=4)
    with pytest.raises(InputError, match="too deeply"):
        canonical(nested(DEEPEST + 1))


def test_a_ring_is_refused_like_any_depth():
    ring = []
    ring.append(ring)
    with pytest.raises(InputError, match="too deeply"):
        canonical(ring)


@pytest.mark.parametrize(
    "document",
    [
        0.5,
        math.nan,
        [math.inf],
        {1: 2},
        {None: 1},
        b"bytes",
        (1, 2),
        {"a": {1, 2}},
        2**63,
        -(2**63) - 1,
        "\ud800",
        {"\udfff": 1},
        Ellipsis,
    ],
    ids=repr,
)
def test_values_without_a_canonical_text_are_refused(document):
    with pytest.raises(InputError):
        canonical(document)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimals_read_back_as_the_same_float(number):
    assert number_of(decimal(number)) == number
    assert decimal(number_of(decimal(number))) == decimal(number)


def test_there_is_one_zero():
    assert decimal(-0.0) == "0.0" == decimal(0)
    with pytest.raises(InputError):
        number_of("-0.0")


@given(TEXTS | st.from_regex(r"[-+]?[0-9_]{1,30}(\.[0-9]{0,30})?([eE][-+]?[0-9]{1,4})?"))
def test_other_spellings_of_a_number_are_refused(text):
    try:
        number = number_of(text)
    except InputError:
        return
    assert decimal(number) == text


@pytest.mark.parametrize(
    "text",
    ["1", "1.", ".5", "1_0.0", " 1.0", "1.0\n", "1e3", "١.0", "nan", "inf", "0x1", "9" * 9999],
)
def test_a_number_has_one_spelling(text):
    with pytest.raises(InputError, match="is no number as it should be written"):
        number_of(text)


def test_floats_become_texts_wherever_they_are():
    found = without_floats({"a": [1, 0.5, (2.0,)], "b": {"c": 1e-7}, "d": True})
    assert found == {"a": [1, "0.5", ["2.0"]], "b": {"c": "1e-07"}, "d": True}
