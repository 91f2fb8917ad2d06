"""Figures."""

FIGURES = (".png", ".svg", ".pdf")
"""Endings of a figure's name, each with its format."""
