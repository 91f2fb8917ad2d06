"""fedfact: federated learning that is safe to join.

What is offered here is what a notebook needs; it is imported when it is asked for.
"""

from typing import TYPE_CHECKING

from ._version import __version__
from .errors import DeploymentError, FedfactError, InputError, LedgerError, TrainingError
from .lazy import lazily as _lazily

if TYPE_CHECKING:
    from .advice import Applicant, advise, others_like
    from .calibration import calibrate, read_runs
    from .federation.audit.verify import verify
    from .federation.deploy.in_process import run_federation
    from .federation.ledger.store import read_ledger
    from .mechanism import RULES, Population, Settlement, Terms, settle
    from .report.plot import plot
    from .settlement import read_agents, read_terms, statement
    from .study.config.load import read_study
    from .study.files.directory import read_result
    from .study.run import run_study
    from .training import Machine

__all__ = [
    "RULES",
    "Applicant",
    "DeploymentError",
    "FedfactError",
    "InputError",
    "LedgerError",
    "Machine",
    "Population",
    "Settlement",
    "Terms",
    "TrainingError",
    "__version__",
    "advise",
    "calibrate",
    "others_like",
    "plot",
    "read_agents",
    "read_ledger",
    "read_result",
    "read_runs",
    "read_study",
    "read_terms",
    "run_federation",
    "run_study",
    "settle",
    "statement",
    "verify",
]

__getattr__, __dir__ = _lazily(
    __name__,
    {
        "RULES": "mechanism",
        "Applicant": "advice",
        "Machine": "training",
        "Population": "mechanism",
        "Settlement": "mechanism",
        "Terms": "mechanism",
        "advise": "advice",
        "calibrate": "calibration",
        "others_like": "advice",
        "plot": "report.plot",
        "read_agents": "settlement",
        "read_ledger": "federation.ledger.store",
        "read_result": "study.files.directory",
        "read_runs": "calibration",
        "read_study": "study.config.load",
        "read_terms": "settlement",
        "run_federation": "federation.deploy.in_process",
        "run_study": "study.run",
        "settle": "mechanism",
        "statement": "settlement",
        "verify": "federation.audit.verify",
    },
)
