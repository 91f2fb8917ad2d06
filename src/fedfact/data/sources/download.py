"""Downloads: continued where they broke off, checked, and under their name only when whole."""

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..._version import __version__
from ...errors import InputError
from ...io.files import alone, reason
from ...progress import Progress

TRIES = 4
"""How often a mirror is asked before the next one is."""

PAUSE = 0.5
"""Seconds before the second try; one more of them before each further one."""

TIMEOUT = 30.0
"""Seconds without an answer after which a connection counts as cut."""

BLOCK = 1 << 18


@dataclass(frozen=True)
class Remote:
    """A published file: its name, its size in bytes, and its published checksum."""

    name: str
    size: int
    md5: str


class _DownloadError(Exception):
    """A try that brought no whole file; ``final`` if this mirror will not give it later either."""

    def __init__(self, reason: object, final: bool = False) -> None:
        super().__init__(str(reason))
        self.final = final


def download(
    remotes: Iterable[Remote], mirrors: Sequence[str], folder: Path, progress: Progress
) -> None:
    """Fetch the files that are not yet in a folder, from the first mirror that gives them."""
    missing = list(remotes)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with alone(folder, wait=True):
            while missing:
                if not (folder / missing[0].name).is_file():
                    _fetch(missing[0], mirrors, folder, progress)
                missing.pop(0)
    except _DownloadError as error:
        names = ", ".join(remote.name for remote in missing)
        raise InputError(
            f"{folder}: {names} not there, and the download failed ({error}); try again with a "
            f"network, or put {names} into {folder}, or name the directory where the data is with "
            "--data-dir or FEDFACT_DATA"
        ) from None
    except OSError as error:
        names = ", ".join(remote.name for remote in missing)
        raise InputError(
            f"{folder}: {names} not there, and cannot be downloaded to it ({reason(error)}); name "
            "another directory with --data-dir or FEDFACT_DATA"
        ) from None


def _fetch(remote: Remote, mirrors: Sequence[str], folder: Path, progress: Progress) -> None:
    """From the first mirror whose file has the right checksum."""
    part = folder / f"{remote.name}.part"
    if _size(part) >= remote.size and _md5(part) != remote.md5:
        part.unlink()  # whatever it is, it is not the beginning of this file
    last: _DownloadError | None = None
    for mirror in mirrors:
        try:
            _fill(mirror, remote, part, progress)
        except _DownloadError as error:
            last = error
            continue
        if _md5(part) == remote.md5:
            part.replace(folder / remote.name)
            return
        part.unlink()
        last = None
    if last is not None:
        raise last
    raise InputError(
        f"{folder / remote.name}: the checksum of the download is wrong, so it was thrown "
        f"away; try again, or get a file with md5 {remote.md5} and put it there"
    )


def _fill(mirror: str, remote: Remote, part: Path, progress: Progress) -> None:
    """Try until the part is as long as the whole file."""
    for attempt in range(TRIES):
        if _size(part) == remote.size:
            return
        time.sleep(PAUSE * attempt)
        try:
            _receive(mirror + remote.name, remote, part, progress)
            return
        except _DownloadError as error:
            if error.final or attempt == TRIES - 1:
                raise


def _receive(url: str, remote: Remote, part: Path, progress: Progress) -> None:
    """One request: the rest of the file if the server can, else all of it."""
    have = _size(part)
    request = urllib.request.Request(url, headers={"User-Agent": f"fedfact/{__version__}"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # there is no such rest: the part is not of this file
            part.unlink(missing_ok=True)
        later = error.code == 416 or error.code == 429 or error.code >= 500
        raise _DownloadError(f"{url}: HTTP status {error.code}", final=not later) from None
    except urllib.error.URLError as error:
        raise _DownloadError(f"{url}: {error.reason}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _DownloadError(f"{url}: {error}") from None
    with response:
        place = response.headers.get("Content-Range") or ""
        goes_on = response.status == 206 and place.startswith(f"bytes {have}-")
        if response.status == 206 and not goes_on:
            part.unlink(missing_ok=True)
            raise _DownloadError(f"{url}: another part than asked for")
        done = have if goes_on else 0
        length = response.headers.get("Content-Length", "")
        if length.isdigit() and done + int(length) != remote.size:  # a log-in page, for example
            raise _DownloadError(
                f"{url}: gives another file, of {done + int(length)} bytes", final=True
            )
        with part.open("ab" if goes_on else "wb") as file:
            while done < remote.size and (block := _block(response, url, remote.size - done)):
                file.write(block)
                done += len(block)
                progress(remote.name, done, remote.size, "B")
            file.flush()
            os.fsync(file.fileno())
    if done < remote.size:
        raise _DownloadError(f"{url}: the connection was cut at {done} of {remote.size} bytes")


def _block(response: http.client.HTTPResponse, url: str, most: int) -> bytes:
    try:
        return response.read(min(BLOCK, most))
    except (OSError, http.client.HTTPException) as error:
        raise _DownloadError(f"{url}: {error}") from None


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
