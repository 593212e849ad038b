# SPDX-License-Identifier: MIT
"""Modules that go while the agent works with them: a program that loads and unloads collectible
contexts all the time lives through captures that open and close, and through a collector that has
every method compiled anew.

On .NET 8 and 9 a program loses mappings with each context that it unloads, without umbra as with it, and
ends with "Out of memory" at the kernel's limit of 65,530 (docs/runtime_contract.md): another one takes its
place before that."""
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
MOST_MAPPINGS = 30_000


@pytest.fixture
def program(runtime):
    running = Program(runtime, program="unloading")
    yield running
    running.kill()


def contexts_gone(program):
    return int(program.ask("how many"))


def mappings_of(program):
    with open(f"/proc/{program.pid}/maps", "rb") as maps:
        return sum(1 for _ in maps)


def one_capture(program, file, number):
    """How long it took, and whether it saw a method of a context that comes and goes."""
    started = time.monotonic()
    done = umbra("start", program.pid, "--force", "--duration", f"{20 + number % 7 * 10}ms", "-q", "-o", file)
    assert done.returncode == 0, f"capture {number}: {done.stderr}"
    took = time.monotonic() - started
    contexts_gone(program)  # it lives
    return took, sum(Profile(file).calls("guest.dll").values()) > 0


def test_captures_open_and_close_while_contexts_unload(runtime, tmp_path):
    file = tmp_path / "profile.h5"
    left, longest, seen, gone, programs = CAPTURES, 0, 0, 0, 0
    while left:
        programs += 1
        with Program(runtime, program="unloading") as program:
            begin = contexts_gone(program)
            while left and mappings_of(program) < MOST_MAPPINGS:
                took, found = one_capture(program, file, CAPTURES - left)
                longest, seen, left = max(longest, took), seen + found, left - 1
            gone += contexts_gone(program) - begin
            program.end()
    print(f"{CAPTURES} captures of {programs} programs, the longest took {longest:.1f} s, {seen} of them saw "
          f"the guest; {gone} contexts unloaded")
    assert seen > 0 and gone > 0
    assert longest < 10, "somebody waited until his timeout was over"


def test_every_function_is_deinstrumented_while_contexts_unload(program):
    begin = contexts_gone(program)
    deinstrumented = without_hooks = 0
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
                    deinstrumented += 1
                without_hooks += name == "HooksRemoved"
        contexts_gone(program)
    print(f"{deinstrumented} functions de-instrumented, {without_hooks} compiled without hooks; "
          f"{contexts_gone(program) - begin} contexts unloaded")
    assert deinstrumented > 0 and without_hooks > 0
    assert contexts_gone(program) > begin
    program.end()
