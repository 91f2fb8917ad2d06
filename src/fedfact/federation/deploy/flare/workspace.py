"""The directories that FLARE works in, written by us alone, anew at every start.

FLARE builds whatever class its settings name: in files of known names, in files that match a
pattern, in ``custom`` folders, and in the first file of a name that it finds anywhere below. So
before each start everything is removed but our own logs, locks and notes, and every setting is
written from here. Of what others sent there are addresses and certificates in it, and no more.

By default a FLARE site lets an administrator read its files and run jobs that bring their own
code. A member of a federation should not have to trust the operator so far: its site builds one
class for jobs, ours, which is installed there already.
"""

import os
import shutil
from pathlib import Path
from typing import Any

from ....errors import InputError
from ....io.files import reason, write_json, write_whole
from ....io.folders import make_folder
from .kits.certificates import ADMIN, SERVER, own_name
from .kits.kit import Address, Kit
from .kits.paths import TLS, admin_workspace, read_address, server_workspace, site_workspace
from .kits.request import TLS_KEY

CONTROLLER = "fedfact.federation.deploy.flare.server.controller.OperatorController"
EXECUTOR = "fedfact.federation.deploy.flare.site.executor.MemberExecutor"

_OURS = frozenset(
    {
        *("flare.log", "admin.log", "status.json", "notice.json", "outcome.json"),
        *("flare.lock", "job.lock", "site.lock", "supervise.lock"),
    }
)
_PROJECT = "fedfact"
_AUTHORITY = "rootCA.pem"  # by which FLARE looks for it in ``startup`` when it deploys a job
_HEARTBEAT_TIMEOUT = 30  # seconds; sites send one every two
_COMMON = "nvflare.app_common"
_LAUNCHER = f"{_COMMON}.job_launcher"

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

_AUTHORIZATION = {"format_version": "1.0", "permissions": {"project_admin": _RIGHTS}}

_LINES = {
    "allow_adhoc_conns": False,  # members connect to the server only, never to each other
    "comm_driver_path": "",  # no kinds of connections but FLARE's own
    "streaming_max_blob_size": 1 << 30,  # bytes of one message: ten times a ResNet-50
    "internal": {  # between the processes of one machine
        "scheme": "tcp",
        "resources": {"host": "localhost", "ports": ["20000-60999"]},
    },
}


def _log_file(name: str, level: str) -> dict[str, Any]:
    return {
        "class": "logging.handlers.RotatingFileHandler",
        "level": level,
        "formatter": "line",
        "filename": name,
        "maxBytes": 20 << 20,
        "backupCount": 10,
    }


_LOGS = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "nvflare.fuel.utils.log_utils.BaseFormatter",
            "fmt": "%(asctime)s - %(name)s - %(levelname)s - %(fl_ctx)s - %(message)s",
        }
    },
    "handlers": {
        "consoleHandler": {  # goes to flare.log
            "class": "logging.StreamHandler",
            "level": "WARNING",
            "formatter": "line",
            "stream": "ext://sys.stdout",
        },
        "logFileHandler": _log_file("log.txt", "DEBUG"),
        "errorFileHandler": _log_file("error_log.txt", "ERROR"),
    },
    "loggers": {
        "root": {
            "level": "INFO",
            "handlers": ["consoleHandler", "logFileHandler", "errorFileHandler"],
        }
    },
}


def write_site(directory: Path, kit: Kit) -> Path:
    """The workspace of a member's site, in the member's directory."""
    workspace = site_workspace(directory)
    client = {
        **_credentials(directory / TLS_KEY, "client.crt"),
        "fqsn": kit.member,
        "is_leaf": True,
    }
    resources = {
        **_only(EXECUTOR),
        "allow_log_streaming": False,
        "client": {"retry_timeout": 30, "compression": "Gzip"},
        "components": [
            _part(
                "resource_manager",
                f"{_COMMON}.resource_managers.gpu_resource_manager.GPUResourceManager",
                num_of_gpus=0,
                mem_per_gpu_in_GiB=0,
                expiration_period=300,
            ),
            _part(
                "resource_consumer",
                f"{_COMMON}.resource_consumers.gpu_resource_consumer.GPUResourceConsumer",
            ),
            _part(
                "process_launcher",
                f"{_LAUNCHER}.client_process_launcher.ClientProcessJobLauncher",
            ),
        ],
    }
    server = {**_service(kit.server), "identity": SERVER}
    startup = {"format_version": 2, "servers": [server], "client": client}
    _write(workspace, "fed_client.json", startup, resources)
    write_whole(workspace / "startup" / "client.crt", kit.certificate.encode())
    write_whole(workspace / "startup" / _AUTHORITY, kit.authority.encode())
    return workspace


def write_server(directory: Path) -> Path:
    """The workspace of the server, in the operator's directory."""
    workspace, address = server_workspace(directory), read_address(directory)
    own = (directory / TLS / own_name(SERVER)).absolute()
    root = workspace.absolute()
    storage = f"{_COMMON}.storages.filesystem_storage.FilesystemStorage"
    snapshots = {"path": storage, "args": {"root_dir": f"{root}/snapshots", "uri_root": "/"}}
    resources = {
        **_only(CONTROLLER),
        "servers": [
            {
                "admin_storage": "transfer",
                "max_num_clients": 10_000,
                "heart_beat_timeout": _HEARTBEAT_TIMEOUT,
                "download_job_url": "http://download.server.com/",
                "admin_timeout": 10.0,
            }
        ],
        "snapshot_persistor": {
            "path": f"{_COMMON}.state_persistors.storage_state_persistor.StorageStatePersistor",
            "args": {"uri_root": "/", "storage": snapshots},
        },
        "components": [
            _part(
                "job_scheduler",
                f"{_COMMON}.job_schedulers.job_scheduler.DefaultJobScheduler",
                max_jobs=4,  # one runs, others may still be ending
                min_schedule_interval=1.0,
                max_schedule_interval=4.0,
                max_schedule_count=1_000_000,
            ),
            _part(
                "job_manager",
                "nvflare.apis.impl.job_def_manager.SimpleJobDefManager",
                uri_root=f"{root}/jobs",
                job_store_id="job_store",
            ),
            _part("job_store", storage),
            _part(
                "process_launcher",
                f"{_LAUNCHER}.server_process_launcher.ServerProcessJobLauncher",
            ),
        ],
    }
    server = {
        **_service(address),
        **_credentials(own.with_suffix(".key"), f"{own}.crt"),
        "admin_server": address.host,
        "admin_port": address.port,
    }
    _write(workspace, "fed_server.json", {"format_version": 2, "servers": [server]}, resources)
    shutil.copy(own.with_name("authority.crt"), workspace / "startup" / _AUTHORITY)
    return workspace


def write_admin(directory: Path) -> Path:
    """The workspace of the operator's administration client, in the operator's directory."""
    workspace, address = admin_workspace(directory), read_address(directory)
    own = (directory / TLS / own_name(ADMIN)).absolute()
    admin = {
        "project_name": _PROJECT,
        "username": ADMIN,
        "server_identity": SERVER,
        "scheme": "tcp",
        "host": address.host,
        "port": address.port,
        "connection_security": "mtls",
        "uid_source": "user_input",
        "with_file_transfer": True,
        "upload_dir": "transfer",
        "download_dir": "transfer",
        "client_key": str(own.with_suffix(".key")),
        "client_cert": str(own.with_suffix(".crt")),
        "ca_cert": str(own.with_name("authority.crt")),
        "idle_timeout": 900.0,
        "login_timeout": 10.0,
        "with_debug": False,
        "authenticate_msg_timeout": 2.0,
        "prompt": "> ",
    }
    _write(workspace, "fed_admin.json", {"format_version": 1, "admin": admin}, {})
    return workspace


def _credentials(key: Path, certificate: str) -> dict[str, Any]:
    """Where FLARE finds them; relative names are below ``startup``."""
    return {
        "ssl_private_key": str(key.absolute()),
        "ssl_cert": certificate,
        "ssl_root_cert": _AUTHORITY,
        "connection_security": "mtls",
    }


def _service(address: Address) -> dict[str, Any]:
    return {"name": _PROJECT, "service": {"target": str(address), "scheme": "tcp"}}


def _only(allowed: str) -> dict[str, Any]:
    """A job may build this class and no other."""
    return {
        "format_version": 2,
        "class_list_enforcement_mode": "enforce",
        "class_allow_list": [allowed],
    }


def _part(name: str, path: str, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "path": path, "args": arguments}


def _write(
    workspace: Path, startup: str, settings: dict[str, Any], resources: dict[str, Any]
) -> None:
    _clear(workspace)
    for folder in ("startup", "local"):
        make_folder(workspace / folder)
    write_json(workspace / "startup" / startup, settings)
    write_json(workspace / "local" / "authorization.json", _AUTHORIZATION)
    write_json(workspace / "local" / "log_config.json", _LOGS)
    write_json(workspace / "local" / "resources.json", resources)
    # These FLARE looks for by name in all folders, those of jobs too: in the topmost one first.
    write_json(workspace / startup, settings)
    write_json(workspace / "resources.json", resources)
    write_json(workspace / "comm_config.json", _LINES)


def _clear(workspace: Path) -> None:
    """Leave nothing there but our own plain files."""
    make_folder(workspace)
    try:
        if workspace.is_symlink():
            raise InputError(f"{workspace}: is a link; remove it")
        workspace.chmod(0o700)
        for entry in os.scandir(workspace):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            elif entry.name not in _OURS or not entry.is_file(follow_symlinks=False):
                Path(entry.path).unlink()
    except OSError as error:
        raise InputError(f"{workspace}: cannot be cleared ({reason(error)}); remove it") from None
