"""The most that is read of anything: checked before memory is taken for it, never after.

What a file may be depends on what it is read into. Text and JSON take up to some twenty times
their size as Python objects, TOML takes time besides; packed formats (Parquet, npz, gzip, PNG) say
themselves what they unpack to, and may lie, so both what they say and what comes out is bounded.
"""

MIB = 1 << 20

TEXT = 32 * MIB
"""A CSV or JSON file of agents, a page of text: some 700,000 agents."""

TOML = 2 * MIB
"""A config, with the costs of fifty thousand agents in it."""

TOML_PARTS = 16
"""The parts of a dotted key: reading takes the square of it."""

COLUMNS = 1_000
"""The columns of a table."""

ROWS = 1_000_000
"""The rows of a CSV file."""

RESULTS = 256 * MIB
"""A study's table in memory, and what its Parquet file unpacks to."""

VALUES = 20_000_000
"""The values of a study's table, the elements of lists counted one by one."""

SAMPLES = 4096 * MIB
"""Images in memory: a member's own, or a data set's."""

PIXELS = 64 * MIB
"""The pixels of one picture."""

TOO_LARGE = f"takes more than {SAMPLES >> 30} GiB of memory; give fewer or smaller images"

INFLATED = 1032
"""Deflate makes no byte out of less than a 1,032nd of one; who claims more, lies."""

MODEL = 4096 * MIB
"""A model, a checkpoint, pretrained weights."""

LEDGER = 2048 * MIB
"""A ledger's file or export."""

ENTRY = 64 * MIB
"""One entry of a ledger: a round of some ten thousand agents."""

KEPT = 64 * MIB
"""One of the other files that a member or an operator keeps, or was sent."""
