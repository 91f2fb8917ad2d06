"""The protocol between real machines, carried by NVIDIA FLARE 2.9.0 over mutual TLS.

The protocol itself knows nothing of FLARE; nvflare is imported in this package only.
"""

from typing import TYPE_CHECKING

from ....lazy import lazily as _lazily

if TYPE_CHECKING:
    from .demo import run_demo
    from .kits.paths import require_flare
    from .kits.set_up import set_up
    from .processes import run_site
    from .server.running import run_operator, stop
    from .server.status import read_status

__all__ = ["read_status", "require_flare", "run_demo", "run_operator", "run_site", "set_up", "stop"]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "read_status": "server.status",
        "require_flare": "kits.paths",
        "run_demo": "demo",
        "run_operator": "server.running",
        "run_site": "processes",
        "set_up": "kits.set_up",
        "stop": "server.running",
    },
)
