"""The job: which of our classes run where, as FLARE wants to be told. It ships no code."""

from collections.abc import Sequence
from pathlib import Path

from .....io.files import write_json
from .....io.folders import make_folder
from ..workspace import CONTROLLER, EXECUTOR

_POLL = 0.03
"""Seconds between a site's requests for work, of which a round costs two."""

_POLL_EACH = 0.002
"""As much per member at least: the server answers all of them."""

_TRANSFER = 600.0
"""Seconds that one message may take: ResNet-50 over a slow line."""


def write_job(folder: Path, members: Sequence[str], quorum: int) -> Path:
    """A job for these members; it starts with those that are there, if they are a quorum.

    Two apps, so that no site is sent the operator's settings.
    """
    poll = max(_POLL, _POLL_EACH * len(members))
    for app in ("operator", "member"):
        make_folder(folder / app / "config")
    write_json(
        folder / "meta.json",
        {
            "name": "fedfact",
            "resource_spec": {},
            "min_clients": quorum,
            "deploy_map": {"operator": ["server"], "member": list(members)},
        },
    )
    write_json(
        folder / "operator" / "config" / "config_fed_server.json",
        {
            "format_version": 2,
            "server": {"task_request_interval": poll},
            "dead_client_grace_period": 1.0,
            "dead_client_check_lead_time": 1.0,
            "workflows": [{"id": "protocol", "path": CONTROLLER, "args": {}}],
            "components": [],
            "task_data_filters": [],
            "task_result_filters": [],
        },
    )
    write_json(
        folder / "member" / "config" / "config_fed_client.json",
        {
            "format_version": 2,
            "default_task_fetch_interval": poll,
            "get_task_timeout": _TRANSFER,
            "submit_task_result_timeout": _TRANSFER,
            "task_check_interval": 0.5,
            "executors": [{"tasks": ["*"], "executor": {"path": EXECUTOR, "args": {}}}],
            "components": [],
            "task_data_filters": [],
            "task_result_filters": [],
        },
    )
    return folder
