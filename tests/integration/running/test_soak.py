# SPDX-License-Identifier: MIT
"""Half an hour (UMBRA_FULL=1) of servers under load, with collections and code that comes and goes: one
is captured again and again, one sampled, one left alone. No request fails, memory grows by what the
documents say, and the last capture and sampling are as sound as the first."""
import statistics
import threading
import time

import test_attach_under_load as attaches
import test_captures_under_load as captures
from processes import thread_names
from profile_file import Profile
from targets import listed, umbra
from umbra_runner import FULL
from web_server import DEPARTMENTS, WebLoad, WebServer

SECONDS = 1800 if FULL else 45
CONNECTIONS = 2
GUESTS_A_SECOND = 10


class Loaded:
    """A server, its load, and a guest now and then."""

    def __init__(self):
        self.server = WebServer()
        self.load = WebLoad(self.server, CONNECTIONS)
        self.answered = self.failed = self.guests = 0
        self.p99_ms = []
        self.ending = threading.Event()
        self.visitor = threading.Thread(target=self.visit)

    def visit(self):
        while not self.ending.wait(1 / GUESTS_A_SECOND):
            self.guests = int(self.server.get("/guest"))  # who gets no answer ends the test below

    def settle(self):
        """What it is measured by from now on: its code is compiled, its threads are there."""
        self.memory, self.threads = self.server.resident_bytes(), thread_names(self.server.pid)
        self.descriptors = attaches.descriptors(self.server.pid)

    def rest(self):
        stretch = self.load.rest()
        self.answered, self.failed = self.answered + stretch.answered, self.failed + stretch.failed
        self.p99_ms.append(stretch.p99_ms)

    def grown(self):
        return self.server.resident_bytes() - self.memory

    def check_unharmed(self):
        assert self.failed == 0 and self.answered > 0
        attaches.check_as_it_was(self.server, self.threads, self.descriptors)
        assert self.load.end()[1] == 0
        assert self.server.end() == ("", 0)

    def __enter__(self):
        self.server.__enter__()
        self.load.__enter__()
        self.visitor.start()
        return self

    def __exit__(self, *failure):
        self.ending.set()
        self.visitor.join()
        self.load.__exit__(*failure)
        self.server.__exit__(*failure)


def capture(loaded, file, turn):
    """How many methods it has seen called: of a department, and of the guests that came meanwhile. Where
    the server gets no processor all the while, it is none."""
    department = DEPARTMENTS[turn % len(DEPARTMENTS)]
    done = umbra("start", loaded.server.pid, "--force", "--include", captures.pattern(department), "--include",
                 "guest.dll!*", "--duration", "500ms", "-q", "-o", file)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    profile = Profile(file)
    assert profile.lost_events == 0
    called = {method for method, calls in profile.calls(captures.MODULE).items() if calls}
    assert all(method.startswith(department + ".") for method in called)
    return len(called) + sum(calls > 0 for calls in profile.calls("guest.dll").values())


def sample(loaded, file):
    done = umbra("attach", loaded.server.pid, "--duration", "500ms", "-q", "--force", "-o", file)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert attaches.left_behind(loaded.server) == []
    assert listed(loaded.server.pid)["profiler"] == "none"
    return int(sum(Profile(file)["functions"]["calls"]))


def test_servers_that_are_captured_and_sampled_without_end(tmp_path):
    file = tmp_path / "profile.h5"
    with Loaded() as captured, Loaded() as sampled, Loaded() as alone:
        servers = (captured, sampled, alone)
        for loaded in servers:
            loaded.load.go()
        time.sleep(5)
        capture(captured, file, 0)  # what comes once stays: the agent, its threads
        sample(sampled, file)
        for loaded in servers:
            assert loaded.load.rest().failed == 0
            loaded.settle()
        turns = methods = samples = 0
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            for loaded in servers:
                loaded.load.go()
            methods += capture(captured, file, turns)
            samples += sample(sampled, file)
            turns += 1
            for loaded in servers:
                loaded.rest()
        bare = max(alone.grown(), 0)
        grown = {"captured": captured.grown(), "sampled": sampled.grown()}
        for name, loaded in zip(("captured", "sampled", "alone"), servers):
            print(f"{name}: {loaded.answered} requests, {loaded.failed} failed, {loaded.guests} guests, "
                  f"p99 {statistics.median(loaded.p99_ms):.2f} ms (worst {max(loaded.p99_ms):.1f}), "
                  f"memory grew by {grown.get(name, bare) >> 10} KiB")
        print(f"{turns} captures of {methods} called methods, {turns} samplings with {samples} samples")
        assert turns > 0 and samples > 0 and methods > 0
        assert grown["captured"] <= bare + methods * captures.KEPT_BYTES[False] + attaches.MEMORY_NOISE_BYTES
        assert grown["sampled"] <= bare + turns * attaches.KEPT_BYTES + attaches.MEMORY_NOISE_BYTES
        for loaded in servers:
            loaded.ending.set()
            loaded.visitor.join()
            assert loaded.guests > 0
            loaded.check_unharmed()
