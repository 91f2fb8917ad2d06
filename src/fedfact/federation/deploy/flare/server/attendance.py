"""The attendance of a job: which members it has lost, which are back without being in it.

FLARE's sites say which jobs they run. One that does not run ours was started anew, or came late: it
takes part only in a new job. One that does not answer is gone for now. A single look may be wrong,
as when a job is just starting, so two in a row must agree.
"""

from collections.abc import Mapping

from .notice import Notice

_EARLY = 6  # looks at a running job in which sites may still be starting it
_STRIKES = 2


class Attendance:
    """Who is in one job after another.

    A member without which jobs end time and again and do not get on, because its site cannot run
    them, is left out until it has been away and has come back, which is when its owner has seen to
    it. So one broken site does not keep the others from working.
    """

    def __init__(self, members: set[str]) -> None:
        self._members = members
        self._strikes: dict[str, int] = {}
        self.left_out: set[str] = set()
        self.begin("")

    def begin(self, job: str) -> None:
        """A new job: all are taken to be in it until they show otherwise."""
        self._job, self._looks = job, 0
        self._absent: dict[str, str] = {}
        self._sure: dict[str, str] = {}
        self._said = Notice(job)

    def look(self, sites: Mapping[str, set[str]], *, running: bool) -> None:
        """Note what the sites say: the jobs that each runs, '?' where it does not answer."""
        for member in {name for name in self.left_out if "?" in sites.get(name, "?")}:
            self.left_out.discard(member)
            self._strikes.pop(member, None)
        if not running:
            return
        self._looks += 1
        absent = {
            name: "gone" if "?" in sites.get(name, "?") else "back"
            for name in self._members - self.left_out
            if self._job not in sites.get(name, ())
        }
        if self._looks > _EARLY:
            self._sure = {
                name: how for name, how in absent.items() if how == self._absent.get(name)
            }
        self._absent = absent

    def news(self) -> Notice | None:
        """What the job is to be told that it was not told yet.

        A member that is back is lost to this job too, and the job is to end, for the next one.
        """
        end = self._said.end or "back" in self._sure.values()
        notice = Notice(self._job, tuple(sorted(self._sure)), end)
        if notice == self._said:
            return None
        self._said = notice
        return notice

    def close(self, *, got_on: bool) -> None:
        """The job is over, and the protocol got on in it or not."""
        if got_on:
            self._strikes.clear()
            return
        for name, how in self._absent.items():
            if how == "back":
                self._strikes[name] = self._strikes.get(name, 0) + 1
                if self._strikes[name] >= _STRIKES:
                    self.left_out.add(name)
