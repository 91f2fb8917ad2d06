"""Malformed messages and files, more than 100,000 in all: none accepted, none a crash."""

import importlib.util
import json
import random
import shutil
from pathlib import Path

import pytest

from fedfact.federation.agent_files import AgentFiles
from fedfact.federation.canonical import canonical
from fedfact.federation.checks import Fault
from fedfact.federation.consortium import Consortium
from fedfact.federation.desk import Desk
from fedfact.federation.join import open_agent
from fedfact.federation.keys import Key
from fedfact.federation.ledger import export, read_export
from fedfact.federation.message import OPERATOR, read_message, write_message
from fedfact.federation.published import Published
from fedfact.federation.settling import told_of
from fedfact.federation.transport import Failure
from fedfact.federation.verify import chain, signatures
from fedfact.mechanism import InputError

pytestmark = pytest.mark.thorough

COUNTS = {
    "requests": 40_000,
    "signed requests": 3_000,
    "replies": 24_000,
    "exported ledgers": 14_000,
    "terms.json": 10_000,
    "contract.json": 6_000,
    "training.bin": 3_000,
    "heads.jsonl": 6_000,
}
WILD = [None, True, -1, 0, 2**63 - 1, 2**63, "", "é\u2028", "0" * 64, "1e+99", [], {}, [[]], "ab"]


def beside(name):
    """A file of this folder; under --import-mode=importlib it is not on the path."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lie = beside("dishonest")


def mutated(data, draw):
    """The bytes with a few of them changed, left out, doubled or put in."""
    wrong = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        place = draw.randrange(len(wrong)) if wrong else 0
        match draw.randrange(7):
            case 0 | 1 if wrong:
                wrong[place] ^= 1 << draw.randrange(8)
            case 2 if wrong:
                wrong[place] = draw.choice(b'{}[]",:0-9aA\\ \n\x00\xff')
            case 3:
                del wrong[place : place + draw.choice((1, 2, 17, 1000))]
            case 4:
                wrong[place:place] = draw.randbytes(draw.choice((1, 3, 20)))
            case 5:
                end = place + draw.choice((1, 8, 64))
                wrong[place:place] = wrong[place:end]
            case _:
                del wrong[place:]
                wrong += draw.choice((b"", b"\n", b"}", b"\x00" * 70))
    return bytes(wrong) if wrong != data else mutated(data, draw)


def wild(value, draw, keep=()):
    """A document with one value made another; what ``keep`` names stays."""
    value = json.loads(json.dumps(value))
    inside, steps = value, [key for key in value if key not in keep]
    while True:
        step = draw.choice(steps)
        inner = inside[step]
        if inner and isinstance(inner, dict | list) and draw.random() < 0.8:
            inside, steps = inner, list(inner) if isinstance(inner, dict) else range(len(inner))
            continue
        if draw.random() < 0.2 and isinstance(inside, dict):
            del inside[step]
        else:
            inside[step] = draw.choice(WILD)
        return value


def refusals(attempts, accept):
    """How many of the attempts were refused; every one has to be, by an `InputError`."""
    refused = 0
    for attempt in attempts:
        try:
            accept(attempt)
        except InputError:
            refused += 1
        else:
            raise AssertionError(f"accepted: {attempt[:500]!r}")
    return refused


@pytest.fixture(scope="module")
def house(finished, tmp_path_factory):
    """A copy of the finished federation under the sandwich rule."""
    root = tmp_path_factory.mktemp("fuzz") / "house"
    shutil.copytree(finished.sandwich.root, root)
    copy = object.__new__(type(finished.sandwich))
    copy.root, copy.directory = root, root / "operator"
    copy.agents = {name: root / name for name in finished.sandwich.agents}
    return copy


@pytest.fixture(scope="module")
def record(house):
    return house.record()


@pytest.fixture(scope="module")
def asked(house, record):
    """One good request of each kind to birch, as content and body."""
    contract = record.contracts["birch"]
    key = lie.operator_key(house)
    model = (house.directory / "models" / "round-3.bin").read_bytes()
    head = record.acknowledged["alder"] and record.head
    ledger = {"number": head.number, "hash": head.hash}
    contents = {
        "enrol": {"terms": record.terms.dump()},
        "agree": {
            "contract": contract.dump(),
            "signature": key.sign("contract", contract.encoded()),
        },
        "open": {"roster": record.roster.contracts},
        "round": {"round": 3, "steps": 2},
        "statement": told_of(record, ["birch"])["birch"].dump(),
    }
    bodies = {"round": model, "statement": model}
    return {
        kind: ({"ledger": ledger, **content}, bodies.get(kind, b""))
        for kind, content in contents.items()
    }


def request(house, record, kind, content, body, to="birch"):
    return write_message(
        lie.operator_key(house),
        federation=record.federation,
        kind=kind,
        sender=OPERATOR,
        to=to,
        content=content,
        body=body,
    )


def test_the_counts_add_up():
    assert sum(COUNTS.values()) >= 100_000


def test_an_agent_refuses_malformed_requests(house, record, asked):
    handle, draw, refused = open_agent(house.agents["birch"]), random.Random(1), 0
    for kind, (content, body) in asked.items():
        good = request(house, record, kind, content, body)
        if kind != "round":  # which is over
            assert handle(kind, good)
        count = COUNTS["requests"] // 5
        wrong = (mutated(good, draw) for _ in range(count))
        refused += refusals(wrong, lambda data, kind=kind: handle(kind, data))
    assert refused == COUNTS["requests"]


def test_an_agent_refuses_wild_requests_that_the_operator_signed(house, record, asked):
    handle, draw, refused = open_agent(house.agents["birch"]), random.Random(2), 0
    each = COUNTS["signed requests"] // 5
    for kind, (content, body) in asked.items():
        made = 0
        while made < each:
            said = wild(content, draw, keep=("ledger", "settlement", "samples"))
            if said == content:
                continue
            try:
                data = request(house, record, kind, said, body)
            except InputError:  # it cannot even be written
                continue
            made += 1
            refused += refusals([data], lambda data, kind=kind: handle(kind, data))
    assert refused == COUNTS["signed requests"]
    files = AgentFiles(house.agents["birch"])
    assert files.contract() == record.contracts["birch"]
    assert len(files.statements()) == 1


def test_an_agent_refuses_a_sum_of_samples_that_cannot_be(house, record, asked):
    content, body = asked["statement"]
    data = request(house, record, "statement", content | {"samples": 2**63 - 1}, body)
    with pytest.raises(InputError):
        open_agent(house.agents["birch"])("statement", data)


class Mutating:
    """Agents that answer in their own name, but with something malformed."""

    def __init__(self, keys, federation, draw):
        self.keys, self.federation, self.draw, self.honest = keys, federation, draw, True

    def reachable(self):
        return set(self.keys)

    def ask(self, kind, requests, timeout):
        replies = {}
        for agent, data in requests.items():
            reply = write_message(
                self.keys[agent],
                federation=self.federation,
                kind=kind,
                sender=agent,
                to=OPERATOR,
                answers=read_message(data, len(data)).hash,
                content={"round": 1, "note": "grün"},
                body=b"model" * 20,
            )
            replies[agent] = reply if self.honest else mutated(reply, self.draw)
        return replies


def test_the_operator_takes_no_malformed_reply(house, record):
    keys = {
        agent: Key(bytes.fromhex((place / "agent.key").read_text()))
        for agent, place in house.agents.items()
    }
    transport, refused = Mutating(keys, record.federation, random.Random(3)), 0
    with Consortium(house.directory) as opened:
        desk = Desk(opened, transport)
        contents = {agent: {"round": 1} for agent in keys}
        good = desk.ask("round", contents, most_body=100)
        assert not any(isinstance(reply, Failure) for reply in good.values())
        transport.honest = False
        while refused < COUNTS["replies"]:
            said = desk.ask("round", contents, most_body=100)
            assert all(
                isinstance(reply, Failure) and reply.reason == "error" for reply in said.values()
            )
            refused += len(said)
        assert desk.record.head == record.head
    assert refused == COUNTS["replies"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"answers": "0" * 64}, "a reply to another request"),
        ({"answers": None}, "a reply to another request"),
        ({"federation": "0" * 64}, "another federation"),
        ({"kind": "statement"}, "another kind"),
        ({"sender": "cedar"}, "another sender"),
        ({"to": "cedar"}, "another to"),
        ({"key": "cedar"}, "a message that birch did not sign"),
        ({"body": bytes(101)}, "longer than the 100 bytes allowed"),
    ],
    ids=str,
)
def test_a_reply_is_to_one_question_in_one_federation_by_one_agent(house, record, change, says):
    class Answering(Mutating):
        def ask(self, kind, requests, timeout):
            said = {
                "federation": self.federation,
                "kind": kind,
                "sender": "birch",
                "to": OPERATOR,
                "answers": read_message(requests["birch"], 100).hash,
                "content": {},
            } | change
            return {"birch": write_message(self.keys[said.pop("key", "birch")], **said)}

    keys = {
        agent: Key(bytes.fromhex((house.agents[agent] / "agent.key").read_text()))
        for agent in ("birch", "cedar")
    }
    with Consortium(house.directory) as opened:
        desk = Desk(opened, Answering(keys, record.federation, None))
        failure = desk.ask("round", {"birch": {}}, most_body=100)["birch"]
    assert isinstance(failure, Failure)
    assert says in failure.detail


def test_no_malformed_export_is_taken_for_the_ledger(house, tmp_path):
    entries, draw, refused = house.entries(), random.Random(4), 0
    lines, path = [export([entry]) for entry in entries], tmp_path / "ledger.jsonl"
    while refused < COUNTS["exported ledgers"]:
        k = draw.randrange(len(entries))
        wrong = mutated(lines[k], draw)
        path.write_bytes(wrong)
        try:
            read = read_export(path)
            if not read:  # nothing is left of that line: an entry is missing
                continue
            read = [*entries[:k], *read, *entries[k + 1 :]]
            assert chain(read)
            assert not signatures(read)
        except (InputError, Fault):
            refused += 1
    assert refused == COUNTS["exported ledgers"]


def test_no_malformed_terms_pass_for_the_federation(house, record):
    """They are refused, or name another federation, whose messages nobody here takes."""
    good, draw, refused, others = record.terms.encoded(), random.Random(5), 0, 0
    for number in range(COUNTS["terms.json"]):
        wrong = mutated(good, draw)
        if number % 2:
            try:
                wrong = canonical(wild(record.terms.dump(), draw))
            except InputError:
                wrong = b"{" + good
        try:
            read = Published.read(wrong).checked()
        except InputError:
            refused += 1
            continue
        if wrong == good:
            wrong, read = None, None
        assert read is None or read.hash() != record.federation
        others += 1
    assert refused + others == COUNTS["terms.json"]
    assert others < refused / 5


@pytest.fixture
def own(house, tmp_path):
    shutil.copytree(house.agents["birch"], tmp_path / "birch")
    return tmp_path / "birch"


@pytest.mark.parametrize("name", ["contract.json", "training.bin"])
def test_no_malformed_file_of_an_agent_is_taken(own, name):
    path, draw, files = own / name, random.Random(name), AgentFiles(own)
    read = {"contract.json": files.contract, "training.bin": files.last_round}[name]
    good = path.read_bytes()
    assert read()

    def accept(wrong):
        path.write_bytes(wrong)
        read()

    attempts = (mutated(good, draw) for _ in range(COUNTS[name]))
    assert refusals(attempts, accept) == COUNTS[name]


def test_no_malformed_head_is_taken_for_one_that_was_seen(own):
    path, draw, files = own / "heads.jsonl", random.Random(9), AgentFiles(own)
    good, refused = path.read_bytes(), 0
    seen = files.heads()
    while refused < COUNTS["heads.jsonl"]:
        wrong = mutated(good, draw)
        path.write_bytes(wrong)
        try:
            heads = files.heads()
        except InputError:
            refused += 1
            continue
        if any(head not in seen for head in heads):  # well formed, but of no ledger
            refused += 1
    assert refused == COUNTS["heads.jsonl"]
