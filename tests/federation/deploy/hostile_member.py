"""A member that means harm: its own certificate, FLARE's own libraries, and any message it likes.

It is hostile in two ways: as a process of its own that connects to the server (``Outside``), and
as the member that answers in its own site's job, with all that this site was given (``Inside``).
Either is told what to send, a JSON document a line, and says what came back. What FLARE's library
would not let it do, such as naming another as the origin of a message, is done by a filter that
FLARE calls just before a message leaves.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

UNHEARD = {"silence", "target_unreachable", "authentication_error", "unauthenticated"}
"""What a member hears that is not listened to.

It is silence only where the server goes on answering, on the same connection, what may be asked.
"""


class Hostile:
    """A hostile member under a test's command."""

    def say(self, target, channel, topic, *, timeout=0.4, **how):
        """Send a request; the code of the answer.

        ``headers`` replace those that FLARE sets, by their short names (``origin``), ``body``,
        ``inside``, ``claims`` and ``cookies`` fill a Shareable; ``admin`` makes it a command of an
        administrator with these headers, ``raw`` bytes in hexadecimal. ``streamed``: as sites do.
        """
        where = {"target": target, "channel": channel, "topic": topic, "timeout": timeout}
        return self._ask({"do": "say", **where, **how})["answer"]

    def command(self, target, topic, headers=None, timeout=0.4, **admin):
        """What only the operator's server says to a site, such as ``train.shutdown``."""
        about = {"admin": admin, "headers": headers or {}, "timeout": timeout}
        return self.say(target, "admin", topic, **about)

    def flood(self, count):
        """Ask so often for what does not exist, in words that the server repeats at length, and
        from now on read nothing of what it says."""
        self._ask({"do": "flood", "count": count})

    def cut_streams(self, job, seconds):
        """Say for so long that whatever the server streams has failed."""
        return self._ask({"do": "cut_streams", "job": job, "seconds": seconds})["said"]

    def _ask(self, request):
        self._write.write(json.dumps(request) + "\n")
        self._write.flush()
        line = self._read.readline()
        assert line, "the hostile member's process has ended"
        return json.loads(line)


class Outside(Hostile):
    """A process with what a member's site has. It connects as ``cell``: its own, unless it lies."""

    def __init__(self, workspace, cell=None, patience=20.0):
        words = [sys.executable, __file__, str(workspace), cell or workspace.parent.name]
        self._log = (workspace.parent / "hostile.log").open("ab")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        self._process = subprocess.Popen(words, text=True, **pipes)
        self._write, self._read = self._process.stdin, self._process.stdout
        self.connected = self._ask({"do": "connect", "patience": patience})["connected"]

    def register(self, kind="regular", **claims):
        """Register as a member's site does; 'ok' or why not."""
        return self._ask({"do": "register", "kind": kind, "claims": claims})["answer"]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.kill()
        self._process.communicate()
        self._log.close()


class Inside(Hostile):
    """The member in a site's job (see ``lend``), which says everything in its site's name."""

    def __init__(self, directory, patience=30.0):
        deadline, place = time.monotonic() + patience, directory / "lent"
        while not place.exists():
            assert time.monotonic() < deadline, "the hostile member was not opened"
            time.sleep(0.05)
        self._line = socket.create_connection(("127.0.0.1", int(place.read_text())))
        self._write, self._read = self._line.makefile("w"), self._line.makefile("r")

    def close(self):
        """Take no more of its time."""
        for each in (self._write, self._read, self._line):
            each.close()


def lend(directory):
    """In a member's process: do what an ``Inside`` says, with the cell of this job."""
    from nvflare.fuel.f3.cellnet.core_cell import CoreCell

    [core] = CoreCell.ALL_CELLS.values()
    listener = socket.create_server(("127.0.0.1", 0))
    place = directory / "lent"
    place.with_suffix(".new").write_text(str(listener.getsockname()[1]))
    place.with_suffix(".new").rename(place)

    def serve():
        while True:
            line, _ = listener.accept()
            _Sender(core).obey(line.makefile("r"), line.makefile("w"))

    threading.Thread(target=serve, daemon=True).start()


def wreck(victims):
    """In a member's process: have the others' sites and jobs end, again and again."""
    from nvflare.fuel.f3.cellnet.core_cell import CoreCell

    [core] = CoreCell.ALL_CELLS.values()
    sender, job = _Sender(core), core.get_fqcn().partition(".")[2]

    def go_on():
        while True:
            for victim in victims:
                sender.say(victim, "admin", "train.shutdown", 0.4, admin={})
                sender.say(f"{victim}.{job}", "client_command", "abort", 0.4)
                about = {"inside": {"fl_client": victim}, "streamed": True}
                sender.say(f"server.{job}", "server_command", "handle_dead_job", 0.4, **about)
            time.sleep(0.5)

    threading.Thread(target=go_on, daemon=True).start()


class _Sender:
    """Sends what it is told to, over one cell."""

    def __init__(self, core):
        self._core, self._forged, self._by = core, {}, None
        self._asked, self._answered = None, set()
        core.add_outgoing_request_filter("*", "*", self._forge)
        core.add_incoming_filter("*", "*", self._hear)

    def obey(self, lines, answers):
        for line in lines:
            request = json.loads(line)
            answer = getattr(self, request.pop("do"))(**request)
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    def _forge(self, message):
        if threading.current_thread() is not self._by:
            return
        self._asked = message.get_header("cn__req_id")
        for key, value in self._forged.items():
            message.set_header(key if key in PLAIN or "__" in key else "cn__" + key, value)

    def _hear(self, message):
        if message.get_header("cn__msg_type") in ("reply", "return"):
            found = message.get_header("cn__req_id")
            self._answered.update(found if isinstance(found, list) else [found])

    def say(self, target, channel, topic, timeout, headers=None, **how):
        """The answer, if need be after a pause in which the server has answered something else."""
        told = self._send(target, channel, topic, timeout, headers, **how)
        asked = self._asked
        if told["answer"] in ("timeout", "target_unreachable", "comm_error"):
            if not self.is_heard(20.0):
                return {"answer": "disconnected"}
            if told["answer"] == "timeout":
                return {"answer": "late" if asked in self._answered else "silence"}
        return told

    def is_heard(self, patience):
        """Whether the server answers, over the same connection, what may be asked."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self._is_answered():
                return True
            time.sleep(0.2)
        return False

    def _is_answered(self):
        told = self._send("server.nowhere", "server_command", "get_task", 2.0)
        return told.get("why") == "cant_forward"  # it comes from the server

    def _send(self, target, channel, topic, timeout, headers=None, **how):
        from nvflare.fuel.f3.cellnet.defs import MessageHeaderKey
        from nvflare.fuel.f3.cellnet.utils import encode_payload

        self._by, self._forged = threading.current_thread(), headers or {}
        message = _message(topic, **how)
        if how.get("streamed"):  # all in one piece
            encode_payload(message, "sm__pe")
            piece = {"id": time.time_ns(), "sz": len(message.payload), "sq": 0, "os": 0, "dt": 2}
            inner = {**piece, "ch": channel, "tp": topic, "ri": "evil"}
            message.add_headers({"sm__" + key: value for key, value in inner.items()})
            channel, topic = "sm__STREAM", "sm__DATA"
        try:
            reply = self._core.send_request(channel, topic, target, message, timeout=timeout)
        except Exception as error:
            return {"answer": f"raised {error!r}"}
        finally:
            self._forged = {}
        why = reply.get_header(MessageHeaderKey.RETURN_REASON)
        return {"answer": reply.get_header(MessageHeaderKey.RETURN_CODE), "why": why}

    def flood(self, count):
        from nvflare.fuel.f3.drivers.socket_conn import SocketConnection
        from nvflare.fuel.f3.message import Message

        SocketConnection.read_frame = lambda line: threading.Event().wait()
        self._by, self._forged = threading.current_thread(), {"reply_expected": True}
        about = {"cn__req_id": "any", "pad": "x" * 60_000}
        to = ("server_command", "get_task", "server.nowhere")
        for _ in range(count):
            self._core.fire_and_forget(*to, Message(dict(about), None), optional=True)
        return {"answer": "ok"}

    def cut_streams(self, job, seconds):
        from nvflare.fuel.f3.message import Message

        newest, said, deadline = [0], 0, time.monotonic() + seconds

        def look(message):  # what it is sent is numbered as what the others are
            newest[0] = max(newest[0], message.get_header("sm__id"))

        self._core.add_incoming_filter("sm__STREAM", "sm__DATA", look)
        while time.monotonic() < deadline:
            for number in range(newest[0] - 6, newest[0] + 12) if newest[0] else ():
                about = {"sm__id": number, "sm__em": "no", "sm__et": "StreamError", "sm__os": 0}
                to = ("sm__STREAM", "sm__ACK", f"server.{job}")
                self._core.fire_and_forget(*to, Message(about, None), optional=True)
                said += number != newest[0]
            time.sleep(0.02)
        return {"said": said}


# Headers that FLARE's cells do not put their own mark before.
PLAIN = {"client_name", "client_type", "job_id", "nonce"}  # and __token__, __token_signature__


def _message(topic, body=None, inside=(), claims=None, cookies=(), admin=None, raw=None, **other):
    from nvflare.apis.fl_constant import ReservedKey
    from nvflare.apis.fl_context import FLContext
    from nvflare.apis.shareable import Shareable
    from nvflare.fuel.f3.message import Message
    from nvflare.private.admin_defs import Message as Command

    if raw is not None:
        return Message({"sm__pe": "fobs", "cn__payload_encoding": "fobs"}, bytes.fromhex(raw))
    if admin is not None:
        command = Command(topic=topic, body="")
        for key, value in admin.items():
            command.set_header(key, value)
        return Message(None, command)
    if other.get("plain"):
        return Message(None, body)
    shareable = Shareable(body or {})
    for key, value in dict(inside).items():
        shareable.set_header(key, value)
    for key, value in dict(cookies).items():
        shareable.add_cookie(key, value)
    if claims is not None:
        context = FLContext()
        names = {"name": ReservedKey.IDENTITY_NAME, "job": ReservedKey.RUN_NUM}
        for key, value in claims.items():
            context.set_prop(names.get(key, key), value, private=False)
        shareable.set_peer_context(context)
        shareable.set_peer_props(context.get_all_public_props())
    return Message(None, shareable)


_CREDENTIALS = ("ca_cert", "client_cert", "client_key")


class _Process(_Sender):
    """The process of an ``Outside``."""

    def __init__(self, workspace, name):
        from nvflare.fuel.f3.cellnet.cell import Cell
        from nvflare.private.fed.utils.fed_utils import fobs_initialize

        fobs_initialize()
        self._startup, self._own = workspace / "startup", workspace.parent.name
        settings = json.loads((self._startup / "fed_client.json").read_text())
        self._server, client = settings["servers"][0], settings["client"]
        names = ("ssl_root_cert", "ssl_cert", "ssl_private_key")
        self._files = [str(self._startup / client[name]) for name in names]
        self._cell = Cell(
            fqcn=name,
            root_url="tcp://" + self._server["service"]["target"],
            secure=True,
            credentials=dict(zip(_CREDENTIALS, self._files, strict=True)),
            create_internal_listener=False,
            auth_identity=self._own,
            auth_identity_map={"server": self._server["identity"]},
        )
        super().__init__(self._cell.core_cell)

    def connect(self, patience):
        """Connect; whether the server answers what it answers anybody whom it lets in."""
        self._cell.start()
        return {"connected": self.is_heard(patience)}

    def _is_answered(self):
        if "." in self._core.get_fqcn():
            told = self._send("server", "cellnet.channel", "bye", 2.0)
        else:
            told = self._send("server", "task", "challenge", 2.0, {"nonce": "any"})
        return told["answer"] == "ok"

    def register(self, kind, claims):
        from nvflare.apis.fl_context import FLContext
        from nvflare.apis.signal import Signal
        from nvflare.fuel.sec.authn import set_add_auth_headers_filters
        from nvflare.private.fed.authenticator import Authenticator

        about = FLContext()
        for key, value in claims.items():
            about.set_prop(key, value, private=False)
        root, certificate, key = self._files
        authenticator = Authenticator(
            cell=self._cell,
            project_name=self._server["name"],
            client_name=self._own,
            client_type=kind,
            expected_sp_identity=self._server["identity"],
            secure_mode=True,
            root_cert_file=root,
            private_key_file=key,
            cert_file=certificate,
            msg_timeout=3.0,
            retry_interval=1.0,
            timeout=6.0,
        )
        try:
            token, signature, ssid, _ = authenticator.authenticate(about, Signal())
        except Exception as error:
            return {"answer": str(error)}
        set_add_auth_headers_filters(self._cell, self._own, token, signature, ssid)
        self._core.add_outgoing_request_filter("*", "*", self._forge)  # it has the last word
        return {"answer": "ok"}


def main():
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # FLARE prints
    _Process(Path(sys.argv[1]), sys.argv[2]).obey(sys.stdin, answers)


if __name__ == "__main__":
    main()
    os._exit(0)
