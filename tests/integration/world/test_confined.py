# SPDX-License-Identifier: MIT
"""Programs with limits, in containers, and on file systems where something is missing."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from confined import control_group, in_namespaces, read_only, without_shared_memory
from targets import need_root
from umbra_runner import TIMEOUT_SECONDS, UMBRA, run_bare
from world import run_both, world

MIB = 1 << 20
MEMORY_LIMIT = 250 * MIB
# Or the runtime itself needs large files, and as much address space as the segment.
MODEST = {"DOTNET_EnableWriteXorExecute": "0", "DOTNET_GCHeapHardLimit": "0x10000000"}


def limited(**limits):
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    return ["prlimit", *(f"--{name}={value}:{value}" for name, value in limits.items())]


@pytest.mark.parametrize("limits, remedy", [({"as": 8 << 30}, "ulimit -v"),
                                            ({"fsize": MIB}, "ulimit -f")],
                         ids=["address space", "file size"])
def test_a_limit_that_the_segment_exceeds(runtime, file, limits, remedy):
    """The limit is named, and the program runs on unprofiled."""
    both = run_both(file, world(runtime, "plain"), prefix=limited(**limits),
                    environment=MODEST)
    both.check_same().check_refused(remedy, "nothing was profiled")


def test_few_descriptors(runtime, file):
    both = run_both(file, world(runtime, "plain"), prefix=limited(nofile=64))
    both.check_same().check_profile()


def test_few_processes(net10, file):
    """What the runtime needs, and the agent's two threads: that is enough, and less is a clear end."""
    need_root()
    command = world(net10, "plain")

    def outcome(most):
        with control_group("pids", processes=most) as prefix:
            return run_bare([*prefix, *command])

    needed = next(most for most in range(4, 64) if outcome(most).returncode == 0)
    with control_group("pids", processes=needed + 4) as prefix:
        run_both(file, command, prefix=prefix).check_same().check_profile()


@pytest.mark.parametrize("mode", ["plain", "full"])
@pytest.mark.parametrize("inside", ["program", "both"])
def test_a_memory_limit_of_a_control_group(net10, file, mode, inside):
    """The program's own exceptions of full memory are its business; umbra fits in beside it."""
    need_root()
    with control_group("memory", memory=MEMORY_LIMIT) as prefix:
        bare = run_bare([*prefix, *world(net10, mode)])
        if inside == "program":
            both = run_both(file, world(net10, mode), prefix=prefix, bare=bare)
            both.check_same().check_profile()
            return
        done = run_bare([*prefix, UMBRA, "run", "-q", "-o", str(file), "--", *world(net10, mode)])
        assert (done.returncode, done.stdout, done.stderr) == (0, bare.stdout, "")
        assert bare.returncode == 0


def test_a_read_only_root(runtime, file, tmp_path):
    """The program's alone: the agent needs no file."""
    need_root()
    both = run_both(file, world(runtime, "plain"), prefix=read_only(tmp_path))
    both.check_same().check_profile()


def test_umbra_on_a_read_only_root(net10, file, tmp_path):
    """A folder for its socket is all that it needs besides the profile's, and it says so."""
    need_root()
    prefix = read_only(tmp_path)
    line = [*prefix, UMBRA, "run", "-q", "--force", "-o", str(file), "--", *world(net10, "plain")]
    refused = run_bare(line, {"TMPDIR": "/usr", "XDG_RUNTIME_DIR": ""})
    assert (refused.returncode, refused.stdout) == (1, "")
    (said,) = refused.stderr.splitlines()
    assert said.startswith("umbra: ") and "/usr/umbra-" in said and "TMPDIR" in said
    assert "Read-only file system" in said
    both = run_both(file, world(net10, "plain"))
    done = run_bare(line, {"TMPDIR": str(tmp_path), "XDG_RUNTIME_DIR": ""})
    assert (done.returncode, done.stdout, done.stderr) == (0, both.bare.stdout, "")


def test_no_shared_memory_folder(runtime, file, tmp_path):
    need_root()
    folder = tmp_path / "dev"
    folder.mkdir()
    prefix = without_shared_memory(folder)
    there = subprocess.run([*prefix, "ls", "/dev"], capture_output=True, text=True)
    assert "shm" not in there.stdout.split()
    run_both(file, world(runtime, "plain"), prefix=prefix).check_same().check_profile()


CONTAINERS = {
    "container": ["--pid", "--fork", "--mount-proc", "--uts", "--ipc", "--net", "--cgroup"],
    "user namespace": ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"],
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_a_program_in_a_container(net10, file, kind):
    prefix = in_namespaces(*CONTAINERS[kind])
    profile = run_both(file, world(net10, "plain"), prefix=prefix).check_same().check_profile()
    assert profile.pid > 2, "its number as it is seen from here"


@pytest.mark.parametrize("kind", CONTAINERS)
def test_umbra_in_a_container(net10, file, kind):
    prefix = in_namespaces(*CONTAINERS[kind])
    both = run_both(file, world(net10, "plain"))
    whole = both.check_same().check_profile()
    os.unlink(file)
    done = subprocess.run([*prefix, UMBRA, "run", "-q", "-o", str(file), "--",
                           *world(net10, "plain")], capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, both.bare.stdout, "")
    profile = both.check_profile()
    assert profile.pid < whole.pid
    assert Path(file).stat().st_uid == os.geteuid()
