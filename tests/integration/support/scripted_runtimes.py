# SPDX-License-Identifier: MIT
"""What umbra-runsxs says it has called, and what a profile of it says."""
import os
from collections import Counter
from pathlib import Path

from profile_file import BEFORE
from umbra_runner import check_sound

RUNSXS = os.environ.get("UMBRA_RUNSXS", "umbra-runsxs")
SCRIPTS = Path(os.environ.get("UMBRA_SCRIPTS", "."))
VERSIONS = {"a": "10.0.12", "b": "9.0.18", "c": "8.0.29"}
CHOICES = [("all", [1, 2, 3]), ("first", [1]), ("one:2", [2]), ("one:9.0", [2]), ("one:10", [1]),
           ("one:3", [3])]  # and the places they choose of VERSIONS


def faults(stdout):
    return [line for line in stdout.splitlines() if line.startswith("  FAULT")]


def told_by(stdout):
    """How often each path of calls was made that hooks were called on."""
    words = [line.split() for line in stdout.splitlines() if line.startswith("  calls ")]
    return Counter({path: int(calls) for _, calls, path in words})


def script_names(profile):
    """The names of functions as the script has them. Where several are alike the profile puts what
    tells them apart behind them."""
    names = profile.column("functions", "name")
    assert len(set(names)) == len(names)
    return [name.partition("()")[0] for name in names]


def paths_of(profile):
    """The same of a call tree."""
    names = script_names(profile)
    at_row, paths = [], Counter()
    for node in profile["calltree"]:
        above = at_row[node["parent"]] if node["parent"] >= 0 else ""
        if (name := names[node["function"]]) == BEFORE:
            at_row.append(above)
            continue
        at_row.append(f"{above};{name}" if above else name)
        paths[at_row[-1]] += int(node["calls"])
    return paths


def profiled(profile):
    """Names of the instances whose methods were called, by the runtime that the file says is theirs."""
    versions = profile.column("runtimes", "version")
    owners = {}
    for name, runtime in zip(script_names(profile), profile["functions"]["runtime"]):
        if name == BEFORE:
            continue
        owners.setdefault(name.split(".")[1], set()).add(versions[runtime])
    return owners


def calls_of(profile):
    """Calls of all methods of each instance that has made any."""
    calls = Counter()
    for path, number in paths_of(profile).items():
        calls[path.rpartition(";")[2].split(".")[1]] += number
    return calls


def check_exact(stdout, profile):
    """Nothing found fault with, and every call that was made is in the profile, and no other."""
    assert not faults(stdout)
    check_sound(profile)
    told = told_by(stdout)
    assert told and paths_of(profile) == told
    return told
