"""Write ``build/sbom.json``: what this project is made with, as CycloneDX; `make sbom` runs it.

One component for each line of ``requirements.lock``: its version, its licence as the installed
package says it, its package URL, and the SHA-256 of each file of that release, of which pip
installed one. Refused where what is installed is not what is locked.
"""

import importlib.metadata
import json
import re
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LINE = re.compile(r"^([\w.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)
FORMAT = {
    "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
}


def locked() -> dict[str, tuple[str, list[str]]]:
    """Version and hashes of each project in the lock."""
    text = (ROOT / "requirements.lock").read_text()
    found = {
        name: (version, re.findall(r"[0-9a-f]{64}", h)) for name, version, h in LINE.findall(text)
    }
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def licences(about: importlib.metadata.PackageMetadata) -> list[dict[str, Any]]:
    """Its SPDX expression; or the names that its classifiers, or a short field of words, say."""
    if expression := about.get("License-Expression"):
        return [{"expression": expression}]
    said = [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier") or ()
        if each.startswith("License :: ")
    ]
    words = (about.get("License") or "").strip()
    if not said and words and "\n" not in words and len(words) < 100:
        said = [words]
    return [{"license": {"name": name}} for name in said or ["unknown"]]


def component(name: str, version: str, hashes: list[str]) -> dict[str, Any]:
    """One package."""
    about = importlib.metadata.metadata(name)
    if about["Version"] != version:
        raise SystemExit(
            f"{name} {about['Version']} is installed and {version} is locked; run make"
        )
    purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{version.replace('+', '%2B')}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "licenses": licences(about),
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": sha256} for sha256 in hashes],
    }


def document() -> dict[str, Any]:
    """The whole bill of materials; the same lock gives the same one."""
    parts = [component(name, *found) for name, found in locked().items()]
    about = importlib.metadata.metadata("fedfact")
    own = {"type": "application", "bom-ref": "fedfact", "name": "fedfact"}
    own |= {"version": about["Version"], "licenses": licences(about)}
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps([own, parts]))
    return {
        **FORMAT,
        "serialNumber": f"urn:uuid:{serial}",
        "metadata": {"component": own},
        "components": parts,
        "dependencies": [{"ref": "fedfact", "dependsOn": [part["bom-ref"] for part in parts]}],
    }


if __name__ == "__main__":
    path = ROOT / "build" / "sbom.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document(), indent=1) + "\n")
    print(f"wrote {path.relative_to(ROOT)}")
