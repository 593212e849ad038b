# SPDX-License-Identifier: MIT
"""Asks the program umbra, which has the rules and the page that this package does not repeat."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Dict

from ._errors import ProfileError
from ._file import in_one_line, text_of


def ask(*arguments: str) -> bytes:
    """What `umbra ARGUMENTS` writes. The program is that of the environment variable UMBRA, or else
    the one in PATH.

    Raises FileNotFoundError where there is none, ValueError where it does not take the arguments,
    ProfileError, in its own words, where it cannot read a file.
    """
    program = os.environ.get("UMBRA") or "umbra"
    try:
        done = subprocess.run(
            [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise FileNotFoundError(
            f"'umbra {arguments[0]}' is needed for that, and {program!r} cannot be run "
            f"({error.strerror}): install umbra, or set the environment variable UMBRA to its path"
        ) from None
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").removeprefix("umbra: ")
    said = in_one_line(said) or f"umbra ended with status {done.returncode}"
    raise (ValueError if done.returncode == 2 else ProfileError)(said)


def ask_json(*arguments: str) -> Any:
    """The JSON that `umbra ARGUMENTS` writes, its texts without control characters."""
    return json.loads(ask(*arguments), object_hook=_shown)


def _shown(members: Dict[str, Any]) -> Dict[str, Any]:
    return {
        name: text_of(value.encode("utf-8", "replace")) if isinstance(value, str) else value
        for name, value in members.items()
    }
