"""``shared``, priced as if all did as you do: your effective samples are m·U/u, n·m for equals."""

from typing import ClassVar

from .balanced import Balanced


class Shared(Balanced):
    """A member pays for what it keeps from all by using less than it would want all to use.

    A member that uses more than others may have a negative fee: it is paid. The rest is priced by
    the size that delivered, so a settlement with less than half of the size that signed is void.
    No measured loss tells what would be if all did as one does, so it settles by the curve only.
    """

    name: ClassVar[str] = "shared"
    source: ClassVar[str] = "ours, docs/theory.md"
    spreads: ClassVar[bool] = True
    measurable: ClassVar[bool] = False
    guarantees: ClassVar[tuple[str, ...]] = (
        "In every outcome you end no worse than if all had your size and cost and shared the work, "
        "which is never worse than training alone.",
        "Your true cost and the samples that are best for it are best whatever others do.",
    )
    choose_when: ClassVar[str] = "the members matter most: it leaves them the lowest losses"

    def is_void(self, size: int, signed: int) -> bool:
        """With less than half of the size that signed, an honest member could lose."""
        return 2 * size < signed

    def least_total_size(self, signed: int) -> int:
        """Half of it."""
        return -(-signed // 2)
