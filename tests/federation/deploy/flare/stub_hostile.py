"""The stub's member, hostile besides (see ``hostile_member``)."""


def open_member(directory):
    import stub_protocol  # on the path of a site's process, not of the tests'
    from hostile_member import lend

    lend(directory)
    return stub_protocol.open_member(directory)
