# SPDX-License-Identifier: MIT
"""Two runs of the same program are the same; a method made 10 % slower is named first."""
import json
import subprocess

import pytest

from umbra_runner import UMBRA, Outcome, check_counts, run_umbra


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Profiles of the program as it is, twice, and with one method 10 % slower."""
    folder = tmp_path_factory.mktemp("diff")
    return [profile_of(folder / f"{number}.h5", percent)
            for number, percent in enumerate([0, 0, 10])]


def profile_of(file, percent):
    """The program under umbra with one method slower by so much."""
    import runtimes

    done = run_umbra(file, runtimes.NET10.command("slower", percent))
    assert done.status == 0, done.stderr
    check_counts(done.profile, done.expected, "slower.dll")
    return done


def umbra_diff(before: Outcome, after: Outcome, *options):
    return subprocess.run([UMBRA, "diff", before.file, after.file, *options], text=True,
                          capture_output=True, timeout=60)


def test_two_runs_of_the_same_program_are_the_same(files, tmp_path):
    """Of three pairs one: docs/diff.md says how often chance alone looks like a change. A run that
    the machine disturbed is in two of them."""
    printed, before, after = [], files[0], files[1]
    for number in range(3):
        same = umbra_diff(before, after, "--fail-above", "5%")
        if same.returncode == 0 and "No function changed" in same.stdout:
            return
        printed.append(same.stdout)
        before, after = after, profile_of(tmp_path / f"{number}.h5", 0)
    pytest.fail("\n".join(printed))


def test_a_method_made_slower_is_named_first(files):
    if files[0].profile.cpu_source == "none":
        pytest.skip("no CPU times here: wall times of two runs on a busy machine differ by more")
    changed = umbra_diff(files[0], files[2], "--json", "--fail-above", "5%")
    assert changed.returncode == 3, changed.stdout
    first, second = json.loads(changed.stdout)["functions"][:2]
    assert first["name"] == "Slower.Steps.Changed(uint, int)"
    assert first["verdict"] == "slower"
    assert 0.05 < first["self"]["relative"]
    assert second["verdict"] == "same"


def test_the_other_way_round_it_is_faster(files):
    if files[0].profile.cpu_source == "none":
        pytest.skip("no CPU times here: wall times of two runs on a busy machine differ by more")
    changed = umbra_diff(files[2], files[1], "--json", "--fail-above", "0%")
    assert changed.returncode == 0, changed.stdout
    assert json.loads(changed.stdout)["functions"][0]["verdict"] == "faster"
