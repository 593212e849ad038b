# SPDX-License-Identifier: MIT
"""A method made ten times slower is told so, and a query that is awaited twice as long; a profile is
the same as itself.

How small a change is still seen, and that chance alone is taken for none, are timings: they are held
to by tests/gates. Here the difference is so large that only a machine that changes its speed between
two runs as much can hide it, and what is said must hold for one of three fresh pairs.
"""
import json
import subprocess

import pytest

import runtimes
from umbra_runner import UMBRA, Outcome, check_counts, run_well

PAIRS = 3
CHANGED = "Slower.Steps.Changed(uint, int)"
SLOWER_PERCENT = 900
ROUNDS = 1_000
RUNS = 4  # a side, of the program `queries`
USUAL = 20  # milliseconds of an await
REQUESTS = 8


@pytest.fixture(scope="module")
def profile_of(tmp_path_factory):
    """Profiles of the program with one method slower by so many percent: profile_of(PERCENT, N)
    is the N-th of them. They are kept, so that the tests share their first pairs."""
    folder = tmp_path_factory.mktemp("diff")
    kept = {}

    def profile(percent, number) -> Outcome:
        if (percent, number) not in kept:
            done = run_well(folder / f"{percent}-{number}.h5",
                            runtimes.NET10.command("slower", percent, ROUNDS))
            check_counts(done.profile, done.expected, "slower.dll")
            kept[percent, number] = done
        return kept[percent, number]

    return profile


def umbra_diff(before: Outcome, after: Outcome, *options):
    return diff_of([before.file, after.file, *options])


def diff_of(arguments):
    return subprocess.run([UMBRA, "diff", *arguments], text=True, capture_output=True, timeout=60)


def in_one_of(pairs, check):
    """Calls check(BEFORE, AFTER) for one pair after the other until one holds. Pairs are made
    outside of it: a run that fails or counts wrongly fails the test."""
    failures = []
    for before, after in pairs:
        try:
            return check(before, after)
        except AssertionError as failure:
            failures.append(str(failure))
    pytest.fail(f"in {len(failures)} pairs of runs:\n" + "\n".join(failures))


def needs_cpu_times(profile_of):
    if profile_of(0, 0).profile.cpu_source == "none":
        pytest.skip("no CPU times here: wall times of two runs on a busy machine differ by more")


def test_a_profile_is_the_same_as_itself(profile_of):
    run = profile_of(0, 0)
    found = umbra_diff(run, run, "--fail-above", "0%")
    assert found.returncode == 0, found.stdout
    assert "No function changed" in found.stdout


def changed(found):
    """What `umbra diff --json` says of the method that was made slower."""
    return next(row for row in json.loads(found.stdout)["functions"] if row["name"] == CHANGED)


def test_a_method_made_slower_is_told_so(profile_of):
    needs_cpu_times(profile_of)

    def slower(before, after):
        found = umbra_diff(before, after, "--json", "--fail-above", "100%")
        assert found.returncode == 3, found.stdout
        row = changed(found)
        assert row["verdict"] == "slower"
        assert row["self"]["relative"] > 1

    in_one_of(((profile_of(0, n), profile_of(SLOWER_PERCENT, n)) for n in range(PAIRS)), slower)


def test_the_other_way_round_it_is_faster(profile_of):
    needs_cpu_times(profile_of)

    def faster(before, after):
        found = umbra_diff(before, after, "--json")
        assert found.returncode == 0, found.stdout
        assert changed(found)["verdict"] == "faster"

    in_one_of(((profile_of(SLOWER_PERCENT, n), profile_of(0, n)) for n in range(PAIRS)), faster)


def sides(folder):
    """RUNS runs of a side, recorded in turn: old ones, and as new ones equal ones and those in which
    a query is awaited twice as long."""
    folder.mkdir()
    files = {"old": [], "same": [], "doubled": []}
    for number in range(RUNS):
        for side, milliseconds in (("old", USUAL), ("same", USUAL), ("doubled", 2 * USUAL)):
            done = run_well(folder / f"{side}{number}.h5",
                            runtimes.NET10.command("queries", milliseconds, REQUESTS))
            files[side].append(done.file)
    return files.pop("old"), files


def test_a_query_awaited_twice_as_long_fails_the_gate_and_equal_runs_pass(tmp_path):
    def told(old, new):
        found = diff_of([*old, "--against", *new["doubled"], "--json", "--fail-above", "5%"])
        assert found.returncode == 3, found.stdout
        rows = {row["name"].split("(")[0]: row for row in json.loads(found.stdout)["functions"]}
        changed = rows["Queries.Program.Changed"]
        assert (changed["verdict"], changed["self"]["by"]) == ("slower", "async wall")
        assert rows["Queries.Program.Handle"]["verdict"] != "slower", "it only awaits what is"
        found = diff_of([*old, "--against", *new["same"], "--fail-above", "5%"])
        assert found.returncode == 0, found.stdout

    in_one_of((sides(tmp_path / str(pair)) for pair in range(PAIRS)), told)
