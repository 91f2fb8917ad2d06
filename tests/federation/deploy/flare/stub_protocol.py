"""A protocol for tests of what carries it: rounds without end, each written down.

It runs in FLARE's processes. What a member does is said by files in its directory: ``fail`` and
``refuse`` (words to raise), ``slow`` (seconds to take, once), ``big`` (bytes to answer with); and
``big`` in the operator's says how many bytes to ask with.
"""

import json
import time

from fedfact.errors import InputError
from fedfact.federation.wire.transport import Failure


def operate(directory, transport):
    record = directory / "season-1/rounds.jsonl"
    done = len(record.read_text().splitlines()) if record.exists() else 0
    if (directory / "refuse").exists():
        raise InputError((directory / "refuse").read_text())
    with record.open("a") as file:
        while not (directory / "season-1/finish").exists():
            asked = sorted(transport.reachable())
            wait = directory / "timeout"
            timeout = float(wait.read_text()) if wait.exists() else 30.0
            big = directory / "big"
            more = bytes(int(big.read_text())) if big.exists() else b""
            began = time.perf_counter()
            answers = transport.ask(
                "train", {name: f"to {name}".encode() + more for name in asked}, timeout
            )
            line = {
                "round": done,
                "seconds": time.perf_counter() - began,
                "reachable": asked,
                "timeout": timeout,
                "answers": {name: words(answer) for name, answer in answers.items()},
            }
            file.write(json.dumps(line) + "\n")
            file.flush()
            done += 1
            if not asked:
                time.sleep(0.1)


def words(answer):
    if isinstance(answer, Failure):
        return [answer.reason, answer.detail]
    return answer.decode() if len(answer) < 100 else len(answer)


def open_member(directory):
    received = directory / "received"

    def handle(kind, request):
        with received.open("ab") as file:
            file.write(kind.encode() + b" " + request[:100] + b"\n")
        if (directory / "fail").exists():
            raise ValueError((directory / "fail").read_text())
        if (directory / "refuse").exists():
            raise InputError((directory / "refuse").read_text())
        slow = directory / "slow"
        if slow.exists():
            seconds = float(slow.read_text())
            slow.unlink()
            time.sleep(seconds)
        if (directory / "big").exists():
            return bytes(int((directory / "big").read_text()))
        return f"{directory.name} did {kind}".encode()

    return handle
