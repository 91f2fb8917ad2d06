"""The page about the lab: all rules on one population, compared."""
