# SPDX-License-Identifier: MIT
"""Counts are exact: on every runtime, in every mode, with tiering and without, every time."""
import pytest

from measured import measured
from umbra_runner import FULL, TIERING, check_counts, check_sound, on_runtimes, run_umbra, run_well

MODES = {"selective": [], "whole": ["--framework"], "il": ["--probe=il"]}
REPEATS = 20 if FULL else 3
THREADS = {  # what they do, how many there are, options of umbra
    "short_lived_threads": ("short", 6000),
    "short_lived_threads_with_names": ("named", 10),
    "threads_that_outrun_the_collector_lose_nothing": ("busy", 16),
    "counts_do_not_depend_on_the_workers_1": ("busy", 16, "--workers", 1),
    "counts_do_not_depend_on_the_workers_3": ("busy", 16, "--workers", 3),
    "short_threads_come_and_go_at_several_workers": ("short", 2000, "--workers", 3),
    "a_time_line_has_one_worker": ("busy", 4, "--workers", 3, "--events"),
}


def measure(file, runtime, program, *options, environment=None):
    """Trivial methods are counted too: the programs call them."""
    done = run_well(file, runtime.command(program), "--trivial", *options, environment=environment)
    return done


@on_runtimes(TIERING)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", ["fib", "shapes", "fsharp"])
def test_counts_are_those_the_program_knows(file, runtime, program, mode, setting):
    done = measure(file, runtime, program, *MODES[mode], environment=setting)
    check_sound(done.profile)
    check_counts(done.profile, done.expected, f"{program}.dll", merged=mode == "il")
    assert done.profile.mode == ("whole" if mode == "whole" else "selective")


@on_runtimes(TIERING)
@pytest.mark.parametrize("mode", ["selective", "whole"])
def test_calls_of_itself_at_a_methods_end_are_counted_and_take_no_stack(file, runtime, mode, setting):
    """Without umbra optimised code makes a loop of them."""
    done = measure(file, runtime, "tails", *MODES[mode], environment=setting)
    check_sound(done.profile)
    check_counts(done.profile, done.expected, None)


def test_counts_repeat(tmp_path, runtime):
    for turn in range(REPEATS):
        done = measure(tmp_path / f"{turn}.h5", runtime, "shapes")
        check_counts(done.profile, done.expected, "shapes.dll")


def test_selection_leaves_other_methods_alone(file, net10):
    done = measure(file, net10, "shapes", "--include", "shapes!Shapes.Threads.*",
                   "--exclude", "*.Weigh")
    calls = done.profile.calls("shapes.dll")
    assert calls["Threads.Step"] == done.expected["counts"]["Threads.Step"]
    assert calls["Threads.Weigh"] == 0
    assert calls["Dispatch.Run"] == 0


def test_what_is_timed_also_comes_to_the_programs_own(file, net10):
    done = run_well(file, net10.command("shapes"), "--trivial", "--also", "System.Console.WriteLine")
    check_counts(done.profile, done.expected, "shapes.dll")
    console = done.profile.calls("System.Console.dll")
    assert console["Console.WriteLine"] >= 1
    assert set(console) == {"Console.WriteLine"}


def calls_by_thread(profile, method):
    """Calls of a method, thread by thread that made any, in the order of the threads' rows."""
    methods = profile.methods()
    return {int(row["thread"]): int(row["calls"]) for row in profile["thread_functions"]
            if methods[row["function"]] == method}


def test_4096_threads_alive_at_once_are_counted_each(file, net10):
    done = run_well(file, net10.command("threads", "idle", 4096))
    profile = done.profile
    check_sound(profile)
    check_counts(profile, done.expected, "threads.dll")
    calls = calls_by_thread(profile, "Program.Touch")
    assert len(calls) == 4096
    assert set(calls.values()) == {1 + 500}
    threads = profile["threads"][sorted(calls)]
    assert max(threads["start_ns"]) < min(threads["end_ns"]), "they were not alive at once"
    assert len(set(threads["os_tid"].tolist())) == 4096


def test_threads_that_came_and_went_are_sums(file, net10):
    done = run_well(file, net10.command("threads", "short", 20_000))
    profile = done.profile
    check_sound(profile)
    check_counts(profile, done.expected, "threads.dll")
    threads = profile["threads"]
    assert sum(threads["threads"]) >= 20_000, "the program's, and some of the runtime's"
    assert len(threads) < 10_000, "the heaviest and the last by themselves"
    # By name, which of a thread that is gone at once nobody may have read.
    assert sum(number for number in threads["threads"] if number > 1) > 10_000
    assert sum(calls_by_thread(profile, "Program.Touch").values()) == \
        done.expected["counts"]["Program.Touch"]


@pytest.mark.parametrize("case", THREADS)
def test_threads_are_counted(file, net10, case):
    mode, count, *options = THREADS[case]
    done = run_well(file, net10.command("threads", mode, count), *options)
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "threads.dll")


@pytest.mark.parametrize("tree", ["folded", "full"])
def test_however_many_calls_are_within_each_other_each_is_counted(file, net10, tree):
    depth = 2_000_001 if FULL or tree == "folded" else 200_001  # a row of the file each
    done = run_well(file, net10.command("stacks", "deep", depth), "--tree", tree)
    profile = done.profile
    check_sound(profile)
    check_counts(profile, done.expected, "stacks.dll")
    rows = dict(zip(profile.methods(), profile["functions"]))
    for method, calls in done.expected["counts"].items():
        # The outermost call alone is the method's time, however many are open within it; the
        # longest call is kept to seven digits.
        total_ns = int(rows[method]["wall_total_ns"])
        assert abs(total_ns - int(rows[method]["wall_max_ns"])) <= total_ns * 1e-6, method
        assert rows[method]["unfinished"] == 0
        assert calls == rows[method]["calls"]


def test_threads_carry_their_managed_names(file, net10):
    done = run_umbra(file, net10.command("threads", "named", 5))
    names = done.profile.column("threads", "name")
    for number in range(5):
        assert f"early {number}" in names
        assert f"late {number}" in names


@measured
def test_waits_are_as_long_as_they_were(file, net10):
    done = run_umbra(file, net10.command("sleepy"))
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "sleepy.dll")
    times = dict(zip(done.profile.methods(), done.profile["functions"]))
    for method, calls, self_share in (("Waits.Sleeps", 15, 1), ("Waits.Joins", 5, 1),
                                      ("Waits.WaitsForPulse", 5, 1), ("Waits.Spins", 5, 1),
                                      ("Waits.SleepsInACallee", 5, 0)):
        row = times[method]
        assert row["wall_min_ns"] >= 39e6, method
        assert row["wall_total_ns"] < calls * 40e6 * 2, method
        if self_share:
            assert row["wall_self_ns"] >= 0.95 * row["wall_total_ns"], method
        else:
            assert row["wall_self_ns"] <= 0.05 * row["wall_total_ns"], method


@pytest.mark.parametrize("cpu", ["auto", "schedstat"])
def test_what_threads_did_not_run_is_told_to_their_worker(file, net10, cpu):
    done = measure(file, net10, "shapes", "--workers", 3, "--cpu", cpu)
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "shapes.dll")


@pytest.mark.parametrize("workers", ["0", "65", "-1", "many", "3x"])
def test_a_number_that_cannot_be_is_refused(file, net10, workers):
    done = run_umbra(file, net10.command("threads", "busy", 1), f"--workers={workers}")
    assert done.status != 0
    assert "neither auto nor a number from 1 to 64" in done.stderr
