"""Which ledger heads a member let go of, when the operator's ledger went on from an older state.

restarts.json  each restart it consented to    restart  if there: consent to one, whatever it lost
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ...errors import InputError
from ...io import limits
from ...io.files import reason
from ...io.regular import read_bytes
from ..agreement.restart import Consent
from ..wire.document import Document, Stored
from ..wire.ledger_head import LedgerHead

RESTARTS, ALLOW = "restarts.json", "restart"


class OwnRestart(Document):
    """A restart that it consented to, when it had been shown so many heads."""

    consent: Consent
    heads: Annotated[int, Field(ge=0)]


class OwnRestarts(Stored):
    """All of them, in order."""

    restarts: list[OwnRestart]


def restarts(directory: Path) -> list[OwnRestart]:
    """What a member let go of."""
    path = directory / RESTARTS
    if not path.exists():
        return []
    try:
        return OwnRestarts.read(read_bytes(path, limits.KEPT, directory)).restarts
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({reason(error)}); restore it") from None
    except InputError as error:
        raise InputError(f"{path}: {error}; restore it") from None


def followed(heads: Sequence[LedgerHead], made: Sequence[OwnRestart]) -> list[LedgerHead]:
    """Of these heads those that were not let go of."""
    return [
        head
        for number, head in enumerate(heads)
        if all(number >= each.heads or head.number <= each.consent.after.number for each in made)
    ]
