"""The protocol from enrolment to statements: what is agreed, trained and settled, and by whom."""

import cProfile
import hashlib
import json
import pstats
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from fedfact import InputError, Population, Terms, settle
from fedfact.data.content import content_digests, distinct, index_digest
from fedfact.data.member_data import load_site
from fedfact.federation.agreement.contract import Enrolment, contracts_for
from fedfact.federation.agreement.delivery import Attestation
from fedfact.federation.agreement.draw import commitment
from fedfact.federation.agreement.statement_message import in_words
from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.audit.verify import verify
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.enrol import agree, enrol
from fedfact.federation.operator.founding import create
from fedfact.federation.operator.run import operate
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.wire.keys import Key, read_secret
from fedfact.federation.wire.message import OPERATOR, read_message, write_message
from fedfact.federation.wire.transport import Failure, InProcess
from fedfact.settlement.statement import statement
from fedfact.training.agent import Agent
from fedfact.training.average import average
from fedfact.training.device_images import DeviceImages
from fedfact.training.job import Job
from fedfact.training.model_bytes import from_bytes, to_bytes
from fedfact.training.seeds import derive, generator

COSTS = {"alder": 2.0, "birch": 1.0, "cedar": 0.5, "elm": 1.5, "fir": 3.0}
AGREED = {"alder": 100, "birch": 141, "cedar": 200, "elm": 115, "fir": 82}


USED = {  # by A·(size/size of all)^b in place of A
    "shared": {"alder": 50, "birch": 71, "cedar": 100, "elm": 58},
    "sized": {"alder": 58, "birch": 30, "cedar": 91, "elm": 92},
}


def head(data):
    return read_message(data, len(data)).head


def silent(*when, reason="timeout"):
    """What makes these (member, kind, round) unanswered before they arrive."""

    def before(member, kind, request):
        at = head(request).content.get("round")
        return Failure(reason) if (member, kind, at) in when else request

    return before


# ------------------------------------------------------------------------------ settlement


@pytest.mark.parametrize("kind", ["rebate", "sandwich", "shared", "sized"])
def test_a_run_is_settled_as_the_mechanism_settles_what_was_delivered(finished, sound, kind):
    house = getattr(finished, kind)
    record = sound(house)
    members = sorted(house.members)
    used = {name: MemberFiles(house.members[name]).last_round().used for name in members}
    assert used == USED.get(kind, {name: AGREED[name] for name in members})

    secret = hashlib.sha256(
        b"fedfact-draw:" + read_secret(house.directory / "season-1/seed.secret")
    )
    for name in members:
        nonce = read_secret(house.members[name] / "season-1/nonce.secret").hex()
        secret.update(f":{name}={nonce}".encode())
    rule = "shared" if kind == "sized" else kind
    terms = Terms(error_scale=20000.0, unit=0.01, currency="EUR", rule=rule, minimum_samples=20)
    size = None
    if kind == "sized":
        terms, size = replace(terms, error_scale=1500.0, exponent=0.6), np.array([3, 1, 2, 4])
    population = Population(
        members, [COSTS[name] for name in members], [used[name] for name in members], size=size
    )
    result = settle(population, terms, int(secret.hexdigest(), 16))
    for k, name in enumerate(members):
        line = record.lines[name]
        for amount in ("fee", "charge", "pool", "reward", "rebate", "net", "won"):
            assert getattr(line, amount) == getattr(result, amount)[k]
        assert line.samples == used[name]
        assert record.balances()[f"member/{name}"] == result.net[k]
    assert record.settled.surplus == result.surplus == record.balances()["operator"] >= 0
    assert record.phase == "finished"
    assert record.money == terms


def test_a_fee_below_zero_is_paid_to_the_member_and_posted_so(finished):
    record = finished.shared.record()
    line = record.lines["cedar"]
    assert line.fee < 0 == line.charge < line.rebate
    assert line.net == line.rebate - line.fee
    assert [each.dump() for each in line.postings] == [
        {"account": "member/cedar", "amount": line.net},
        {"account": "operator", "amount": -line.net},
    ]
    (told,) = MemberFiles(finished.shared.members["cedar"]).statements()
    shown = in_words(told, record.contracts["cedar"], record.money)
    said = {each.name: (each.amount, each.effect) for each in shown.lines}
    assert said["fee"] == (line.fee, "paid to you")
    assert (
        f"{-record.contracts['cedar'].fee / 100:.2f} EUR paid to you"
        in (finished.shared.members["cedar"] / "member.log").read_text()
    )


@pytest.mark.parametrize("kind", ["rebate", "sandwich", "shared", "sized"])
def test_every_member_has_its_statement_and_agrees(finished, kind):
    house = getattr(finished, kind)
    record, model = house.record(), (house.directory / "season-1/models/round-3.bin").read_bytes()
    for name, place in house.members.items():
        (told,) = MemberFiles(place).statements()
        assert told.line == record.lines[name]
        own = in_words(told, MemberFiles(place).contract(), record.money)
        assert own == statement(record.settlement_now(), name)
        assert (place / "season-1/model.bin").read_bytes() == model
        said = record.acknowledged[name].said.read_head().content
        assert said == {"format": 1, "statement": told.hash(), "agrees": True, "why": []}


def test_contracts_are_those_of_the_theory(finished):
    for name, contract in finished.rebate.record().contracts.items():
        assert contract.samples == AGREED[name]
        assert contract.others_samples == sum(AGREED.values()) - AGREED[name] - AGREED["fir"]
        kept = MemberFiles(finished.rebate.members[name]).contract()
        assert kept == contract


# -------------------------------------------------------------------------------- training


def plain_loop(house):
    """Algorithm 1 in a few lines: the digest of the model after each round, and the samples."""
    with OperatorDirectory(house.directory) as consortium:
        plan = consortium.published.plan()
    network, members, used = plan.network_itself(), {}, {}
    for name, place in house.members.items():
        samples = load_site(json_of(place)["data"], place)
        seed = derive(plan.seed, "site", int(hashlib.sha256(name.encode()).hexdigest(), 16))
        rows = generator(seed, "samples").permutation(distinct(samples))[: AGREED[name]]
        own = samples.take(rows)
        job = Job(network.dataset(own), network.new, [np.arange(len(own))], plan.recipe, seed)
        data = DeviceImages(job.dataset, own, torch.device("cpu"))
        members[name] = Agent(job, 0, network.blank(), data, plan.horizon, "fp32")
        touched = np.unique(
            np.concatenate(
                [
                    job.batches(0)[step]
                    for step in range(min(plan.horizon, job.batches(0).per_epoch))
                ]
            )
        )
        digests = content_digests(own, read_secret(place / "season-1/salt.secret"))
        used[name] = (len(touched), index_digest(digests[row] for row in touched))
    shares = np.array([AGREED[name] / sum(AGREED[x] for x in members) for name in sorted(members)])
    weights, digests = plan.initial_model().state_dict(), []
    for _ in range(plan.rounds):
        for member in members.values():
            member.model.load_state_dict(weights)
            member.update(plan.recipe.local_steps)
        weights = average([members[name].model.state_dict() for name in sorted(members)], shares)
        digests.append(hashlib.sha256(to_bytes(weights)).hexdigest())
    return digests, used


def json_of(place):
    pairs = [line.split(" = ") for line in (place / "member.toml").read_text().splitlines()]
    return {name: json.loads(value) for name, value in pairs}


def test_models_are_those_of_a_plain_loop_bit_for_bit(finished):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    digests, used = plain_loop(finished.rebate)
    torch.set_num_threads(threads)
    record = finished.rebate.record()
    assert [done.model for done in record.rounds] == digests
    assert {name: (said.used, said.index) for name, said in record.attested.items()} == used


class Shuffled(InProcess):
    """Replies come in any order."""

    def ask(self, kind, requests, timeout):
        order = random.sample(sorted(requests), len(requests))
        return super().ask(kind, {member: requests[member] for member in order}, timeout)


class Threads(InProcess):
    """All members at once."""

    def ask(self, kind, requests, timeout):
        with ThreadPoolExecutor() as pool:
            replies = pool.map(lambda each: self._one(each[0], kind, each[1]), requests.items())
            return dict(zip(requests, replies, strict=True))


def test_the_result_depends_neither_on_the_order_of_replies_nor_on_threads(
    make_house, essence, sound
):
    house = make_house(members=4, rule="sandwich")
    copies = [copy_of(house, name) for name in ("shuffled", "threads")]
    wanted = essence(house.run())
    assert essence(copies[0].run(Shuffled(copies[0].handlers()))) == wanted
    assert essence(copies[1].run(Threads(copies[1].handlers()))) == wanted
    sound(copies[0])
    sound(copies[1])


# ------------------------------------------------------------------------- before training


def test_who_declines_is_left_out_and_the_others_get_new_contracts(make_house, wired, sound):
    house = make_house(members=4)
    house.configure("birch", data="digits:1/4", true_cost=1.0, most_fee=5)
    wire = wired(house)
    house.run(wire)
    record = sound(house)
    assert record.declined["birch"].by == "member"
    assert record.declined["birch"].why == "the contract could ask for more than the limit set here"
    offers = {}
    for member, kind, request, _ in wire.log:
        if kind == "agree":
            contract = head(request).content["contract"]
            offers.setdefault(member, []).append((contract["members"], contract["others_samples"]))
    assert offers == {
        "alder": [(4, 456), (3, 315)],
        "birch": [(4, 415)],
        "cedar": [(4, 356), (3, 215)],
        "elm": [(4, 441), (3, 300)],
    }
    assert sorted(record.contracts) == sorted(record.lines) == ["alder", "cedar", "elm"]
    assert not MemberFiles(house.members["birch"]).contract()


def test_an_absurd_report_is_turned_away_and_the_others_go_on(make_house, wired, sound):
    house = make_house(members=5)
    house.configure("elm", data="digits:3/5", true_cost=1e60)
    key = MemberFiles(house.members["fir"]).key

    def after(member, kind, reply):
        """Its own program would refuse to send this."""
        if (member, kind) == ("fir", "enrol"):
            absurd = head(reply).content | {"reported_cost": "1e-90", "capacity": None}
            return answer(key, reply, absurd)
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert sorted(record.declined) == ["elm", "fir"]
    assert {said.by for said in record.declined.values()} == {"operator"}
    assert "admit members with 20 or more" in record.declined["elm"].why
    assert "same unit" in record.declined["fir"].why
    assert sorted(record.lines) == ["alder", "birch", "cedar"]


def answer(key, reply, content, body=b""):
    """The reply with another content, signed by the one who should."""
    said = head(reply)
    return write_message(
        key,
        federation=said.federation,
        kind=said.kind,
        sender=said.sender,
        to=said.to,
        answers=said.answers,
        content=content,
        body=body,
    )


def test_terms_that_are_not_the_members_own_are_refused(make_house, sound):
    house, other = make_house(members=4), make_house("other", members=4)
    terms = (other.directory / "season-1/terms.json").read_bytes()
    (house.members["elm"] / "season-1/terms.json").write_bytes(terms)
    house.run()
    record = sound(house)
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert "elm" not in record.enrolments
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        request = operators(session, "elm", "enrol", {"terms": session.directory.published.dump()})
    with pytest.raises(InputError, match="another federation"):
        house.handlers()["elm"]("enrol", request)


def operators(session, member, kind, content, body=b""):
    """A request as only the operator could sign it."""
    newest = session.state.head.dump()
    return write_message(
        session.directory.key,
        federation=session.record.federation,
        kind=kind,
        sender=OPERATOR,
        to=member,
        content={"ledger": newest} | content,
        body=body,
    )


def test_other_terms_under_the_right_name_are_refused(make_house):
    house, other = make_house(), make_house("other", rounds=4)
    with (
        OperatorDirectory(house.directory) as consortium,
        OperatorDirectory(other.directory) as another,
    ):
        session = Session(consortium, InProcess({}))
        request = operators(session, "alder", "enrol", {"terms": another.published.dump()})
        with pytest.raises(InputError, match="offers other terms"):
            house.handlers()["alder"]("enrol", request)
        request = operators(session, "alder", "enrol", {})
        with pytest.raises(InputError, match="not a valid published"):
            house.handlers()["alder"]("enrol", request)


def test_a_ledger_of_other_terms_is_refused(make_house):
    house, other = make_house(), make_house("other")
    house.run()
    shutil.copy(house.directory / "ledger.db", other.directory / "ledger.db")
    with pytest.raises(InputError, match="of another consortium"):
        other.run()


@pytest.mark.parametrize("change", ["fee", "samples", "largest_fee", "others_samples", "size"])
def test_a_contract_that_was_altered_on_the_way_is_refused(make_house, wired, sound, change):
    house = make_house(members=4, rounds=1)

    def before(member, kind, request):
        if (member, kind) == ("elm", "agree"):
            said = head(request)
            old = said.content["contract"][change]
            new = f'"{change}":' + json.dumps(old + 1 if isinstance(old, int) else "9.5")
            request = request.replace(f'"{change}":{json.dumps(old)}'.encode(), new.encode())
        return request

    house.run(wired(house, before))
    record = sound(house)
    assert record.declined["elm"].why == "no answer: error"
    assert sorted(record.lines) == ["alder", "birch", "cedar"]
    assert MemberFiles(house.members["elm"]).contract() is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"fee": 1}, "figures do not follow"),
        ({"samples": 90}, "figures do not follow"),
        ({"largest_fee": 10**9}, "figures do not follow"),
        ({"largest_charge": 10**9}, "figures do not follow"),
        ({"reported_cost": "3.0"}, "figures do not follow"),
        ({"member": "birch"}, "figures do not follow"),
        ({"nonce": "00" * 32}, "figures do not follow"),
        ({"terms": "00" * 32}, "figures do not follow"),
        ({"members": 2}, "members"),
        ({"size": 2, "total_size": 4}, "figures do not follow"),
        ({"size": 0}, "size"),
        ({"capacity": 100}, "figures do not follow"),
        ({"extra": 2}, "extra"),
        ({"signature": "00" * 64}, "did not sign"),
        ({"signature": None}, "did not sign"),
    ],
)
def test_a_contract_of_a_dishonest_operator_is_refused(make_house, changes, why):
    """Signed as it should be, but with figures of the operator's own."""
    house = make_house(rounds=1)
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        enrol(session)
        said = {name: session.record.enrolments[name] for name in house.members}
        contract = offers_of(session, said)["alder"].dump()
        signature = changes.pop("signature", "")
        altered = contract | changes
        signed = session.directory.key.sign("contract", canonical_bytes(altered))
        content = {"contract": altered, "signature": signed if signature == "" else signature}
        request = operators(session, "alder", "agree", content)
        member = house.handlers()["alder"]
        with pytest.raises(InputError, match=why):
            member("agree", request)
        assert MemberFiles(house.members["alder"]).contract() is None
        agree(session)  # the right one is signed all the same
        assert session.record.roster.members == 3


def canonical_bytes(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def offers_of(session, enrolments):
    return contracts_for(enrolments, session.record.money, session.record.federation)


def test_a_second_contract_after_the_nonce_was_opened_is_refused(make_house):
    house = make_house(rounds=1)
    house.run()
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess({}))
        record, member = session.record, house.handlers()["alder"]
        three = dict(record.enrolments)
        less = {**three, "cedar": three["cedar"].model_copy(update={"reported_cost": "0.6"})}
        for enrolments, refused in ((three, False), (less, True)):
            contract = offers_of(session, enrolments)["alder"]
            signed = session.directory.key.sign("contract", contract.encoded())
            content = {"contract": contract.dump(), "signature": signed}
            request = operators(session, "alder", "agree", content)
            if refused:
                with pytest.raises(InputError, match="after the roster was closed"):
                    member("agree", request)
            else:
                assert head(member("agree", request)).content == {"contract": contract.hash()}
        request = operators(session, "alder", "open", {"roster": "00" * 32})
        with pytest.raises(InputError, match="a second time, for another draw"):
            member("open", request)


def test_a_nonce_that_is_withheld_is_replaced_by_its_commitment(make_house, wired):
    house = make_house(members=4, rule="sandwich", rounds=1)
    other = answer_nonce(house)
    house.run(wired(house, silent(("birch", "open", None)), other))
    entries, record = house.entries(), house.record()
    assert all(verdict.holds for verdict in verify(entries))
    for name, place in house.members.items():
        wrong = [each for each in verify_copy(entries, name, MemberFiles(place)) if not each.holds]
        assert [each.name for each in wrong] == (["own nonce"] if name in ("birch", "elm") else [])
    assert record.nonces.withheld == ["birch", "elm"]  # silent; and another nonce than committed
    draw = hashlib.sha256(b"fedfact-draw:" + read_secret(house.directory / "season-1/seed.secret"))
    for name in sorted(house.members):
        nonce = MemberFiles(house.members[name]).nonce
        part = nonce.hex() if name in ("alder", "cedar") else commitment(nonce, name)
        draw.update(f":{name}={part}".encode())
    assert record.revealed.draw == draw.hexdigest()
    assert sorted(record.lines) == ["alder", "birch", "cedar", "elm"]


def answer_nonce(house):
    key = MemberFiles(house.members["elm"]).key

    def after(member, kind, reply):
        if (member, kind) == ("elm", "open"):
            return answer(key, reply, {"nonce": "00" * 32})
        return reply

    return after


# ------------------------------------------------------------------------------- absences


def test_silent_when_contracts_are_signed_one_is_left_out(make_house, wired, sound):
    house = make_house(members=4)
    house.run(wired(house, silent(("elm", "agree", None))))
    record = sound(house)
    assert (record.declined["elm"].by, record.declined["elm"].why) == (
        "operator",
        "no answer: timeout",
    )
    assert {contract.members for contract in record.contracts.values()} == {3}
    assert sum(AGREED[name] for name in record.contracts) == 441


def test_too_few_pause_it_and_more_resume_it(make_house, wired, sound):
    """Who is silent when contracts are signed is waited for, where it is needed."""
    house = make_house(members=3)
    with pytest.raises(Paused, match="2 members take part and 3 are needed"):
        house.run(wired(house, silent(("cedar", "enrol", None))))
    with pytest.raises(Paused, match="2 members take part and 3 are needed"):
        house.run(wired(house, silent(("birch", "agree", None))))
    assert house.record().declined == {}
    house.run()
    record = sound(house)
    assert sorted(record.lines) == ["alder", "birch", "cedar"]


def test_who_declined_by_its_own_word_is_not_asked_again(make_house, wired):
    house = make_house(members=3)
    house.configure("birch", data="digits:1/3", true_cost=1.0, most_fee=5)
    with pytest.raises(Paused):
        house.run()
    wire = wired(house)
    with pytest.raises(Paused):
        house.run(wire)
    assert {kind for _, kind, *_ in wire.log} == {"shown"}


def test_below_the_quorum_training_pauses_and_resumes(make_house, wired, sound, essence):
    house = make_house(members=4, quorum=3)
    twin = copy_of(house, "twin")
    gone = silent(("alder", "round", 2), ("cedar", "round", 2), reason="unreachable")
    with pytest.raises(Paused, match="round 2: 2 members took part and the quorum is 3"):
        house.run(wired(house, gone))
    assert len(house.record().rounds) == 1
    with pytest.raises(Paused):
        house.run(wired(house, gone))  # who answered answers the same, and trains no further
    house.run()
    assert essence(sound(house)) == essence(twin.run())


def copy_of(house, name):
    """A house with the same secrets, not yet started."""
    for place in house.members.values():
        files = MemberFiles(place)
        _ = files.key, files.nonce, files.salt  # drawn now, if they were not
    copy = type(house).__new__(type(house))
    copy.root = house.root.with_name(name)
    shutil.copytree(house.root, copy.root)
    copy.directory = copy.root / "operator"
    copy.members = {member: copy.root / member for member in house.members}
    return copy


def test_silent_in_some_rounds_and_back(make_house, wired, sound):
    house = make_house(members=4, rounds=4)
    wire = wired(house, silent(("birch", "round", 2), ("elm", "round", 1), ("elm", "round", 3)))
    house.run(wire)
    record = sound(house)
    assert [done.absent for done in record.rounds] == [
        {"elm": "timeout"}, {"birch": "timeout"}, {"elm": "timeout"}, {},
    ]  # fmt: skip
    assert not any(each.left for each in record.deliveries.values())
    assert record.deliveries["elm"].delivered == 115  # four batches of 32 and less
    assert all(line.rebate > 0 for line in record.lines.values())


def test_averages_are_of_those_who_took_part(make_house, wired):
    house = make_house(members=4, rounds=2)
    wire = wired(house, silent(("birch", "round", 2)))
    record = house.run(wire)
    with OperatorDirectory(house.directory) as consortium:
        layout = consortium.published.plan().layout()
    replies = {
        member: read_message(reply, len(reply)).body
        for member, kind, request, reply in wire.log
        if kind == "round" and head(request).content["round"] == 2
    }
    assert sorted(replies) == ["alder", "cedar", "elm"]
    shares = np.array([100, 200, 115]) / 415
    mean = average([from_bytes(replies[name], layout) for name in sorted(replies)], shares)
    assert hashlib.sha256(to_bytes(mean)).hexdigest() == record.rounds[-1].model


def test_who_leaves_pays_for_what_it_delivered_and_is_not_asked_again(make_house, wired, sound):
    house = make_house(members=4, rounds=4)

    def before(member, kind, request):
        if (member, kind, head(request).content.get("round")) == ("birch", "round", 3):
            (house.members["birch"] / "season-1/leave").touch()
        return request

    wire = wired(house, before)
    house.run(wire)
    record = sound(house)
    asked = [head(request).content["round"] for member, kind, request, _ in wire.log
             if (member, kind) == ("birch", "round")]  # fmt: skip
    assert asked == [1, 2, 3]
    assert [done.absent for done in record.rounds[2:]] == [{"birch": "left"}] * 2
    delivery, line = record.deliveries["birch"], record.lines["birch"]
    assert (delivery.delivered, delivery.last_round, delivery.left) == (141, 2, True)
    assert line.net == -line.fee < 0 == line.rebate == line.charge
    (told,) = MemberFiles(house.members["birch"]).statements()
    assert told.model is None
    assert not (house.members["birch"] / "season-1/model.bin").exists()
    assert all(said.said.read_head().content["agrees"] for said in record.acknowledged.values())


def test_who_left_stays_away_also_after_a_restart(make_house, wired, sound):
    house = make_house(members=4, rounds=4, quorum=3)
    (house.members["birch"] / "season-1/leave").touch()
    with pytest.raises(Paused):
        house.run(wired(house, silent(("elm", "round", 3))))
    (house.members["birch"] / "season-1/leave").unlink()  # too late
    wire = wired(house)
    house.run(wire)
    (house.members["birch"] / "season-1/leave").touch()
    record = sound(house)
    assert ("birch", "round") not in [(member, kind) for member, kind, *_ in wire.log]
    assert {name for done in record.rounds for name in done.attested} == {"alder", "cedar", "elm"}
    assert "birch" not in record.lines  # it never took part


def test_gone_for_good_pays_its_fee_and_gets_its_statement_when_it_is_back(
    make_house, wired, sound
):
    house = make_house(members=4)
    gone = set()

    def before(member, kind, request):
        if head(request).content.get("round") == 2:
            gone.add("cedar")
        return Failure("unreachable") if member in gone else request

    house.run(wired(house, before))
    record = sound(house)
    assert record.phase == "settled, 1 statements to hand out"
    assert sorted(record.acknowledged) == ["alder", "birch", "elm"]
    assert record.deliveries["cedar"].left
    assert record.lines["cedar"].net == -record.lines["cedar"].fee
    wire = wired(house)
    house.run(wire)
    asked = [("cedar", kind) for kind in ("statement", "heads", "witness")]
    assert [(member, kind) for member, kind, *_ in wire.log if kind != "shown"] == asked
    assert sound(house).phase == "finished"
    assert MemberFiles(house.members["cedar"]).statements()[0].left


def test_who_never_took_part_owes_nothing(make_house, wired, sound):
    house = make_house(members=4, rule="sandwich")
    house.run(wired(house, silent(*(("elm", "round", number) for number in (1, 2, 3)))))
    record = sound(house)
    assert "elm" in record.contracts
    assert "elm" not in record.deliveries
    assert "elm" not in record.lines
    assert "member/elm" not in record.balances()
    assert record.settled.members == 3
    assert MemberFiles(house.members["elm"]).statements() == []


def test_fewer_than_three_that_delivered_move_no_money(make_house, wired, sound):
    house = make_house(members=3)
    house.run(wired(house, silent(*(("birch", "round", number) for number in (1, 2, 3)))))
    record = sound(house)
    assert record.settled.void == "too few"
    assert "fewer than three members" in record.void_in_words
    assert (record.settled.surplus, record.lines, record.balances()) == (0, {}, {})
    assert sorted(record.deliveries) == ["alder", "cedar"]
    assert record.phase == "finished"
    before = house.entries()
    house.run()
    assert house.entries() == before


@pytest.mark.parametrize("done", [1, 2])
def test_the_operator_may_finish_early(make_house, wired, sound, done):
    house = make_house(members=4)

    def after(member, kind, reply):
        wanted = ("round", 2) if done == 2 else ("agree", None)  # there is one round at least
        if (kind, head(reply).content.get("round")) == wanted:
            (house.directory / "season-1/finish").touch()
        return reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert len(record.rounds) == done
    assert len(record.lines) == 4
    assert not any(each.left for each in record.deliveries.values())


def test_a_slow_member_is_billed_for_what_came_in_time(make_house, wired, sound):
    """It trains in every round, but its replies of rounds 2 and 3 come too late."""
    house = make_house(members=4)

    def after(member, kind, reply):
        late = member == "birch" and kind == "round" and head(reply).content["round"] > 1
        return Failure("timeout") if late else reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert record.deliveries["birch"].dump() == {
        "member": "birch", "promised": 141, "delivered": 96, "counted": 96, "attended": 1,
        "asked": 3, "billed": 32, "last_round": 1, "left": True,
    }  # fmt: skip
    rounds = MemberFiles(house.members["birch"]).rounds()
    assert {own.round: own.used for own in rounds} == {1: 96, 2: 141, 3: 141}
    said = record.acknowledged["birch"].said.read_head().content
    assert said["agrees"] is False  # by its own clock it was in time, and it says so
    assert said["why"] == ["I answered in time until round 3, not 1"]
    verdicts = {each.name: each for each in verify(house.entries())}
    assert verdicts["acknowledgements"].says == "4 of 4 statements, disputed by birch"
    copy = verify_copy(house.entries(), "birch", MemberFiles(house.members["birch"]))
    assert [each.name for each in copy if not each.holds] == ["own rounds"]


def test_slow_once_it_goes_on_from_where_it_is(make_house, wired, sound):
    house = make_house(members=4)

    def after(member, kind, reply):
        late = member == "birch" and kind == "round" and head(reply).content["round"] == 2
        return Failure("timeout") if late else reply

    house.run(wired(house, after=after))
    record = sound(house)
    delivery, line = record.deliveries["birch"], record.lines["birch"]
    assert (delivery.delivered, delivery.counted, delivery.billed) == (141, 141, 94)
    assert not delivery.left
    assert (line.samples, line.counted, line.charge) == (94, 141, 0)
    said = record.acknowledged["birch"].said.read_head().content
    assert said["agrees"] is True  # a single answer may get lost
    copy = verify_copy(house.entries(), "birch", MemberFiles(house.members["birch"]))
    assert [each.name for each in copy if not each.holds] == ["own rounds"]


def test_slow_more_than_once_it_disputes_what_it_is_billed_for(make_house, wired, sound):
    house = make_house(members=4, rounds=4)

    def after(member, kind, reply):
        late = member == "birch" and kind == "round" and head(reply).content["round"] in (2, 3)
        return Failure("timeout") if late else reply

    house.run(wired(house, after=after))
    record = sound(house)
    assert (record.deliveries["birch"].counted, record.lines["birch"].samples) == (141, 70)
    said = record.acknowledged["birch"].said.read_head().content
    assert said["why"] == ["I answered 4 rounds in time, and am counted for 2 of 4"]


# ----------------------------------------------------------------------------------- cost


def puppet_key(name):
    return Key(hashlib.sha256(name.encode()).digest())


class Puppet:
    """A member that says what is wanted without training, to see what the operator's part costs."""

    def __init__(self, name, published):
        self.name, self.key = name, puppet_key(name)
        self.nonce = hashlib.sha256(b"nonce" + name.encode()).digest()
        self.federation, self.samples = published.hash(), 0

    def handle(self, kind, request):
        asked = read_message(request, len(request))
        content, body = getattr(self, kind)(asked.head.content, asked.body)
        return write_message(
            self.key, federation=self.federation, kind=kind, sender=self.name, to=OPERATOR,
            answers=asked.hash, content=content, body=body,
        )  # fmt: skip

    def enrol(self, content, body):
        said = Enrolment(
            member=self.name, key=self.key.public, reported_cost="2.0", capacity=None,
            nonce=commitment(self.nonce, self.name),
        )  # fmt: skip
        return said.dump(), b""

    def agree(self, content, body):
        contract = canonical_bytes(content["contract"])
        self.samples = content["contract"]["samples"]
        return {"contract": hashlib.sha256(contract).hexdigest()}, b""

    def open(self, content, body):
        return {"nonce": self.nonce.hex()}, b""

    def round(self, content, body):
        said = Attestation(
            round=content["round"], start=hashlib.sha256(body).hexdigest(),
            steps=content["steps"], samples=self.samples, used=self.samples, index="00" * 32,
        )  # fmt: skip
        return said.dump(), body

    def statement(self, content, body):
        return {"format": 1, "statement": "", "agrees": True, "why": []}, b""


def calls(tmp_path, members, rounds):
    """How many functions are called in a whole federation."""
    names, directory = [f"member{k}" for k in range(members)], tmp_path / f"{members}-{rounds}"
    (tmp_path / "terms.toml").write_text(
        '[money]\nerror_scale = 20000.0\nunit = 0.01\n[training]\nnetwork = "digits"\n'
        f"rounds = {rounds}\nlocal_steps = 1\n[conduct]\nquorum = 3\n"
    )
    create(directory, tmp_path / "terms.toml", {name: puppet_key(name).public for name in names})
    with OperatorDirectory(directory) as house:
        puppets = {name: Puppet(name, house.published).handle for name in names}
    profile = cProfile.Profile()
    profile.runcall(operate, directory, InProcess(puppets))
    with OperatorDirectory(directory) as house:
        record = Session(house, InProcess({})).record
    assert (len(record.lines), len(record.rounds)) == (members, rounds)
    return pstats.Stats(profile).total_calls


@pytest.mark.thorough
def test_the_operators_work_grows_with_members_and_rounds_and_no_faster(tmp_path):
    calls(tmp_path, 3, 1)  # what is only done once in a process
    few, many = calls(tmp_path, 24, 2), calls(tmp_path, 96, 2)
    assert many < 4 * 1.2 * few
    short, long = calls(tmp_path, 4, 10), calls(tmp_path, 4, 40)
    assert long < 4 * 1.1 * short
