"""How the cost of a federation grows with its members and its rounds, and what its ledger weighs.

Members that only sign, and train nothing, fill the ledgers: what is left is the protocol. An
exponent of 1 is linear growth; processor time, for each part of a season by itself.

    python bench/consortium.py          up to 1,000 members x 20 rounds, 16 members x 1,000
    python bench/consortium.py --small  a tenth of that
"""

import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from fedfact.federation.agreement.contract import Contract, Enrolment
from fedfact.federation.agreement.draw import commitment
from fedfact.federation.agreement.statement_message import StatementMessage
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entry import Entry
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.enrol import agree, enrol
from fedfact.federation.operator.founding import create
from fedfact.federation.operator.nonces import open_nonces
from fedfact.federation.operator.rounds import train
from fedfact.federation.operator.session import Session
from fedfact.federation.operator.settle import deliver, hand_out, settle
from fedfact.federation.wire.canonical import decimal, digest
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
            answer = {"format": 1, "statement": told.hash(), "agrees": True, "why": []}
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


STEPS: dict[str, Callable[[Session], None]] = {
    "enrolment": enrol,
    "contracts": agree,
    "rounds": train,
    "deliveries": deliver,
    "nonces": open_nonces,
    "settlement": settle,
    "statements": hand_out,
}


def measure(members: int, rounds: int) -> dict[str, float]:
    """Seconds of each part of a season, and what its ledger weighs."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        place, signers = Path(name), [Signer(number) for number in range(members)]
        (place / "terms.toml").write_text(TERMS.format(rounds=rounds))
        keys = {signer.name: signer.key.public for signer in signers}
        create(place / "operator", place / "terms.toml", keys)
        wire = InProcess({signer.name: signer.handle for signer in signers})
        with OperatorDirectory(place / "operator") as directory:
            session = Session(directory, wire)
            for part, step in STEPS.items():
                found[part] = _seconds(lambda step=step: step(session))
            entries = directory.ledger.entries()
        found["bytes"] = (place / "operator" / "ledger.db").stat().st_size
        found["verify"] = _seconds(lambda: _check(entries))
    found["MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def _check(entries: list[Entry]) -> None:
    assert all(verdict.holds for verdict in verify(entries))


def _seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def alone(members: int, rounds: int) -> dict[str, float]:
    """The same in a process of its own, so that its memory is its own too."""
    code = f"import json, consortium; print(json.dumps(consortium.measure({members}, {rounds})))"
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def show(what: str, sizes: list[tuple[int, int]], growing: int) -> None:
    """Print each size, and by which exponent each part grows from the first to the last."""
    found = [alone(*size) for size in sizes]
    parts = [*STEPS, "verify", "bytes", "MiB"]
    print(f"more {what}:")
    for size, one in zip(sizes, found, strict=True):
        members, rounds = size
        each = ", ".join(f"{part} {one[part]:.2f} s" for part in [*STEPS, "verify"])
        weight = one["bytes"] / members / rounds
        print(
            f"  {members:,} members x {rounds:,} rounds: {each}; {one['rounds'] / rounds:.3f} s a "
            f"round, {weight:,.0f} bytes a member and round, {one['MiB']:,.0f} MiB"
        )
    ratio = math.log(sizes[-1][growing] / sizes[0][growing])
    exponents = {
        part: math.log(found[-1][part] / found[0][part]) / ratio
        for part in parts
        if found[0][part] >= _MEASURABLE
    }
    print("  exponents: " + ", ".join(f"{part} {e:.2f}" for part, e in exponents.items()))


_MEASURABLE = 0.05  # seconds; of less, the growth cannot be told from noise


def main() -> None:
    less = 10 if "--small" in sys.argv else 1
    show("members", [(250 // less, 20), (1_000 // less, 20)], 0)
    show("rounds", [(16, 250 // less), (16, 1_000 // less)], 1)


if __name__ == "__main__":
    main()
