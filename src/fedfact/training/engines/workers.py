"""The fast engine for CPUs: the plain engine with the agents shared out among workers.

Each worker is a thread with an agent of its own (PyTorch lets go of Python's lock while it
computes), and each agent is trained on one thread, as in the plain engine. What an agent does is
the same, and the average is taken in the order of the agents: the weights are those of the plain
engine in the same precision to the last bit, for any number of workers.

Making one asks the C library to keep freed memory, for the whole process (see ``memory``).
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..agent import Precision
from ..job import Job
from .memory import keep_freed_memory
from .plain import EachResult, Item, PlainEngine


def cores() -> int:
    """The number of processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkersEngine(PlainEngine):
    """A server's model and its agents, as many at a time as there are workers."""

    def __init__(
        self,
        job: Job,
        horizon: Sequence[int],
        precision: Precision = "fp32",
        workers: int | None = None,
    ) -> None:
        keep_freed_memory()
        super().__init__(job, horizon, precision)
        self._pool = ThreadPoolExecutor(workers or cores(), thread_name_prefix="fedfact")

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        super().__exit__(*error)

    def each(self, work: Callable[[Item], EachResult], items: Iterable[Item]) -> list[EachResult]:
        """Do the work for all items, as many at a time as there are workers."""
        return list(self._pool.map(work, items))
