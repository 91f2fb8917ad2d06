"""Keys: Ed25519 pairs by which the operator and the members sign. Secrets are files of mode 600."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ...errors import InputError
from ...io import limits
from ...io.files import keep_names, reason
from ...io.regular import read_bytes

_WEAK = frozenset(
    bytes.fromhex(point)
    for point in (
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    )
)
"""Points of small order, but for the highest bit: as public keys, anybody can sign for them."""


class Key:
    """A pair of keys. Only `public` ever leaves the machine; printing a key shows that one."""

    def __init__(self, secret: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(secret)
        self.public = self._private.public_key().public_bytes_raw().hex()

    def __repr__(self) -> str:
        return f"Key({self.public[:16]}…)"

    def sign(self, purpose: str, data: bytes) -> str:
        """The signature of the data for this purpose, which it is worth nothing for another."""
        return self._private.sign(_framed(purpose, data)).hex()


def is_signed(public: str, purpose: str, data: bytes, signature: str) -> bool:
    """Whether the owner of the public key signed the data for this purpose."""
    try:
        raw = bytes.fromhex(public)
        key = Ed25519PublicKey.from_public_bytes(raw)
        key.verify(bytes.fromhex(signature), _framed(purpose, data))
    except (InvalidSignature, ValueError):
        return False
    weak = raw[:31] + bytes([raw[31] & 0x7F]) in _WEAK
    return not weak and (public, signature) == (raw.hex(), bytes.fromhex(signature).hex())


def _framed(purpose: str, data: bytes) -> bytes:
    return f"fedfact-{purpose}:".encode() + data


def keep_secret(path: Path, *needs: Path) -> bytes:
    """The 32 secret bytes in a file that only its owner may read; drawn now if there is none.

    Not where one of the files is there that were made with it, though. The file is there in full or
    not at all, also if the machine stops.
    """
    made = next((each for each in needs if each.exists()), None)
    if made is not None and not path.exists():
        raise InputError(f"{path}: is gone, and {made.name} needs it; restore it")
    try:
        if not path.exists():
            part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(handle, "w") as file:
                    file.write(secrets.token_hex(32) + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                with suppress(FileExistsError):
                    os.link(part, path)  # unlike a rename, it never takes the place of a secret
            finally:
                part.unlink(missing_ok=True)
            keep_names(path.parent)
        return read_secret(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be made ({reason(error)})") from None


def read_secret(path: Path) -> bytes:
    """The 32 secret bytes in a file; refused where others may read it."""
    try:
        mode = path.stat().st_mode & 0o777
        text = read_bytes(path, limits.KEPT).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "not text"
        raise InputError(f"{path}: the secret cannot be read ({why})") from None
    if mode & 0o077:
        raise InputError(f"{path}: others may read this secret (mode {mode:o}); chmod 600 it")
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != 32:
        raise InputError(f"{path}: is no secret of 32 bytes in hexadecimal; restore it")
    return secret
