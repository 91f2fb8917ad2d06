"""A member that stops reading keeps nobody waiting but itself.

FLARE's server has a hundred threads for all that comes in, and each waits until what it sends has
been taken. So one member that asks a lot and reads nothing, or has gone to sleep, would hold them
all. Here one thread at most waits for a connection: what others have for it joins a queue, which
the one that waits sends on. A connection whose queue is full is closed.
"""

import threading
from collections import deque
from typing import Any
from weakref import WeakKeyDictionary

from ..connections import certified_name
from ..patches import patch

_MOST_BYTES = 192 << 20  # that wait for one connection: three of the windows that FLARE streams by
_MOST_FRAMES = 2_000
_MOST_CONNECTIONS = 6  # of one member: its site, a job, one that ends, and what breaks off

_SFM = "nvflare.fuel.f3.sfm"


def let_nobody_stall() -> None:
    """Have FLARE's server, in this process, keep to it."""
    sent = ("self", "prefix", "headers", "payload")
    patch(f"{_SFM}.sfm_conn:SfmConnection.send_frame", sent, _queued)
    manager = f"{_SFM}.conn_manager:ConnManager"
    patch(f"{manager}.handle_new_connection", ("self", "connection"), _a_few)


class Queue:
    """What waits for one connection, and whether a thread is sending it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Any, ...]] = deque()
        self._bytes, self._busy = 0, False

    def add(self, frame: tuple[Any, ...], size: int) -> bool:
        """Whether there was room for it."""
        with self._lock:
            full = len(self._waiting) >= _MOST_FRAMES or self._bytes + size > _MOST_BYTES
            if self._waiting and full:
                return False
            self._waiting.append((*frame, size))
            self._bytes += size
        return True

    def next(self, *, first: bool) -> tuple[Any, ...] | None:
        """What to send now; nothing where all is sent, or where another thread is at it."""
        with self._lock:
            if first and self._busy:
                return None
            self._busy = bool(self._waiting)
            if not self._waiting:
                return None
            *frame, size = self._waiting.popleft()
            self._bytes -= size
        return tuple(frame)

    def give_up(self) -> None:
        """Forget what waits: the connection is broken."""
        with self._lock:
            self._waiting.clear()
            self._bytes, self._busy = 0, False


def _queued(send: Any) -> Any:
    from nvflare.fuel.f3.comm_error import CommError

    queues: WeakKeyDictionary[Any, Queue] = WeakKeyDictionary()

    def send_frame(sfm_conn: Any, prefix: Any, headers: Any, payload: Any) -> None:
        if certified_name(sfm_conn.conn) is None:
            send(sfm_conn, prefix, headers, payload)
            return
        queue = queues.setdefault(sfm_conn, Queue())
        if not queue.add((prefix, headers, payload), len(payload or b"")):
            sfm_conn.conn.close()
            raise CommError(CommError.CLOSED, "the other end takes nothing")
        frame = queue.next(first=True)
        while frame is not None:
            try:
                send(sfm_conn, *frame)
            except BaseException:
                queue.give_up()
                raise
            frame = queue.next(first=False)

    return send_frame


def _a_few(take: Any) -> Any:
    def handle_new_connection(manager: Any, connection: Any) -> None:
        name = certified_name(connection)
        with manager.lock:
            others = [certified_name(each.conn) for each in manager.sfm_conns.values()]
        if name is not None and others.count(name) >= _MOST_CONNECTIONS:
            connection.close()
            return
        take(manager, connection)

    return handle_new_connection
