"""What is done to good files to make bad ones: to bytes, to JSON values, to cells, to arrays."""

import csv
import io
import json
import math
import zipfile

import numpy as np

WILD = [None, True, -1, 0, 2**63 - 1, 2**63, "", "é\u2028", "0" * 64, "1e+99", [], {}, [[]], "ab"]
MARKS = b'{}[]",:0-9aA\\ \n\x00\xff'
DELETE = object()
CELLS = [
    *(
        "",
        " ",
        "=1+1",
        "-5",
        "1e400",
        "1e-400",
        "nan",
        "inf",
        "0",
        "-0",
        "1_000",
        "0x10",
        "9" * 5000,
    ),
    *("'=x", '"', "1,2", "\t", "\x00", "\u202e", "\ud7ff", "１", "true", "x" * 300, "1e100", "0.1"),
]
VALUES = [
    *WILD,
    *(1.5, -0.0, 1e308, 1e-308, math.inf, math.nan, 10**400, "x" * 20_000, "../..", "/dev/zero"),
    *(
        {"a": {"a": {"a": 1}}},
        [0] * 5000,
        "\x1b[31m",
        "=1",
        "digits",
        "\x00",
        "norm:loc=1,scale=0.1",
    ),
]


def damaged(data, damage):
    """The bytes with a few of them changed, left out, doubled or put in; never the same bytes.

    ``damage`` is a list of how, where, and with what.
    """
    wrong = bytearray(data)
    for how, where, what in damage:
        position = where % len(wrong) if wrong else 0
        match how:
            case 0 | 1 if wrong:
                wrong[position] ^= 1 << what[0] % 8
            case 2 if wrong:
                wrong[position] = MARKS[what[0] % len(MARKS)]
            case 3:
                del wrong[position : position + (1, 2, 17, 1000)[what[0] % 4]]
            case 4:
                wrong[position:position] = what
            case 5:
                wrong[position:position] = wrong[position : position + (1, 8, 64)[what[0] % 3]]
            case _:
                wrong[position:] = (b"", b"\n", b"}", b"\x00" * 70)[what[0] % 4]
    return bytes(wrong) if wrong != data else data + damage[0][2]


def wild(value, otherwise, keep=()):
    """A document with one value made another or left out; what ``keep`` names stays.

    ``otherwise`` is on which way to a value, and what is there instead.
    """
    steps, new = otherwise
    value = inside = json.loads(json.dumps(value))
    names = [name for name in value if name not in keep]
    for turn, number in enumerate(steps, 1):
        step = names[number % len(names)]
        inner = inside[step]
        if turn == len(steps) or not inner or not isinstance(inner, dict | list):
            break
        inside, names = inner, list(inner) if isinstance(inner, dict) else range(len(inner))
    if new is DELETE:
        del inside[step]
    else:
        inside[step] = [new] if inner == new and type(inner) is type(new) else new
    return value


def any_bytes(data, rng):
    """Damage that is drawn."""
    draw = [
        (rng.randrange(7), rng.randrange(2**20), rng.randbytes(rng.randrange(1, 20)))
        for _ in range(rng.randrange(1, 5))
    ]
    return damaged(data, draw)


def any_document(document, rng):
    """One to three values made others, left out, or put in under another name."""
    for _ in range(rng.randrange(1, 4)):
        new = rng.choice([DELETE, *VALUES])
        if isinstance(document, dict) and document and rng.random() < 0.9:
            document = wild(
                document, ([rng.randrange(1000) for _ in range(rng.randrange(1, 7))], new)
            )
        elif isinstance(document, list) and document and rng.random() < 0.9:
            steps = [rng.randrange(1000) for _ in range(rng.randrange(2, 6))]
            document = wild({"list": document}, (steps, new)).get("list")
        elif isinstance(document, dict):
            document = {
                **document,
                rng.choice(["x", "", "a.b", "é", "terms", "money"]): rng.choice(VALUES),
            }
        else:
            document = rng.choice(VALUES)
    return document


def json_file(data, rng):
    """A JSON file: some of its bytes, or of its values, made others."""
    if rng.random() < 0.3:
        return any_bytes(data, rng)
    if rng.random() < 0.02:
        return b"[" * rng.choice([900, 200_000])
    return json.dumps(any_document(json.loads(data), rng)).encode()


def toml_file(data, rng):
    """A TOML file likewise."""
    import tomllib

    if rng.random() < 0.3:
        return any_bytes(data, rng)
    if rng.random() < 0.02:
        return rng.choice([b"a." * 20_000 + b"a = 1", b"x = " + b"[" * 5000, b'"x" = 1\n"x" = 2'])
    document = any_document(tomllib.loads(data.decode()), rng)
    if not isinstance(document, dict):
        return any_bytes(data, rng)
    return "".join(f"{_key(name)} = {toml(value)}\n" for name, value in document.items()).encode()


def toml(value):
    """A value in TOML; what TOML has not becomes a text."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps("null" if value is None else value).replace("\x7f", "")


def _key(name):
    return json.dumps(name)


def csv_file(data, rng):
    """A CSV file: its bytes, a cell, a column, a row, the header."""
    if rng.random() < 0.3:
        return any_bytes(data, rng)
    rows = list(csv.reader(io.StringIO(data.decode())))
    for _ in range(rng.randrange(1, 4)):
        row = rng.choice(rows)
        position = rng.randrange(len(row)) if row else 0
        match rng.randrange(8):
            case 0:
                rows.insert(rng.randrange(len(rows) + 1), row)
            case 1 if len(rows) > 1:
                rows.remove(row)
            case 2 if row:
                del row[position]
            case 3:
                row.insert(position, rng.choice(CELLS))
            case 4:
                for each in rows:
                    each.append(rng.choice(CELLS))
            case _ if row:
                row[position] = rng.choice(CELLS)
    file = io.StringIO()
    csv.writer(file, lineterminator=rng.choice(["\n", "\r\n"])).writerows(rows)
    return file.getvalue().encode("utf-8", "replace")


def text_file(data, rng):
    """Text of any kind."""
    return any_bytes(data, rng)


ARRAYS = [
    lambda a: a.astype(np.float64),
    lambda a: a.astype(np.int8),
    lambda a: a[:0],
    lambda a: a[:-1],
    lambda a: a[None],
    lambda a: a.ravel(),
    lambda a: a.astype("U4"),
    lambda a: a.astype(object),
    lambda a: np.array(7),
    lambda a: np.zeros((3, 0, 5), np.uint8),
    lambda a: a * 0 - 1.0,
    lambda a: a.astype([("x", "i4")]) if a.ndim == 1 else a[..., None],
    lambda a: np.full(a.shape, 2**62),
    lambda a: a.T,
    lambda a: np.asfortranarray(a),
]


def npz_file(data, rng):
    """An npz: its bytes, an array of another kind, a header that lies, a member without one."""
    if rng.random() < 0.4:
        return any_bytes(data, rng)
    with np.load(io.BytesIO(data)) as read:
        arrays = {name: read[name] for name in read.files}
    name = rng.choice(list(arrays))
    arrays[name] = rng.choice(ARRAYS)(arrays[name])
    if rng.random() < 0.2:
        del arrays[name]
    out = io.BytesIO()
    with zipfile.ZipFile(
        out, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    ) as archive:
        for each, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=True)
            content = member.getvalue()
            if rng.random() < 0.4:
                content = rng.choice(
                    [
                        any_bytes(content, rng),
                        content.replace(b"(", b"(9999999, ", 1),
                        content.replace(b"(", b"(-1, ", 1),
                        content[80:],
                        b"",
                        content[:10] + b"[" * 100 + content[110:],
                    ]
                )
            archive.writestr(f"{each}{rng.choice(['.npy', '.npy', '.npy', ''])}", content)
    return out.getvalue()


def parquet_file(data, rng):
    """A Parquet file: its bytes, or a column of another kind, length, name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if rng.random() < 0.5:
        return any_bytes(data, rng)
    table = pq.read_table(io.BytesIO(data))
    columns = {name: table[name].to_pylist() for name in table.column_names}
    name = rng.choice(list(columns))
    rows = table.num_rows
    match rng.randrange(6):
        case 0:
            del columns[name]
        case 1:
            columns["more"] = columns.pop(name)
        case 2:
            columns[name] = [rng.choice([None, columns[name][0]]) for _ in range(rows)]
        case 3:
            columns = {each: values[:-1] for each, values in columns.items()}
        case _:
            new = rng.choice(
                [None, True, -1, 2**62, "", "ab", 1e308, math.nan, b"\xff", [1], {"a": 1}]
            )
            columns[name] = [new] * rows
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def sqlite_file(data, rng):
    """A ledger's file: its bytes, or what SQLite can be told to do to it."""
    import sqlite3
    from contextlib import closing

    if rng.random() < 0.8:
        return any_bytes(data, rng)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(data)
        column = rng.choice(["number", "kind", "time", "body", "previous", "hash", "signature"])
        value = rng.choice([None, -1, 2**62, 1.5, "", "é\x00", b"\xff" * 40, "x" * 100_000, "{}"])
        row = rng.randrange(40)
        try:
            match rng.randrange(5):
                case 0:
                    connection.execute("DELETE FROM fedfact_ledger WHERE number = ?", (row,))
                case 1:
                    connection.execute(f"ALTER TABLE fedfact_ledger DROP COLUMN {column}")
                case 2:
                    connection.execute("CREATE VIEW own AS SELECT * FROM fedfact_ledger")
                case _:
                    connection.execute(
                        f"UPDATE fedfact_ledger SET {column} = ? WHERE number = ?", (value, row)
                    )
            connection.commit()
        except sqlite3.Error:
            return any_bytes(data, rng)
        return bytes(connection.serialize())


def checkpoint_file(data, rng):
    """A checkpoint: its bytes, or another state under a right hash."""
    import copy
    import hashlib

    import torch

    if rng.random() < 0.3:
        return any_bytes(data, rng)
    end, mark = len(data) - 53, data[-21:]
    length = int.from_bytes(data[end - 8 : end], "little")
    about = data[end - 40 - length : end - 40]
    state = copy.deepcopy(torch.load(io.BytesIO(data[: end - 40 - length]), weights_only=True))
    if rng.random() < 0.3:
        about = json.dumps(any_document(json.loads(about), rng)).encode()
    inside = state
    while True:
        keys = list(inside) if isinstance(inside, dict) else range(len(inside))
        key = rng.choice(list(keys))
        deeper = isinstance(inside[key], dict | list) and inside[key] and rng.random() < 0.8
        if not deeper:
            break
        inside = inside[key]
    new = rng.choice([*VALUES[:14], torch.zeros(3), torch.full((2, 2), math.nan), 1.5, DELETE])
    if new is DELETE:
        del inside[key]
    else:
        inside[key] = new
    out = io.BytesIO()
    torch.save(state, out)
    body = (
        out.getvalue() + about + hashlib.sha256(about).digest() + len(about).to_bytes(8, "little")
    )
    return body + hashlib.sha256(body).digest() + mark
