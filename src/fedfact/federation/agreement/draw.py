"""The seed of the draw, by commit and reveal: neither the operator nor any member steers it.

1. The operator draws a secret seed and publishes its SHA-256 with the terms, before anybody enrols.
2. Every member draws a nonce and sends its SHA-256 when it enrols; the contract repeats it.
3. When the training is over and what everybody delivered is in the ledger, and only then, members
   open their nonces. So nobody can be let in, left out or dropped for what it would do to the draw.
4. Where a member withholds its nonce, its commitment takes the nonce's place, which it cannot
   change any more. It could choose between two draws, but blindly: the operator's seed is secret.
5. At settlement the operator reveals its seed. The seed of the draw is SHA-256 over all of them.
"""

import hashlib
from collections.abc import Mapping

from ..wire.canonical import digest
from ..wire.message import Head
from .contract import Contract

NONCE = 32
"""Bytes of a nonce."""


def commitment(secret: bytes, whose: str) -> str:
    """What is published of a secret before it is opened."""
    return digest(f"fedfact-commitment:{whose}:".encode() + secret)


def draw_seed(operator_seed: bytes, nonces: Mapping[str, str]) -> int:
    """The seed of the grouping (Eq. 10), from the operator's and all members' secrets.

    ``nonces``: each member's nonce, or its commitment where it was withheld, in hexadecimal.
    """
    sha256 = hashlib.sha256(b"fedfact-draw:" + operator_seed)
    for member in sorted(nonces):
        sha256.update(f":{member}={nonces[member]}".encode())
    return int.from_bytes(sha256.digest(), "big")


def opens(head: Head, contract: Contract) -> bool:
    """Whether a message opens the nonce that the contract commits to."""
    nonce = str(head.content.get("nonce")) if head.content.keys() == {"nonce", "ledger"} else ""
    try:
        secret = bytes.fromhex(nonce)
    except ValueError:
        return False
    fits = len(secret) == NONCE and secret.hex() == nonce
    return fits and commitment(secret, contract.member) == contract.nonce
