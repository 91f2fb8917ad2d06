"""Downloads from a server of our own, which cuts, lies and forgets as real ones do."""

import hashlib
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from fedfact import InputError
from fedfact.data import load
from fedfact.data.sources.download import Remote, download
from fedfact.progress import silent

CONTENT = np.random.default_rng(0).bytes(1_000_000)
MD5 = hashlib.md5(CONTENT).hexdigest()
NAME = "file.gz"


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {NAME: CONTENT}
        self.cuts = []  # of the next answers, after how many bytes the connection is cut
        self.statuses = []  # of the next answers, errors instead of files
        self.ranges = True
        self.lengths = True
        self.shift = 0  # how far off the rest is that it gives
        self.asked = []  # the Range of each request
        self.agents = set()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        server = self.server
        server.asked.append(self.headers["Range"])
        server.agents.add(self.headers["User-Agent"])
        content = server.files.get(self.path[1:])
        if server.statuses or content is None:
            return self.send_error(server.statuses.pop(0) if server.statuses else 404)
        start = 0
        if self.headers["Range"] and server.ranges:
            start = int(re.fullmatch(r"bytes=(\d+)-", self.headers["Range"])[1])
            if start >= len(content):
                return self.send_error(416)
            start += server.shift
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        body = content[start:]
        if server.lengths:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.cuts:
            body = body[: server.cuts.pop(0)]
        self.wfile.write(body)
        self.close_connection = True


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def fetch(server, folder, *, md5=MD5, mirrors=None, progress=silent):
    download([Remote(NAME, len(CONTENT), md5)], mirrors or [server.url], folder, progress)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def whole(folder):
    return names(folder) == [NAME] and (folder / NAME).read_bytes() == CONTENT


def test_a_file_arrives_whole(server, tmp_path):
    said = []
    fetch(server, tmp_path / "new" / "folder", progress=lambda *what: said.append(what))
    assert whole(tmp_path / "new" / "folder")
    assert said[-1] == (NAME, len(CONTENT), len(CONTENT), "B")
    assert [done for _, done, _, _ in said] == sorted(done for _, done, _, _ in said)
    assert all(agent.startswith("fedfact/") for agent in server.agents)


@pytest.mark.parametrize("lengths", [True, False])
def test_a_cut_connection_is_taken_up_where_it_broke(server, tmp_path, lengths):
    server.cuts, server.lengths = [300_000, 200_000], lengths
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == [None, "bytes=300000-", "bytes=500000-"]


def test_a_server_that_ignores_ranges_starts_anew(server, tmp_path):
    server.cuts, server.ranges = [300_000], False
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == [None, "bytes=300000-"]


def test_a_server_that_gives_another_part_starts_anew(server, tmp_path):
    server.cuts, server.shift = [300_000], 5
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == [None, "bytes=300000-", None]


def test_a_part_of_an_earlier_run_is_continued(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT[:999_000])
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == ["bytes=999000-"]


def test_a_part_that_is_already_whole_needs_no_server(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT)
    fetch(server, tmp_path, mirrors=["http://127.0.0.1:9/"])
    assert whole(tmp_path)


@pytest.mark.parametrize("excess", [b"", b"more"])
def test_a_long_part_of_something_else_is_thrown_away(server, tmp_path, excess):
    (tmp_path / f"{NAME}.part").write_bytes(bytes(len(CONTENT)) + excess)
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == [None]


def test_a_range_that_is_refused_starts_anew(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(b"short")
    server.statuses = [416]
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked == ["bytes=5-", None]


def test_a_wrong_checksum_is_thrown_away(server, tmp_path):
    with pytest.raises(InputError, match=f"checksum of the download is wrong.*md5 {'0' * 32}"):
        fetch(server, tmp_path, md5="0" * 32)
    assert names(tmp_path) == []


def test_a_part_of_something_else_is_found_out_and_thrown_away(server, tmp_path):
    (tmp_path / f"{NAME}.part").write_bytes(b"something else")
    with pytest.raises(InputError, match="checksum"):
        fetch(server, tmp_path)
    assert names(tmp_path) == []
    fetch(server, tmp_path)
    assert whole(tmp_path)


def test_a_page_instead_of_the_file_is_not_kept(server, tmp_path):
    server.files[NAME] = b"<html>please log in</html>"
    with pytest.raises(InputError, match="gives another file, of 26 bytes"):
        fetch(server, tmp_path)
    assert names(tmp_path) == []


def test_a_file_that_is_not_there_is_asked_for_once(server, tmp_path):
    server.files.clear()
    with pytest.raises(InputError) as error:
        fetch(server, tmp_path)
    for part in (NAME, str(tmp_path), "HTTP status 404", "--data-dir or FEDFACT_DATA"):
        assert part in str(error.value)
    assert len(server.asked) == 1
    assert names(tmp_path) == []


def test_a_busy_server_is_asked_again(server, tmp_path):
    server.statuses = [503, 429]
    fetch(server, tmp_path)
    assert whole(tmp_path)


def test_a_server_that_always_cuts_is_given_up_and_the_part_kept(server, tmp_path):
    server.cuts = [1000] * 50
    with pytest.raises(InputError, match="connection was cut at 4000 of 1000000 bytes"):
        fetch(server, tmp_path)
    assert names(tmp_path) == [f"{NAME}.part"]
    server.cuts = []
    fetch(server, tmp_path)
    assert whole(tmp_path)
    assert server.asked[-1] == "bytes=4000-"


def test_the_next_mirror_is_asked(server, tmp_path):
    fetch(server, tmp_path, mirrors=["http://127.0.0.1:9/", server.url + "gone/", server.url])
    assert whole(tmp_path)


def test_a_silent_server_is_given_up(server, tmp_path, monkeypatch):
    monkeypatch.setattr("fedfact.data.sources.download.TIMEOUT", 0.05)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(InputError, match="timed out"):
            fetch(server, tmp_path, mirrors=[f"http://127.0.0.1:{deaf.getsockname()[1]}/"])


def test_a_folder_that_cannot_be_made(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be downloaded to it"):
        fetch(server, tmp_path / "file" / "folder")


def test_what_is_there_is_left_alone(server, tmp_path):
    (tmp_path / NAME).write_bytes(b"mine")
    fetch(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == b"mine"
    assert server.asked == []


def test_two_at_once_download_once(server, tmp_path):
    threads = [threading.Thread(target=fetch, args=(server, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert whole(tmp_path)
    assert server.asked == [None]


def serve(server, monkeypatch, module, folder):
    """Publish the files of a folder as those of a data set."""
    server.files = {path.name: path.read_bytes() for path in folder.iterdir()}
    remotes = [
        Remote(name, len(data), hashlib.md5(data).hexdigest())
        for name, data in server.files.items()
    ]
    order = {name: k for k, name in enumerate(MNIST)}
    remotes.sort(key=lambda remote: order.get(remote.name, 0))
    monkeypatch.setattr(f"fedfact.data.sets.{module}.REMOTES", tuple(remotes))
    monkeypatch.setattr(f"fedfact.data.sets.{module}.MIRRORS", (server.url,))


MNIST = [
    "train-images-idx3-ubyte.gz",
    "train-labels-idx1-ubyte.gz",
    "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
]


def test_mnist_is_downloaded_into_its_directory(server, tmp_path, monkeypatch, make_mnist):
    make_mnist(tmp_path / "published")
    serve(server, monkeypatch, "mnist", tmp_path / "published")
    data = tmp_path / "data"
    data.mkdir()
    assert len(load("mnist", data).train) == 20
    assert names(data / "mnist") == sorted(MNIST)
    (data / "mnist" / MNIST[2]).unlink()  # only what is missing is asked for
    server.asked.clear()
    assert len(load("mnist", data).test) == 10
    assert len(server.asked) == 1


def test_cifar10_is_downloaded_into_the_cache(server, tmp_path, monkeypatch, make_cifar10, cache):
    make_cifar10(tmp_path, "archive")
    serve(server, monkeypatch, "cifar10", tmp_path)
    for _ in ("downloaded", "there"):
        assert len(load("cifar10").train) == 20
    assert names(cache / "data" / "cifar10") == ["cifar-10-python.tar.gz"]
    assert len(server.asked) == 1
