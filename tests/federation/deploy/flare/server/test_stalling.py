"""What waits for a connection whose other end is slow to read."""

import threading

from fedfact.federation.deploy.flare.server import stalling
from fedfact.federation.deploy.flare.server.stalling import Queue


def test_one_thread_sends_what_the_others_have_in_order():
    queue = Queue()
    assert queue.add(("a",), 1)
    assert queue.next(first=True) == ("a",)
    for frame in ("b", "c"):
        assert queue.add((frame,), 1)
        assert queue.next(first=True) is None, "another thread is at it"
    assert [queue.next(first=False) for _ in range(3)] == [("b",), ("c",), None]
    assert queue.add(("d",), 1)
    assert queue.next(first=True) == ("d",), "and now none is"


def test_many_threads_lose_nothing_and_none_waits_for_another():
    queue, sent, slow = Queue(), [], threading.Event()

    def send(number):
        queue.add((number,), 1)
        frame = queue.next(first=True)
        while frame is not None:
            slow.wait()  # only the first gets here before it is set
            sent.append(frame[0])
            frame = queue.next(first=False)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads[1:]:
        thread.join(0.5)
    assert sum(thread.is_alive() for thread in threads) == 1
    slow.set()
    for thread in threads:
        thread.join()
    assert sorted(sent) == list(range(100))


def test_a_queue_holds_so_many_frames_and_bytes(monkeypatch):
    monkeypatch.setattr(stalling, "_MOST_FRAMES", 3)
    monkeypatch.setattr(stalling, "_MOST_BYTES", 10)
    queue = Queue()
    assert queue.add(("long",), 1000), "what is alone may be as long as it is"
    assert not queue.add(("b",), 1)
    queue.give_up()
    assert [queue.add((name,), 2) for name in "abcd"] == [True, True, True, False]
