"""The laws of a ledger, each broken by an operator that signs what it likes."""

import pytest

from fedfact.federation.agreement.contract import contracts_for, roster_hash
from fedfact.federation.audit.verify import verify
from fedfact.federation.ledger.entries import Declined, Nonces
from fedfact.federation.operator.directory import OperatorDirectory
from fedfact.federation.operator.enrol import agree, enrol
from fedfact.federation.operator.rounds import _round as one_round
from fedfact.federation.operator.session import Paused, Session
from fedfact.federation.operator.settle import deliver
from fedfact.federation.wire.transport import Failure, InProcess


def test_nobody_declines_without_its_own_word(make_house):
    house = make_house(members=4)
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        enrol(session)
        lie = Declined(member="elm", by="member", why="no", said=None)
        session.add(("declined", lie))
        agree(session)
    found = {each.name: each for each in verify(house.entries())}["enrolments"]
    assert found.holds is False
    assert "lets elm decline without its word" in found.says


def test_nobody_declines_by_the_word_with_which_it_agreed(make_house):
    house = make_house(members=4)
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess(house.handlers()))
        enrol(session)
        offer = contracts_for(
            session.record.enrolments, session.record.money, session.record.federation
        )
        signed = consortium.key.sign("contract", offer["elm"].encoded())
        content = {"contract": offer["elm"].dump(), "signature": signed}
        agreed = session.ask("agree", {"elm": content})["elm"].evidence
        session.add(("declined", Declined(member="elm", by="member", why="no", said=agreed)))
        agree(session)
    found = {each.name: each for each in verify(house.entries())}["enrolments"]
    assert found.holds is False
    assert "lets elm decline, which said something else" in found.says


def test_nonces_learnt_before_the_last_round_was_written_down_are_found(make_house):
    """An operator that holds a round back would know the draw, and choose whom to count."""
    house = make_house(members=4, rule="sandwich", rounds=4)
    with OperatorDirectory(house.directory) as consortium:
        session, held = Session(consortium, InProcess(house.handlers())), []
        enrol(session)
        agree(session)
        add = session.add

        def hold_back(*documents):
            (held.extend if len(session.record.rounds) == 3 else lambda d: add(*d))(documents)

        session.add = hold_back
        train_three(session)
        roster = {"roster": roster_hash(session.record.contracts)}
        said = session.ask("open", dict.fromkeys(session.record.contracts, roster))
        session.add = add
        add(*held)
        deliver(session)
        opened = {member: message.evidence for member, message in said.items()}
        add(("nonces", Nonces(opened=opened, withheld=[])))
        again = session.ask("open", {"birch": roster})["birch"]
        assert isinstance(again, Failure), "it opens its nonce once"
    found = {each.name: each for each in verify(house.entries())}["seed"]
    assert found.holds is False
    assert "holds a nonce that alder opened at another time" in found.says


def train_three(session):
    """Rounds until the fourth is not written down."""
    model = session.plan.initial()
    session.directory.save_model(0, model)
    for number in range(1, 5):
        model = one_round(session, number, model)


def test_no_draw_without_a_single_nonce(make_house, wired):
    house = make_house(members=4, rule="sandwich", rounds=2)

    def before(member, kind, request):
        if kind == "open":
            (house.directory / "season-1/finish").touch()
            return Failure("unreachable")
        return request

    with pytest.raises(Paused, match="0 members opened their nonces"):
        house.run(wired(house, before))
    with OperatorDirectory(house.directory) as consortium:
        session = Session(consortium, InProcess({}))
        nonces = Nonces(opened={}, withheld=sorted(house.members))
        session.add(("nonces", nonces))
    found = {each.name: each for each in verify(house.entries())}["seed"]
    assert "leaves the draw to the operator alone" in found.says
