# SPDX-License-Identifier: MIT
"""A `python3` that stands before Debian's in PATH, as pyenv's does: it knows none of Debian's
packages, nor do the environments that it makes."""

SCRIPT = """#!/bin/sh
for word do
    shift
    [ "$word" = --system-site-packages ] || set -- "$@" "$word"
done
UMBRA_OTHER_PYTHON=1 exec /usr/bin/python3 -S "$@"
"""


def make(folder):
    """Puts it into a folder, which it answers."""
    folder.mkdir()
    (folder / "python3").write_text(SCRIPT)
    (folder / "python3").chmod(0o755)
    return folder
