"""Write ``requirements.lock``: every version of ``constraints.txt`` with the hashes of its files.

``make lock`` runs it, after a version was changed. All files of a release are listed that the
places pip is told of have, for every platform, so that the lock holds wherever CI runs. It asks
pip's own machinery, so that pip's configuration says where these places are.
"""

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pip._internal.commands import create_command
from pip._internal.index.collector import LinkCollector, parse_links
from pip._internal.models.link import Link
from pip._internal.utils.urls import url_to_path
from pip._vendor.packaging.utils import (
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from pip._vendor.packaging.version import Version

ROOT = Path(__file__).parents[1]
HEAD = "# Written by `make lock` from constraints.txt: what CI installs, and nothing else.\n"


def collector() -> LinkCollector:
    """What finds files, as pip is configured here."""
    command = create_command("download")
    options, _ = command.parse_args(["-"])
    with command.main_context():
        session = command.get_default_session(options)
        return LinkCollector.create(session, options=options)


def links(found: LinkCollector, name: str) -> list[Link]:
    """All files of a project, wherever they are."""
    listed = []
    for place in found.search_scope.get_index_urls_locations(name):
        link = Link(place)
        if link.is_file and not Path(link.file_path).exists():
            continue
        if page := found.fetch_response(link):
            listed += parse_links(page)
    for folder in found.find_links:
        listed += [Link(path.as_uri()) for path in sorted(Path(folder).glob("*.whl"))]
    return listed


def release(file: str) -> tuple[str, Version] | None:
    """Project and version that a file's name says; nothing where pip would not take it."""
    try:
        if file.endswith(".whl"):
            name, version, *_ = parse_wheel_filename(file)
        else:
            name, version = parse_sdist_filename(file)
    except ValueError:
        return None
    return name, version


def digest(link: Link) -> str | None:
    """The SHA-256 of a file, as its index says, or of the file itself where it lies here."""
    if said := link._hashes.get("sha256"):
        return said
    if link.is_file:
        return hashlib.sha256(Path(url_to_path(link.url)).read_bytes()).hexdigest()
    return None


def lines(found: LinkCollector, name: str, wanted: Version) -> str:
    """The lines of one project; a build of its own, such as 2.13.0+cpu, goes before 2.13.0."""
    files: dict[Version, set[str]] = {}
    for link in links(found, name):
        project, version = release(link.filename) or ("", wanted)
        fits = project == canonicalize_name(name) and Version(version.public) == wanted
        if fits and (sha256 := digest(link)):
            files.setdefault(version, set()).add(sha256)
    if not files:
        raise SystemExit(f"{name} {wanted}: no file with a hash was found; is the version right?")
    build = max(files)
    hashes = (f"    --hash=sha256:{sha256}" for sha256 in sorted(files[build]))
    return " \\\n".join([f"{name}=={build}", *hashes])


def main() -> None:
    """Write the lock."""
    text = (ROOT / "constraints.txt").read_text()
    wanted = re.findall(r"^([\w.-]+)==(\S+)$", text, re.M)
    found = collector()
    with ThreadPoolExecutor(8) as pool:
        parts = pool.map(lambda each: lines(found, each[0], Version(each[1])), wanted)
        (ROOT / "requirements.lock").write_text(HEAD + "\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
