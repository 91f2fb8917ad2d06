"""Figures of one thing: a settlement, one agent's losses, a collapse."""
