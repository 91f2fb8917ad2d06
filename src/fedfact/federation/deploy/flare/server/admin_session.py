"""FLARE's administration session, in a process of its own (see ``process_entry``).

FLARE's client prints, logs and keeps threads; apart, it cannot disturb a command or its live view,
and a line that hangs can be cut. It reads one JSON document a line and answers with one.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from nvflare.fuel.flare_api.api_spec import JobNotRunning, NoClientsAvailable
from nvflare.fuel.flare_api.flare_api import Session, new_secure_session

from ..kits.certificates import ADMIN

_CONNECT = 5.0
_NO_REPLY = 3.0


def answer(workspace: Path) -> None:
    """Answer until there is nothing more to read."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # FLARE prints
    session = new_secure_session(ADMIN, str(workspace), timeout=_CONNECT, command_timeout=_NO_REPLY)
    try:
        for line in sys.stdin:
            answers.write(json.dumps(_reply(session, *json.loads(line))) + "\n")
            answers.flush()
    finally:
        session.close()


def _reply(session: Session, what: str, *about: str) -> Any:
    """What the server says to one request."""
    if what == "registered":
        return [client.name for client in session.get_connected_client_list()]
    if what == "jobs":
        return [_of_site(each) for each in _or_none(session.get_client_job_status) or []]
    if what == "submit":
        return session.submit_job(about[0])
    if what == "state":
        return session.get_job_status(about[0])
    return _or_none(session.abort_job, about[0])


def _of_site(said: dict[str, str]) -> list[str]:
    """A site, and the job that it runs: empty where it runs none, '?' where it does not answer."""
    silent = "?" if said.get("status") == "no_reply" else ""
    return [said["client_name"], said.get("job_id", silent)]


def _or_none(call: Any, *about: str) -> Any:
    try:
        return call(*about)
    except (JobNotRunning, NoClientsAvailable):
        return None
