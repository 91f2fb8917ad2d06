"""The paper's formulas in real numbers: losses, optima, the penalty, chances to win."""
