# SPDX-License-Identifier: MIT
"""What /proc says of a process."""
import contextlib
from pathlib import Path


def thread_names(pid):
    """Of its threads, but for those that end meanwhile."""
    names = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return sorted(names)
