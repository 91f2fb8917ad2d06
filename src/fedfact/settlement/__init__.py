"""A file of agents and terms in, a settlement and statements out."""

from .agents import AgentsFile, read_agents
from .document import document, encode, remarks
from .statement import Statement, statement, statements
from .terms import read_terms

__all__ = [
    "AgentsFile",
    "Statement",
    "document",
    "encode",
    "read_agents",
    "read_terms",
    "remarks",
    "statement",
    "statements",
]
