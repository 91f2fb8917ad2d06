"""What comes first: a ledger that is older than what members were shown is refused, or mended."""
