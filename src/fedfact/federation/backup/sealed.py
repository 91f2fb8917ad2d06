"""A stream of bytes that only who has the passphrase can read, or change without being found out.

A line that names the format; 32 random bytes, the salt; then chunks of 1 MiB, each encrypted with
ChaCha20-Poly1305 under a key that scrypt makes of passphrase and salt. The nonce of a chunk is its
number and whether it is the last: so none can be moved, doubled, left out or cut off at the end.
How much work scrypt is belongs to the format: a file cannot ask for more.
"""

import os
from collections.abc import Callable
from typing import IO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from ...errors import InputError

START = b"fedfact backup 1\n"
CHUNK = 1 << 20
LEAST = 12
"""Letters of a passphrase."""

_NAME, _SALT, _TAG = b"fedfact backup ", 32, 16
_WORK, _BLOCK = 2**17, 8  # 128 MiB of memory


class Sealer:
    """Bytes that are written go to the file encrypted; what is not `close`\\ d cannot be opened."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        salt = os.urandom(_SALT)
        self._file, self._cipher, self._about = file, _cipher(passphrase, salt), START + salt
        self._number, self._waiting = 0, bytearray()
        file.write(self._about)

    def write(self, data: bytes) -> None:
        """Write these bytes."""
        self._waiting += data
        while len(self._waiting) > CHUNK:
            self._seal(bytes(self._waiting[:CHUNK]), last=False)
            del self._waiting[:CHUNK]

    def close(self) -> None:
        """Write what is left, as the end."""
        self._seal(bytes(self._waiting), last=True)

    def _seal(self, chunk: bytes, *, last: bool) -> None:
        nonce = _nonce(self._number, last=last)
        self._file.write(self._cipher.encrypt(nonce, chunk, self._about))
        self._number += 1


class Opener:
    """Reads what a `Sealer` wrote; nothing is given out that was not found to be as written."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        start = file.read(len(START))
        if start != START:
            raise InputError(_other(start))
        salt = file.read(_SALT)
        self._file, self._cipher, self._about = file, _cipher(passphrase, salt), start + salt
        self._number, self._there, self._ended = 0, bytearray(), False
        self._next = file.read(CHUNK + _TAG)

    def read(self, size: int) -> bytes:
        """So many bytes; fewer only at the end."""
        while len(self._there) < size and not self._ended:
            self._open()
        data = bytes(self._there[:size])
        del self._there[:size]
        return data

    def _open(self) -> None:
        sealed, self._next = self._next, self._file.read(CHUNK + _TAG)
        last = not self._next
        try:
            self._there += self._cipher.decrypt(
                _nonce(self._number, last=last), sealed, self._about
            )
        except InvalidTag:
            why = (
                "the passphrase is another, or the file was changed"
                if self._number == 0
                else "the file was changed, or is cut short; take another copy of it"
            )
            raise InputError(why) from None
        self._number, self._ended = self._number + 1, last


Read = Callable[[int], bytes]


def check_passphrase(passphrase: str) -> str:
    """The passphrase, if it is one."""
    if len(passphrase) < LEAST:
        raise InputError(
            f"a passphrase of {len(passphrase)} letters; take {LEAST} or more, such as five words "
            "drawn at random"
        )
    return passphrase


def _cipher(passphrase: str, salt: bytes) -> ChaCha20Poly1305:
    scrypt = Scrypt(salt=salt, length=32, n=_WORK, r=_BLOCK, p=1)
    return ChaCha20Poly1305(scrypt.derive(passphrase.encode()))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _other(start: bytes) -> str:
    if start.startswith(_NAME):
        return (
            "a backup of another format than 1, which this fedfact reads; use the fedfact that "
            "wrote it, or a newer one"
        )
    return "is no backup of fedfact's"
