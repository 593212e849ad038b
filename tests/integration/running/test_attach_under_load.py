# SPDX-License-Identifier: MIT
"""Attach, sample, detach, again and again, on a web server under load: nothing fails, and nothing of
umbra's is at work afterwards."""
import contextlib
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from processes import thread_names
from profile_file import Profile
from targets import listed, umbra
from umbra_runner import FULL, until
from web_server import WebLoad, WebServer

CYCLES = 200 if FULL else 5
# Measured: 100 KB a cycle; and what memory differs by anyway.
KEPT_BYTES = 160 << 10
MEMORY_NOISE_BYTES = 24 << 20
# By exact names: a folder above may be called umbra as well, as in a clone of the repository.
AGENT_THREADS = {"umbra-worker", "umbra-sampler", "umbra-control"}
OURS = re.compile(r"/memfd:umbra( \(deleted\))?|.*/umbra-agent-\d+-\d+|.*/umbra-[a-z0-9]{12}/control")


def open_files(pid):
    """What its descriptors lead to; connections may vanish meanwhile."""
    found = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.append(str(entry.readlink()))
    return found


def left_behind(server):
    """Threads, descriptors and mappings of the agent's in a process; its library stays."""
    fields = [line.split(maxsplit=5)
              for line in Path(f"/proc/{server.pid}/maps").read_text().splitlines()]
    return ([name for name in thread_names(server.pid) if name in AGENT_THREADS]
            + [path for path in [*(field[5] for field in fields if len(field) == 6),
                                 *open_files(server.pid)] if OURS.fullmatch(path)])


def descriptors(pid):
    """Kinds of what it has open, but for connections, which come and go with the load, and for managed
    modules, which the runtime opens when code of theirs first runs (System.Runtime.Loader.dll, late
    on a busy machine)."""
    return sorted(target.split(":")[0] for target in open_files(pid)
                  if not target.startswith("socket") and not target.endswith(".dll"))


def check_as_it_was(server, threads, opened):
    """No thread but the runtime's and nothing open that was not there before: `threads`, names, and
    `opened`, descriptors(). The runtime closes the connection over which it was asked a moment after
    the answer."""
    for _ in until(30):
        added = server.threads_beside(threads)
        now = descriptors(server.pid)
        if not added and now == opened:
            return
    pytest.fail(f"more threads: {added}; more that is open: {dict(Counter(now) - Counter(opened))}; "
                f"open no longer: {dict(Counter(opened) - Counter(now))}")


class Held:
    """A process that holds files: mapped, and open."""

    def __init__(self, *files, memory_files=()):
        self.process = subprocess.Popen([sys.executable, "-c", HOLD.format(
            files=[str(file) for file in files], memory_files=list(memory_files))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


HOLD = """
import mmap, os, sys
held = [os.open(file, os.O_RDWR) for file in {files}]
held += [os.memfd_create(name) for name in {memory_files}]
for descriptor in held:
    os.truncate(descriptor, 4096)
maps = [mmap.mmap(descriptor, 4096) for descriptor in held]
print("ready", flush=True)
sys.stdin.read()
"""


def files_in(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    return [folder / name for name in names]


def test_a_path_with_our_name_in_it_is_not_ours(tmp_path):
    folder = tmp_path / "umbra"
    folder.mkdir()
    files = files_in(folder, "server.dll", "libumbra_agent.so", "umbra-agent.txt", "umbra.dll")
    with Held(*files, memory_files=["umbrage", "doublemapper"]) as process:
        assert left_behind(process) == []


def test_what_is_ours_is_found_wherever_it_is(tmp_path):
    files = files_in(tmp_path, "umbra-agent-17-4711", "umbra-abcdefghij12/control")
    with Held(*files, memory_files=["umbra"]) as process:
        assert set(left_behind(process)) == {*map(str, files), "/memfd:umbra (deleted)"}


def test_a_loaded_server_is_as_it_was_after_each_detach(tmp_path):
    file = tmp_path / "profile.h5"
    with WebServer() as server, WebLoad(server) as load:
        load.go()
        time.sleep(3)  # until its code is compiled as it stays
        assert load.rest().failed == 0
        answered = samples = 0
        for cycle in range(CYCLES):
            load.go()
            done = umbra("attach", server.pid, "--duration", "300ms", "-q", "--force", "-o", file)
            stretch = load.rest()
            assert (done.returncode, done.stdout) == (0, ""), done.stderr
            assert stretch.failed == 0
            assert left_behind(server) == []
            assert listed(server.pid)["profiler"] == "none"
            answered += stretch.answered
            samples += int(sum(Profile(file)["functions"]["calls"]))
            if cycle == 0:  # what is loaded once stays: the library, the runtime's own threads
                memory, threads = server.resident_bytes(), thread_names(server.pid)
                opened = descriptors(server.pid)
        grown = server.resident_bytes() - memory
        print(f"{answered} requests and {samples} samples in {CYCLES} cycles; memory grew by "
              f"{grown / 1024:.0f} KiB; {len(threads)} threads after the first, "
              f"{len(thread_names(server.pid))} after the last")
        assert samples > 0
        assert grown <= KEPT_BYTES * CYCLES + MEMORY_NOISE_BYTES
        check_as_it_was(server, threads, opened)
        assert load.end()[1] == 0
        assert server.end() == ("", 0)
