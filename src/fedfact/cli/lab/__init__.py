"""``fedfact lab`` and ``fedfact compare``."""
