"""Agents that play to win: best replies, no-regret learners, equilibria."""
