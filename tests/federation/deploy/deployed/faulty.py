"""Members that go wrong, for members' processes to run instead of ours."""

import time

from fedfact.errors import InputError
from fedfact.federation.member.config import read_member_config
from fedfact.federation.member.member import CONFIG, Member
from fedfact.federation.wire.message import OPERATOR, read_message, write_message


def _member(place):
    config = read_member_config(place / CONFIG)
    return Member(place, config)


def steady(place):
    """In no hurry: what befalls the others befalls them while there are rounds to come."""
    member = _member(place)

    def handle(kind, request):
        time.sleep(0.4 if kind == "round" else 0)
        return member.handle(kind, request)

    return handle


def wrecks(place):
    """Answers as agreed, and does all it can to have the other members count as gone."""
    from hostile_member import wreck

    wreck(["alder", "birch", "cedar"])
    return steady(place)


def slow(place):
    """Too slow for two rounds, then as fast as anybody."""
    member = _member(place)

    def handle(kind, request):
        reply = member.handle(kind, request)
        if kind == "round" and read_message(request, 1 << 20).head.content["round"] in (5, 6):
            time.sleep(12)
        return reply

    return handle


def alters_contract(place):
    """Signs a contract with half of the samples, and says it is the one it was offered."""
    member = _member(place)

    def handle(kind, request):
        reply = member.handle(kind, request)
        if kind != "agree":
            return reply
        contract = member.files.contract()
        altered = contract.model_copy(update={"samples": contract.samples // 2})
        asked = read_message(request)
        return write_message(
            member.files.key,
            federation=asked.head.federation,
            kind=kind,
            sender=member.config.name,
            to=OPERATOR,
            answers=asked.hash,
            content={"contract": altered.hash()},
        )

    return handle


def replays(place):
    """Answers round 4 with its reply to round 3, and offers itself old and future requests."""
    member, seen, refused = _member(place), {}, place / "refused.txt"

    def handle(kind, request):
        if kind != "round":
            return member.handle(kind, request)
        number = read_message(request, 1 << 20).head.content["round"]
        seen[number] = request
        if number == 4:
            return seen["reply"]
        reply = seen["reply"] = member.handle(kind, request)
        if number == 6:
            assert member.handle(kind, seen[6]) == reply  # the same again: the same answer
            for old in (seen[1], seen[3]):
                try:
                    member.handle(kind, old)
                except InputError as error:
                    refused.open("a").write(f"{error}\n")
        return reply

    return handle
