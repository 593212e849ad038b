# SPDX-License-Identifier: MIT
"""Limits of the machine and of its owner: umbra says what it cannot do, the program runs on."""
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from profile_file import Profile
from targets import NOBODY, Published, as_nobody, public_folder  # noqa: F401  (a fixture)
from umbra_runner import TIMEOUT_SECONDS, UMBRA, child_of, until


@pytest.fixture(name="folder")
def _folder():
    """One that another user may write to."""
    made = Path(tempfile.mkdtemp(prefix="umbra-test-"))
    os.chown(made, NOBODY, NOBODY)
    yield made
    shutil.rmtree(made)


def cpu_seconds(pid):
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_no_thread_for_a_session(net10, folder, public_folder):  # noqa: F811
    """Root's number of threads has no limit, so this is another user's umbra."""
    nobody = as_nobody()
    command = Published(net10, public_folder).command("fib", 20)
    go = folder / "go"
    wait = f'while [ ! -e {go} ]; do sleep 0.05; done; exec "$@"'
    line = [*nobody, public_folder / "umbra", "run", "-o", folder / "profile.h5", "--",
               "sh", "-c", wait, "sh", *command]
    environment = dict(os.environ, HOME=str(folder), TMPDIR=str(folder))
    environment.pop("XDG_RUNTIME_DIR", None)
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, cwd="/") as umbra:
        child_of(umbra.pid)  # it has threads of its own by now
        limited = subprocess.run([*nobody, "prlimit", "--pid", str(umbra.pid), "--nproc=1:1"])
        go.touch()
        stdout, stderr = umbra.communicate(timeout=TIMEOUT_SECONDS)
    assert limited.returncode == 0
    assert umbra.returncode == 0, stderr
    assert "fib(20) = 6765" in stdout, "the program runs as if umbra were not there"
    assert "is not profiled" in stderr and "cannot be started" in stderr, stderr
    assert "ulimit -u" in stderr
    assert "wrote" not in stderr
    assert not list(folder.glob("*.h5"))


def test_the_folder_of_the_profile_is_gone_at_the_end(net10, tmp_path):
    """A recording cannot be made again: it is written to another place, which is named."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    go = tmp_path / "go"
    wait = f'while [ ! -e {go} ]; do sleep 0.05; done; exec "$@"'
    line = [UMBRA, "run", "-o", folder / "profile.h5", "--", "sh", "-c", wait, "sh",
            *net10.command("fib", 20)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, TMPDIR=str(tmp_path))) as umbra:
        child_of(umbra.pid)
        folder.rmdir()
        go.touch()
        stdout, stderr = umbra.communicate(timeout=TIMEOUT_SECONDS)
    assert "fib(20) = 6765" in stdout
    said = [one for one in stderr.splitlines() if "was not written" in one]
    assert len(said) == 1 and str(folder) in said[0], stderr
    second = Path(re.search(r"; it is in (.*)$", said[0])[1])
    assert second.parent.stat().st_mode & 0o777 == 0o700
    assert Profile(second).calls("fib.dll")["Fib.Run"] == 21891


def test_no_descriptor_is_left(net10, tmp_path):
    """umbra says so, once, and waits without burning a processor."""
    go = tmp_path / "go"
    wait = f'while [ ! -e {go} ]; do sleep 0.05; done; exec "$@"'
    line = [UMBRA, "run", "-o", tmp_path / "profile.h5", "--", "sh", "-c", wait, "sh",
            *net10.command("fib", 20)]
    used = 0
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as umbra:
        child_of(umbra.pid)
        try:
            resource.prlimit(umbra.pid, resource.RLIMIT_NOFILE, (3, 3))
        finally:
            go.touch()
        for _ in until(TIMEOUT_SECONDS, 0.05):
            if umbra.poll() is not None:
                break
            used = cpu_seconds(umbra.pid)
        stdout, stderr = umbra.communicate(timeout=TIMEOUT_SECONDS)
    assert "fib(20) = 6765" in stdout, "the program runs as if umbra were not there"
    assert stderr.count("cannot be taken in") == 1 and "ulimit -n" in stderr, stderr
    assert used < 1


def test_descriptors_that_block_their_closing(tmp_path):
    """A program of any kind connects as agents do, and sends sockets with half a minute to say."""
    hostile = tmp_path / "hostile.py"
    hostile.write_text("""
import array, os, signal, socket, struct, sys, time
control = socket.socket(socket.AF_UNIX)
control.settimeout(10)
control.connect(os.environ["UMBRA_SOCKET"])
listener = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(listener.getsockname())
receiver, _ = listener.accept()
sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 30))
sender.setblocking(False)
try:
    while True:
        sender.send(bytes(1 << 16))
except BlockingIOError:
    pass
sent = array.array("i", [sender.fileno()])
os.kill(os.getppid(), signal.SIGSTOP)  # so that the last to close it is umbra
control.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, sent)])
sender.close()
os.kill(os.getppid(), signal.SIGCONT)
print("sent", control.recv(1), flush=True)
time.sleep(60)
""")
    with subprocess.Popen([UMBRA, "run", "-o", tmp_path / "profile.h5", "--", sys.executable,
                           hostile], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as umbra:
        began = time.monotonic()
        child = child_of(umbra.pid)
        try:
            assert umbra.stdout.readline() == "sent b''\n", "the connection is ended at once"
            umbra.send_signal(signal.SIGTERM)
            umbra.communicate(timeout=TIMEOUT_SECONDS)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
    assert time.monotonic() - began < 10, "umbra waits for nobody's socket"
