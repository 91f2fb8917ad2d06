"""Between two seasons of a deployed federation: kits, requests and contacts; nothing runs."""

import shutil
import socket
import ssl
import threading

import pytest

from fedfact.errors import DeploymentError, InputError
from fedfact.federation.audit.verify import is_sound, verify
from fedfact.federation.deploy.flare import seasons
from fedfact.federation.deploy.flare.invited import NOT_INVITED, named_by
from fedfact.federation.deploy.flare.kits.certificates import Authority
from fedfact.federation.deploy.flare.kits.kit import read_kit
from fedfact.federation.deploy.flare.kits.paths import kit_path, request_path
from fedfact.federation.deploy.flare.kits.request import make_request
from fedfact.federation.deploy.flare.kits.set_up import set_up
from fedfact.federation.deploy.flare.seasons import (
    erase,
    invite_members,
    new_season,
    renew,
    retire_member,
)
from fedfact.federation.deploy.flare.site import ending
from fedfact.federation.deploy.flare.site.admission import why_not_admitted
from fedfact.federation.deploy.flare.site.ending import SeasonsEnd, how_it_ended
from fedfact.federation.deploy.flare.site.joining import take_kit
from fedfact.federation.ledger.store import read_ledger
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.member.member import open_member
from fedfact.federation.operator.directory import DEFAULT_TERMS
from fedfact.federation.operator.members import read_contacts
from fedfact.federation.operator.run import operate
from fedfact.federation.wire.transport import Failure, InProcess

from .conftest import request_of

MEMBERS = ("oak", "elm", "fir", "ash")
SHORT = DEFAULT_TERMS.read_text().replace("rounds = 40", "rounds = 3").replace("200000", "20000")


class House:
    """A deployed federation whose messages pass in memory."""

    def __init__(self, root):
        self.root, self.directory = root, root / "operator"
        self.terms = root / "terms.toml"
        requests = {name: request_of(root, name) for name in MEMBERS}
        self.terms.write_text(SHORT)
        set_up(self.directory, self.terms, requests, port=28108)

    def play(self, members, lost=()):
        """The season that is on, with these members."""
        for name in members:
            take_kit(kit_path(self.directory, name), self.root / name / "member.toml")
        handlers = {name: open_member(self.root / name) for name in members}
        operate(self.directory, Lossy(handlers, lost))

    def entries(self):
        return read_ledger(self.directory)


class Lossy(InProcess):
    """Statements to some members get lost."""

    def __init__(self, handlers, lost):
        super().__init__(handlers)
        self._lost = lost

    def _one(self, member, kind, request):
        if kind == "statement" and member in self._lost:
            return Failure("timeout")
        return super()._one(member, kind, request)


@pytest.fixture(scope="module")
def settled(tmp_path_factory):
    """After the first season; not to be changed."""
    made = House(tmp_path_factory.mktemp("settled"))
    made.play(MEMBERS, lost=["ash"])
    return made


@pytest.fixture
def house(settled, tmp_path):
    """A copy of it."""
    shutil.copytree(settled.root, tmp_path / "house")
    made = object.__new__(House)
    made.root = tmp_path / "house"
    made.directory, made.terms = made.root / "operator", made.root / "terms.toml"
    return made


def test_the_next_season_has_new_kits_and_is_played_in_the_same_directories(house):
    before = {name: read_kit(kit_path(house.directory, name)) for name in MEMBERS}
    retire_member(house.directory, "elm", "it closed")
    assert not kit_path(house.directory, "elm").exists()
    request = request_of(house.root, "yew")
    made = invite_members(house.directory, {"yew": request}, contacts={"yew": "Yew, a@yew.example"})
    assert (made.season, made.kits) == (2, {})
    opened = new_season(house.directory, house.terms)
    assert (opened.number, opened.owed) == (2, {"ash": "statement"})
    assert sorted(opened.kits) == ["ash", "fir", "oak", "yew"]
    assert sorted(path.name for path in (house.directory / "kits").iterdir()) == [
        f"{name}.kit.json" for name in ("ash", "fir", "oak", "yew")
    ]
    kit = read_kit(opened.kits["oak"])
    assert kit.terms.season == 2
    assert kit.certificate != before["oak"].certificate
    house.play(opened.kits)
    assert is_sound(verify(house.entries()))
    assert (house.root / "oak" / "season-2" / "model.bin").exists()
    assert len(MemberFiles(house.root / "oak", 1).statements()) == 1


def test_the_kit_of_a_season_that_is_past_is_refused(house):
    old = house.root / "old.kit.json"
    shutil.copy(kit_path(house.directory, "oak"), old)
    kit = new_season(house.directory, house.terms).kits["oak"]
    take_kit(kit, house.root / "oak" / "member.toml")
    with pytest.raises(InputError, match=r"the kit is of season 1, and .* has joined season 2"):
        take_kit(old, house.root / "oak" / "member.toml")


def test_an_invitation_after_the_terms_are_published_has_its_kit_at_once(house):
    new_season(house.directory, house.terms)
    kept = kit_path(house.directory, "oak").read_bytes()
    made = invite_members(house.directory, {"yew": request_of(house.root, "yew")})
    assert made.season == 2
    assert read_kit(made.kits["yew"]).member == "yew"
    assert kit_path(house.directory, "oak").read_bytes() == kept


def test_certificates_are_renewed_within_a_season(house):
    before = read_kit(kit_path(house.directory, "oak"))
    kit = read_kit(renew(house.directory)["oak"])
    assert kit.certificate != before.certificate
    assert (kit.terms, kit.authority) == (before.terms, before.authority)
    take_kit(kit_path(house.directory, "oak"), house.root / "oak" / "member.toml")


def test_a_member_that_lost_its_tls_key_is_certified_anew(house):
    (house.root / "oak" / "tls.key").unlink()
    request = make_request(house.root / "oak" / "member.toml")
    invite_members(house.directory, {"oak": request})
    renew(house.directory)
    take_kit(kit_path(house.directory, "oak"), house.root / "oak" / "member.toml")


def test_nobody_comes_with_the_keys_of_another(house):
    shutil.copytree(house.root / "elm", house.root / "yew")
    (house.root / "yew" / "member.toml").write_text(
        'name = "yew"\ntrue_cost = 1.0\ndata = "digits:0/3"\n'
    )
    request = make_request(house.root / "yew" / "member.toml")
    with pytest.raises(InputError, match="has a key of elm; each member makes keys of its own"):
        invite_members(house.directory, {"yew": request})
    retire_member(house.directory, "elm", "it closed")
    with pytest.raises(InputError, match="has a key of elm; each member makes keys of its own"):
        invite_members(house.directory, {"yew": request})
    assert not request_path(house.directory, "yew").exists()


def test_names_that_certificates_could_not_keep_apart_are_refused(house):
    request = request_of(house.root, "Oak2")
    with pytest.raises(InputError, match="is of 'Oak2', not of Oak"):
        invite_members(house.directory, {"Oak3": request})
    for name in ("OAK", "server"):
        with pytest.raises(InputError, match=r"is named twice|cannot be called 'server'"):
            invite_members(house.directory, {name: request})


def test_what_is_known_of_a_retired_member_is_erased_and_the_ledger_verifies(house):
    invite_members(house.directory, {}, contacts={"ash": "Ash, Dr. Smith"})
    with pytest.raises(InputError, match="ash is not retired"):
        erase(house.directory, "ash")
    number = retire_member(house.directory, "ash", "it closed")
    with pytest.raises(InputError, match="has a part in season 1 still"):  # its statement
        erase(house.directory, "ash")
    assert kit_path(house.directory, "ash").exists()
    new_season(house.directory, house.terms)
    erase(house.directory, "ash")
    assert read_contacts(house.directory) == {}
    assert not request_path(house.directory, "ash").exists()
    assert not kit_path(house.directory, "ash").exists()
    for path in house.directory.rglob("*"):
        assert not path.is_file() or b"Smith" not in path.read_bytes()
    entries = house.entries()
    assert entries[number].kind == "retired"
    assert is_sound(verify(entries))


def test_a_contact_is_of_a_member(house):
    with pytest.raises(InputError, match="yew: no members"):
        invite_members(house.directory, {}, contacts={"yew": "Yew"})


def test_nothing_is_changed_while_a_start_runs(house, monkeypatch):
    monkeypatch.setattr(seasons, "read_status", lambda directory: (None, None))
    before = sorted(house.directory.rglob("*"))
    for do in (
        lambda: new_season(house.directory, house.terms),
        lambda: invite_members(house.directory, {"yew": request_of(house.root, "yew")}),
        lambda: retire_member(house.directory, "elm", "it closed"),
    ):
        with pytest.raises(InputError, match="a start runs there; end it first"):
            do()
    assert sorted(house.directory.rglob("*")) == before


def test_a_season_that_is_over_says_so_and_what_comes_next(house, settled):
    oak, ash = MemberFiles(house.root / "oak"), MemberFiles(house.root / "ash")
    assert how_it_ended(oak) == (
        f"season 1 is over: your statement is in {house.root / 'oak' / 'season-1' / 'statements'}; "
        "ask the operator for the kit of the next"
    )
    assert how_it_ended(ash) is None


def test_a_join_ends_when_its_season_is_over_and_the_server_is_gone(house, monkeypatch):
    clock, there, said = [100.0], [None], []
    monkeypatch.setattr(ending.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(ending, "why_not_admitted", lambda kit, directory: there[0])
    kit, own = read_kit(kit_path(house.directory, "ash")), house.root / "ash"
    over = SeasonsEnd(kit, own, said.append)
    assert over() is False
    house.play(MEMBERS)  # it gets its statement
    assert over() is False, "the server is there"
    assert said == [how_it_ended(MemberFiles(own))]
    there[0] = "nobody answers"
    found = []
    for k in range(8):  # the server is started anew once
        there[0] = None if k == 2 else "nobody answers"
        clock[0] += 4
        found.append(over())
    assert found == [False] * 6 + [True] * 2
    assert len(said) == 1
    again = SeasonsEnd(kit, own, said.append)
    assert again() is False, "it waits for a settlement that is made anew"


def test_who_is_not_invited_is_told_so(kits, tmp_path):
    """By the server, on the connection itself, before FLARE hears of it."""
    tls, kit = kits.directory / "tls", read_kit(kits.kits["oak"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls / "server.crt", tls / "server.key")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(tls / "authority.crt")
    named = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            line, _ = listener.accept()
            with context.wrap_socket(line, server_side=True) as secured:
                named.append(named_by(secured.getpeercert(binary_form=True)))
                secured.sendall(NOT_INVITED)

        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        there = kit.model_copy(update={"server": kit.server.model_copy(update={"port": port})})
        with pytest.raises(DeploymentError, match="members of its season only, and oak is none"):
            why_not_admitted(there, kits.root / "oak")
        thread.join()
    assert named == ["oak"]
    assert named_by(None) == ""
    assert Authority(tls).pem == kit.authority
