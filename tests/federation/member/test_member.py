"""A member asked twice, too late, by somebody else, or with a full disk: it keeps to its word."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fedfact import InputError
from fedfact.federation.ledger.state import replay
from fedfact.federation.member import member as join
from fedfact.federation.member.config import read_member_config
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.member import open_member
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.session import Paused
from fedfact.federation.wire.keys import Key
from fedfact.federation.wire.ledger_head import LedgerHead
from fedfact.federation.wire.message import OPERATOR, read_message, write_message
from fedfact.federation.wire.transport import InProcess
from fedfact.training.site import site


def head(data):
    return read_message(data, len(data)).head


@pytest.fixture
def talk(make_house, wired):
    """A finished federation of three, and all requests and replies in order, by member."""
    house = make_house(rounds=3)
    wire = wired(house)
    house.run(wire)
    said = {name: [] for name in house.members}
    for member, kind, request, reply in wire.log:
        said[member].append((kind, request, reply))
    return house, said


def test_asked_again_it_answers_the_same_or_refuses(talk):
    """Every request there was, replayed in order, backwards and twice, to a member that is done."""
    house, said = talk
    kept = (house.members["birch"] / "season-1/training.bin").read_bytes()
    contract = (house.members["birch"] / "season-1/contract.json").read_bytes()
    member = open_member(house.members["birch"])
    newest = MemberFiles(house.members["birch"]).heads()[-1].number
    for kind, request, reply in [*said["birch"], *reversed(said["birch"]), *said["birch"]]:
        if kind == "shown":  # which changes nothing
            continue
        number = head(request).content["ledger"]["number"]
        if kind in ("heads", "witness") or head(request).content.get("round") == 3:
            assert member(kind, request) == reply
        else:
            assert number < newest
            with pytest.raises(InputError, match="out of order"):
                member(kind, request)
    assert (house.members["birch"] / "season-1/training.bin").read_bytes() == kept
    assert (house.members["birch"] / "season-1/contract.json").read_bytes() == contract


def test_asked_again_before_it_went_on_it_answers_the_same(make_house, wired):
    house = make_house(rounds=2)

    def after(member, kind, reply):
        for _ in range(2):
            again = wire.members[member](kind, wire.last)
            assert again == reply, kind
        assert open_member(house.members[member])(kind, wire.last) == reply, kind  # also restarted
        return reply

    def before(member, kind, request):
        wire.last = request
        return request

    wire = wired(house, before, after)
    house.run(wire)
    assert MemberFiles(house.members["alder"]).last_round().round == 2


def test_asked_twice_at_once_it_trains_once(make_house, wired, essence):
    house, twin = make_house(rounds=2), make_house("twin", rounds=2)

    class Twice(InProcess):
        """Every request arrives four times at once."""

        def _one(self, member, kind, request):
            gate = threading.Barrier(4)

            def arrive(_):
                gate.wait()
                return InProcess._one(self, member, kind, request)

            with ThreadPoolExecutor(4) as pool:
                replies = list(pool.map(arrive, range(4)))
            assert len(set(replies)) == 1
            return replies[0]

    record = house.run(Twice(house.handlers()))
    wanted = twin.run()
    assert essence(record)["models"] == essence(wanted)["models"]
    assert record.phase == "finished"


def test_started_anew_for_every_request_it_ends_the_same(make_house, essence, sound):
    house, twin = make_house(), make_house("twin")

    def anew(place):
        return lambda kind, request: open_member(place)(kind, request)

    house.run(InProcess({name: anew(place) for name, place in house.members.items()}))
    assert essence(sound(house))["models"] == essence(twin.run())["models"]


@pytest.mark.parametrize("where", ["keep_round", "update", "reply"])
def test_with_a_full_disk_it_loses_nothing(make_house, wired, essence, sound, monkeypatch, where):
    """A round that could not be kept is trained again from where it was, not from further on."""
    house, twin = make_house(rounds=3, quorum=3), make_house("twin", rounds=3, quorum=3)
    wanted = essence(twin.run())["models"]
    left = {"birch": 2}

    def fail(self, *arguments, real, name):
        if left.get(name) and "models" in str(
            list((house.directory / "season-1/models").iterdir())
        ):
            left[name] -= 1
            raise OSError(28, "no space left on device")
        return real(self, *arguments)

    if where == "keep_round":
        real = MemberFiles.keep_round
        monkeypatch.setattr(
            MemberFiles,
            "keep_round",
            lambda self, last: fail(self, last, real=real, name=self.directory.name),
        )
    elif where == "update":
        real_update = site.Site.update

        def update(self, weights, steps):
            result = real_update(self, weights, steps)
            if left["birch"] and self.samples == 141:
                left["birch"] -= 1
                raise RuntimeError("out of memory")
            return result

        monkeypatch.setattr(site.Site, "update", update)
    else:
        real_write = join.write_message

        def write(key, **parts):
            if parts["kind"] == "round" and parts["sender"] == "birch" and left["birch"]:
                left["birch"] -= 1
                raise MemoryError
            return real_write(key, **parts)

        monkeypatch.setattr(join, "write_message", write)
    members = house.handlers()  # the same members all the time: nothing is forgotten by a restart
    for _ in range(2):
        with pytest.raises(Paused, match="quorum"):
            house.run(InProcess(members))
    house.run(InProcess(members))
    assert left == {"birch": 0}
    assert essence(sound(house))["models"] == wanted


def signed_by_operator(house, kind, to, content, *, key=None, federation=None, body=b""):
    with OperatorDirectory(house.directory) as operator:
        newest = replay(operator.ledger.entries()).head.dump()
        return write_message(
            key or operator.key,
            federation=federation or operator.published.hash(),
            kind=kind,
            sender=OPERATOR,
            to=to,
            content={"ledger": newest} | content,
            body=body,
        )


def test_a_request_that_is_not_the_operators_to_this_member_is_refused(talk):
    house, said = talk
    member = open_member(house.members["birch"])
    roster = {"roster": "00" * 32}
    stranger = Key(bytes(32))
    wrong = [
        ("did not sign", "open", signed_by_operator(house, "open", "birch", roster, key=stranger)),
        ("another to", "open", signed_by_operator(house, "open", "alder", roster)),
        ("another kind", "round", signed_by_operator(house, "open", "birch", roster)),
        (
            "another federation",
            "open",
            signed_by_operator(house, "open", "birch", roster, federation="00" * 32),
        ),
        ("unknown kind", "dance", signed_by_operator(house, "open", "birch", roster)),
        ("cut short", "open", b""),
        ("cut short", "open", b"\xff" * 100),
        ("another sender", "round", said["birch"][3][2]),  # its own reply, reflected
        ("a second time", "open", signed_by_operator(house, "open", "birch", roster)),
    ]
    before = files_of(house.members["birch"])
    for why, kind, request in wrong:
        with pytest.raises(InputError, match=why):
            member(kind, request)
    grows = {"heads.jsonl": b"", "member.log": b""}
    assert before | grows == files_of(house.members["birch"]) | grows


def files_of(place):
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }


OTHER = "00" * 32


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda last, sign: None, "not a valid ledger head"),
        (lambda last, sign: {}, "not a valid ledger head"),
        (lambda last, sign: last.dump() | {"number": "3"}, "not a valid ledger head: number"),
        (lambda last, sign: last.dump() | {"number": True}, "not a valid ledger head: number"),
        (lambda last, sign: last.dump() | {"number": -1}, "not a valid ledger head: number"),
        (lambda last, sign: last.dump() | {"hash": OTHER}, "not a valid ledger head: hash"),
        (lambda last, sign: sign(0, OTHER, OTHER), "out of order"),
        (lambda last, sign: sign(last.number - 1, last.entry, last.root), "out of order"),
        (lambda last, sign: sign(last.number, OTHER, last.root), "another than was shown before"),
        (lambda last, sign: sign(last.number, last.entry, OTHER), "another than was shown before"),
        (lambda last, sign: last.dump() | {"number": last.number + 1}, "operator did not sign"),
        (lambda last, sign: last.dump() | {"entry": OTHER}, "operator did not sign"),
        (lambda last, sign: last.dump() | {"root": OTHER}, "operator did not sign"),
        (lambda last, sign: last.dump() | {"signature": "00" * 64}, "operator did not sign"),
        (
            lambda last, sign: sign(last.number, last.entry, last.root, key=Key(bytes(32))),
            "operator did not sign",
        ),
        (
            lambda last, sign: sign(last.number, last.entry, last.root, consortium=OTHER),
            "operator did not sign",
        ),
    ],
)
def test_a_head_that_goes_back_forks_or_is_not_signed_is_refused(talk, wrong, why):
    """Of a ledger that was changed, of another one, or of none."""
    house, _ = talk
    files = MemberFiles(house.members["birch"])
    with OperatorDirectory(house.directory) as operator:
        own, name = operator.key, operator.published.consortium

    def sign(number, entry, root, *, key=own, consortium=name):
        return LedgerHead.signed(key, consortium, number, entry, root).dump()

    ledger, before = wrong(files.heads()[-1], sign), files.heads()
    request = signed_by_operator(house, "open", "birch", {"ledger": ledger, "roster": OTHER})
    for _ in range(2):
        with pytest.raises(InputError, match=why):
            open_member(house.members["birch"])("open", request)
    assert MemberFiles(house.members["birch"]).heads() == before


def test_a_contract_of_before_cannot_be_put_back(make_house, wired):
    """It was offered, but somebody declined; then another one was, which it signed."""
    house = make_house(members=4, rounds=1)
    house.configure("elm", data="digits:3/4", true_cost=1.5, most_fee=1)
    old = {}

    def before(member, kind, request):
        if (member, kind) == ("birch", "agree") and "it" not in old:
            old["it"] = request
        elif (member, kind) == ("birch", "open"):
            with pytest.raises(InputError, match="out of order"):
                wire.members["birch"]("agree", old["it"])
        return request

    wire = wired(house, before)
    record = house.run(wire)
    assert MemberFiles(house.members["birch"]).contract() == record.contracts["birch"]
    assert record.contracts["birch"].members == 3


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"round": 0, "steps": 3}, "a round that the terms do not have"),
        ({"round": 4, "steps": 3}, "a round that the terms do not have"),
        ({"round": "3", "steps": 3}, "a round that the terms do not have"),
        ({"round": None, "steps": 3}, "a round that the terms do not have"),
        ({"steps": 3}, "a round that the terms do not have"),
        ({"round": 3, "steps": 3}, "out of order"),
        ({"round": 1, "steps": 3}, "out of order"),
    ],
)
def test_rounds_that_cannot_come_are_refused(talk, content, why):
    house, _ = talk
    with pytest.raises(InputError, match=why):
        open_member(house.members["birch"])(
            "round", signed_by_operator(house, "round", "birch", content)
        )


def test_other_steps_and_models_than_the_terms_say_are_refused(make_house, wired):
    house = make_house(rounds=1)

    def before(member, kind, request):
        if (member, kind) == ("birch", "round"):
            for steps, why in ((3, "other steps"), (7, "0 bytes long")):
                wrong = signed_by_operator(house, "round", "birch", {"round": 1, "steps": steps})
                with pytest.raises(InputError, match=why):
                    wire.members["birch"]("round", wrong)
        return request

    wire = wired(house, before)
    assert sorted(house.run(wire).lines) == ["alder", "birch", "cedar"]


def test_what_comes_before_a_contract_is_refused(make_house):
    house = make_house()
    house.record()  # the terms are in the ledger
    member = open_member(house.members["birch"])
    for kind, content, why in [
        ("round", {"round": 1, "steps": 2}, "before a contract was signed"),
        ("open", {"roster": "00" * 32}, "before a contract was signed"),
        ("agree", {}, "not a valid contract"),
        ("statement", {}, "not a valid statement message"),
    ]:
        with pytest.raises(InputError, match=why):
            member(kind, signed_by_operator(house, kind, "birch", content))


def statement(said):
    """The request that brought a member its statement."""
    (request,) = (request for kind, request, _ in said if kind == "statement")
    return request


def test_a_statement_for_another_or_with_another_model_is_refused(talk):
    house, said = talk
    content = head(statement(said["birch"])).content
    member = open_member(house.members["alder"])
    told = {name: value for name, value in content.items() if name not in ("ledger", "key")}
    with pytest.raises(InputError, match="for somebody else"):
        member("statement", signed_by_operator(house, "statement", "alder", told))
    own = {k: v for k, v in head(statement(said["alder"])).content.items() if k != "ledger"}
    model = (house.members["alder"] / "season-1/model.bin").read_bytes()
    other = signed_by_operator(house, "statement", "alder", own, body=model[::-1])
    with pytest.raises(InputError, match="another model than it names"):
        member("statement", other)
    again = member("statement", signed_by_operator(house, "statement", "alder", own))
    assert head(again).content["agrees"] is True  # it has that model already


# --------------------------------------------------------------------------------- config


def config(tmp_path, text):
    path = tmp_path / "member.toml"
    path.write_text(text)
    return read_member_config(path)


def test_a_config_reports_the_truth_unless_it_says_otherwise(tmp_path):
    read = config(tmp_path, 'name = "a"\ntrue_cost = 2\ndata = "digits:0/3"\n')
    assert (read.report, read.error_scale, read.most_fee) == (2.0, None, None)
    lie = config(tmp_path, 'name = "a"\ntrue_cost = 2\nreported_cost = 3.5\ndata = "x/"\n')
    assert (lie.report, lie.true_cost) == (3.5, 2.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "name: field required"),
        ('name = "a"\ndata = "x/"\n', "true_cost: field required"),
        ('name = "a b"\ntrue_cost = 1.0\ndata = "x/"\n', "name: "),
        ('name = "a"\ntrue_cost = 0.0\ndata = "x/"\n', "true_cost: "),
        ('name = "a"\ntrue_cost = nan\ndata = "x/"\n', "true_cost: "),
        ('name = "a"\ntrue_cost = inf\ndata = "x/"\n', "true_cost: "),
        ('name = "a"\ntrue_cost = 1.0\ndata = "x/"\nerror_scale = -1.0\n', "error_scale: "),
        ('name = "a"\ntrue_cost = 1.0\ndata = "x/"\nmost_fee = -1\n', "most_fee: "),
        ('name = "a"\ntrue_cost = 1.0\ndata = "x/"\nmost_samples = 0\n', "most_samples: "),
        ('name = "a"\ntrue_costs = 1.0\ndata = "x/"\n', "did you mean true_cost"),
        ('name = "a"\nxyzzy = 1.0\ndata = "x/"\n', "the keys are name, true_cost"),
        ("name = \n", "is not valid TOML"),
        ('name = "a"\ntrue_cost = "2.0"\ndata = "x/"\n', "true_cost: "),
        ('name = "a"\ntrue_cost = true\ndata = "x/"\n', "true_cost: "),
        ('name = "a"\ntrue_cost = 1.0\ndata = "x/"\nmost_samples = 10.0\n', "most_samples: "),
    ],
)
def test_a_config_that_is_wrong_is_refused_in_words(tmp_path, text, why):
    with pytest.raises(InputError, match=why):
        config(tmp_path, text)


def test_a_config_that_is_not_there_is_refused_in_words(tmp_path):
    with pytest.raises(InputError, match="TOML file with name, true_cost and data"):
        read_member_config(tmp_path / "member.toml")
    (tmp_path / "member.toml").write_text('name = "a"\ntrue_cost = 1.0\ndata = "digits:0/3"\n')
    with pytest.raises(InputError, match="fedfact federation join lays it there"):
        open_member(tmp_path)
    (tmp_path / "season-1").mkdir()
    (tmp_path / "season-1" / "terms.json").write_text("{}")
    with pytest.raises(InputError, match="remove it, and start fedfact federation join"):
        open_member(tmp_path)
