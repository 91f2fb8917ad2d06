"""Faults with real processes over mutual TLS: after every one the ledger verifies and balances."""

import signal
import subprocess

import psutil
import pytest

from fedfact.federation.ledger.store import read_ledger

from .conftest import kill

pytestmark = pytest.mark.thorough


def attested(done):
    """What members said in a round, without the hash of the request, which holds the time."""
    return {member: said.read_head().content for member, said in done.attested.items()}


def test_a_member_is_killed_and_started_again(deploy):
    house = deploy(rounds=80)
    members = house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(5)
    kill(members["birch"])
    house.wait_for_round(8)
    house.join("birch")
    record = house.finish(start)
    took_part = ["birch" in done.attested for done in record.rounds]
    assert len(record.rounds) == 80
    assert took_part[-1], "it came back"
    assert not all(took_part), "it was away"
    assert not record.deliveries["birch"].left
    assert record.lines["birch"].rebate > 0


def test_the_process_of_a_job_is_killed_at_a_member(deploy):
    house = deploy(rounds=80)
    members = house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(5)
    site = psutil.Process(members["cedar"].pid).children()[0]
    [job] = site.children()
    job.kill()
    record = house.finish(start)
    assert len(record.rounds) == 80
    assert "cedar" in record.rounds[-1].attested


def test_a_member_is_gone_for_good(deploy):
    house = deploy(rounds=30)
    members = house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(5)
    kill(members["birch"])
    record = house.finish(start, status=4)  # it is settled, and birch has no statement yet
    assert "settled, but birch has not got its statement" in (house.root / "start.out").read_text()
    assert len(record.rounds) == 30
    assert record.deliveries["birch"].left
    line = record.lines["birch"]
    assert line.fee > 0
    assert (line.rebate, line.charge, line.net) == (0, 0, -line.fee)
    assert set(record.acknowledged) == {"alder", "cedar"}
    house.join("birch")
    record = house.finish(house.run("federation", "resume", house.operator, log="resume"))
    assert set(record.acknowledged) == {"alder", "birch", "cedar"}


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
def test_a_member_that_is_killed_near_the_end_and_joins_again_has_all_it_is_owed(deploy, rule):
    """Settled is not finished: nobody had a statement or the model, and the exit code was 0."""
    house = deploy(members=4, rounds=20, rule=rule)
    members = house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(15)
    kill(members["birch"])
    house.join("birch")
    record = house.finish(start)
    assert record.phase == "finished"
    assert record.nonces.withheld == []
    assert set(record.acknowledged) == set(house.kits)
    for name in house.kits:
        assert len(list((house.root / name / "season-1/statements").glob("settlement-*.json"))) == 1
        assert (house.root / name / "season-1/model.bin").exists() != record.deliveries[name].left


def test_settled_early_though_fewer_than_the_quorum_are_there(deploy):
    house = deploy(rounds=300)
    members = house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(8)
    kill(members["birch"])
    kill(members["cedar"])
    try:
        assert start.wait(60) == 4, house.logs()  # without a quorum it pauses
    except subprocess.TimeoutExpired:  # or it waits for them, if FLARE ended the job first
        start.terminate()
        assert start.wait(30) == 4, house.logs()
    words = ("federation", "resume", house.operator, "--finish", "--wait", 5)
    record = house.finish(house.run(*words, log="resume"), status=4)  # two have no statement
    assert len(record.rounds) < 300
    assert set(record.lines) == {"alder", "birch", "cedar"}
    assert set(record.acknowledged) == {"alder"}
    assert record.lines["alder"].samples == record.contracts["alder"].samples


def test_operator_and_server_are_killed_and_resumed(deploy):
    undisturbed = deploy("undisturbed", rounds=30)
    house = deploy("killed", twin_of=undisturbed)
    house.join_all(alder="steady")
    for number in (3, 11, 19):
        start = house.start()
        house.wait_for_round(number)
        kill(start)
    found = house.finish(house.run("federation", "resume", house.operator, log="resume"))
    house.close()
    undisturbed.join_all()
    wanted = undisturbed.finish(undisturbed.start())
    for mine, theirs in zip(found.rounds, wanted.rounds, strict=True):
        assert (mine.start, mine.model) == (theirs.start, theirs.model)  # to the last bit
        assert attested(mine) == attested(theirs)
    assert found.lines == wanted.lines
    assert found.contracts == wanted.contracts


def test_a_slow_member_misses_the_rounds_it_is_late_for(deploy):
    house = deploy(rounds=30, seconds=8)
    house.join_all(cedar="slow", alder="steady")
    record = house.finish(house.start())
    absent = {done.round for done in record.rounds if "cedar" in done.absent}
    assert 5 in absent
    assert record.rounds[4].absent["cedar"] == "timeout"
    assert "cedar" in record.rounds[-1].attested
    assert not record.deliveries["cedar"].left


def test_a_member_with_a_certificate_of_another_consortium(deploy):
    """It has the same names and leads to the same address; it is told, and ends at once."""
    house = deploy(members=4, rounds=10)
    other = deploy("other", members=4, port=house.port)
    for name in ("alder", "birch", "cedar"):
        house.join(name)
    stranger = other.join("elm")
    record = house.finish(house.start(wait=25))
    assert stranger.wait(10) == 2
    said = (other.root / "elm.out").read_text()
    assert f"localhost:{house.port}: the server there is not that of this kit's consortium" in said
    assert set(record.contracts) == {"alder", "birch", "cedar"}
    assert "elm" not in record.enrolments


def test_a_member_whose_contract_was_altered_is_left_out(deploy):
    house = deploy(members=4, rounds=10)
    house.join_all(birch="alters_contract")
    record = house.finish(house.start())
    assert set(record.contracts) == {"alder", "cedar", "elm"}
    assert record.declined["birch"].by == "operator"
    assert record.declined["birch"].why == "did not sign what it was offered"
    total = sum(contract.samples for contract in record.contracts.values())
    for contract in record.contracts.values():
        assert contract.samples + contract.others_samples == total  # offered anew, without birch


def test_a_member_that_attacks_the_others_costs_them_nothing(deploy):
    house = deploy(members=4, rounds=30)
    house.join_all(elm="wrecks")
    record = house.finish(house.start())
    assert len(record.rounds) == 30
    for victim in ("alder", "birch", "cedar"):
        assert all(victim in done.attested for done in record.rounds)
        assert not record.deliveries[victim].left
        assert victim in record.nonces.opened
        assert record.lines[victim].samples == record.contracts[victim].samples
        assert victim in record.acknowledged


def test_replayed_and_out_of_order_messages_are_refused(deploy):
    house = deploy(rounds=10)
    house.join_all(alder="replays")
    record = house.finish(house.start())
    assert record.rounds[3].absent == {"alder": "error"}
    assert all("alder" in done.attested for k, done in enumerate(record.rounds) if k != 3)
    said = (house.root / "alder" / "refused.txt").read_text()
    assert said.count("out of order") == 2


def test_the_disk_of_the_ledger_is_full(deploy, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no rights to mount a small disk here")
    try:
        house = deploy(rounds=40, ledger=f"sqlite:///{disk / 'ledger.db'}")
        house.join_all()
        start = house.start()
        assert start.wait(120) == 2, house.logs()
        assert "nothing was written by halves" in (house.root / "start.out").read_text()
        before = read_ledger(str(house.operator))
        assert before[-1].kind == "round"
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        resumed = house.run("federation", "resume", house.operator, log="resume")
        record = house.finish(resumed)
        assert read_ledger(str(house.operator))[: len(before)] == before
        assert len(record.rounds) == 40
        house.close()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_start_that_is_stopped_says_so_by_its_exit_code_and_goes_on(deploy, number):
    house = deploy(rounds=20)
    house.join_all(alder="steady")
    start = house.start()
    house.wait_for_round(1)
    start.send_signal(number)
    assert start.wait(60) == 4, house.logs()
    assert "stopped before the end; go on with" in (house.root / "start.out").read_text()
    house.finish(house.start())
