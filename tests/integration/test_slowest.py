# SPDX-License-Identifier: MIT
"""umbra run --slowest: the slow requests of a server, each explained by what happened in it.

One request in 5,000 of tests/managed/server/Tail.cs is slow, for one of three reasons in turn.
"""
import re
import subprocess

import pytest

from targets import Patient, agent_variables, wait_for_profiler
from umbra_runner import FULL, UMBRA, check_sound, report, run_umbra, run_well

# One slow request of each kind; all that is promised with UMBRA_FULL=1.
REQUESTS = 300_000 if FULL else 15_000
CONNECTIONS = 8
KEPT = 40 * (REQUESTS // 15_000)  # who meets the lock meanwhile is slow as well, on each connection
EXTRA_CALLS = 2_000_000
SLOW_NS = 100e6


def slowest(file, *options):
    return report(file, "--slowest", *options)["slowest"]


def method(methods, name):
    found = [one for one in methods if one["name"] and re.search(name, one["name"])]
    assert len(found) == 1, [one["name"] for one in methods]
    return found[0]


def slices(call, name):
    return [row for row in call["slices"] if name in row["name"]]


def within(call, name, kind):
    """Time of the intervals of a kind that lie in calls of a method, by the depths of the rows."""
    total_ns = 0
    inside = None
    for row in call["slices"]:
        if inside is not None and row["depth"] <= inside:
            inside = None
        if inside is None and row["kind"] == "call" and name in row["name"]:
            inside = row["depth"]
        elif inside is not None and row["kind"] == kind:
            total_ns += row["duration_ns"]
    return total_ns


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    import runtimes
    file = tmp_path_factory.mktemp("slowest") / "tail.h5"
    done = run_well(file, runtimes.NET10.command("server", "tail", REQUESTS, CONNECTIONS,
                                             EXTRA_CALLS),
                    "--slowest", f"Tail.Orders.Handle={KEPT}", "--slowest", f"Tail.Orders.Answer={KEPT}",
                    timeout=900)
    return done


def test_every_request_was_compared_and_none_is_lost(shop):
    check_sound(shop.profile)
    handled = method(slowest(shop.file), r"Orders\.Handle\(")
    assert handled["compared"] == REQUESTS + 3 * CONNECTIONS
    assert (handled["kept"], handled["lost"]) == (KEPT, 0)
    walls = [call["wall_ns"] for call in handled["calls"]]
    assert walls == sorted(walls, reverse=True)


def test_a_lock_held_by_another_thread_is_named(shop):
    calls = method(slowest(shop.file), r"Orders\.Handle\(")["calls"]
    if shop.profile.attributes["cpu_source"] != "perf":
        pytest.skip("the kernel tells of no context switches here: cpu_source is not perf")
    stuck = [call for call in calls if within(call, "Stock.Reserve", "off cpu") > 100e6]
    assert len(stuck) >= REQUESTS // 15_000
    for call in stuck:
        assert call["off_cpu_ns"] > 100e6
        assert call["cpu_ns"] < call["wall_ns"] / 2


def test_the_call_that_waits_for_a_lock_is_the_one_that_took_the_time(shop):
    calls = method(slowest(shop.file), r"Orders\.Handle\(")["calls"]
    stuck = [call for call in calls
             if sum(row["duration_ns"] for row in slices(call, "Stock.Reserve")) > 100e6]
    assert len(stuck) >= REQUESTS // 15_000


def test_a_garbage_collection_is_named(shop):
    calls = method(slowest(shop.file), r"Orders\.Handle\(")["calls"]
    collected = [call for call in calls if slices(call, "Invoices.Recycle")]
    assert len(collected) == REQUESTS // 15_000
    for call in collected:
        assert "gc of generation 2 by this thread" in call["paused_for"]
        assert call["paused_ns"] > call["wall_ns"] / 2
        assert len([row for row in call["slices"] if row["kind"] == "paused"]) >= 3


def test_extra_calls_are_named_and_counted(shop):
    calls = method(slowest(shop.file), r"Orders\.Handle\(")["calls"]
    busy = [call for call in calls if call["calls"] > EXTRA_CALLS]
    assert len(busy) == REQUESTS // 15_000
    for call in busy:
        # Reserve, Print, Total; and Reasons.Of twice where it was not inlined yet.
        assert EXTRA_CALLS + 3 <= call["calls"] <= EXTRA_CALLS + 5
        assert sum(row["calls"] for row in slices(call, "Prices.Of")) == EXTRA_CALLS
        assert call["merged_calls"] > 0
        assert len(call["slices"]) <= 65_536 + 2_000


def test_an_async_method_is_found_by_its_name_and_its_calls_are_whole(shop):
    # A request is answered before its call has ended: the last ones may be open.
    answered = method(slowest(shop.file), r"Orders\.Answer\(")
    assert answered["compared"] == REQUESTS + 3 * CONNECTIONS
    assert len(answered["calls"]) == KEPT
    for call in answered["calls"]:
        assert call["outcome"] in ("result", "open")
        assert call["running_ns"] + call["awaiting_ns"] + call["queued_ns"] == call["wall_ns"]
        assert [row["kind"] for row in call["slices"]].count("running") >= 2, "Task.Yield() makes two stretches at least"
    # What is called in a stretch on a thread is known where the stretch is among the slowest itself, as those are
    # that have a slow call in them. Others may be as long on a busy machine, with nothing called meanwhile.
    slow = [call["slices"][0]["duration_ns"] for call in method(slowest(shop.file), r"Orders\.Handle\(")["calls"]
            if call["slices"][0]["duration_ns"] > SLOW_NS]
    found = [row["duration_ns"] for call in answered["calls"] for row in slices(call, "Orders.Handle")
             if row["duration_ns"] > SLOW_NS]
    assert len(slow) >= REQUESTS // 15_000, "who waits for the lock blocks a thread"
    assert sorted(found) == sorted(slow)


def test_the_report_says_what_happened(shop):
    told = subprocess.run([UMBRA, "report", str(shop.file), "--slowest", "--top", "4"],
                          capture_output=True, text=True, check=True).stdout
    assert re.search(r"Tail\.Orders\.Handle\(int\)  the 4 slowest of [\d,]+ calls by wall time", told)
    assert "calls in it" in told


def test_what_was_compiled_meanwhile_is_named(file, net10):
    done = run_well(file, net10.command("fib", 12), "--slowest", "*.Main=1")
    call = method(slowest(file), "Main")["calls"][0]
    compiled = [row for row in call["slices"] if row["kind"] == "compiling"]
    assert any("Fib.Run(" in row["function"] and row["name"] == f"(compiling {row['function']})"
               for row in compiled), compiled
    assert all(row["function"] for row in compiled), compiled
    told = subprocess.run([UMBRA, "report", str(file), "--slowest"], capture_output=True, text=True,
                          check=True).stdout
    assert re.search(rf"compiling {len(compiled)} methods?,", told)


def test_a_request_that_no_method_meets_is_told(file, net10):
    done = run_umbra(file, net10.command("fib", 12), "--slowest", "*.Nowhere=3",
                     "--slowest", "*.Fib*=2")
    assert done.status == 1 and "--slowest '*.Nowhere=3' matches none of the " in done.stderr
    methods = slowest(file)
    assert [one["request"] for one in methods if one["name"] is None] == ["*.Nowhere=3"]
    told = subprocess.run([UMBRA, "report", str(file), "--slowest"], capture_output=True, text=True,
                          check=True).stdout
    assert "no method with probes was called that '*.Nowhere=3' matches" in told


@pytest.mark.parametrize("probe", ["hooks", "il"])
def test_a_capture_of_a_running_process_keeps_them_too(file, net10, probe):
    with Patient(net10, agent_variables()) as patient:
        with subprocess.Popen([UMBRA, "start", str(patient.dotnet_pid), "--probe", probe, "-q",
                               "--duration", "2s", "--slowest", "*Work.Tick=3", "-o", str(file)],
                              stderr=subprocess.PIPE, text=True) as capture:
            wait_for_profiler(patient.dotnet_pid, "recording")
            _, errors = capture.communicate(timeout=120)
        assert capture.returncode == 0, errors
        ticks = method(slowest(file), "Work.Tick")
        assert ticks["compared"] > 3
        assert len(ticks["calls"]) == 3
        patient.check_unharmed()


def test_a_request_that_makes_no_sense_is_refused(file, net10):
    done = run_umbra(file, net10.command("fib", 5), "--slowest", "A.B=none")
    assert done.status != 0
    assert "write PATTERN=NUMBER" in done.stderr
