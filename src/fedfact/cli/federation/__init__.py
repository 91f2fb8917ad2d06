"""The commands of ``fedfact federation``."""
