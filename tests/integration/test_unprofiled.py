# SPDX-License-Identifier: MIT
"""Where profiling cannot start the program runs as if umbra were not there, to the last byte."""
import contextlib
import os
import socket
import struct
import sys
import threading

import pytest

from umbra_runner import SUPPORT, run_bare, run_umbra

AGENT = os.environ.get("UMBRA_AGENT", "libumbra_agent.so")
CLSID = "{8c7a1f5e-3b0d-4c7e-9a21-756d62726101}"
PROGRAM = "shapes"
WELCOME, REFUSE = 8, 9  # positions in protocol::Message, from 1


def agent_environment(log, socket_path=None):
    environment = {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": CLSID,
                   "CORECLR_PROFILER_PATH": AGENT, "UMBRA_LOG": str(log)}
    if socket_path:
        environment["UMBRA_SOCKET"] = str(socket_path)
    return environment


def check_unprofiled(runtime, log, environment, *reasons):
    """Same output as without the variables, and the log names the reason."""
    bare = run_bare(runtime.command(PROGRAM))
    done = run_bare(runtime.command(PROGRAM), environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")
    lines = log.read_text().splitlines()
    assert len(lines) == 1, lines
    for reason in reasons:
        assert reason in lines[0]


class FakeCollector:
    """Listens like a collector, and answers the agent's first message with given bytes."""

    def __init__(self, folder, answer, stay=False):
        self.path = folder / "socket"
        self.answer = answer
        self.stay = stay
        self.heard = b""
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        with self.listener, contextlib.suppress(OSError):  # the agent may hang up at any time
            connection, _ = self.listener.accept()
            with connection:
                self.heard = connection.recv(65536)
                connection.sendall(self.answer)
                while self.stay and connection.recv(65536):
                    pass


def frame(kind, payload):
    return struct.pack("<IHH", len(payload), kind, 0) + payload


def text(words):
    return struct.pack("<I", len(words)) + words.encode()


def test_variables_alone_make_a_dormant_agent(tmp_path, runtime):
    log, folder = tmp_path / "log", tmp_path / "sockets"
    folder.mkdir()
    bare = run_bare(runtime.command(PROGRAM))
    done = run_bare(runtime.command(PROGRAM), agent_environment(log) | {"TMPDIR": str(folder)})
    assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")
    assert not log.exists()
    assert not list(folder.glob("umbra-agent-*"))  # its socket goes with it


def test_no_place_for_the_agents_socket(tmp_path, runtime):
    log = tmp_path / "log"
    check_unprofiled(runtime, log,
                     agent_environment(log) | {"TMPDIR": str(tmp_path / "missing")},
                     "listening at", "missing/umbra-agent-")


def test_refused_socket(tmp_path, runtime):
    log, path = tmp_path / "log", tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))  # bound, but nobody listens
        check_unprofiled(runtime, log, agent_environment(log, path), str(path))


def test_absent_socket(tmp_path, net10):
    log, path = tmp_path / "log", tmp_path / "nobody"
    check_unprofiled(net10, log, agent_environment(log, path), str(path))


@pytest.mark.parametrize("answer, reason", [
    (frame(REFUSE, text("this collector is of version 99")), "version 99"),
    (b"HTTP/1.1 400 Bad Request\r\n\r\n", "version"),
    (frame(WELCOME, b"\xff" * 16), "version"),
    (b"\0" * 64, "version"),
    (b"", ""),
], ids=["refusal", "another protocol", "another welcome", "zeros", "hang-up"])
def test_collector_of_another_version(tmp_path, net10, answer, reason):
    log = tmp_path / "log"
    collector = FakeCollector(tmp_path, answer)
    check_unprofiled(net10, log, agent_environment(log, collector.path), reason)
    assert collector.heard


def test_missing_memfd(tmp_path, runtime):
    log = tmp_path / "log"
    deny = [sys.executable, str(SUPPORT / "deny_call.py"), "memfd_create"]
    bare = run_bare(runtime.command(PROGRAM))
    collector = FakeCollector(tmp_path, b"", stay=True)
    done = run_bare(deny + runtime.command(PROGRAM), agent_environment(log, collector.path))
    assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")
    assert "memfd" in log.read_text()


def test_missing_memfd_is_told_on_the_collectors_console(tmp_path, net10):
    deny = [sys.executable, str(SUPPORT / "deny_call.py"), "memfd_create"]
    bare = run_bare(net10.command(PROGRAM))
    done = run_umbra(tmp_path / "profile.h5", deny + net10.command(PROGRAM))
    assert done.status == 0
    assert done.stdout == bare.stdout
    assert "memfd" in done.stderr
    assert not done.file.exists()


def test_unwritable_log_is_no_reason_to_fail(tmp_path, net10):
    bare = run_bare(net10.command(PROGRAM))
    done = run_bare(net10.command(PROGRAM), agent_environment(tmp_path / "missing" / "log"))
    assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")


def test_agent_without_variables_does_not_load(tmp_path, net10):
    log = tmp_path / "log"
    environment = agent_environment(log) | {"CORECLR_ENABLE_PROFILING": "0"}
    assert run_bare(net10.command(PROGRAM), environment).returncode == 0
    assert not log.exists()
