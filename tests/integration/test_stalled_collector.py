# SPDX-License-Identifier: MIT
"""A collector that stands still, or is killed while it does: what that costs the program, in time
and in records."""
import signal
import time

import pytest

from running_program import Program, Capture
from targets import stop

# What the agent waits for a collector, and what a busy machine needs for a call of the program.
TIMEOUT_SECONDS = 5
AT_ONCE_SECONDS = 3
GUESTS = 100_000  # eight events each: several rings full


@pytest.fixture
def program(runtime):
    running = Program(runtime)
    running.do("serve 10")
    yield running
    running.kill()


def seconds_of(program, line):
    begin = time.monotonic()
    program.do(line)
    return time.monotonic() - begin


def test_threads_wait_once_for_a_stalled_collector(program, tmp_path):
    capture = Capture(program.pid, tmp_path / "profile.h5")
    program.do("thread 10")
    stop(capture.process.pid)
    waits = [seconds_of(program, f"thread {GUESTS}") for _ in range(4)]
    capture.process.send_signal(signal.SIGCONT)
    print("seconds:", *(f"{wait:.1f}" for wait in waits))
    assert TIMEOUT_SECONDS - 2 < waits[0] < TIMEOUT_SECONDS + AT_ONCE_SECONDS
    assert max(waits[1:]) < AT_ONCE_SECONDS
    profile = capture.interrupt()
    assert profile.lost_events > 2 * GUESTS, "what was dropped is counted"


def test_a_killed_collector_lets_waiting_threads_go(program, tmp_path):
    capture = Capture(program.pid, tmp_path / "profile.h5")
    program.do("thread 10")
    stop(capture.process.pid)
    program.process.stdin.write(f"thread {GUESTS}\n")
    program.process.stdin.flush()
    time.sleep(1.5)  # by now it waits
    killed = time.monotonic()
    capture.process.kill()
    program.process.stdout.readline()
    waited = time.monotonic() - killed
    print(f"{waited:.2f} s")
    assert waited < AT_ONCE_SECONDS, "3.5 s were left of its timeout"
    capture.process.wait()
    assert seconds_of(program, f"thread {GUESTS}") < AT_ONCE_SECONDS
    program.end()
