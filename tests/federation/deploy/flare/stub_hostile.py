"""The stub's member, hostile besides (see ``hostile_member``)."""

import stub_protocol
from hostile_member import lend


def open_member(directory):
    lend(directory)
    return stub_protocol.open_member(directory)
