"""What an engine is, and which one to take on this machine."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self, get_args

import torch

from ...errors import InputError
from ..agent import Precision, Weights
from ..evaluate import Score
from ..job import Job
from .plain import PlainEngine
from .workers import WorkersEngine

Device = Literal["auto", "cpu", "cuda"]


class Engine(Protocol):
    """A server's model and the agents of a job, wherever they run. To be used in ``with``."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def distribute(self) -> None:
        """Give the server's model to all agents (Algorithm 1, line 8)."""

    def update(self, steps: Sequence[int]) -> None:
        """Every agent takes so many steps (Algorithm 1, lines 9 to 11; Algorithm 3)."""

    def average(self) -> None:
        """Make the server's model the average of the agents' models (Algorithm 1, line 12)."""

    def test(self) -> Score:
        """The server's model on the test set."""

    def test_agents(self) -> list[Score]:
        """Every agent's model on the test set."""

    def weights(self) -> Weights:
        """The server's model."""

    def state(self, models: bool) -> dict[str, Any]:
        """What is needed to go on from here, with the agents' models or, after an average, not."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""


class Machine:
    """Where and how to train: makes the engine for a job.

    ``arithmetic`` names what decides the numbers. It is the same for the plain engine and the fast
    one on CPUs with fp32, which agree to the last bit, so one can go on where the other stopped.
    """

    def __init__(
        self,
        device: Device = "auto",
        *,
        plain: bool = False,
        precision: Precision | None = None,
        workers: int | None = None,
    ) -> None:
        if device not in get_args(Device):
            raise InputError(f"device {device!r} is not known; take auto, cpu or cuda")
        if precision not in (None, *get_args(Precision)):
            raise InputError(f"precision {precision!r} is not known; take fp32 or bf16")
        if workers is not None and workers < 1:
            raise InputError(f"workers are {workers}; take 1 or more")
        if device == "cuda" and not torch.cuda.is_available():
            raise InputError("there is no CUDA device here; take device cpu or auto")
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() and not plain else "cpu"
        if plain and device == "cuda":
            raise InputError("the plain engine runs on the CPU; take device cpu or the fast engine")
        if plain and workers is not None:
            raise InputError(
                "the plain engine has no workers; leave them out, or take the fast one"
            )
        self.device: Device = device
        self.precision: Precision = precision or ("bf16" if device == "cuda" else "fp32")
        self.arithmetic = f"{self.device} {self.precision}"
        self._plain, self._workers = plain, workers

    def describe(self, job: Job) -> dict[str, Any]:
        """What tells the training of a job on this machine from any other."""
        return {**job.describe(), "arithmetic": self.arithmetic, "torch": torch.__version__}

    def engine(self, job: Job, horizon: Sequence[int]) -> Engine:
        """The engine for a job whose agents take so many steps each."""
        if self.device == "cuda":
            from .cuda import CudaEngine

            return CudaEngine(job, horizon, self.precision)
        if self._plain:
            return PlainEngine(job, horizon, self.precision)
        return WorkersEngine(job, horizon, self.precision, self._workers)
