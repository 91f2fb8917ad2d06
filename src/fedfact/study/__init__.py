"""Studies: config, data, training alone and together, settlement, result files."""

from typing import TYPE_CHECKING

from ..lazy import lazily as _lazily

if TYPE_CHECKING:
    from .collapse.result import Collapse
    from .collapse.run import run_collapse
    from .config.load import read_study
    from .config.study import Study
    from .files.directory import Result, find_results, read_result
    from .run import run_study

__all__ = [
    "Collapse",
    "Result",
    "Study",
    "find_results",
    "read_result",
    "read_study",
    "run_collapse",
    "run_study",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "Collapse": "collapse.result",
        "Result": "files.directory",
        "Study": "config.study",
        "find_results": "files.directory",
        "read_result": "files.directory",
        "read_study": "config.load",
        "run_collapse": "collapse.run",
        "run_study": "run",
    },
)
