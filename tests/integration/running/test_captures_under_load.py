# SPDX-License-Identifier: MIT
"""Captures of exact timing on a web server under load: nothing fails, nothing stays behind.

Each capture times another department of the server (tests/managed/server). Those that begin and end
while no request is under way must have exactly the counts the server has; those under load lie
between its counts just inside and just outside.
"""
import statistics
import subprocess
import time

import pytest

from processes import thread_names
from profile_file import Profile
from targets import agent_variables, umbra, wait_for_profiler
from umbra_runner import FULL, UMBRA, wait_until
from web_server import DEPARTMENTS, WebLoad, WebServer

CYCLES = 100 if FULL else 5
MODULE = "server.dll"
# What the runtime keeps, for each method called in a capture, with hooks and with probes in the IL:
# measured 4.6 KB where 11,000 methods are chosen and 500 called (docs/running_processes.md); and what
# memory differs by anyway.
KEPT_BYTES = {True: 6144, False: 16384}
MEMORY_NOISE_BYTES = 24 << 20


class Capture:
    """`umbra start` on some methods of a server, until `umbra stop`."""

    def __init__(self, server, file, *patterns):
        includes = [word for pattern in patterns for word in ("--include", pattern)]
        self.pid = server.pid
        self.file = file
        self.process = subprocess.Popen(
            [UMBRA, "start", str(server.pid), *includes, "--force", "-o", str(file), "-q"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for_profiler(server.pid, "recording")

    def stop(self):
        stopped = umbra("stop", self.pid)
        assert stopped.returncode == 0, stopped.stderr
        output, errors = self.process.communicate(timeout=60)
        assert (self.process.returncode, output) == (0, ""), errors
        wait_for_profiler(self.pid, "dormant")
        return Profile(self.file)


def pattern(department):
    return f"{MODULE}!Server.{department}.*"


def of_department(counters, department):
    return {method: calls for method, calls in counters.items()
            if method.startswith(department + ".")}


def difference(after, before):
    return {method: calls - before[method] for method, calls in after.items()}


def counts_of(profile, department):
    called = profile.calls(MODULE)
    others = [method for method, calls in called.items()
              if calls > 0 and not method.startswith(department + ".")]
    assert not others
    return of_department(called, department)


def wait_until_called(server, department, before):
    """Until each of its methods has been called once more: how soon is for the machine to decide."""
    if not wait_until(lambda: all(difference(of_department(server.counters(), department), before).values()),
                      60, step=0.3):
        pytest.fail(f"not all methods of {department} are called")


def exact_capture(server, load, file, department):
    """All requests come and go while the capture is open."""
    before = of_department(server.counters(), department)
    capture = Capture(server, file, pattern(department))
    load.go()
    wait_until_called(server, department, before)
    stretch = load.rest()
    after = of_department(server.counters(), department)
    profile = capture.stop()
    assert counts_of(profile, department) == difference(after, before)
    return stretch, profile


def capture_under_load(server, load, file, department):
    load.go()
    outside = of_department(server.counters(), department)
    capture = Capture(server, file, pattern(department))
    inside = of_department(server.counters(), department)
    wait_until_called(server, department, inside)
    inside = difference(of_department(server.counters(), department), inside)
    profile = capture.stop()
    outside = difference(of_department(server.counters(), department), outside)
    stretch = load.rest()
    for method, calls in counts_of(profile, department).items():
        assert inside[method] <= calls <= outside[method], method
    return stretch, profile


def speed(load, stretches=5):
    """Requests a second, the median of some stretches."""
    seen = []
    for _ in range(stretches):
        load.go()
        time.sleep(1)
        seen.append(load.rest())
    assert sum(stretch.failed for stretch in seen) == 0
    return statistics.median(stretch.per_second for stretch in seen)


def variables(prepared):
    return agent_variables() if prepared else None


def test_captures_leave_a_loaded_server_as_it_was(tmp_path, prepared):
    file = tmp_path / "capture.h5"
    with WebServer(variables(prepared)) as server, WebLoad(server) as load:
        speed(load, 3)  # until its code is compiled as it stays
        fast = speed(load) if FULL else 0
        # The first capture starts what the agent needs from then on.
        exact_capture(server, load, file, DEPARTMENTS[0])
        threads, memory = thread_names(server.pid), server.resident_bytes()
        answered = failed = methods = 0
        for cycle in range(CYCLES):
            department = DEPARTMENTS[cycle % len(DEPARTMENTS)]
            kind = exact_capture if cycle % 2 else capture_under_load
            stretch, profile = kind(server, load, file, department)
            answered, failed = answered + stretch.answered, failed + stretch.failed
            methods += len(counts_of(profile, department))
            assert profile.lost_events == 0
        assert failed == 0
        assert answered > 0 and methods == 4 * CYCLES
        grown = server.resident_bytes() - memory
        print(f"{answered} requests in {CYCLES} captures; memory grew by {grown / 1024:.0f} KiB, "
              f"{grown / methods:.0f} bytes a method and capture"
              + (f"; {fast:.0f} requests/s before, {speed(load):.0f} after" if FULL else ""))
        assert grown <= KEPT_BYTES[prepared] * methods + MEMORY_NOISE_BYTES
        assert server.threads_beside(threads) == []
        assert load.end()[1] == 0
        assert server.end() == ("", 0)


def test_memory_of_many_methods(tmp_path, prepared):
    """The framework's web server too: hundreds of methods, whose memory shows above the noise."""
    file = tmp_path / "capture.h5"
    with WebServer(variables(prepared)) as server, WebLoad(server) as load:
        speed(load, 3)
        sizes, methods, bodies = [], 0, 0
        for cycle in range(CYCLES):
            capture = Capture(server, file, "Microsoft.AspNetCore.*")
            before = of_department(server.counters(), DEPARTMENTS[0])
            load.go()
            wait_until_called(server, DEPARTMENTS[0], before)
            assert load.rest().failed == 0
            profile = capture.stop()
            if cycle > 0:
                methods += sum(profile["functions"]["calls"] > 0)
                bodies += len(profile["compilations"])
            sizes.append(server.resident_bytes())
        grown = sizes[-1] - sizes[0]
        print(f"{methods} methods in {CYCLES - 1} captures after the first, compiled {bodies} times; "
              f"memory grew by {grown / 1024:.0f} KiB, {grown / methods:.0f} bytes a method and "
              f"capture, {grown / bodies:.0f} a compilation")
        assert methods > 100 * (CYCLES - 1)
        assert grown <= KEPT_BYTES[prepared] * methods + MEMORY_NOISE_BYTES
