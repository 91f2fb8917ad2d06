"""What a member keeps: its key, the ledger heads it saw, and a folder for each season.

member.key     signs for the member (600), and the other keys that it had or will (`own_keys`)
heads.jsonl    every ledger head it was shown    restarts.json  those it let go of (`own_restarts`)
member.log     what happened, for its owner     season-N/      of each season

Of a season:
terms.json    what it signs                    contract.json  with the operator's signature
nonce.secret  its part of the draw (600)       opened.json    what it opened its nonce for
salt.secret   hides its samples (600)          statements/    each statement, its answer to it,
training.bin  the last round, and rounds.jsonl                what became of it, with proofs
              those before it (`own_rounds`)
model.bin     the final model                  leave          if there: leave with the next round
"""

import os
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
from ..agreement.disputes import Decision
from ..agreement.statement_message import Answer, StatementMessage
from ..agreement.terms import Published, read_published, seasons_in
from ..ledger.entries import said_by
from ..ledger.entry import Entry
from ..ledger.proof import Kept
from ..wire.canonical import canonical, digest
from ..wire.document import FORMAT, Hash, Signature, Stored
from ..wire.keys import Key, is_signed, keep_secret
from ..wire.ledger_head import LedgerHead, read_heads
from .own_keys import KeyRing
from .own_restarts import OwnRestart, followed, restarts
from .own_rounds import LastRound, OwnRound, keep_round, last_round, own_rounds

TERMS_FILE, LEAVE = "terms.json", "leave"

_Read = TypeVar("_Read")


class SignedContract(Stored):
    """A contract with the operator's signature, and the member's on both."""

    contract: Contract
    operator: Signature
    member: Signature


class Opened(Stored):
    """What a nonce was opened for: the roster, and the ledger as far as this entry."""

    roster: Hash
    ledger: Hash


def own_key(directory: Path) -> str:
    """The public key that a member registers; drawn if there is none."""
    return MemberFiles(directory).key.public


def seasons_kept(directory: Path) -> list[int]:
    """The seasons that a member has terms of, in order."""
    return seasons_in(directory)


class MemberFiles:
    """The directory of one member, in one season: the last that it has terms of, if not told."""

    def __init__(self, directory: Path, season: int | None = None) -> None:
        self.directory = directory
        self.season = season or max(seasons_kept(directory), default=1)
        self.folder = directory / f"season-{self.season}"
        self._last_head: LedgerHead | None = None

    def published(self) -> Published:
        """The terms of the season."""
        return read_published(self.folder / TERMS_FILE)

    @cached_property
    def keys(self) -> KeyRing:
        """The keys it signs with."""
        return KeyRing(self.directory)

    @property
    def key(self) -> Key:
        """Drawn when it is first needed, like the other secrets."""
        return self.keys.current

    def own_keys(self) -> set[str]:
        """The public part of all keys that it knows to be its own; no secret is needed for that."""
        seasons = (MemberFiles(self.directory, number) for number in seasons_kept(self.directory))
        signed = [contract.key for each in seasons if (contract := each.contract()) is not None]
        return {*self.keys.public(), *signed}

    @cached_property
    def nonce(self) -> bytes:
        """Its part of the draw."""
        return keep_secret(self.folder / "nonce.secret", self.folder / "contract.json")

    @cached_property
    def salt(self) -> bytes:
        """What hides its samples in their digests."""
        return keep_secret(self.folder / "salt.secret", self.folder / "training.bin")

    def contract(self) -> Contract | None:
        """The contract it signed last."""
        path = self.folder / "contract.json"
        if not path.exists():
            return None
        kept = self._read(path, SignedContract.read)
        if not is_signed(kept.contract.key, *_signed(kept.contract, kept.operator), kept.member):
            raise InputError(f"{path}: is not what the member signed; restore it")
        return kept.contract

    def keep_contract(self, contract: Contract, operator: str) -> None:
        """Keep the contract, with the operator's signature on it."""
        own = self.keys.find(contract.key).sign(*_signed(contract, operator))
        signed = SignedContract(format=FORMAT, contract=contract, operator=operator, member=own)
        write_whole(self.folder / "contract.json", signed.encoded())

    def opened(self) -> Opened | None:
        """What it opened its nonce for."""
        path = self.folder / "opened.json"
        return self._read(path, Opened.read) if path.exists() else None

    def keep_opened(self, opened: Opened) -> None:
        """Once open, a nonce serves no other draw."""
        write_whole(self.folder / "opened.json", opened.encoded())

    def see_head(self, head: LedgerHead) -> None:
        """Keep a ledger head: a ledger that has another entry there was changed since."""
        line, path = head.encoded(), self.directory / "heads.jsonl"
        if head == self._last_head:
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

    def heads(self) -> list[LedgerHead]:
        """All heads it was shown; a line that a crash cut short is left out."""
        path = self.directory / "heads.jsonl"
        return self._read(path, read_heads) if path.exists() else []

    def restarts(self) -> list[OwnRestart]:
        """The restarts it consented to, and so what it let go of."""
        return restarts(self.directory)

    def followed(self, made: list[OwnRestart] | None = None) -> list[LedgerHead]:
        """The heads that count, after these restarts, or all that it consented to."""
        return followed(self.heads(), self.restarts() if made is None else made)

    def keep_round(self, last: LastRound) -> None:
        """Keep reply and state of a round, together or not at all."""
        keep_round(self.folder, last)

    def last_round(self) -> LastRound | None:
        """The last round it took part in."""
        return last_round(self.folder)

    def rounds(self) -> list[OwnRound]:
        """All rounds that it answered."""
        return own_rounds(self.folder)

    def keep_statement(self, told: StatementMessage, answer: Answer, model: bytes) -> None:
        """Keep a statement, the answer to it, and the model that came with it.

        There is one statement for a settlement.
        """
        folder = self.folder / "statements"
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
        write_whole(self.folder / "model.bin", model)

    def model(self) -> str | None:
        """The hash of the final model that it has."""
        path = self.folder / "model.bin"
        return self._read(path, digest, limits.MODEL) if path.exists() else None

    def statements(self) -> list[StatementMessage]:
        """All statements it got, in the order of the settlements."""
        files = (self.folder / "statements").glob("settlement-*.json")
        told = [self._read(path, StatementMessage.read) for path in files]
        return sorted(told, key=lambda each: each.settlement)

    def answer(self, settlement: int) -> Answer | None:
        """What it said to the statement of that settlement."""
        path = self.folder / "statements" / f"answer-{settlement}.json"
        return self._read(path, Answer.read) if path.exists() else None

    def keep_shown(self, entry: Entry, kept: Kept) -> bool:
        """Keep an entry about a settlement beside the statement; whether it is new."""
        folder = self.folder / "statements"
        path = folder / f"{entry.kind}-{entry.number}.json"
        if path.exists():
            if self._read(path, Kept.read).entry() != entry:
                raise InputError(f"{entry.name}: is another than was shown before")
            return False
        make_folder(folder)
        write_whole(path, kept.encoded())
        return True

    def reversed(self) -> set[int]:
        """The settlements that it knows to be reversed."""
        return {said.settlement for said in self._shown("reversal")}

    def decisions(self) -> list[Decision]:
        """The arbiter's decisions that concern it, in order."""
        return list(self._shown("decision"))

    def _shown(self, kind: str) -> list[Any]:
        """What entries say that it was shown, in order; each is to be what was proved to it."""
        paths = (self.folder / "statements").glob(f"{kind}-*.json")
        entries = [self._read(path, lambda data: Kept.read(data).entry()) for path in paths]
        return [said_by(entry) for entry in sorted(entries, key=lambda entry: entry.number)]

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
        return (self.folder / LEAVE).exists()


def _signed(contract: Contract, operator: str) -> tuple[str, bytes]:
    """What a member signs for itself, and to what purpose."""
    return "signed contract", canonical({"contract": contract.dump(), "operator": operator})


def _whole_lines(data: bytes) -> bytes:
    """All lines but one that a crash cut short."""
    return data[: data.rfind(b"\n") + 1]
