"""fedfact: federated learning that is safe to join."""

from ._version import __version__
from .mechanism import InputError, Population, Settlement, Terms, settle

__all__ = ["InputError", "Population", "Settlement", "Terms", "__version__", "settle"]
