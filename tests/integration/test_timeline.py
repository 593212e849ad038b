# SPDX-License-Identifier: MIT
"""umbra run --events: every call has its place in time, inside its caller's."""
import numpy as np
import pytest

from umbra_runner import check_sound, run_umbra, run_well


def nested(profile):
    """Checks that callers hold their callees and that calls of one caller follow each other."""
    parents = profile["calltree"]["parent"]
    threads = profile["calltree"]["thread"]
    waiting = {}  # by (thread, node of the caller): spans of calls whose caller has not ended yet
    for call in profile["timeline"]:
        node, start = int(call["node"]), int(call["start_ns"])
        end = start + int(call["duration_ns"])
        before = start
        for first, last in waiting.pop((int(threads[node]), node), ()):
            # Each time is cut off to whole nanoseconds by itself.
            assert before - 1 <= first and last <= end + 1
            before = last
        waiting.setdefault((int(threads[node]), int(parents[node])), []).append((start, end))
    assert all(parent < 0 for _, parent in waiting)


@pytest.mark.parametrize("program", ["shapes", "stacks"])
def test_every_call_is_in_the_time_line(file, net10, program):
    done = run_well(file, net10.command(program), "--events")
    profile = done.profile
    check_sound(profile)
    rows = len(profile["calltree"])
    timeline = profile["timeline"]
    calls = np.bincount(timeline["node"], minlength=rows)
    assert (calls == profile["calltree"]["calls"]).all()
    nanoseconds = np.bincount(timeline["node"], timeline["duration_ns"], minlength=rows)
    off = nanoseconds - profile["calltree"]["wall_total_raw_ns"]
    assert (abs(off) <= calls + 1).all()
    nested(profile)


def test_what_finds_no_room_is_counted(file, net10):
    done = run_well(file, net10.command("fib", 20), "--events", "--max-events", 1000)
    assert len(done.profile["timeline"]) == 1000
    assert done.profile.lost_rows > 20_000


def test_without_being_asked_for_there_is_none(file, net10):
    done = run_umbra(file, net10.command("fib", 10))
    assert len(done.profile["timeline"]) == 0
