"""How verifying a ledger grows: twice the rounds, or twice the members, over once.

Processor time. Members that only sign, without training, fill the ledgers: about 2 is linear.
"""

import statistics
import tempfile
import time
from pathlib import Path

from fedfact.federation.agreement.contract import Contract, Enrolment
from fedfact.federation.agreement.draw import commitment
from fedfact.federation.agreement.statement_message import Answer, StatementMessage
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entry import Entry
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.operator.founding import create
from fedfact.federation.operator.run import operate
from fedfact.federation.wire.canonical import decimal, digest
from fedfact.federation.wire.document import FORMAT
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.message import OPERATOR, read_message, write_message
from fedfact.federation.wire.transport import InProcess

TERMS = """
name = "bench"
[money]
error_scale = 20000.0
unit = 0.01
[training]
network = "digits"
rounds = {rounds}
local_steps = 2
"""


class Signer:
    """A member that signs whatever fits, and trains nothing."""

    def __init__(self, number: int) -> None:
        self.name, self.key = f"member-{number:05}", Key(number.to_bytes(32, "big"))
        self.nonce, self.cost, self.samples = bytes(32), 1.0 + number / 1000, 0

    def handle(self, kind: str, request: bytes) -> bytes:
        """Answer as the protocol asks."""
        message = read_message(request, len(request))
        said, body = message.head.content, b""
        if kind == "enrol":
            answer = Enrolment(
                member=self.name,
                key=self.key.public,
                reported_cost=decimal(self.cost),
                capacity=None,
                nonce=commitment(self.nonce, self.name),
            ).dump()
        elif kind == "agree":
            contract = Contract.take(said["contract"])
            self.samples, answer = contract.samples, {"contract": contract.hash()}
        elif kind == "open":
            shown = {name: said["ledger"][name] for name in ("number", "entry")}
            answer = {"nonce": self.nonce.hex(), "ledger": shown}
        elif kind == "round":
            body = message.body
            answer = {"round": said["round"], "start": digest(body), "steps": said["steps"]}
            answer |= {"samples": self.samples, "used": self.samples, "index": "0" * 64}
        else:
            told = StatementMessage.take(
                {name: value for name, value in said.items() if name != "ledger"}
            )
            answer = Answer(format=FORMAT, statement=told.hash(), agrees=True, why=[]).dump()
        return write_message(
            self.key,
            federation=message.head.federation,
            kind=kind,
            sender=self.name,
            to=OPERATOR,
            answers=message.hash,
            content=answer,
            body=body,
        )


def ledger(members: int, rounds: int) -> list[Entry]:
    with tempfile.TemporaryDirectory() as name:
        place, signers = Path(name), [Signer(number) for number in range(members)]
        (place / "terms.toml").write_text(TERMS.format(rounds=rounds))
        keys = {signer.name: signer.key.public for signer in signers}
        create(place / "operator", place / "terms.toml", keys)
        operate(place / "operator", InProcess({s.name: s.handle for s in signers}))
        return read_ledger(str(place / "operator"))


def seconds(entries: list[Entry]) -> float:
    taken = []
    for _ in range(2):
        start = time.process_time()
        assert all(verdict.holds for verdict in verify(entries))
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def main() -> None:
    once, rounds, members = ledger(20, 20), ledger(20, 40), ledger(40, 20)
    base = seconds(once)
    print(f"{len(once)} entries of 20 members and 20 rounds: {base:.2f} s")
    print(f"twice the rounds: {seconds(rounds) / base:.2f} times that")
    print(f"twice the members: {seconds(members) / base:.2f} times that")


if __name__ == "__main__":
    main()
