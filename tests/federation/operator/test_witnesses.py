"""Members sign the end of the ledger, or refuse to: what an operator can no longer take back."""

import shutil
from dataclasses import asdict

import pytest

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.proof import Kept
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.run import reverse
from fedfact.federation.wire.canonical import canonical
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.message import read_message, write_message
from fedfact.federation.wire.proofs import Proofs
from fedfact.federation.wire.transport import Failure

from .. import dishonest as lie


def log(house, name):
    return (house.members[name] / "member.log").read_text()


def verdicts(entries):
    return {each.name: each for each in verify(entries)}


def copies(house, name):
    found = verify_copy(house.entries(), name, MemberFiles(house.members[name]))
    return {each.name: each for each in found}


@pytest.fixture
def house(finished, tmp_path):
    """A finished house of one's own."""
    shutil.copytree(finished.rebate.root, tmp_path / "house")
    twin = type(finished.rebate).__new__(type(finished.rebate))
    twin.root, twin.directory = tmp_path / "house", tmp_path / "house/operator"
    twin.members = {name: twin.root / name for name in finished.rebate.members}
    return twin


def test_every_member_has_signed_the_end_of_a_finished_ledger(finished):
    for house in (finished.rebate, finished.sandwich, finished.shared):
        entries, record = house.entries(), house.record()
        last = lie.numbers(entries, "acknowledged")[-1]
        assert record.witnesses.signed == dict.fromkeys(house.members, last)
        says = verdicts(entries)["witnesses"].says
        assert says == f"of {len(entries)} entries: {', '.join(house.members)} up to entry {last}"
        assert [entry.kind for entry in entries[last + 1 :]] == ["witnessed"] * 4


def test_a_member_that_is_away_holds_up_nobody_and_is_asked_when_it_is_back(make_house, wired):
    house = make_house(members=4, rounds=2)

    def away(member, kind, request):
        return Failure("unreachable") if (member, kind) == ("elm", "heads") else request

    record = house.run(wired(house, away))
    assert record.phase == "settled, 1 members to sign the head of the ledger"
    assert record.missing == {"elm"}
    assert verdicts(house.entries())["witnesses"].says.endswith("; elm not up to what concerns it")
    record = house.run()
    assert (record.phase, record.missing) == ("finished", frozenset())


def test_a_reversal_is_shown_to_all_and_proved_without_anybody_elses_amounts(house):
    number = house.record().settlement
    reverse(house.directory, "the terms were wrong")
    for name in house.members:
        assert copies(house, name)["own reversals"].contested
    said = []
    record = house.run(logging(house, said))
    assert record.phase == "finished"
    for name, place in house.members.items():
        assert f"settlement {number} was reversed by the operator: the terms were wrong" in log(
            house, name
        )
        assert MemberFiles(place).reversed() == {number}
        assert all(each.holds for each in copies(house, name).values())
        shown = [request for member, kind, request in said if (member, kind) == (name, "witness")]
        others = house.members.keys() - {name}
        assert shown
        assert not [other for other in others if other.encode() in shown[0]]


def logging(house, said):
    from ..conftest import Wire

    def before(member, kind, request):
        said.append((member, kind, request))
        return request

    return Wire(house, before)


def test_a_member_that_lost_its_copy_of_a_reversal_accuses_nobody(house):
    reverse(house.directory, "a mistake")
    house.run()
    (path,) = (house.members["elm"] / "season-1/statements").glob("reversal-*.json")
    path.unlink()
    assert copies(house, "elm")["own reversals"].holds is None


def test_a_reversal_that_a_ledger_lacks_is_found_by_whom_it_was_shown(house):
    before = house.entries()
    reverse(house.directory, "a mistake")
    house.run()
    found = verify_copy(before, "elm", MemberFiles(house.members["elm"]))
    wrong = {each.name for each in found if each.holds is False}
    assert {"own heads", "own reversals", "own statements"} <= wrong


def test_heads_that_are_signed_for_another_ledger_are_found(house):
    """The operator rewrites what came before the heads that members signed."""
    entries, key = house.entries(), lie.operator_key(house)
    number = lie.numbers(entries, "round")[0]
    wrong = lie.changed(entries, key, number, lambda b: b.update(model=b["model"][::-1]))
    found = verdicts(wrong)["witnesses"]
    assert found.holds is False
    assert "signed the head of another ledger than this" in found.says


@pytest.mark.parametrize("claim", [0, 3, 10**6])
def test_a_head_that_nobody_was_asked_to_sign_is_refused(house, claim):
    entries, key = house.entries(), lie.operator_key(house)
    number = lie.numbers(entries, "witnessed")[0]
    wrong = lie.changed(entries, key, number, lambda b: b.update(head=claim))
    assert verdicts(wrong)["order"].entry == number


def forging(house, change):
    """An operator that changes what it shows to alder, and signs it."""
    from ..conftest import Wire

    key = lie.operator_key(house)

    def before(member, kind, request):
        if (member, kind) != ("alder", "witness"):
            return request
        head = read_message(request).head
        content = change(dict(head.content))
        fields = {"federation": head.federation, "kind": kind, "sender": "operator", "to": member}
        return write_message(key, **fields, content=content)

    return Wire(house, before)


def without(kind):
    def change(content):
        return content | {"shown": [e for e in content["shown"] if e["entry"]["kind"] != kind]}

    return change


def flipped(path):
    return [("0" if path[0][0] != "0" else "1") + path[0][1:], *path[1:]]


def with_path(content):
    first, *rest = content["shown"]
    return content | {"shown": [{**first, "path": flipped(first["path"])}, *rest]}


def other_line(content):
    """A line with other amounts, under the hash that the ledger has."""
    k, line = next((k, e) for k, e in enumerate(content["shown"]) if e["entry"]["kind"] == "line")
    body = lie.canonical(lie.json.loads(line["entry"]["body"]) | {"net": 1}).decode()
    shown = [*content["shown"]]
    shown[k] = {**line, "entry": {**line["entry"], "body": body}}
    return content | {"shown": shown}


def no_growth(content):
    return content | {"grew": content["grew"][1:]}


def other_growth(content):
    first, *rest = content["grew"]
    return content | {"grew": [{**first, "path": flipped(first["path"])}, *rest]}


def no_content(content):
    return {"ledger": content["ledger"]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without("acknowledged"), "my answer to the statement of settlement"),
        (without("line"), "my line of settlement"),
        (with_path, "is not in the ledger whose head is"),
        (other_line, "is not in the ledger whose head is"),
        (no_growth, "without the proof that it only grew"),
        (other_growth, "is another than the one whose head was"),
        (no_content, "not a valid ledger end"),
    ],
)
def test_a_member_signs_no_end_that_lacks_something_or_is_not_proved(
    make_house, finished, house, change, says
):
    reverse(house.directory, "to be asked again")
    house.run(forging(house, lambda content: content))  # forged alike, it would be signed
    reverse(house.directory, "to be asked again")
    record = house.run(forging(house, change))
    assert record.witnesses.waiting == ["alder"]
    assert says in log(house, "alder")
    assert "alder not up to what concerns it" in verdicts(house.entries())["witnesses"].says


def test_a_reversal_that_was_shown_once_cannot_be_left_out_again(house):
    reverse(house.directory, "to be asked again")
    house.run()
    reverse(house.directory, "and again")
    record = house.run(forging(house, without("reversal")))
    assert record.witnesses.waiting == ["alder"]
    assert "the ledger lacks the reversal of settlement" in log(house, "alder")


def test_a_second_ledger_is_not_signed_however_it_is_shown(house):
    """The operator drops alder's answer, and signs a new end under alder's last numbers."""
    entries, key = house.entries(), lie.operator_key(house)
    gone = next(
        entry.number
        for entry in entries
        if entry.kind == "acknowledged" and lie.body(entry)["member"] == "alder"
    )
    other = [e for e in entries if e.number != gone and e.kind != "witnessed"]
    other = lie.rewritten([*other, *[e for e in entries if e.kind == "line"]], key)  # longer
    proofs = Proofs([entry.hash for entry in other])
    consortium = house.state().consortium.hash()
    last = other[-1]
    head = LedgerHead.signed(key, consortium, last.number, last.hash, proofs.root())
    handle = house.handlers()["alder"]
    fields = {"federation": house.record().federation, "sender": "operator", "to": "alder"}

    def ask(kind, **content):
        content = {"ledger": head.dump(), **content}
        return handle(kind, write_message(key, **fields, kind=kind, content=content))

    named = read_message(ask("heads")).head.content["heads"]
    grew = [
        {"number": number, "path": proofs.consistency(number + 1)}
        for number in named
        if number <= last.number
    ]
    own = [
        {"entry": asdict(entry), "path": proofs.inclusion(entry.number)}
        for entry in other
        if entry.kind == "line" and lie.body(entry)["member"] == "alder"
    ]
    with pytest.raises(Exception, match=r"is another than the one whose head was \d+; keep heads"):
        ask("witness", grew=grew, shown=own)


def hostile(kind, content):
    """A member that answers something else."""

    def after(member, asked, reply):
        if (member, asked) != ("alder", kind) or isinstance(reply, Failure):
            return reply
        head = read_message(reply).head
        key = MemberFiles(after.house.members["alder"]).key
        fields = {"federation": head.federation, "kind": kind, "sender": "alder", "to": "operator"}
        return write_message(key, **fields, content=content, answers=head.answers)

    return after


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("heads", {}),
        ("heads", {"heads": []}),
        ("heads", {"heads": [True]}),
        ("heads", {"heads": [-1]}),
        ("heads", {"heads": ["1"]}),
        ("heads", {"heads": [10**9]}),
        ("heads", {"heads": [*range(20)] * 1000}),
        ("heads", {"heads": {"1": 1}}),
        ("witness", {}),
        ("witness", {"head": {"number": 1, "entry": "0" * 64, "root": "0" * 64}}),
    ],
)
def test_a_hostile_member_holds_up_nobody_and_nothing_it_says_is_entered(
    house, wired, kind, content
):
    reverse(house.directory, "to be asked again")
    after = hostile(kind, content)
    after.house = house
    record = house.run(wired(house, after=after))
    assert record.witnesses.waiting == ["alder"]
    assert all(each.holds for each in verify(house.entries()))
    assert house.run().phase == "finished"


def test_what_is_kept_of_a_reversal_is_proof_by_itself(house):
    reverse(house.directory, "a mistake")
    house.run()
    (path,) = (house.members["elm"] / "season-1/statements").glob("reversal-*.json")
    kept = Kept.read(path.read_bytes())
    entry = kept.entry()
    assert entry == house.entries()[entry.number]
    founded = house.state().consortium
    assert kept.head.is_by(founded.operator, founded.hash())
    changed = lie.body(entry) | {"why": "no mistake"}
    forged = kept.dump()
    forged["shown"]["entry"]["body"] = canonical(changed).decode()
    path.write_bytes(canonical(forged))
    found = {
        e.name: e for e in verify_copy(house.entries(), "elm", MemberFiles(house.members["elm"]))
    }
    assert found["own reversals"].holds is False
