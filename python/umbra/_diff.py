# SPDX-License-Identifier: MIT
"""What changed between runs of two versions, as `umbra diff` says it."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

import pandas as pd

from . import _hot
from ._program import ask_json

Run = Union[str, "os.PathLike[str]"]  # a Profile is one
Runs = Union[Run, Sequence[Run]]

_TIMES = ["wall_self_ns", "wall_total_ns", "cpu_self_ns", "cpu_total_ns"]
_COLUMNS = {
    "name": "object",
    "verdict": "object",
    "change_ns": "int64",
    "change_percent": "float64",
    "error_ns": "float64",
    "chance": "float64",
    "old_ns": "int64",
    "new_ns": "int64",
    "rough": "bool",
    "calls_old": "int64",
    "calls_new": "int64",
    "module_name": "object",
}


def diff(
    old: Runs,
    new: Runs,
    by: str = "self",
    *,
    min_percent: float = 0.1,
    absolute: bool = False,
    pauses: bool = False,
) -> pd.DataFrame:
    """Methods of two versions side by side, matched by module and full name; changes first.

    old, new: a profile each, open or a file's name, or better several runs of each version: how
    much these differ among themselves decides what is a change. With one run each nothing tells how
    much of a change is the machine's, and only large ones are named.

    The program umbra judges: it has to be in PATH, or where the environment variable UMBRA says.

    verdict is that of `umbra diff`: slower or faster (own time, or what an async call
    awaits), more calls or fewer calls (each takes as long as before), new or gone, slower below or
    faster below (inclusive time), same.
    Of what is named 1 % at most is by chance; docs/diff_reference.md of umbra has the rule. `chance` is the
    probability of such a change of the own time, or of the inclusive time if the verdict is one
    below, where there is none. NaN: it was not judged. error_ns is its standard error.

    by: self, total, cpu, or one of wall_self_ns, wall_total_ns, cpu_self_ns, cpu_total_ns: the time
    shown as old_ns, new_ns and change_ns, means of the runs. It has no say in the verdict.

    rough: the own time of OLD or NEW is less than ten times what the probes took in it, of which
    about a half is in doubt. What that means for a change of it is part of its error.

    min_percent: smallest change, in percent of the self time of all methods. absolute: judge what
    all methods have in common, too. pauses: leave the time in that the runtime stopped or used
    threads.
    """
    column = _hot.column_of(by, _TIMES)
    if column not in _TIMES:
        raise ValueError(f"by is a time: self, total, cpu, {', '.join(_TIMES)}; not {by!r}")
    options = [f"--min={min_percent}"]
    options += ["--absolute"] * absolute + ["--pauses"] * pauses
    told = ask_json("diff", "--json", *options, *_files(old), "--against", *_files(new))
    if column.startswith("cpu_") and told["noise"]["of"] != "cpu":
        raise ValueError("a profile has no times on a processor (cpu_source is none)")
    rows = [_row(function, column) for function in told["functions"]]
    return pd.DataFrame(rows, columns=list(_COLUMNS)).astype(_COLUMNS)


def _files(side: Runs) -> List[str]:
    runs = side if isinstance(side, (list, tuple)) else [side]
    if not runs:
        raise ValueError("there is no profile to compare")
    return [os.path.abspath(run) for run in runs]


def _row(told: Dict[str, Any], column: str) -> Dict[str, Any]:
    old, new = told["old"], told["new"]
    judged = told["total" if told["verdict"].endswith(" below") else "self"]
    was_judged = judged["error_ns"] > 0
    change_ns = new[column] - old[column]
    return {
        "name": told["name"],
        "verdict": told["verdict"],
        "change_ns": change_ns,
        "change_percent": 100 * change_ns / old[column] if old[column] else None,
        "error_ns": judged["error_ns"] if was_judged else None,
        "chance": judged["chance"] if was_judged else None,
        "old_ns": old[column],
        "new_ns": new[column],
        "rough": old["rough"] or new["rough"],
        "calls_old": old["calls"],
        "calls_new": new["calls"],
        "module_name": told["module"],
    }
