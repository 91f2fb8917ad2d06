"""Studies: config, data, training alone and together, settlement, result files."""
