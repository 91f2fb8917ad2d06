"""What a site unpacks of what an operator sends as a job."""

import io
import subprocess
import sys
import uuid
import zipfile

import pytest

from fedfact.federation.deploy.flare.job.contents import objection_to_job

SETTINGS = "config/config_fed_client.json"
SIGNED = (".__nvfl_sig.json", ".__nvfl_submitter.crt")
JOB = str(uuid.UUID(int=7))


def archive(*names, size=2):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, b"" if name.endswith("/") else b" " * size)
    return data.getvalue()


def test_settings_that_are_signed_are_taken(tmp_path):
    signed = [f"{at}{name}" for at in ("", "config/") for name in SIGNED]
    ours = archive("config/", SETTINGS, *signed)
    assert objection_to_job(tmp_path, JOB, ours) is None


OTHER = [
    ("custom/sitecustomize.py", "no code"),
    ("config/custom/x.py", "no code"),
    ("config/a/comm_config.json", "no code"),
    ("config/../custom/x.py", "no code"),
    ("/config/config_fed_client.json", "no code"),
    ("custom/", "no code"),
    ("meta.json", "no code"),
]


@pytest.mark.parametrize(("name", "why"), OTHER)
def test_nothing_else_is(tmp_path, name, why):
    assert why in objection_to_job(tmp_path, JOB, archive(SETTINGS, name))


@pytest.mark.parametrize("job", ["local", "startup", ".", "..", "", None, 7, JOB.upper() + "A"])
def test_a_job_is_named_by_a_uuid(tmp_path, job):
    """Its folder lies beside those with a site's own settings."""
    assert "UUID" in objection_to_job(tmp_path, job, archive(SETTINGS))


def test_a_job_is_delivered_once(tmp_path):
    """What comes again under its name could change it while its process starts."""
    (tmp_path / JOB).mkdir()
    assert "once" in objection_to_job(tmp_path, JOB, archive(SETTINGS))


@pytest.mark.parametrize("delivery", [b"", b"PK\3\4", "text", None, archive(SETTINGS)[:-9]])
def test_what_is_no_archive_is_refused(tmp_path, delivery):
    assert "archive" in objection_to_job(tmp_path, JOB, delivery)


def test_what_would_fill_a_disk_is_refused(tmp_path):
    assert "small" in objection_to_job(tmp_path, JOB, archive(SETTINGS, size=2 << 20))


IMPORTS = """
import sys
from fedfact.federation.deploy.flare.job.contents import take_settings_only
take_settings_only()
from nvflare.utils.job_launcher_utils import refresh_custom_dir_import_path
refresh_custom_dir_import_path({folder!r})
assert {folder!r} not in sys.path
"""


@pytest.mark.slow
def test_no_folder_of_a_job_is_imported_from(tmp_path):
    pytest.importorskip("nvflare")
    subprocess.run([sys.executable, "-c", IMPORTS.format(folder=str(tmp_path))], check=True)
