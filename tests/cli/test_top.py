# SPDX-License-Identifier: MIT
"""umbra top: the screen of a terminal, lists and JSON without one, a terminal left as it was; beside
recorders that are made up."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess

import pytest

from conftest import UMBRA
from terminal import ENTER, LEAVE, Terminal

FAKE_RECORDER = os.environ["UMBRA_FAKE_RECORDER"]
starts_a_capture = pytest.mark.skipif("UMBRA_EMULATED" in os.environ, reason="umbra starts itself again, "
                                      "and the kernel executes no program of another processor")


class Recorder:
    """Shows made-up figures of this test's own process, until it is told to end."""

    def __init__(self, pid=None, kind="calls"):
        self.pid = pid or os.getpid()
        self.process = subprocess.Popen([FAKE_RECORDER, str(self.pid), kind], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == "listening\n"

    def tell(self, word):
        self.process.stdin.write(word + "\n")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def recorder():
    with Recorder() as made:
        yield made


def top(*arguments, **options):
    return subprocess.run([UMBRA, "top", *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, **options)


def test_without_a_terminal_it_is_a_plain_list(recorder):
    ran = top(recorder.pid)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].startswith(f"shop.dll  .NET 10.0.12, pid {recorder.pid}  umbra start, process ")
    assert lines[1].startswith("recording for ")
    assert "2,000 calls/s in the last 1.00 s" in lines[1] and "4 threads" in lines[1]
    assert lines[2].startswith("lost 3 ring full, 2 depth  7 waits for umbra, 1.50 ms")
    assert lines[4].split() == ["now", "cpu", "total", "calls", "calls/s", "self", "share",
                                "module", "name"]
    assert [line.split()[-1] for line in lines[5:]] == ["Acme.Fib(int)", "Acme.Main()", "Acme.Idle()"]
    assert "\x1b" not in ran.stdout
    (only,) = top(recorder.pid, "--once", "--top", 1).stdout.splitlines()[5:]
    assert only.split() == lines[5].split()


@pytest.mark.parametrize("order, first", [("now", "Fib"), ("self", "Idle"), ("total", "Main"),
                                          ("calls", "Fib"), ("cpu", "Main")])
def test_every_order(recorder, order, first):
    listed = json.loads(top(recorder.pid, "--once", "--json", "--sort", order).stdout)
    assert first in listed["methods"][0]["name"]


def test_json_once_and_as_it_comes(recorder):
    once = json.loads(top(recorder.pid, "--once", "--json").stdout)
    assert once["lost"] == {"ring_full": 3, "no_thread_slot": 0, "depth": 2, "nodes": 0,
                            "decode_errors": 0}
    assert once["recorder"].startswith("umbra start, process ") and once["ended"] is None
    assert (once["waits"], once["calls_per_second"]) == (7, 2000)
    stream = subprocess.Popen([UMBRA, "top", str(recorder.pid), "--json"], text=True,
                              stdout=subprocess.PIPE)
    with stream:
        first = json.loads(stream.stdout.readline())
        recorder.tell("figures")
        second = json.loads(stream.stdout.readline())
        assert second["time_ns"] > first["time_ns"]
        recorder.tell("end")
        *_, last = map(json.loads, stream.stdout)
        assert last["ended"] == "exit 0"
        assert stream.wait(60) == 0


def test_a_reader_that_goes_ends_the_stream(recorder):
    stream = subprocess.Popen([UMBRA, "top", str(recorder.pid), "--json"], stdout=subprocess.PIPE)
    stream.stdout.readline()
    stream.stdout.close()
    recorder.tell("figures")
    assert stream.wait(60) == 0


def test_samples_have_no_calls_and_no_inclusive_times():
    with Recorder(kind="samples") as sampling:
        text = top(sampling.pid).stdout
        assert "samples/s" in text and "calls" not in text and "total" not in text
        assert "stopped for" in text and "lost 3 ring full" in text
        ran = top(sampling.pid, "--sort", "total")
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "no inclusive times" in ran.stderr


def test_on_a_terminal_it_is_a_screen_that_keys_and_size_change(recorder):
    with Terminal([UMBRA, "top", recorder.pid], rows=24, columns=120) as terminal:
        terminal.until_text("q quit   by:  n now", "Acme.Main()")
        assert terminal.lines[-1].startswith("q quit   by:  n now")
        assert terminal.pyte.cursor.hidden

        def names():
            heading = next(line for line in terminal.lines if line.endswith("name"))
            rows = terminal.lines[terminal.lines.index(heading) + 1:]
            return [row.split()[-1] for row in rows[:rows.index("")]]

        assert names()[0] == "Acme.Fib(int)"
        for key, first in [("s", "Acme.Idle()"), ("t", "Acme.Main()"), ("c", "Acme.Fib(int)"),
                           ("p", "Acme.Main()"), ("n", "Acme.Fib(int)")]:
            terminal.type(key)
            terminal.until(lambda _, first=first: names()[0] == first)
        terminal.resize(12, 60)
        terminal.until(lambda _: terminal.lines[-1].startswith("q quit"))
        terminal.type("q")
        assert terminal.ended() == 0
        assert terminal.raw.count(ENTER) == terminal.raw.count(LEAVE) == 1
        assert terminal.raw.endswith(LEAVE)
        assert terminal.is_as_found()


@pytest.mark.parametrize("rows, columns", [(1, 1), (2, 20), (3, 30), (5, 40), (8, 25), (50, 300)])
def test_any_size_of_terminal(recorder, rows, columns):
    with Terminal([UMBRA, "top", recorder.pid], rows=rows, columns=columns) as terminal:
        terminal.until(lambda _: terminal.lines[0])
        if rows >= 4:
            terminal.until_text("Acme.")
        assert len(terminal.lines) == rows
        terminal.type("q")
        assert terminal.ended() == 0


def test_several_watch_and_see_the_end(recorder):
    with contextlib.ExitStack() as stack:
        terminals = [stack.enter_context(Terminal([UMBRA, "top", recorder.pid], columns=120))
                     for _ in range(3)]
        for terminal in terminals:
            terminal.until_text("Acme.Main()")
        recorder.tell("end")
        for terminal in terminals:
            terminal.until_text("ended after", "exit 0", "Acme.Main()")
            terminal.type("s")
            terminal.until(lambda t: any("Acme.Idle()" in line for line in t.lines[4:6]))
            terminal.type("q")
            assert terminal.ended() == 0


def test_the_last_list_stays_when_the_recorder_dies(recorder):
    with Terminal([UMBRA, "top", recorder.pid], columns=120) as terminal:
        terminal.until_text("Acme.Main()")
        recorder.process.kill()
        terminal.until_text("has gone", "Acme.Main()")
        terminal.type("q")
        assert terminal.ended() == 0


def test_a_recorder_that_stands_still_is_told_of(recorder):
    with Terminal([UMBRA, "top", recorder.pid], columns=120) as terminal:
        terminal.until_text("Acme.Main()")
        recorder.process.send_signal(signal.SIGSTOP)
        terminal.until_text("no new figures for")
        terminal.type("q")
        assert terminal.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT,
                                    signal.SIGSEGV, signal.SIGABRT], ids=lambda n: n.name)
def test_every_signal_gives_the_terminal_back(recorder, number):
    with Terminal([UMBRA, "top", recorder.pid]) as terminal:
        terminal.until_text("q quit")
        assert not terminal.is_as_found()
        terminal.send(number)
        crash = number in (signal.SIGSEGV, signal.SIGABRT)
        expected = -number if crash else 0 if number == signal.SIGINT else 128 + number
        assert terminal.ended() == expected
        # An emulator has a line of its own to say of a crash.
        assert re.sub(rb"qemu: uncaught target signal .*\r\n$", b"", terminal.raw).endswith(LEAVE)
        assert terminal.is_as_found()


def test_ctrl_c_and_ctrl_z_work_as_everywhere(recorder):
    with Terminal([UMBRA, "top", recorder.pid]) as terminal:
        terminal.until_text("q quit")
        terminal.type("\x1a")
        terminal.until(lambda _: terminal.raw.endswith(LEAVE))
        status = os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
        assert status.si_code == os.CLD_STOPPED
        assert terminal.is_as_found()
        terminal.send(signal.SIGCONT)
        terminal.until(lambda _: terminal.raw.count(ENTER) >= 2)
        terminal.type("\x03")
        assert terminal.ended() == 0
        assert terminal.raw.endswith(LEAVE)
        assert terminal.is_as_found()


@pytest.mark.parametrize("how", ["dumb", "no keyboard"])
def test_on_half_a_terminal_it_is_a_plain_list(recorder, how):
    environment = {"TERM": "dumb"} if how == "dumb" else {}
    stdin = subprocess.DEVNULL if how == "no keyboard" else None
    with Terminal([UMBRA, "top", recorder.pid], 60, 120, environment, stdin) as terminal:
        assert terminal.ended() == 0
        assert ENTER not in terminal.raw
        assert "Acme.Main()" in terminal.text


def test_what_is_no_process_is_one_line(umbra, tmp_path):
    (tmp_path / "profile.h5").write_text("text")
    assert "umbra report FILE" in umbra.fails(1, "top", "profile.h5")
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert f"no process {gone.pid}" in umbra.fails(1, "top", gone.pid)


@starts_a_capture
def test_a_process_without_a_runtime_is_one_line(umbra):
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        assert "not a .NET program" in umbra.fails(1, "top", sleeper.pid)
        with Terminal([UMBRA, "top", sleeper.pid], columns=120) as terminal:
            assert terminal.ended() == 1
            assert "not a .NET program" in terminal.text
            assert terminal.is_as_found()
        sleeper.kill()


def test_of_an_umbra_with_several_processes_one_is_to_be_named(umbra):
    with Recorder() as one, Recorder(os.getppid()):
        assert json.loads(top(one.pid, "--once", "--json").stdout)["pid"] == one.pid
        said = umbra.fails(1, "top")
        assert str(os.getpid()) in said and str(os.getppid()) in said
        of_recorder = json.loads(top(one.process.pid, "--once", "--json").stdout)
        assert of_recorder["pid"] == one.pid


@pytest.mark.parametrize("answer", [b"", b"\xff" * 200, b"\xff\xff\x0f\0\x1b\0\0\0" + b"x" * 4096,
                                    b"\x10\0\0\0\x1a\0\0\0" + b"\xff" * 16])
def test_a_made_up_socket_is_passed_over(recorder, answer):
    with socket.socket(socket.AF_UNIX) as hostile:
        hostile.bind(f"\0umbra-live-1-{os.getpid()}")
        hostile.listen()
        pid = os.fork()
        if pid == 0:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = hostile.accept()
                    connection.sendall(answer)
            os._exit(0)
        try:
            assert top(recorder.pid, "--once").returncode == 0
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


@starts_a_capture
def test_a_socket_of_another_user_is_not_believed(umbra):
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            other = subprocess.Popen([FAKE_RECORDER, str(sleeper.pid), "calls"], user=65534,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except PermissionError:
            sleeper.kill()
            pytest.skip("other users cannot run the test programs here")
        with other:
            assert other.stdout.readline() == "listening\n"
            # This one is not the other user's: what that one says of it is worth nothing.
            assert "not a .NET program" in umbra.fails(1, "top", "--once", sleeper.pid)
            other.kill()
        sleeper.kill()
