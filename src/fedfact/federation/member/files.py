"""What an agent keeps: its secrets, its contract, the ledger heads it saw, statements, training.

agent.key     signs for the agent (600)        nonce.secret   its part of the draw (600)
salt.secret   hides its samples (600)          contract.json  with the operator's signature
heads.jsonl   every ledger head it was shown   opened.json    what it opened its nonce for
training.bin  the last round, and rounds.jsonl  those before it (`own_rounds`)
statements/   each statement, its answer to it model.bin      the final model
leave         if it is there: leave with the next round
agent.log     what happened, for its owner
"""

import os
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ...errors import InputError
from ...io import limits
from ...io.files import reason, write_whole
from ...io.folders import make_folder
from ...io.regular import read_bytes
from ..agreement.contract import Contract
from ..agreement.statement_message import Answer, StatementMessage
from ..wire.canonical import canonical, digest, read_canonical
from ..wire.document import Document, Hash, Signature
from ..wire.keys import Key, is_signed, keep_secret
from .own_rounds import LastRound, OwnRound, keep_round, last_round, own_rounds

_Read = TypeVar("_Read")


class SignedContract(Document):
    """A contract with the operator's signature, and the agent's on both."""

    contract: Contract
    operator: Signature
    agent: Signature


class Opened(Document):
    """What a nonce was opened for: the roster, and the ledger as far as this entry."""

    roster: Hash
    ledger: Hash


class MemberFiles:
    """The directory of one agent."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._last_head: Any = None

    @cached_property
    def key(self) -> Key:
        """Drawn when it is first needed, like the other secrets."""
        return Key(self._secret("agent.key", "contract.json"))

    @cached_property
    def nonce(self) -> bytes:
        """Its part of the draw."""
        return self._secret("nonce.secret", "contract.json")

    @cached_property
    def salt(self) -> bytes:
        """What hides its samples in their digests."""
        return self._secret("salt.secret", "training.bin")

    def _secret(self, name: str, needs: str) -> bytes:
        """Drawn where there is none, but not where a file is there that was made with one."""
        path = self.directory / name
        if not path.exists() and (self.directory / needs).exists():
            raise InputError(f"{path}: is gone, and {needs} needs it; restore it")
        return keep_secret(path)

    def contract(self) -> Contract | None:
        """The contract it signed last."""
        path = self.directory / "contract.json"
        if not path.exists():
            return None
        kept = self._read(path, SignedContract.read)
        if not is_signed(kept.contract.key, *_signed(kept.contract, kept.operator), kept.agent):
            raise InputError(f"{path}: is not what the agent signed; restore it")
        return kept.contract

    def keep_contract(self, contract: Contract, operator: str) -> None:
        """Keep the contract, with the operator's signature on it."""
        own = self.key.sign(*_signed(contract, operator))
        signed = SignedContract(contract=contract, operator=operator, agent=own)
        write_whole(self.directory / "contract.json", signed.encoded())

    def opened(self) -> Opened | None:
        """What it opened its nonce for."""
        path = self.directory / "opened.json"
        return self._read(path, Opened.read) if path.exists() else None

    def keep_opened(self, opened: Opened) -> None:
        """Once open, a nonce serves no other draw."""
        write_whole(self.directory / "opened.json", opened.encoded())

    def see_head(self, head: Any) -> None:
        """Keep a ledger head: a ledger that has another entry there was changed since."""
        line, path = canonical(head), self.directory / "heads.jsonl"
        if _head(line) == self._last_head:
            return
        try:
            with path.open("ab") as file:
                if self._last_head is None:
                    file.truncate(len(_whole_lines(path.read_bytes())))
                file.write(line + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            self._last_head = None  # what was written of the line is cut off the next time
            raise InputError(f"{path}: cannot be written ({reason(error)})") from None
        self._last_head = head

    def heads(self) -> list[dict[str, Any]]:
        """All heads it was shown; a line that a crash cut short is left out."""
        path = self.directory / "heads.jsonl"
        return self._read(path, _heads) if path.exists() else []

    def keep_round(self, last: LastRound) -> None:
        """Keep reply and state of a round, together or not at all."""
        keep_round(self.directory, last)

    def last_round(self) -> LastRound | None:
        """The last round it took part in."""
        return last_round(self.directory)

    def rounds(self) -> list[OwnRound]:
        """All rounds that it answered."""
        return own_rounds(self.directory)

    def keep_statement(self, told: StatementMessage, answer: Answer, model: bytes) -> None:
        """Keep a statement, the answer to it, and the model that came with it.

        There is one statement for a settlement.
        """
        folder = self.directory / "statements"
        make_folder(folder)
        path = folder / f"settlement-{told.settlement}.json"
        if (
            path.exists() and self._read(path, StatementMessage.read).hash() != told.hash()
        ):  # by ==, 1 is True
            raise InputError(f"another statement of settlement {told.settlement} than before")
        write_whole(path, told.encoded())
        write_whole(folder / f"answer-{told.settlement}.json", answer.encoded())
        if model:
            self.keep_model(model)

    def keep_model(self, model: bytes) -> None:
        """Keep the final model."""
        write_whole(self.directory / "model.bin", model)

    def model(self) -> str | None:
        """The hash of the final model that it has."""
        path = self.directory / "model.bin"
        return self._read(path, digest, limits.MODEL) if path.exists() else None

    def statements(self) -> list[StatementMessage]:
        """All statements it got, in the order of the settlements."""
        files = (self.directory / "statements").glob("settlement-*.json")
        told = [self._read(path, StatementMessage.read) for path in files]
        return sorted(told, key=lambda each: each.settlement)

    def answer(self, settlement: int) -> Answer | None:
        """What it said to the statement of that settlement."""
        path = self.directory / "statements" / f"answer-{settlement}.json"
        return self._read(path, Answer.read) if path.exists() else None

    def _read(self, path: Path, read: Callable[[bytes], _Read], most: int = limits.KEPT) -> _Read:
        """What a file says; where it was damaged, or is not here itself, the refusal names it."""
        try:
            data = read_bytes(path, most, within=self.directory)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({reason(error)})") from None
        try:
            return read(data)
        except InputError as error:
            raise InputError(f"{path}: {error}; restore it") from None

    def is_leaving(self) -> bool:
        """Whether its owner wants to leave."""
        return (self.directory / "leave").exists()


def _signed(contract: Contract, operator: str) -> tuple[str, bytes]:
    """What an agent signs for itself, and to what purpose."""
    return "signed contract", canonical({"contract": contract.dump(), "operator": operator})


def _whole_lines(data: bytes) -> bytes:
    """All lines but one that a crash cut short."""
    return data[: data.rfind(b"\n") + 1]


def _heads(data: bytes) -> list[dict[str, Any]]:
    return [_head(line) for line in _whole_lines(data).split(b"\n")[:-1]]


def _head(line: bytes) -> dict[str, Any]:
    """Number and hash of a ledger's entry."""
    head = read_canonical(line)
    if not is_head(head):
        raise InputError("no head of a ledger")
    return dict(head)


def is_head(said: Any) -> bool:
    """Whether it names an entry of a ledger, by number and hash."""
    if not isinstance(said, dict) or said.keys() != {"number", "hash"}:
        return False
    number, entry = said["number"], said["hash"]
    return type(number) is int and number >= 0 and bool(re.fullmatch("[0-9a-f]{64}", str(entry)))
