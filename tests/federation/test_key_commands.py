"""``fedfact federation key``: what the commands write, enter and say."""

import json

from fedfact.federation.member.files import MemberFiles


def test_a_member_hands_in_a_key_and_the_operator_enters_it(make_house, fedfact):
    house = make_house(members=3)
    config = house.members["birch"] / "member.toml"
    made = fedfact("federation", "key", "new", "--config", config, "--json")
    path = json.loads(made.out)["key"]
    assert path == str(house.members["birch"] / "birch.key.json")
    done = fedfact("federation", "key", "accept", house.directory, path)
    assert (done.code, "birch signs with its new key" in done.err) == (0, True)
    again = fedfact("federation", "key", "accept", house.directory, path)
    assert again.code == 2
    assert "replaces a key that birch has not" in again.err
    assert house.run().keys.of("birch") == MemberFiles(house.members["birch"]).key.public


def test_a_key_is_declared_void_and_answered_to(make_house, fedfact):
    house = make_house(members=3)
    config = house.members["birch"] / "member.toml"
    done = fedfact("federation", "key", "retire", house.directory, "birch", "--why", "x", "--json")
    assert json.loads(done.out) == {"member": "birch", "void_from_season": 2}
    made = fedfact("federation", "key", "answer", "--config", config, "--why", "y", "--json")
    path = json.loads(made.out)["answer"]
    done = fedfact("federation", "key", "accept", house.directory, path, "--json")
    assert json.loads(done.out) == {"member": "birch", "entered": "key-answer"}


def test_a_request_is_named_for_a_member_that_comes_back(make_house, fedfact):
    house = make_house(members=3)
    refused = fedfact(
        "federation", "key", "restore", house.directory, "birch", "--why", "disk died"
    )
    assert refused.code == 2
    assert "write MEMBER=REQUEST, as in oak=oak.request.json" in refused.err


def test_the_statement_of_who_came_back_says_so(make_house, fedfact, wired):
    from .operator.entered.test_keys import pause, restored

    house = make_house(members=4, rounds=6)
    pause(house, wired, number=6)
    number = restored(house, "birch")
    house.run()
    shown = fedfact("statement", house.directory, "birch").out
    assert f"which lost its own (entry {number})" in " ".join(shown.split())
    assert json.loads(fedfact("statement", house.directory, "birch", "--json").out)["restored"] == (
        number
    )
    assert json.loads(fedfact("statement", house.directory, "alder", "--json").out)["restored"] is (
        None
    )
