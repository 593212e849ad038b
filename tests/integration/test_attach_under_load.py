# SPDX-License-Identifier: MIT
"""Attach, sample, detach, again and again, on a web server under load: nothing fails, and nothing of
umbra's is at work afterwards."""
import contextlib
import time
from pathlib import Path

import pytest

from profile_file import Profile
from targets import existing_commands, listed, umbra
from umbra_runner import FULL
from web_server import WebLoad, WebServer

CYCLES = 200 if FULL else 5
# The pool of the server changes its number of threads as it likes.
POOL_THREADS = 8
# Measured: 100 KB a cycle; and what memory differs by anyway.
KEPT_BYTES = 160 << 10
MEMORY_NOISE_BYTES = 24 << 20

pytestmark = pytest.mark.skipif(not existing_commands("attach"),
                                reason="this umbra has no 'umbra attach'")


def open_files(pid):
    """What its descriptors lead to; connections may vanish meanwhile."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(entry.readlink()))
    return found


def left_behind(server):
    """Threads, descriptors and mappings of umbra's in a process; its library stays."""
    maps = [line.split(maxsplit=5)[5]
            for line in Path(f"/proc/{server.pid}/maps").read_text().splitlines()
            if "umbra" in line and not line.endswith("libumbra_agent.so")]
    return ([name for name in server.threads() if name.startswith("umbra")] + maps
            + [target for target in open_files(server.pid) if "umbra" in target])


def descriptors(pid):
    """Kinds of what it has open, but for connections, which come and go with the load."""
    return sorted(target.split(":")[0] for target in open_files(pid)
                  if not target.startswith("socket"))


def test_a_loaded_server_is_as_it_was_after_each_detach(tmp_path):
    file = tmp_path / "profile.h5"
    with WebServer() as server, WebLoad(server) as load:
        load.go()
        time.sleep(3)  # until its code is compiled as it stays
        assert load.rest().failed == 0
        answered = samples = 0
        for cycle in range(CYCLES):
            load.go()
            done = umbra("attach", server.pid, "--duration", "300ms", "-q", "-o", file)
            stretch = load.rest()
            assert (done.returncode, done.stdout) == (0, ""), done.stderr
            assert stretch.failed == 0
            assert left_behind(server) == []
            assert listed(server.pid)["profiler"] == "none"
            answered += stretch.answered
            samples += int(sum(Profile(file)["functions"]["calls"]))
            if cycle == 0:  # what is loaded once stays: the library, the runtime's own threads
                memory, threads = server.resident_bytes(), server.threads()
                opened = descriptors(server.pid)
        grown = server.resident_bytes() - memory
        print(f"{answered} requests and {samples} samples in {CYCLES} cycles; memory grew by "
              f"{grown / 1024:.0f} KiB; {len(threads)} threads after the first, "
              f"{len(server.threads())} after the last")
        assert samples > 0
        assert grown <= KEPT_BYTES * CYCLES + MEMORY_NOISE_BYTES
        assert len(server.threads()) <= len(threads) + POOL_THREADS
        assert descriptors(server.pid) == opened
        assert load.end()[1] == 0
        assert server.end() == ("", 0)
