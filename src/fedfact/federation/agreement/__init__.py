"""What operator, members and auditors work out alike: terms, contracts, deliveries, lines."""

from .contract import Contract, Enrolment, contract_of, contracts_for
from .delivery import Attestation, Delivery, deliveries
from .draw import commitment, draw_seed
from .lines import Line, Posting, lines_of, settlement_of
from .statement_message import Answer, StatementMessage
from .terms import Conduct, Published, publish, read_federation_terms, read_published

__all__ = [
    "Answer",
    "Attestation",
    "Conduct",
    "Contract",
    "Delivery",
    "Enrolment",
    "Line",
    "Posting",
    "Published",
    "StatementMessage",
    "commitment",
    "contract_of",
    "contracts_for",
    "deliveries",
    "draw_seed",
    "lines_of",
    "publish",
    "read_federation_terms",
    "read_published",
    "settlement_of",
]
