"""Malformed messages and files, more than 100,000 in all: none accepted, none a crash.

Hypothesis draws what is done to a good one. How many were really tried is counted, not assumed.
"""

import contextlib
import shutil
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fedfact.errors import FedfactError, InputError
from fedfact.federation.agreement.terms import Published
from fedfact.federation.audit.laws import Fault
from fedfact.federation.audit.verify import chain, signatures
from fedfact.federation.ledger.export import export, read_export
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.member import open_member
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.message import OPERATOR, read_message, write_message
from fedfact.federation.wire.transport import Failure

from ..fuzz.mutations import DELETE, WILD, damaged, wild
from . import dishonest as lie

pytestmark = pytest.mark.thorough

COUNTS = {
    "requests": 42_000,
    "signed requests": 3_000,
    "replies": 24_000,
    "exported ledgers": 14_000,
    "terms.json": 10_000,
    "contract.json": 6_000,
    "training.bin": 3_000,
    "heads.jsonl": 6_000,
}


CHANGE = st.tuples(st.integers(0, 6), st.integers(0, 2**20), st.binary(min_size=1, max_size=20))
DAMAGE = st.lists(CHANGE, min_size=1, max_size=4)
"""What is done to bytes: how, where, with what; see `damaged`."""

VALUE = st.sampled_from([*WILD, DELETE]) | st.integers() | st.text(max_size=20)
OTHERWISE = st.tuples(st.lists(st.integers(0, 1000), min_size=1, max_size=5), VALUE)
"""What is done to a document: on which way to a value, and what is there instead; see `wild`."""


def each(examples, strategy, attempt):
    """How many attempts there were: ``attempt`` says for each example how many it made."""
    tried = [0, 0]

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(example):
        tried[0] += 1
        tried[1] += attempt(example)

    run()
    assert tried[0] >= examples
    return tried[1]


def refused(accept, attempt):
    """1, because the attempt was refused; it has to be, by an `InputError`."""
    try:
        accept(attempt)
    except InputError:
        return 1
    raise AssertionError(f"accepted: {attempt[:500]!r}")


def copied(house, root):
    shutil.copytree(house.root, root)
    copy = object.__new__(type(house))
    copy.root, copy.directory = root, root / "operator"
    copy.members = {name: root / name for name in house.members}
    return copy


@pytest.fixture(scope="module")
def house(finished, tmp_path_factory):
    """A copy of the finished federation under the sandwich rule."""
    return copied(finished.sandwich, tmp_path_factory.mktemp("fuzz") / "house")


@pytest.fixture(scope="module")
def sized(finished, tmp_path_factory):
    """A copy of the one under the shared rule whose members have sizes."""
    return copied(finished.sized, tmp_path_factory.mktemp("fuzz") / "sized")


@pytest.fixture(scope="module")
def record(house):
    return house.record()


def paused(finished, wired, root, **hooks):
    """A federation that waits, with its record and the head of its ledger."""
    house = type(finished.sandwich)(root, members=4, rule="sandwich")
    with pytest.raises(Paused):
        house.run(wired(house, **hooks))
    state = house.state()
    return house, state.season, state.head.dump()


@pytest.fixture(scope="module")
def training(finished, wired, tmp_path_factory):
    """A federation that waits for its second round, and a good request for it."""

    def before(member, kind, request):
        second = kind == "round" and read_message(request, 1 << 20).head.content["round"] == 2
        return Failure("timeout") if second else request

    root = tmp_path_factory.mktemp("fuzz") / "training"
    house, record, head = paused(finished, wired, root, before=before)
    model = (house.directory / "season-1/models" / "round-1.bin").read_bytes()
    return house, record, "round", ({"ledger": head, "round": 2, "steps": 3}, model)


@pytest.fixture(scope="module")
def opening(finished, wired, tmp_path_factory):
    """A federation that waits for nonces that its members opened, and a good request for one."""

    def after(member, kind, reply):
        return Failure("timeout") if kind == "open" else reply

    root = tmp_path_factory.mktemp("fuzz") / "opening"
    house, record, head = paused(finished, wired, root, after=after)
    return house, record, "open", ({"ledger": head, "roster": record.roster.contracts}, b"")


@pytest.fixture(scope="module")
def witnessing(finished, wired, tmp_path_factory):
    """A federation whose members have not signed the head yet, and good requests about it."""
    contents = {}

    def before(member, kind, request):
        if member == "birch" and kind in (*LAX_ABOUT_FIELDS, "witness"):
            said = read_message(request, len(request)).head.content
            contents[kind] = ({name: said[name] for name in said if name != "key"}, b"")
        return Failure("timeout") if kind == "witness" else request

    house = type(finished.sandwich)(tmp_path_factory.mktemp("fuzz") / "witnessing", members=4)
    house.run(wired(house, before))
    state, files = house.state(), MemberFiles(house.members["birch"])
    newest = max(files.heads(), key=lambda head: head.number).dump()
    restart = ({"after": newest, "season": 1, "rounds": 3, "proof": None}, b"")
    of_all = SimpleNamespace(federation=state.consortium.hash())
    return [
        (house, state.season, "heads", contents["heads"]),
        (house, state.season, "witness", contents["witness"]),
        (house, of_all, "shown", contents["shown"]),
        (house, of_all, "restart", restart),
    ]


LAX_ABOUT_FIELDS = ("shown", "heads", "restart")
"""Requests that a member answers whatever number they name: they tell, and change, nothing."""


@pytest.fixture(scope="module")
def wanted(house, record, asked, training, opening, sized, witnessing):
    """For a good request of each kind: birch, the house, its record, the kind, content and body."""
    found = [(house, record, kind, said) for kind, said in asked.items()] + [training, opening]
    found += witnessing
    found += [(sized, sized.record(), kind, said) for kind, said in requests_in(sized).items()]
    return [(open_member(each[0].members["birch"]), *each) for each in found]


@pytest.fixture(scope="module")
def asked(house):
    """One good request of each kind to birch, as content and body."""
    contents = requests_in(house)
    model = (house.directory / "season-1/models" / "round-3.bin").read_bytes()
    head = contents["agree"][0]["ledger"]
    return contents | {
        "enrol": ({"ledger": head, "terms": house.record().terms.dump(), "size": 1}, b""),
        "model": ({"ledger": head, "model": house.record().rounds[-1].model}, model),
    }


def requests_in(house):
    """Requests to birch in which there is money."""
    record = house.record()
    contract = record.contracts["birch"]
    key = lie.operator_key(house)
    model = (house.directory / "season-1/models" / "round-3.bin").read_bytes()
    ledger = {"ledger": house.state().head.dump()}
    signature = {"signature": key.sign("contract", contract.encoded())}
    told = record.statement_messages(["birch"])["birch"].dump()
    return {
        "agree": (ledger | {"contract": contract.dump()} | signature, b""),
        "statement": (ledger | told, model),
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


def test_a_member_refuses_malformed_requests(wanted):
    good = [
        (member, kind, request(house, record, kind, *said))
        for member, house, record, kind, said in wanted
    ]
    assert {kind for _, kind, _ in good} == good[0][0].__self__._answers.keys()

    def attempt(damage):
        tried = 0
        for member, kind, data in good:
            tried += refused(
                lambda data, do=member, kind=kind: do(kind, data), damaged(data, damage)
            )
        return tried

    assert each(COUNTS["requests"] // len(good), DAMAGE, attempt) == COUNTS["requests"]
    for member, kind, data in good:
        assert member(kind, data)  # as it is, it is good


def test_a_member_refuses_wild_requests_that_the_operator_signed(house, record, wanted):
    def attempt(otherwise):
        tried = 0
        for member, whose, told, kind, (content, body) in wanted:
            if kind in LAX_ABOUT_FIELDS:
                continue
            keep = ("ledger", "settlement", "samples", "size")
            # An entry that is shown is proved by the tree; its own signature is not looked at.
            keep += ("shown",) if kind == "witness" else ()
            said = wild(content, otherwise, keep=keep)
            try:
                data = request(whose, told, kind, said, body)
            except InputError:  # it cannot even be written
                continue
            tried += refused(lambda data, do=member, kind=kind: do(kind, data), data)
        return tried

    examples = COUNTS["signed requests"] // 3
    assert each(examples, OTHERWISE, attempt) >= COUNTS["signed requests"]
    files = MemberFiles(house.members["birch"])
    assert files.contract() == record.contracts["birch"]
    assert len(files.statements()) == 1


def test_a_member_refuses_a_sum_of_samples_that_cannot_be(house, record, asked):
    content, body = asked["statement"]
    data = request(house, record, "statement", content | {"samples": 2**63 - 1}, body)
    with pytest.raises(InputError):
        open_member(house.members["birch"])("statement", data)


class Mutating:
    """Members that answer in their own name, but with something malformed."""

    def __init__(self, keys, federation):
        self.keys, self.federation, self.damage = keys, federation, None

    def reachable(self):
        return set(self.keys)

    def ask(self, kind, requests, timeout):
        replies = {}
        for member, data in requests.items():
            reply = write_message(
                self.keys[member],
                federation=self.federation,
                kind=kind,
                sender=member,
                to=OPERATOR,
                answers=read_message(data, len(data)).hash,
                content={"round": 1, "note": "grün"},
                body=b"model" * 20,
            )
            replies[member] = reply if self.damage is None else damaged(reply, self.damage)
        return replies


def test_the_operator_takes_no_malformed_reply(house, record):
    keys = {
        member: Key(bytes.fromhex((place / "member.key").read_text()))
        for member, place in house.members.items()
    }
    transport = Mutating(keys, record.federation)
    with OperatorDirectory(house.directory) as opened:
        session = Session(opened, transport)
        contents, head = {member: {"round": 1} for member in keys}, session.state.head
        good = session.ask("round", contents, most_body=100)
        assert not any(isinstance(reply, Failure) for reply in good.values())

        def attempt(damage):
            transport.damage = damage
            said = session.ask("round", contents, most_body=100)
            assert all(
                isinstance(reply, Failure) and reply.reason == "error" for reply in said.values()
            )
            return len(said)

        assert each(COUNTS["replies"] // 4, DAMAGE, attempt) == COUNTS["replies"]
        assert session.state.head == head


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
def test_a_reply_is_to_one_question_in_one_federation_by_one_member(house, record, change, says):
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
        member: Key(bytes.fromhex((house.members[member] / "member.key").read_text()))
        for member in ("birch", "cedar")
    }
    with OperatorDirectory(house.directory) as opened:
        session = Session(opened, Answering(keys, record.federation))
        failure = session.ask("round", {"birch": {}}, most_body=100)["birch"]
    assert isinstance(failure, Failure)
    assert says in failure.detail


def test_no_malformed_export_is_taken_for_the_ledger(house, tmp_path):
    entries = house.entries()
    lines, path = [export([entry]) for entry in entries], tmp_path / "ledger.jsonl"

    def attempt(example):
        k, damage = example
        path.write_bytes(damaged(lines[k], damage))
        try:
            read = read_export(path)
            if not read:  # nothing is left of that line: an entry is missing
                return 0
            read = [*entries[:k], *read, *entries[k + 1 :]]
            assert chain(read)
            assert not signatures(read)
        except (FedfactError, Fault):
            return 1

    strategy = st.tuples(st.integers(0, len(entries) - 1), DAMAGE)
    examples = COUNTS["exported ledgers"] * 11 // 10
    assert each(examples, strategy, attempt) >= COUNTS["exported ledgers"]


def test_no_malformed_terms_pass_for_the_federation(house, record):
    """They are refused, or name another federation, whose messages nobody here takes."""
    good, others = record.terms.encoded(), []

    def attempt(example):
        damage, otherwise = example
        documents = [damaged(good, damage)]
        with contextlib.suppress(InputError):  # it cannot even be written
            documents.append(canonical(wild(record.terms.dump(), otherwise)))
        for wrong in documents:
            assert wrong != good
            try:
                read = Published.read(wrong).checked()
            except InputError:
                continue
            assert read.hash() != record.federation
            others.append(read)
        return len(documents)

    strategy = st.tuples(DAMAGE, OTHERWISE)
    tried = each(COUNTS["terms.json"] * 6 // 10, strategy, attempt)
    assert tried >= COUNTS["terms.json"]
    assert len(others) < tried / 5


@pytest.fixture
def own(house, tmp_path):
    shutil.copytree(house.members["birch"], tmp_path / "birch")
    return tmp_path / "birch"


@pytest.mark.parametrize("name", ["contract.json", "training.bin"])
def test_no_malformed_file_of_a_member_is_taken(own, name):
    path, files = own / "season-1" / name, MemberFiles(own)
    read = {"contract.json": files.contract, "training.bin": files.last_round}[name]
    good = path.read_bytes()
    assert read()

    def accept(wrong):
        path.write_bytes(wrong)
        read()

    def attempt(damage):
        return refused(accept, damaged(good, damage))

    assert each(COUNTS[name], DAMAGE, attempt) == COUNTS[name]


def test_no_malformed_head_is_taken_for_one_that_was_seen(own):
    path, files = own / "heads.jsonl", MemberFiles(own)
    good, seen = path.read_bytes(), files.heads()

    def attempt(damage):
        path.write_bytes(damaged(good, damage))
        try:
            heads = files.heads()
        except InputError:
            return 1
        return any(head not in seen for head in heads)  # well formed, but of no ledger

    examples = COUNTS["heads.jsonl"] * 3 // 2
    assert each(examples, DAMAGE, attempt) >= COUNTS["heads.jsonl"]
