"""The mechanism: pure maths on numpy arrays, without state or input and output."""

from .best_response import Response, best_response
from .errors import InputError
from .losses import (
    contract_fee,
    effective_fee,
    fact_loss,
    federated_loss,
    local_loss,
    paper_pool,
    penalised_loss,
    truthfulness_penalty,
)
from .optima import federated_optimum, local_optimum, penalised_optimum, whole_local_optimum
from .outcome import Others, Play, expected_loss, rebate, reward
from .penalty import (
    free_rider_penalty,
    largest_alpha,
    penalty_slope,
    penalty_weight,
    rationality_gap,
)
from .population import Population
from .sandwich import compete, draw_order
from .settlement import Settlement, settle
from .terms import Rule, Terms
from .winning import (
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

__all__ = [
    "CostDistribution",
    "InputError",
    "Others",
    "Play",
    "Population",
    "Response",
    "Rule",
    "Settlement",
    "Terms",
    "best_response",
    "compete",
    "continuum_win_probability",
    "contract_fee",
    "draw_order",
    "effective_fee",
    "expected_loss",
    "fact_loss",
    "federated_loss",
    "federated_optimum",
    "free_rider_penalty",
    "largest_alpha",
    "local_loss",
    "local_optimum",
    "others_below",
    "paper_pool",
    "penalised_loss",
    "penalised_optimum",
    "penalty_slope",
    "penalty_weight",
    "places",
    "rationality_gap",
    "rebate",
    "reward",
    "settle",
    "simulate_draws",
    "simulate_win_probability",
    "truthfulness_penalty",
    "whole_local_optimum",
    "win_probability",
    "win_probability_against",
    "win_probability_if",
]
