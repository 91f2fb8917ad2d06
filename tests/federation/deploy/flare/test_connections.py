"""Who is at the other end of a connection, and that no message makes a process connect."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from fedfact.federation.deploy.flare import connections
from fedfact.federation.deploy.flare.connections import Peer, peer_of


def connection(handle, **properties):
    connector = SimpleNamespace(handle=handle)
    return SimpleNamespace(connector=connector, get_conn_properties=lambda: properties)


def test_only_the_lines_within_a_machine_need_no_certificate(monkeypatch):
    monkeypatch.setattr(connections, "_inner", {"CH00002"})
    assert peer_of("cid.J", connection("CH00002")) == Peer("cid.J", None, inner=True)
    assert peer_of("cid.J", connection("CH00001")) == Peer("cid.J", None, inner=False)
    assert peer_of("cid", connection("CH00001", peer_cn="cid")) == Peer("cid", "cid", inner=False)


FETCHES = """
import os, sys
from unittest.mock import MagicMock
import numpy as np
if {guarded}:
    from fedfact.federation.deploy.flare.message_filter import install_filter
    install_filter()
from nvflare.fuel.utils import fobs
from nvflare.private.fed.utils.fed_utils import fobs_initialize
fobs_initialize()
there, here = MagicMock(), MagicMock()
there.get_fqcn.return_value = "ann"
data = fobs.dumps({{"x": np.zeros(3)}}, fobs_ctx={{fobs.FOBSContextKey.CELL: there}})
try:
    fobs.loads(data, fobs_ctx={{fobs.FOBSContextKey.CELL: here}})
except Exception as error:
    print(type(error).__name__)
print(here.send_request.called, flush=True)
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("guarded", "said"), [(False, "True"), (True, "False")])
def test_nothing_is_fetched_from_where_a_message_says(guarded, said):
    """FLARE would ask the cell that a message names, ten minutes long, before it looks from whom
    the message is; the first case shows that it does."""
    pytest.importorskip("nvflare")
    code = FETCHES.format(guarded=guarded)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout.split()[-1] == said, done.stderr
