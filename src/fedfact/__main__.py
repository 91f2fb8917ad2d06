"""``python -m fedfact`` is the command ``fedfact``."""

from .cli import main

if __name__ == "__main__":
    main()
