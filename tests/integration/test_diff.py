# SPDX-License-Identifier: MIT
"""Two runs of the same program are the same; a method made 10 % slower is named first.

docs/diff.md says how often chance alone looks like a change, and a run that the machine disturbed
is one more reason: what is said here of two runs must hold for one of three fresh pairs.
"""
import json
import subprocess

import pytest

import runtimes
from umbra_runner import UMBRA, Outcome, check_counts, run_umbra

PAIRS = 3
CHANGED = "Slower.Steps.Changed(uint, int)"


@pytest.fixture(scope="module")
def profile_of(tmp_path_factory):
    """Profiles of the program with one method slower by so many percent: profile_of(PERCENT, N)
    is the N-th of them. They are kept, so that the tests share their first pairs."""
    folder = tmp_path_factory.mktemp("diff")
    kept = {}

    def profile(percent, number) -> Outcome:
        if (percent, number) not in kept:
            done = run_umbra(folder / f"{percent}-{number}.h5",
                             runtimes.NET10.command("slower", percent))
            assert done.status == 0, done.stderr
            check_counts(done.profile, done.expected, "slower.dll")
            kept[percent, number] = done
        return kept[percent, number]

    return profile


def umbra_diff(before: Outcome, after: Outcome, *options):
    return subprocess.run([UMBRA, "diff", before.file, after.file, *options], text=True,
                          capture_output=True, timeout=60)


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


def test_two_runs_of_the_same_program_are_the_same(profile_of):
    def same(before, after):
        found = umbra_diff(before, after, "--fail-above", "5%")
        assert found.returncode == 0, found.stdout
        assert "No function changed" in found.stdout

    in_one_of(((profile_of(0, n), profile_of(0, n + 1)) for n in range(PAIRS)), same)


def test_a_method_made_slower_is_named_first(profile_of):
    needs_cpu_times(profile_of)

    def named_first(before, after):
        found = umbra_diff(before, after, "--json", "--fail-above", "5%")
        assert found.returncode == 3, found.stdout
        first, second = json.loads(found.stdout)["functions"][:2]
        assert first["name"] == CHANGED
        assert first["verdict"] == "slower"
        assert 0.05 < first["self"]["relative"]
        assert second["verdict"] == "same"

    in_one_of(((profile_of(0, n), profile_of(10, n)) for n in range(PAIRS)), named_first)


def test_the_other_way_round_it_is_faster(profile_of):
    needs_cpu_times(profile_of)

    def faster(before, after):
        found = umbra_diff(before, after, "--json", "--fail-above", "0%")
        assert found.returncode == 0, found.stdout
        first = json.loads(found.stdout)["functions"][0]
        assert first["name"] == CHANGED
        assert first["verdict"] == "faster"

    in_one_of(((profile_of(10, n), profile_of(0, n)) for n in range(PAIRS)), faster)
