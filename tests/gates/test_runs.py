# SPDX-License-Identifier: MIT
"""Gates on what only whole runs show: the smallest change `umbra diff` finds, and what a probe costs
when there is no collector any more. Like test_gates.py for ./test --gates and an idle machine."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "integration" / "support"))
import runtimes  # noqa: E402
from umbra_runner import UMBRA, child_of, run_bare, run_command, run_umbra  # noqa: E402

PAIRS = 3
CHANGED = "Slower.Steps.Changed(uint, int)"


@pytest.fixture(scope="module")
def run_of(tmp_path_factory):
    """run_of(PERCENT, N): the N-th profile of a program, one method of which takes so many percent
    more steps."""
    folder = tmp_path_factory.mktemp("diff")
    kept = {}

    def run(percent, number):
        if (percent, number) not in kept:
            kept[percent, number] = folder / f"{percent}-{number}.h5"
            done = run_umbra(kept[percent, number], runtimes.NET10.command("slower", percent))
            assert done.status == 0, done.stderr
        return kept[percent, number]

    return run


def diff(before, after):
    """The status of `umbra diff --fail-above 5%`, and what it says of each function."""
    found = subprocess.run([UMBRA, "diff", before, after, "--json", "--fail-above", "5%"], text=True,
                           capture_output=True, timeout=60)
    return found.returncode, json.loads(found.stdout)["functions"]


def test_two_runs_of_the_same_program_are_the_same(run_of):
    changed = []
    for number in range(PAIRS):
        status, functions = diff(run_of(0, number), run_of(0, number + 1))
        changed.append([row["name"] for row in functions if row["verdict"] != "same"])
        if status == 0 and not changed[-1]:
            return
    pytest.fail(f"changed, pair by pair: {changed}")


@pytest.mark.parametrize("percents, status, verdict", [((0, 10), 3, "slower"), ((10, 0), 0, "faster")])
def test_a_tenth_is_found(run_of, percents, status, verdict):
    """10 % more or less of one of twelve methods: it is named first, and no other."""
    wanted = (status, [(CHANGED, verdict)])
    told = []
    for number in range(PAIRS):
        status, functions = diff(*(run_of(percent, number) for percent in percents))
        told.append((status, [(row["name"], row["verdict"]) for row in functions
                              if row["verdict"] in ("slower", "faster")]))
        if told[-1] == wanted:
            return
    pytest.fail(f"pair by pair: {told}")


def ns_a_call(output):
    """Of the best round, from fib's line "seconds S calls N"."""
    words = next(line for line in output.splitlines() if line.startswith("seconds ")).split()
    return float(words[1]) * 1e9 / int(words[3])


def test_without_a_collector_a_probe_is_an_early_return(tmp_path):
    number = 30
    fib = runtimes.NET10.command("fib", number, 5)
    bare = ns_a_call(run_bare(fib).stdout)
    profiled = ns_a_call(run_umbra(tmp_path / "whole.h5", fib).stdout)
    line = run_command(tmp_path / "cut.h5", runtimes.NET10.command("fib", number, 150))
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as umbra:
        child_of(umbra.pid)
        time.sleep(1)  # it records by now
        os.kill(umbra.pid, signal.SIGKILL)
        orphaned = ns_a_call(umbra.stdout.read())  # the target holds the pipe until its end
    print(f"ns a call: {bare:.1f} bare, {profiled:.1f} profiled, {orphaned:.1f} without collector")
    assert orphaned - bare < 0.5 * (profiled - bare)
