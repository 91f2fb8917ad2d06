"""After the training: a member checks what it is told, keeps it, and answers.

Its statement (or, where nothing could be settled, the model alone), and then the end of the
ledger: its own entries there, each reversal, and the proof that the ledger only grew since the
heads that it was shown before. Only then does it sign the head.
"""

from collections.abc import Callable
from typing import Any

from ...errors import InputError
from ...io.files import printable
from ..agreement.disputes import Counts
from ..agreement.statement_message import Answer, StatementMessage
from ..agreement.terms import Published
from ..ledger.proof import MOST_HEADS, LedgerEnd
from ..wire.canonical import digest
from ..wire.document import FORMAT
from ..wire.ledger_head import LedgerHead
from ..wire.message import Message
from .files import MemberFiles
from .ledger_end import check_end
from .review import LOST, objections

Replied = tuple[dict[str, Any], bytes]
"""What a member answers: content and body."""

Reply = Callable[[Message], Replied]
"""What makes the answer to one kind of request."""


class AfterTraining:
    """The answers of one member in one season; ``note`` writes to its log."""

    def __init__(
        self, files: MemberFiles, published: Published, name: str, note: Callable[[str], None]
    ) -> None:
        self._files, self._published, self._name, self._note = files, published, name, note
        self._terms = published.terms()
        self.answers: dict[str, Reply] = {
            "statement": self._statement,
            "model": self._model,
            "heads": self._heads,
            "witness": self._witness,
        }

    def _statement(self, message: Message) -> Replied:
        about = ("ledger", "key")
        content = {name: v for name, v in message.head.content.items() if name not in about}
        told, contract, rounds = (
            StatementMessage.take(content),
            self._files.contract(),
            self._files.rounds(),
        )
        lost = contract is None and told.restored is not None
        if told.line.member != self._name or not (lost or (contract and rounds)):
            raise InputError("a statement for somebody else, or for nothing")
        if message.body and digest(message.body) != told.model:
            raise InputError("a statement with another model than it names")
        came = bool(message.body) or told.model in (None, self._files.model())
        decided = self._decided(told.settlement)
        used = next((each.used for each in rounds if each.round == told.last_round), 0)
        wrong = (
            [LOST]
            if contract is None
            else objections(
                told,
                contract,
                self._terms,
                used if decided is None else decided.delivered,
                planned=self._published.plan().rounds,
                in_time=[each.round for each in rounds if not each.late and decided is None],
            )
        )
        if decided is not None:
            wrong += _not_as_decided(told, decided)
        if told.restored is not None and contract and self._files.keys.has(contract.key):
            wrong.append(f"entry {told.restored} says that I lost my key, and I have it")
        if not came:
            wrong.append("the model that it names did not come with it")
        why = [printable(each)[:500] for each in wrong[:5]]
        agrees = not wrong or wrong == [LOST]
        answer = Answer(format=FORMAT, statement=told.hash(), agrees=agrees, why=why)
        self._files.keep_statement(told, answer, message.body)
        net = self._terms.money_unit.money(told.line.net)
        self._note(f"statement of settlement {told.settlement}: net {net}")
        for each in wrong:
            said = "agreed to" if agrees else "disputed"
            self._note(f"{said} the statement: {each}")
        return answer.dump(), b""

    def _decided(self, settlement: int) -> Counts | None:
        """The counts that an arbiter's decision before this settlement gave the member, if any."""
        found = [
            decision.corrected[self._name]
            for decision in self._files.decisions()
            if decision.settlement < settlement and self._name in decision.corrected
        ]
        return found[-1] if found else None

    def _model(self, message: Message) -> Replied:
        """The final model of a federation whose settlement is void."""
        if digest(message.body) != message.head.content.get("model"):
            raise InputError("another model than the message names")
        self._files.keep_model(message.body)
        self._note("got the model; no money moves, since too little was delivered")
        return {"model": digest(message.body)}, b""

    def _heads(self, message: Message) -> Replied:
        """Name heads that it was shown, for the operator to prove that the ledger only grew."""
        head = LedgerHead.take(message.head.content["ledger"])
        return {"heads": [each.number for each in self._named(head.number)]}, b""

    def _witness(self, message: Message) -> Replied:
        """Sign the head of the ledger, if that has all that it should have."""
        content = message.head.content
        head = LedgerHead.take(content["ledger"])
        end = LedgerEnd.take({name: content.get(name) for name in LedgerEnd.model_fields})
        proofs = {each.number: each for each in end.grew}
        up_to = max(proofs, default=-1)
        named = self._named(up_to)
        between = any(up_to < each.number < head.number for each in self._files.followed())
        if between or proofs.keys() != {each.number for each in named}:
            raise InputError("a ledger without the proof that it only grew since it was last seen")
        for earlier in named:
            proofs[earlier.number].checked(earlier, head)
        check_end(end, head, self._published, self._name, self._files, self._note)
        signed = {"number": head.number, "entry": head.entry, "root": head.root}
        return {"head": signed}, b""

    def _named(self, up_to: int) -> list[LedgerHead]:
        """Heads as far as this entry, so many at most: evenly spread, and the last one."""
        kept = {head for head in self._files.followed() if head.number <= up_to}
        heads = sorted(kept, key=lambda head: head.number)
        step = max(1, -(-len(heads) // (MOST_HEADS - 1)))
        return [head for k, head in enumerate(heads) if k % step == 0 or head == heads[-1]]


def _not_as_decided(told: StatementMessage, decided: Counts) -> list[str]:
    """What of a statement does not have the counts of the arbiter's decision."""
    pairs = {"attended": told.attended, "last_round": told.last_round}
    return [
        f"{name} is {value}, and {getattr(decided, name)} was decided"
        for name, value in pairs.items()
        if value != getattr(decided, name)
    ]
