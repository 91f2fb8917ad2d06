"""What a hostile operator could put where FLARE looks: each runs code if FLARE reads it.

A way takes FLARE's workspace of a site and a file to make as a proof that its code ran. A way that
is new belongs here: test_hostile_kit.py shows that it works on FLARE, and not on a site of ours.
"""

import json

WAYS = {}


def way(plant):
    WAYS[plant.__name__] = plant
    return plant


def change(path, do):
    document = json.loads(path.read_text()) if path.exists() else {}
    do(document)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def touching(proof):
    return {"path": "subprocess.Popen", "args": {"args": ["touch", str(proof)]}}


def module(folder, name, proof):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(f"open({str(proof)!r}, 'w').close()\n")


@way
def a_component_of_its_own(workspace, proof):
    part = {"id": "intruder", **touching(proof)}
    change(
        workspace / "local" / "resources.json",
        lambda document: document.setdefault("components", []).append(part),
    )


@way
def a_component_in_settings_beside_ours(workspace, proof):
    part = {"id": "intruder", **touching(proof)}
    for folder in ("startup", "local"):
        change(
            workspace / folder / "more__p_resources.json",
            lambda document: document.update(components=[part]),
        )


@way
def a_validator_of_apps(workspace, proof):
    change(
        workspace / "local" / "resources.json",
        lambda document: document.update(app_validator=touching(proof)),
    )


@way
def a_component_in_the_startup_file(workspace, proof):
    change(
        workspace / "startup" / "fed_client.json",
        lambda document: document.update(app_validator=touching(proof)),
    )


@way
def a_log_handler(workspace, proof):
    handler = {"()": "subprocess.Popen", "args": ["touch", str(proof)]}
    change(
        workspace / "local" / "log_config.json",
        lambda document: document.setdefault("handlers", {}).update(intruder=handler),
    )


@way
def a_driver_of_connections(workspace, proof):
    module(workspace / "drivers", "intruder", proof)
    path = str(workspace / "drivers")
    change(
        workspace / "local" / "comm_config.json",
        lambda document: document.update(comm_driver_path=path),
    )


@way
def a_driver_named_in_some_folder(workspace, proof):
    """FLARE searches all folders of the workspace for this file and takes the first."""
    module(workspace / "0" / "drivers", "intruder", proof)
    path = str(workspace / "0" / "drivers")
    (workspace / "local" / "comm_config.json").unlink(missing_ok=True)
    change(
        workspace / "0" / "comm_config.json",
        lambda document: document.update(comm_driver_path=path),
    )


HAUNTS = ("comm_config.json", "resources.json", "fed_client.json", "fed_server.json")
"""Files that FLARE takes from whatever folder it finds one of this name in."""


def plant_in_folders(workspace, document):
    """A file of each name in folders of many names, such as those of jobs have."""
    for folder in ("0", "a" * 36, "local/x", "startup/x", "zzz/app_ann/config", ".hidden"):
        (workspace / folder).mkdir(parents=True, exist_ok=True)
        for name in HAUNTS:
            (workspace / folder / name).write_text(json.dumps(document))
