"""What a member checks before it signs: its data, and the length of the training."""

import numpy as np
import pytest

from fedfact.federation.audit.verify import verify
from fedfact.federation.member.preparation import preview
from fedfact.federation.operator.session import Paused


def test_data_that_the_network_cannot_take_is_refused_before_anything_is_signed(make_house):
    house = make_house(members=4)
    place = house.members["elm"]
    labels = np.arange(200) % 10
    pictures = np.arange(200 * 28 * 28, dtype=np.uint32).reshape(200, 28, 28).astype(np.uint8)
    np.savez(place / "wrong.npz", images=pictures, labels=labels)
    house.configure("elm", data="wrong.npz", true_cost=1.5)
    record = house.run()
    assert sorted(record.contracts) == ["alder", "birch", "cedar"]
    assert "refused a request (enrol)" in (place / "member.log").read_text()
    assert "enrol, elm: error" in (house.directory / "operator.log").read_text()


def test_a_training_too_short_for_what_is_agreed_is_declined(make_house):
    short = make_house(rounds=1)
    for place in (short.directory, *short.members.values()):
        published = (place / "season-1/terms.json").read_text()
        (place / "season-1/terms.json").write_text(
            published.replace('"local_steps":7', '"local_steps":1')
        )
    with pytest.raises(Paused, match="0 members take part"):
        short.run()
    declined = short.record().declined
    assert {each.why for each in declined.values()} == {
        "the training is too short to use the agreed samples"
    }
    assert all(each.holds for each in verify(short.entries()))


def test_a_member_is_told_of_its_deposit_before_it_signs(make_house):
    house = make_house(members=4, payment="deposit = 700")
    said = preview(house.members["elm"] / "member.toml")
    assert said["deposit"] == said["largest_fee"] + said["largest_charge"] + 700
    with pytest.raises(Paused, match="training starts when all deposits are paid"):
        house.run()
    for name, asked in house.record().purse.lacking().items():
        assert asked <= preview(house.members[name] / "member.toml")["deposit"]
    without = preview(make_house("without").members["alder"] / "member.toml")
    assert without["deposit"] == 0
