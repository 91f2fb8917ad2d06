"""What an operator enters itself, while nothing runs: payments, keys, answers and decisions.

For commands, which import what they need.
"""

__all__: list[str] = []
