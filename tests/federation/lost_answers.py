"""Answers that an operator throws away, and what a member contests by its own copies."""

from fedfact.federation.audit.own_copy import verify_copy
from fedfact.federation.member.files import MemberFiles
from fedfact.federation.wire.message import read_message
from fedfact.federation.wire.transport import Failure


def contested(house, name):
    copy = verify_copy(house.entries(), name, MemberFiles(house.members[name]))
    return [each.name for each in copy if not each.holds]


def dropping(rounds):
    """An operator that throws away what alder answers in these rounds."""

    def after(member, kind, reply):
        drop = (member, kind) == ("alder", "round") and read_message(reply, 1 << 20)
        return Failure("timeout") if drop and drop.head.content["round"] in rounds else reply

    return after
