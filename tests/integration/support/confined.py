# SPDX-License-Identifier: MIT
"""Prefixes that run a command in a smaller world than this one; what cannot be made here is skipped."""
import contextlib
import os
import subprocess
import time
from pathlib import Path

import pytest

CGROUPS = Path("/sys/fs/cgroup")


def in_namespaces(*options, script='exec "$@"'):
    """In namespaces of its own; `script` is a shell's, and "$@" the command."""
    prefix = ["unshare", *options, "sh", "-c", script, "sh"]
    tried = subprocess.run([*prefix, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"no such namespaces here: {tried.stderr.strip()}")
    return prefix


def read_only(*writable):
    """Every file but those below `writable` can only be read."""
    kept = " && ".join(f"mount --bind {path} {path}" for path in writable)
    return in_namespaces("--mount", script=f'{kept} && mount -o remount,bind,ro / && exec "$@"')


def without_shared_memory(folder):
    """/dev has what every program expects, and nothing else."""
    devices = "null zero full random urandom tty"
    make = f"for d in {devices}; do touch {folder}/$d && mount --bind /dev/$d {folder}/$d; done"
    return in_namespaces("--mount", script=f"mount -t tmpfs none {folder} && {make} && "
                         f'mount --move {folder} /dev && exec "$@"')


@contextlib.contextmanager
def control_group(controller, **settings):
    """Prefix that runs a command in a control group of its own below the one we are in."""
    group, names = place_of(controller)
    group = group / f"umbra-test-{os.getpid()}-{time.monotonic_ns()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control groups can be made here: {error}")
    try:
        for name, value in settings.items():
            if not (group / names[name]).exists():
                pytest.skip(f"the control group {group} has no {names[name]}")
            (group / names[name]).write_text(str(value))
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        for _ in range(100):  # what has just ended may still be in it
            with contextlib.suppress(OSError):
                group.rmdir()
            if not group.exists():
                break
            time.sleep(0.05)


def place_of(controller):
    """The group we are in, and what its settings are called: of version 1, or 2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return (CGROUPS / controller / path.lstrip("/"),
                    {"memory": "memory.limit_in_bytes", "processes": "pids.max"})
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        if line.startswith("0::"):
            return (CGROUPS / line[3:].lstrip("/"),
                    {"memory": "memory.max", "processes": "pids.max"})
    pytest.skip(f"no control groups of {controller} here")
