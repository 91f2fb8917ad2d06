"""Training on one member's machine: models come and go as bytes."""
