"""A whole federation in this process: for notebooks, tests and a first look at the protocol.

Operator and members are the real ones, with keys, contracts, training, a ledger and statements of
their own; only the messages between them pass in memory instead of over a network.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...errors import InputError, check_keys
from ...extras import naming_the_extra
from ...io.folders import make_folder
from ...results import Tabular, html_table, text_table
from ..ledger.entry import Entry
from ..ledger.state import LedgerState, replay
from ..ledger.store import read_ledger
from ..member.config import MemberConfig
from ..member.member import CONFIG, TERMS_FILE, open_member
from ..operator.directory import DEFAULT_TERMS, PUBLISHED, create, ledger_place
from ..operator.overview import overview
from ..operator.run import operate
from ..wire.transport import InProcess

_COLUMNS = ("promised", "used", "billed", "net", "state")


@dataclass(frozen=True, repr=False)
class FinishedFederation(Tabular):
    """A federation that ran to its end.

    Attributes:
        directory: the operator's, with the ledger; members' own ones lie beside it.
        entries: the ledger.
        state: what the ledger says in the end.
    """

    directory: Path
    entries: list[Entry]
    state: LedgerState

    def rows(self) -> list[dict[str, Any]]:
        """One row a member: samples promised, used and billed, and its net, in minor units."""
        members = overview(self.state)["agents"]
        return [{"member": name, **_known(row)} for name, row in members.items()]

    def shown_rows(self) -> list[dict[str, Any]]:
        """The same with amounts as people write them."""
        written = self.state.money.money_unit.written
        return [
            {**row, "net": None if row["net"] is None else written(row["net"])}
            for row in self.rows()
        ]

    def __repr__(self) -> str:
        return f"{self._title}\n{text_table(self.shown_rows())}"

    def _repr_html_(self) -> str:
        return html_table(self.shown_rows(), self._title)

    @property
    def _title(self) -> str:
        said, money = overview(self.state), self.state.money.money_unit
        void = said["void"]
        outcome = (
            f"void: {void}" if void else f"in {money.name}, surplus {money.amount(said['surplus'])}"
        )
        return f"Federation {said['federation']}: {said['phase']}, rule {said['rule']}, {outcome}"

    def model(self, member: str) -> Path:
        """The file with the final model that a member was given."""
        return self.directory.parent / member / "model.bin"


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {column: row.get(column) for column in _COLUMNS}


@naming_the_extra()
def run_federation(
    directory: Path | str,
    members: Mapping[str, Mapping[str, Any]],
    terms: Path | str = DEFAULT_TERMS,
    sizes: Mapping[str, int] | None = None,
) -> FinishedFederation:
    """Run a federation from enrolment to statements, in a directory that is not there yet.

    ``members`` has for each name the keys of its ``agent.toml``: ``true_cost``, ``data`` and more
    (see `MemberConfig`). ``terms`` is a federation's ``terms.toml``; without one, the small example
    that ``fedfact federation init`` uses. ``sizes``: of each member, under a rule that knows them,
    how large it is. The operator's directory is ``directory/operator``, a
    member's has its name; every fedfact command can be used with them afterwards.
    """
    root, operator = Path(directory), Path(directory) / "operator"
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError(f"{root}: is not empty; name a directory that is not there yet")
    configs = {name: _config(name, keys) for name, keys in members.items()}
    make_folder(root)
    create(operator, Path(terms), list(members), sizes=sizes)
    for name, config in configs.items():
        make_folder(root / name)
        (root / name / TERMS_FILE).write_bytes((operator / PUBLISHED).read_bytes())
        (root / name / CONFIG).write_text(_toml(config), encoding="utf-8")
    operate(operator, InProcess({name: open_member(root / name) for name in members}))
    entries = read_ledger(ledger_place(operator))
    return FinishedFederation(operator, entries, replay(entries))


def _config(name: str, keys: Mapping[str, Any]) -> MemberConfig:
    """A member's config, refused before anything is written."""
    try:
        check_keys(keys, [key for key in MemberConfig.model_fields if key != "name"])
        return MemberConfig(name=name, **keys)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InputError(f"{name}: {first['loc'][0]}: {first['msg'].lower()}") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _toml(config: MemberConfig) -> str:
    """The config as a file; a JSON text or number is a TOML one too."""
    keys = config.model_dump(exclude_none=True)
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
