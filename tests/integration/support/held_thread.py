# SPDX-License-Identifier: MIT
"""Holds one thread of a process, by ptrace, while the others run on."""
import contextlib
import ctypes
import os
from pathlib import Path

import pytest

from umbra_runner import until

PTRACE_ATTACH, PTRACE_DETACH = 16, 17
EVERY_KIND_OF_CHILD = 0x40000000  # __WALL


def thread_named(pid, name):
    """Number of the thread, as soon as there is one."""
    for _ in until(30, step=0.001):
        for task in Path(f"/proc/{pid}/task").glob("*"):
            with contextlib.suppress(OSError):
                if (task / "comm").read_text().strip() == name:
                    return int(task.name)
    pytest.fail(f"process {pid} has no thread {name}")


@contextlib.contextmanager
def held(pid, name):
    """The thread stands still until the end of the block, or of its process."""
    libc = ctypes.CDLL(None, use_errno=True)
    thread = thread_named(pid, name)
    if libc.ptrace(PTRACE_ATTACH, thread, None, None) != 0:
        pytest.skip(f"ptrace is not allowed here: {os.strerror(ctypes.get_errno())}")
    os.waitpid(thread, EVERY_KIND_OF_CHILD)
    try:
        yield
    finally:
        if libc.ptrace(PTRACE_DETACH, thread, None, None) != 0:
            os.waitpid(thread, EVERY_KIND_OF_CHILD)  # its process has ended
