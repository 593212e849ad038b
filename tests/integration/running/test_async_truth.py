# SPDX-License-Identifier: MIT
"""Logical calls of async methods against a program whose calls know themselves (tests/managed/async_truth):
each path's calls, outcomes and suspensions, and what they waited for. Their times: test_async_times.py."""
from collections import Counter

import pytest

from async_tables import AsyncTables, check_same, differences_of_calls
from async_truth import ALIVE, PREPARED, PROGRAMS, ROUNDS, captured, check_calls, from_the_start
from runtimes import NET10, NET11
from umbra_runner import FULL, report

HOT = [("release", "unprepared"), ("debug", "unprepared")]
HOT += [("release", "prepared"), ("debug", "prepared")] if FULL else []  # one is in test_async_times.py


def test_from_the_start(file, runtime):
    """The program compiled for Debug, whose state machines are classes."""
    check_calls(*from_the_start(file, runtime.command(PROGRAMS["debug"], ROUNDS, ALIVE)))


def test_many_alive_beside_collections(file, runtime):
    if not FULL and runtime is not NET10:
        pytest.skip("UMBRA_FULL=1 does it on each runtime")
    check_calls(*from_the_start(file, runtime.command("async_truth", ROUNDS, 100_000, "collect")))


@pytest.mark.parametrize("build, prepared", HOT, ids=map("-".join, HOT))
def test_of_a_hot_program(file, runtime, build, prepared):
    check_calls(*captured(runtime, file, f"work {ROUNDS} {ALIVE}", PROGRAMS[build], PREPARED[prepared]))


def test_tasks_of_fsharp(file, runtime):
    check_calls(*from_the_start(file, runtime.command("async_truth_fs", ROUNDS)))


@pytest.mark.parametrize("prepared", PREPARED.values(), ids=PREPARED)
def test_tasks_of_fsharp_that_are_hot(file, runtime, prepared):
    check_calls(*captured(runtime, file, f"work {ROUNDS}", "async_truth_fs", prepared))


def test_methods_that_the_runtime_suspends(file):
    """The same program, compiled with runtime-async=on."""
    check_calls(*from_the_start(file, NET11.command("async_truth_runtime", ROUNDS, ALIVE, "collect")))
    # What returns a task and is not async has a second function for them, and is one row.
    names = Counter(row["name"] for row in report(file, "--top", 10_000)["functions"])
    assert [name for name in names if name.startswith("Umbra.Testing.Call.On(Task, string)")] == [
        "Umbra.Testing.Call.On(Task, string)"]
    assert max(names.values()) == 1


@pytest.mark.parametrize("prepared", PREPARED.values(), ids=PREPARED)
def test_methods_that_the_runtime_suspends_and_that_are_hot(file, prepared):
    check_calls(*captured(NET11, file, f"work {ROUNDS} {ALIVE}", "async_truth_runtime", prepared))


@pytest.mark.parametrize("prepared", PREPARED.values(), ids=PREPARED)
def test_methods_that_the_runtime_suspends_beside_those_of_the_framework(file, prepared):
    """What hands out their task is timed as well, and called before it is told that they are suspended. Paths
    lead through the framework here, where the program does not know of it."""
    profile, truth = captured(NET11, file, f"work {ROUNDS} {ALIVE}", "async_truth_runtime", prepared,
                              captures=(["--framework"],))
    through = ("File.", "Stream", "Loops.ForEach/spawned")
    check_same([one for one in differences_of_calls(AsyncTables(profile), truth)
                if not any(name in one for name in through)])
    threads = profile["threads"]
    assert sum(threads["unmatched_leaves"]) == 0
    # Hooks have no leave of a method that hands on a task, where it is compiled to await that.
    assert prepared or sum(threads["repairs"]) == 0


def test_methods_that_the_runtime_suspends_once_taken_for_pieces(file):
    """What a capture takes a method for is not for the next one."""
    check_calls(*captured(NET11, file, f"work {ROUNDS} {ALIVE}", "async_truth_runtime",
                          captures=(["--no-async"], [])))
