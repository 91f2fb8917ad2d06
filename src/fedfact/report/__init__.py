"""Figures and pages, from results alone."""

FIGURES: tuple[str, ...] = (".png", ".svg", ".pdf")
"""Endings of a figure's name, each with its format."""

__all__ = ["FIGURES"]
