# SPDX-License-Identifier: MIT
"""Runs of tests/managed/async_truth, whose calls know themselves, and of its twins."""
from async_tables import AsyncTables, check_same, differences_of_calls, differences_of_waits, differences_within
from running_program import Program, Capture
from umbra_runner import FULL, check_sound, run_well

ROUNDS = 20 if FULL else 1
ALIVE = 100_000 if FULL else 2_000
QUEUED = 50 if FULL else 5
PROGRAMS = {"release": "async_truth", "debug": "async_truth_debug"}
PREPARED = {"prepared": True, "unprepared": False}


def check_calls(profile, truth):
    """All that is certain, in one run."""
    check_sound(profile)
    tables = AsyncTables(profile)
    check_same(differences_within(profile), differences_of_calls(tables, truth),
               differences_of_waits(tables, truth))


def from_the_start(file, command):
    """A profile of it, and what it says of itself."""
    done = run_well(file, command)
    return done.profile, done.expected


def captured(runtime, file, work, program="async_truth", prepared=True, warm=2, captures=((),)):
    """A profile of what a program does that has long been hot, and what the program says of it: the last
    of these captures, each with its options."""
    with Program(runtime, program=program, prepared=prepared) as running:
        running.do(f"warm {warm}")
        for options in captures:
            capture = Capture(running.pid, file, *options)
            truth = running.do(work)
            profile = capture.stop()
        running.end()
    return profile, truth
