"""What a training comes to: losses under FACT, checks of the theory, means over seeds."""
