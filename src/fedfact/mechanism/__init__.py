"""The mechanism: pure maths on numpy arrays, without state or input and output."""

from .best_response import Response, best_response
from .billing import billing_floor, least_admitted
from .competition import compete, draw_order
from .curve import Curve, CurveLike, curve_of
from .formulas.losses import (
    charge_for_misfit,
    contract_fee,
    effective_fee,
    fact_loss,
    federated_loss,
    local_loss,
    paper_pool,
    penalised_loss,
    pool_of_others,
    truthfulness_penalty,
)
from .formulas.optima import (
    federated_optimum,
    local_optimum,
    penalised_optimum,
    whole_local_optimum,
)
from .formulas.penalty import (
    free_rider_penalty,
    largest_alpha,
    penalty_slope,
    penalty_weight,
    rationality_gap,
)
from .formulas.winning import (
    CostDistribution,
    continuum_win_probability,
    others_below,
    places,
    simulate_draws,
    simulate_win_probability,
    win_probability,
    win_probability_against,
    win_probability_if,
)
from .others import Others, Standing
from .outcome import Play, expected_loss
from .population import Population
from .rules import RULES, Rule, rule_of
from .settlement import Settlement, settle
from .terms import Terms

__all__ = [
    "RULES",
    "CostDistribution",
    "Curve",
    "CurveLike",
    "Others",
    "Play",
    "Population",
    "Response",
    "Rule",
    "Settlement",
    "Standing",
    "Terms",
    "best_response",
    "billing_floor",
    "charge_for_misfit",
    "compete",
    "continuum_win_probability",
    "contract_fee",
    "curve_of",
    "draw_order",
    "effective_fee",
    "expected_loss",
    "fact_loss",
    "federated_loss",
    "federated_optimum",
    "free_rider_penalty",
    "largest_alpha",
    "least_admitted",
    "local_loss",
    "local_optimum",
    "others_below",
    "paper_pool",
    "penalised_loss",
    "penalised_optimum",
    "penalty_slope",
    "penalty_weight",
    "places",
    "pool_of_others",
    "rationality_gap",
    "rule_of",
    "settle",
    "simulate_draws",
    "simulate_win_probability",
    "truthfulness_penalty",
    "whole_local_optimum",
    "win_probability",
    "win_probability_against",
    "win_probability_if",
]
