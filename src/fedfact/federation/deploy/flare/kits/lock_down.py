"""What may happen with a kit, written into its local settings.

By default a FLARE site lets an administrator read its files and run jobs that bring their own
code. A member of a federation should not have to trust the operator so far: its site builds one
class, ours, which is installed there already, and refuses everything else.
"""

import json
from pathlib import Path
from typing import Any

from .....io.files import write_json

CONTROLLER = "fedfact.federation.deploy.flare.server.controller.OperatorController"
EXECUTOR = "fedfact.federation.deploy.flare.site.executor.AgentExecutor"

_RIGHTS = {
    "submit_job": "any",
    "clone_job": "none",
    "manage_job": "any",
    "download_job": "any",
    "view": "any",
    "operate": "none",  # shut down, restart
    "shell_commands": "none",
    "byoc": "none",  # code that comes with a job; it would not be held to the list of classes
    "server-predeployed-flwr": "none",
}

_LINES = {
    "allow_adhoc_conns": False,  # members connect to the server only, never to each other
    "streaming_max_blob_size": 1 << 30,  # bytes of one message: ten times a ResNet-50
    "internal": {  # between the processes of one machine
        "scheme": "tcp",
        "resources": {"host": "localhost", "ports": ["20000-60999"]},
    },
}

_HEARTBEAT_TIMEOUT = 30  # seconds; sites send one every two


def lock_down_site(kit: Path) -> None:
    """A member's site: our executor only, no code, no look at files or logs."""
    settings = _settings(kit, EXECUTOR, "site_log_streamer")
    settings["allow_log_streaming"] = False
    _write(kit, settings)


def lock_down_server(kit: Path) -> None:
    """The operator's server: our controller only."""
    settings = _settings(kit, CONTROLLER, "log_receiver")
    settings["servers"][0].update(heart_beat_timeout=_HEARTBEAT_TIMEOUT, max_num_clients=10_000)
    parts = {part["id"]: part for part in settings["components"]}
    parts["job_scheduler"]["args"] = {
        "max_jobs": 4,  # one runs, others may still be ending
        "min_schedule_interval": 1.0,
        "max_schedule_interval": 4.0,
        "max_schedule_count": 1_000_000,
    }
    _write(kit, settings)


def keep_jobs(kit: Path) -> None:
    """Have the server keep its jobs in the kit, where it lies now, and not in /tmp."""
    settings = json.loads((kit / "local" / "resources.json").read_text())
    settings["snapshot_persistor"]["args"]["storage"]["args"]["root_dir"] = str(kit / "snapshots")
    parts = {part["id"]: part for part in settings["components"]}
    parts["job_manager"]["args"]["uri_root"] = str(kit / "jobs")
    write_json(kit / "local" / "resources.json", settings)


def _settings(kit: Path, allowed: str, unwanted: str) -> dict[str, Any]:
    """FLARE's own settings, with one class allowed and one part taken out."""
    settings: dict[str, Any] = json.loads((kit / "local" / "resources.json.default").read_text())
    settings["class_allow_list"] = [allowed]
    settings["class_list_enforcement_mode"] = "enforce"
    settings["components"] = [part for part in settings["components"] if part["id"] != unwanted]
    return settings


def _write(kit: Path, settings: dict[str, Any]) -> None:
    write_json(kit / "local" / "resources.json", settings)
    rights = {"format_version": "1.0", "permissions": {"project_admin": _RIGHTS}}
    write_json(kit / "local" / "authorization.json", rights)
    write_json(kit / "local" / "comm_config.json", _LINES)
    logs = json.loads((kit / "local" / "log_config.json.default").read_text())
    logs["handlers"]["consoleHandler"]["level"] = "WARNING"  # goes to flare.log
    for unwanted in ("jsonFileHandler", "FLFileHandler"):  # the same once more
        del logs["handlers"][unwanted]
        logs["loggers"]["root"]["handlers"].remove(unwanted)
    write_json(kit / "local" / "log_config.json", logs)
