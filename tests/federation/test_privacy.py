"""Whatever a member receives or keeps holds nothing of another's; its own stays with it."""

import inspect
import re

import pytest

from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.keys import read_secret
from fedfact.federation.wire.message import read_message

MEMBERS = {
    "northgate": 2.0312345,
    "southmoor": 1.0498765,
    "eastbury": 0.5287654,
    "westcliff": 1.5376543,
    "middlewich": 2.9465432,
}
SIZES = {
    "northgate": 1207,
    "southmoor": 1453,
    "eastbury": 1019,
    "westcliff": 1382,
    "middlewich": 1618,
}
SECRETS = ("member.key", "season-1/nonce.secret", "season-1/salt.secret")
OWN_SCALE = {"westcliff": 20007.53}


def head(data):
    return read_message(data, len(data)).head


def texts_of(number):
    """How a number might be written."""
    whole = float(number).is_integer()
    found = {repr(number), f"{number:g}", f"{number:.6g}", f"{number:,}"}
    if whole:
        found |= {str(int(number)), f"{int(number):x}", f"{int(number):,}"}
    return {text for text in found if len(text) >= 3}


def readable(material):
    """The texts in it, without the numbers of models, among which three digits come by chance."""
    return b"\n".join(re.findall(rb"[\x20-\x7e]{12,}", material))


def mentions(material, text):
    """Whether the text stands there as a word or number of its own."""
    pattern = rb"(?<![0-9A-Za-z.])" + re.escape(text.encode()) + rb"(?![0-9A-Za-z]|\.[0-9])"
    return re.search(pattern, material) is not None


class Observed:
    """A finished federation, with all that every member received, sent and kept."""

    def __init__(self, house, wired, fails):
        key = MemberFiles(house.members["eastbury"]).key

        def crash(member, kind, request):
            if fails and (member, kind) == ("eastbury", "round"):
                number = head(request).content["round"]
                if number == 2:
                    cost, nonce = MEMBERS[member], MemberFiles(house.members[member]).nonce.hex()
                    real = wire._members[member]

                    def broken(kind, request):
                        wire._members[member] = real
                        raise RuntimeError(f"eastbury broke: cost {cost}, nonce {nonce}, {key}")

                    wire._members[member] = broken
            return request

        wire = wired(house, crash)
        self.record = house.run(wire)
        self.house, self.wire = house, wire
        self.received = dict.fromkeys(MEMBERS, b"")
        self.sent = dict.fromkeys(MEMBERS, b"")
        self.updates = {name: [] for name in MEMBERS}
        for member, kind, request, reply in wire.log:
            self.received[member] += request
            if isinstance(reply, bytes):
                self.sent[member] += reply
                if kind == "round":
                    self.updates[member].append(read_message(reply, len(reply)).body)
        self.kept = {
            name: b"\n".join(
                path.name.encode() + b"\n" + path.read_bytes()
                for path in sorted(place.rglob("*"))
                if path.is_file()
            )
            for name, place in house.members.items()
        }

    def secrets(self, name):
        """What nobody but this member and the operator may see, as text."""
        record, files = self.record, MemberFiles(self.house.members[name])
        contract, line = record.contracts[name], record.lines[name]
        numbers = {MEMBERS[name], contract.samples, record.deliveries[name].delivered, line.samples}
        numbers |= {contract.fee, contract.largest_fee, contract.largest_charge}
        numbers |= {line.fee, line.charge, line.rebate, line.reward, line.pool, line.net}
        numbers |= {abs(contract.fee), abs(line.fee), abs(line.net), line.counted, contract.size}
        found = set().union(*(texts_of(number) for number in numbers if number))
        found |= {read_secret(files.directory / each).hex() for each in SECRETS}
        found |= {name, files.key.public, contract.nonce, contract.hash()}
        found |= {record.attested[name].index, record.enrolments[name].hash()}
        return found

    def shared(self, name):
        """The sums that are told to this member, and its own numbers, which may coincide."""
        record, line = self.record, self.record.lines[name]
        contract = record.contracts[name]
        total = record.settled.samples
        numbers = {total, contract.others_samples, contract.members, line.pool, line.samples}
        numbers |= {total - line.samples, contract.samples, len(MEMBERS), contract.total_size}
        numbers |= {own.used for own in MemberFiles(self.house.members[name]).rounds()}
        return set().union(*(texts_of(number) for number in numbers)) | self.secrets(name)


@pytest.fixture(
    scope="module", params=["rebate", "sandwich", "shared", "shared-sized", "rebate-crash"]
)
def observed(request, tmp_path_factory, wired, finished):
    rule, _, how = request.param.partition("-")
    root = tmp_path_factory.mktemp("privacy") / "house"
    sized = {"scale": 20.0, "sizes": SIZES} if how == "sized" else {}
    house = make(type(finished.rebate), root, rule, **sized)
    return Observed(house, wired, how == "crash")


def make(kind, root, rule, **how):
    """A house with these members and no others."""
    module = inspect.getmodule(kind)
    before = dict(module.COSTS)
    module.COSTS.clear()
    module.COSTS.update(MEMBERS)
    try:
        house = kind(root, members=5, rule=rule, **how)
    finally:
        module.COSTS.clear()
        module.COSTS.update(before)
    for k, (name, cost) in enumerate(MEMBERS.items()):
        keys = {"data": f"digits:{k}/5", "true_cost": cost}
        if name in OWN_SCALE and rule == "rebate":
            keys |= {"error_scale": OWN_SCALE[name], "most_fee": 598_765, "most_samples": 271}
        house.configure(name, **keys)
    return house


def test_the_federation_that_is_looked_at_is_a_whole_one(observed, sound):
    record = sound(observed.house)
    assert sorted(record.lines) == sorted(MEMBERS)
    assert all(len(material) > 10_000 for material in observed.received.values())


def test_nothing_of_another_member_is_received_or_kept(observed):
    for name in MEMBERS:
        allowed, material = observed.shared(name), observed.received[name] + observed.kept[name]
        texts = readable(material)
        for other in MEMBERS:
            for secret in observed.secrets(other) - allowed if other != name else ():
                assert not mentions(texts, secret), (name, other, secret)
                assert len(secret) < 8 or secret.encode() not in material, (name, other, secret)


def test_no_update_of_another_member_is_received_or_kept(observed):
    for name in MEMBERS:
        for other in MEMBERS:
            for update in observed.updates[other] if other != name else []:
                for part in (update[:64], update[-64:], update[5000:5064]):
                    assert part not in observed.received[name]
                    assert part not in observed.kept[name]


def test_secrets_that_are_random_do_not_appear_in_any_spelling(observed):
    for name in MEMBERS:
        for other in MEMBERS:
            if other == name:
                continue
            place = observed.house.members[other]
            for secret in SECRETS:
                raw = read_secret(place / secret)
                for spelling in (raw, raw.hex().encode(), raw.hex().upper().encode(), raw[::-1]):
                    assert spelling not in observed.received[name]
                    assert spelling not in observed.kept[name]
        seed = read_secret(observed.house.directory / "season-1/seed.secret")
        assert seed not in observed.received[name]
        assert seed.hex().encode() not in observed.received[name] + observed.kept[name]


def test_the_group_it_is_told_of_is_its_own(observed):
    for name, place in observed.house.members.items():
        (told,) = MemberFiles(place).statements()
        assert told.line == observed.record.lines[name]
        groups = re.findall(rb'"group":([0-9]+|null)', observed.received[name])
        own = b"null" if told.line.group is None else str(told.line.group).encode()
        assert set(groups) == {own}


def test_what_requests_say_is_what_is_documented(observed):
    """No field that is not known: one that is added has to be thought about here."""
    fields = {
        "enrol": {"ledger", "terms", "size"},
        "agree": {"ledger", "contract", "signature"},
        "open": {"ledger", "roster"},
        "round": {"ledger", "round", "steps"},
        "statement": {
            "ledger", "settlement", "rounds", "members", "samples", "size", "left", "attended",
            "asked", "last_round", "line", "model", "format", "restored",
        },
        "heads": {"ledger"},
        "witness": {"ledger", "grew", "shown"},
    }  # fmt: skip
    fields = {kind: {*names, "key"} for kind, names in fields.items()} | {"shown": {"number"}}
    for member, kind, request, _ in observed.wire.log:
        said = head(request)
        assert set(said.content) == fields[kind]
        if kind != "shown":
            assert set(said.content["ledger"]) == {"number", "entry", "root", "signature"}
        assert (said.to, said.sender) == (member, "operator")


def test_a_members_error_reaches_nobody(observed):
    everywhere = b"".join([*observed.received.values(), *observed.kept.values()])
    ledger = "".join(entry.body for entry in observed.house.entries())
    assert b"broke" not in everywhere
    assert "broke" not in ledger


def test_true_cost_and_own_figures_stay_on_the_machine(make_house, wired):
    """Of a member that reports another cost and has an A of its own, also when it declines."""
    house = make_house(members=4, rounds=2)
    own = {"true_cost": 1.5432109, "error_scale": 20012.345, "most_fee": 587_654}
    house.configure("elm", data="digits:3/4", reported_cost=1.55, most_samples=222, **own)
    house.configure(
        "cedar", data="digits:2/4", reported_cost=3.5, true_cost=0.7654321, error_scale=9876.5
    )
    house.configure("birch", data="digits:1/4", true_cost=1.0, most_fee=12)
    wire = wired(house)
    with pytest.raises(Exception, match="are needed"):
        house.run(wire)
    sent = dict.fromkeys(house.members, b"")
    for member, _, _, reply in wire.log:
        sent[member] += reply
    for number in (*own.values(), 222):
        for text in texts_of(number):
            assert not mentions(sent["elm"], text), text
    assert b'"1.55"' in sent["elm"]
    assert b'"declines":"not individually rational"' in sent["cedar"]
    for text in texts_of(0.7654321) | texts_of(9876.5):
        assert not mentions(sent["cedar"], text)
    assert b'"declines":"the contract could ask for more than the limit set here"' in sent["birch"]
    assert not mentions(sent["birch"], "12")


def test_own_figures_stay_on_the_machine_of_who_takes_part(observed):
    if observed.record.terms.money["rule"] == "rebate":
        for number in (20007.53, 598_765, 271):
            for text in texts_of(number):
                assert not mentions(observed.sent["westcliff"], text)


def test_with_three_members_the_sums_of_a_statement_give_the_others_away(make_house):
    """What docs/security.md warns of: S and the pool are two equations for two unknowns."""
    house = make_house(members=3)
    record = house.run()
    (told,) = MemberFiles(house.members["birch"]).statements()
    K, S = record.money.error_scale_in_units, told.samples - told.line.samples
    # pool = K(1/m + 1/m' − 2/T), T = 3S/2, m + m' = S
    product = S / (told.line.pool / K + 4 / (3 * S))
    root = (S * S / 4 - float(product)) ** 0.5
    found = sorted(round(float(S / 2 + sign * root)) for sign in (-1, 1))
    others = sorted(record.contracts[name].samples for name in ("alder", "cedar"))
    assert found == others
