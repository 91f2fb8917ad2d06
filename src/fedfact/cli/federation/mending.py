"""``fedfact federation mend`` and ``allow-restart``: a ledger that is older than it was."""

from ...io.files import write_whole
from ..shared.options import AsJson
from ..shared.output import note, print_json
from .options import Config, Directory


def set_to_mend(directory: Directory) -> None:
    """Have the next start go on from an older ledger."""
    from ...federation.operator.directory import MEND, season_folder

    write_whole(season_folder(directory).parent / MEND, b"")


def allow_restart(config: Config, as_json: AsJson = False) -> None:
    """Let the operator go on, once, from an older ledger than you were shown.

    Do so only if you know why it lost what came after. Rounds are trained again where they must be;
    what you were shown stays in your directory.
    """
    from ...federation.member.config import read_member_config
    from ...federation.member.files import MemberFiles
    from ...federation.member.own_restarts import ALLOW

    own = read_member_config(config)
    MemberFiles(config.parent).published()
    write_whole(config.parent / ALLOW, b"")
    if as_json:
        print_json({"allows_restart": own.name})
    else:
        note(f"{own.name} follows an older ledger, once, if the operator asks for it")
