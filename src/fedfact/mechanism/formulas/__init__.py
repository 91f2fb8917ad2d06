"""The paper's formulas in real numbers: losses, optima, the penalty, chances to win."""

from .losses import (
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
from .optima import (
    federated_optimum,
    local_optimum,
    penalised_optimum,
    whole_local_optimum,
)
from .penalty import (
    free_rider_penalty,
    largest_alpha,
    penalty_slope,
    penalty_weight,
    rationality_gap,
)
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
    "charge_for_misfit",
    "continuum_win_probability",
    "contract_fee",
    "effective_fee",
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
    "pool_of_others",
    "rationality_gap",
    "simulate_draws",
    "simulate_win_probability",
    "truthfulness_penalty",
    "whole_local_optimum",
    "win_probability",
    "win_probability_against",
    "win_probability_if",
]
