"""The page about studies: the paper's figures, and ours."""

from typing import TYPE_CHECKING

from ...lazy import lazily as _lazily

if TYPE_CHECKING:
    from .cases import Case, cases_of
    from .charts import charts_of
    from .page import write_report

__all__ = ["Case", "cases_of", "charts_of", "write_report"]

__getattr__, __dir__ = _lazily(
    __name__,
    {"Case": "cases", "cases_of": "cases", "charts_of": "charts", "write_report": "page"},
)
