"""What an operator enters itself, while nothing runs: payments, keys, answers and decisions."""
