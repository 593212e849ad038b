# SPDX-License-Identifier: MIT
"""Modules that go while the agent works with them: a program that loads and unloads collectible
contexts all the time lives through windows that open and close, and through a collector that has
every method compiled anew."""
import struct
import time

import pytest

from bare_collector import BareCollector
from profile_file import Profile
from running_program import Program
from targets import umbra
from umbra_runner import FULL

# On each runtime: 2,000 or 30 in all.
CAPTURES = 667 if FULL else 10
LIMITED_SECONDS = 60 if FULL else 5


@pytest.fixture
def program(runtime):
    running = Program(runtime, program="unloading")
    yield running
    running.kill()


def contexts_gone(program):
    return int(program.ask("how many"))


def test_windows_open_and_close_while_contexts_unload(program, tmp_path):
    file = tmp_path / "profile.h5"
    begin = contexts_gone(program)
    longest, seen = 0, 0
    for capture in range(CAPTURES):
        started = time.monotonic()
        done = umbra("start", program.pid, "--duration", f"{20 + capture % 7 * 10}ms", "-q", "-o", file)
        assert done.returncode == 0, f"capture {capture}: {done.stderr}"
        longest = max(longest, time.monotonic() - started)
        seen += sum(Profile(file).calls("guest.dll").values()) > 0
        gone = contexts_gone(program)
    print(f"{CAPTURES} captures, the longest took {longest:.1f} s, {seen} of them saw the guest; "
          f"{gone - begin} contexts unloaded")
    assert seen > 0 and gone > begin
    assert longest < 10, "somebody waited until his timeout was over"
    program.end()


def test_every_function_is_limited_while_contexts_unload(program):
    begin = contexts_gone(program)
    limited = without_hooks = 0
    end = time.monotonic() + LIMITED_SECONDS
    while time.monotonic() < end:
        with BareCollector(program.pid) as collector:
            turn = time.monotonic() + 1
            while time.monotonic() < turn:
                message = collector.next()
                assert message is not None, "the agent has gone"
                name, payload = message
                if name == "FunctionNamed":
                    collector.limit(struct.unpack_from("<I", payload))
                    limited += 1
                without_hooks += name == "HooksRemoved"
        contexts_gone(program)
    print(f"{limited} functions limited, {without_hooks} compiled without hooks; "
          f"{contexts_gone(program) - begin} contexts unloaded")
    assert limited > 0 and without_hooks > 0
    assert contexts_gone(program) > begin
    program.end()
