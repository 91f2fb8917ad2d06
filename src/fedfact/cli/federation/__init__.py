"""``fedfact federation``."""
