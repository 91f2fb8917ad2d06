"""How the operator's command is told that the protocol has returned: which exit code follows."""

import pytest

pytest.importorskip("nvflare")

from fedfact.errors import InputError, LedgerError
from fedfact.federation.deploy.flare.server.controller import _how
from fedfact.federation.operator.session import Paused


@pytest.mark.parametrize(
    ("error", "how"),
    [
        (Paused("too few are there"), "paused"),  # exit code 4: it can go on
        (InputError("the model is lost"), "refused"),
        (LedgerError("no room"), "refused"),
        (ZeroDivisionError(), "failed"),
    ],
)
def test_what_ends_the_protocol_is_told_apart(error, how):
    assert _how(error) == how
