"""What a job may bring to a site: one file of settings, and nothing that could run.

FLARE unpacks whatever the operator sends over what is there under that name, asks only then whether
code is permitted, and has the job's process import from a folder ``custom`` of the job's. Here a
delivery is looked at before anything of it is unpacked, and no folder of a job's is imported from.
"""

import io
import zipfile
from pathlib import Path
from typing import Any
from uuid import UUID

from ..patches import patch

_SIGNED = (".__nvfl_sig.json", ".__nvfl_submitter.crt")
_BROUGHT = {
    *("config/", "config/config_fed_client.json", "config/config_fed_server.json"),
    *_SIGNED,
    *(f"config/{name}" for name in _SIGNED),
}
_MOST_BYTES = 1 << 20  # of all that is unpacked


def objection_to_job(workspace: Path, job: object, delivery: object) -> str | None:
    """Why a site takes no such delivery for a job of this name; None if it does."""
    if not isinstance(job, str) or not _is_uuid(job):
        return "a job is named by a UUID"
    if (workspace / job).exists():
        return "a job is delivered once"
    if not isinstance(delivery, bytes):
        return "a job comes as an archive"
    try:
        with zipfile.ZipFile(io.BytesIO(delivery)) as archive:
            found = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return "a job comes as an archive"
    if not {each.filename for each in found} <= _BROUGHT:
        return "a job brings settings, and no code or other files"
    if sum(each.file_size for each in found) > _MOST_BYTES:
        return "a job's settings are small"
    return None


def take_settings_only() -> None:
    """Have FLARE, in this process, unpack and import nothing else of a job."""
    deploy = "nvflare.private.fed.client.training_cmds:DeployProcessor.process"
    patch(deploy, ("self", "req", "app_ctx"), _looked_at_first)
    custom = "nvflare.utils.job_launcher_utils:refresh_custom_dir_import_path"
    patch(custom, ("app_custom_folder",), lambda theirs: _import_nothing)


def _looked_at_first(process: Any) -> Any:
    from nvflare.private.admin_defs import error_reply
    from nvflare.private.defs import RequestHeader

    def process_delivery(processor: Any, req: Any, app_ctx: Any) -> Any:
        job = req.get_header(RequestHeader.JOB_ID)
        why = objection_to_job(Path(app_ctx.args.workspace), job, req.body)
        return process(processor, req, app_ctx) if why is None else error_reply(f"refused: {why}")

    return process_delivery


def _import_nothing(app_custom_folder: str) -> None:
    """In place of adding a job's folder to what is imported from."""


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name
    except ValueError:
        return False
