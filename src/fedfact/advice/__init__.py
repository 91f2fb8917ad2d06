"""What joining would mean for one member, before it signs."""

from .advise import Advice, Deviation, LossRange, advise
from .applicant import Applicant
from .known_others import others_from_file, others_like
from .recommendation import assumptions, guarantees, recommendation, verdict

__all__ = [
    "Advice",
    "Applicant",
    "Deviation",
    "LossRange",
    "advise",
    "assumptions",
    "guarantees",
    "others_from_file",
    "others_like",
    "recommendation",
    "verdict",
]
