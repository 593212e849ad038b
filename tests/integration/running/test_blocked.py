# SPDX-License-Identifier: MIT
"""Threads that wait for tasks instead of awaiting them, and the slowest async calls as whole records:
tests/managed/blocked measures both itself."""
import pytest

import runtimes
from umbra_runner import check_sound, report, run_well

ROUNDS = 5
WAITED_MS = 20
LOAD = "Sync.Store.Load(int)"
# Method of Sync.Over: what it waits for.
BLOCKED = {"ByResult": LOAD, "ByWait": LOAD, "ByAwaiter": LOAD, "Load": LOAD, "Impatient": "Task"}


@pytest.fixture(name="done", scope="module", params=runtimes.ALL, ids=lambda runtime: runtime.name)
def _done(request, tmp_path_factory):
    done = run_well(tmp_path_factory.mktemp("blocked") / "blocked.h5", request.param.command("blocked"),
                    "--slowest", "Sync.Slow.Request=3", "--slowest", "Sync.Slow.Part=3")
    check_sound(done.profile)
    return done


def test_each_wait_is_told_by_who_waited_and_for_what(done):
    rows = {(row["name"], row["awaited"]): row for row in report(done.file, "--async")["blocked"]}
    assert set(done.expected["waits"]) == set(BLOCKED)
    for method, (least_ms, most_ms) in done.expected["waits"].items():
        row = rows.get((f"Sync.Over.{method}(int)", BLOCKED[method]))
        assert row, (method, list(rows))
        assert row["times"] == ROUNDS
        # Within what the method measured around it, and no shorter than what it waited for.
        if method == "Impatient":  # which waits for nothing but its time to be over
            least_ms = 0.9 * ROUNDS * WAITED_MS
        assert least_ms > 0.5 * ROUNDS * WAITED_MS, "the program did not wait"
        assert least_ms <= row["total_ns"] / 1e6 <= most_ms, (method, least_ms, most_ms)


def test_a_slow_call_is_one_record_with_its_parts(done):
    slow = {method["name"]: method for method in report(done.file, "--slowest")["slowest"]}
    assert set(slow) == {"Sync.Slow.Request(int)", "Sync.Slow.Part(int)"}
    requests = slow["Sync.Slow.Request(int)"]
    assert (requests["compared"], requests["kept"]) == (8, 3)
    assert slow["Sync.Slow.Part(int)"]["compared"] == 16
    slowest = requests["calls"][0]
    assert slowest["outcome"] == "result"
    slowest_part = done.expected["slowestPart"]
    assert slowest_part > 100
    assert slowest_part <= slowest["wall_ns"] / 1e6 <= done.expected["slowest"]
    assert slowest["running_ns"] + slowest["awaiting_ns"] + slowest["queued_ns"] == slowest["wall_ns"]
    own = [row for row in slowest["slices"] if row["depth"] == 1]
    parts = sorted(row["duration_ns"] / 1e6 for row in own if row["kind"] == "call")
    assert len(parts) == 2 and parts[1] >= slowest_part, own
    awaited = {row["name"] for row in slowest["slices"] if row["kind"] == "awaiting"}
    assert awaited == {"(awaiting Task.Delay)"}
    stretches = sum(row["duration_ns"] for row in own if row["kind"] == "running")
    assert abs(stretches - slowest["running_ns"]) <= len(own)  # each rounded for itself
    burnt = [row for row in slowest["slices"] if row["name"] == "Sync.Slow.Burn(int)"]
    assert len(burnt) == 1 and burnt[0]["depth"] == 2, "what ran in a stretch is in it"
