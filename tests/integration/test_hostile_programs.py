# SPDX-License-Identifier: MIT
"""Signals to umbra, at any instant, while a process scribbles over its segment, talks without end and
answers nothing (tests/agent/hostile_program.cpp): umbra answers each within a second."""
import contextlib
import os
import random
import signal
import socket
import subprocess
import time

import pytest

from profile_file import Profile
from umbra_runner import FULL, TIMEOUT_SECONDS, UMBRA, child_of, end_if_alive, wait_until

HOSTILE = os.environ.get("UMBRA_HOSTILE_PROGRAM", "umbra_hostile_program")
SEEDS = range(40 if FULL else 4)
ANSWER_SECONDS = 1


@contextlib.contextmanager
def started(*command):
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            yield process
        finally:
            end_if_alive(process)


def line_of(stream, words):
    """The next line of a process that has these words."""
    for line in stream:
        if words in line:
            return line
    pytest.fail(f"it has ended without a word of {words!r}")


def running(pid):
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    return False


def wait_a_moment(seed):
    time.sleep(random.Random(seed).uniform(0, 1))


def read_back(file):
    profile = Profile(file)
    assert len(profile["threads"]) > 0
    return profile


@pytest.mark.parametrize("how, seed", [*(("run", seed) for seed in SEEDS), ("leave", 0)])
def test_a_signal_reaches_the_program(how, seed, tmp_path):
    file = tmp_path / "profile.h5"
    with started(UMBRA, "run", "--force", "-o", file, "--", HOSTILE, how, seed) as umbra:
        line_of(umbra.stdout, "taken")
        program = child_of(umbra.pid)
        wait_a_moment(seed)
        umbra.send_signal(signal.SIGTERM)
        begin = time.monotonic()
        wait_until(lambda: not running(program), TIMEOUT_SECONDS)
        took = time.monotonic() - begin
        umbra.communicate(timeout=TIMEOUT_SECONDS)
        print(f"{took:.2f} s to its end, {time.monotonic() - begin:.2f} s to that of umbra")
        assert umbra.returncode == 128 + signal.SIGTERM
    assert took < ANSWER_SECONDS
    if how == "run":
        read_back(file)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_signal_is_answered_in_a_capture(seed, tmp_path):
    """A word after the first one, the end and what there is of a profile after the second."""
    file = tmp_path / "profile.h5"
    with started(HOSTILE, "dormant", seed) as program:
        line_of(program.stdout, "ready")
        with started(UMBRA, "start", program.pid, "--force", "-o", file) as umbra:
            line_of(program.stdout, "taken")
            line_of(umbra.stderr, "timing process")
            wait_a_moment(seed)
            umbra.send_signal(signal.SIGINT)
            begin = time.monotonic()
            line_of(umbra.stderr, f"process {program.pid} has not answered yet")
            took = time.monotonic() - begin
            umbra.send_signal(signal.SIGINT)
            umbra.communicate(timeout=TIMEOUT_SECONDS)
            print(f"{took:.2f} s to a word, {time.monotonic() - begin - took:.2f} s more to the end")
        assert program.wait(TIMEOUT_SECONDS) == 0
    assert took < ANSWER_SECONDS
    read_back(file)


def test_a_signal_while_nobody_takes_the_connection(tmp_path):
    with started(HOSTILE, "deaf", 0) as program, contextlib.ExitStack() as queue:
        line_of(program.stdout, "ready")
        with open(f"/proc/{program.pid}/stat", encoding="utf-8") as stat:
            start = stat.read().rpartition(")")[2].split()[19]
        address = f"{os.environ.get('TMPDIR', '/tmp')}/umbra-agent-{program.pid}-{start}"
        with pytest.raises(BlockingIOError):
            for _ in range(1000):
                waiting = queue.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(address)
        with started(UMBRA, "start", program.pid, "--force", "-o", tmp_path / "profile.h5") as umbra:
            time.sleep(0.3)
            umbra.send_signal(signal.SIGINT)
            begin = time.monotonic()
            said = umbra.communicate(timeout=TIMEOUT_SECONDS)[1]
            took = time.monotonic() - begin
    assert (umbra.returncode, said.count("interrupted")) == (1, 1), said
    assert took < ANSWER_SECONDS
