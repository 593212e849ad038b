# SPDX-License-Identifier: MIT
"""--max-overhead: the hooks of tiny methods go, everything else stays as true as it was."""
import pytest

from measured import measured
from umbra_runner import check_counts, check_sound, run_umbra, run_well

TINY = {"Tiny.Mix": 40_000, "Tiny.Fold": 40_000, "Tree.Count": 2 ** 16 - 1}  # calls a turn
SECONDS = 2


def measure(file, runtime, *options):
    """The profile, and what the program printed of itself: name -> number."""
    done = run_well(file, runtime.command("budget", SECONDS, SECONDS / 2), *options)
    assert "wrong" not in done.stdout.lower()
    words = next(line for line in done.stdout.splitlines() if line.startswith("turns ")).split()
    return done, dict(zip(words[::2], map(float, words[1::2])))


def rows(profile):
    return dict(zip(profile.methods(), profile["functions"]))


@pytest.mark.parametrize("options", [[], ["--framework"]], ids=["selective", "whole"])
@measured
def test_tiny_methods_lose_their_hooks(file, runtime, options):
    done, told = measure(file, runtime, "--max-overhead", 5, *options)
    profile = done.profile
    check_sound(profile)
    check_counts(profile, done.expected, "budget.dll")
    functions = rows(profile)
    calls = profile.calls("budget.dll")
    for method, a_turn in TINY.items():
        assert functions[method]["deinstrumented"], method
        assert 1_000 < calls[method] < told["turns"] * a_turn, method
    for method in ("Turn.Mixes", "Turn.Counts", "Program.Main"):
        assert not functions[method]["deinstrumented"], method
    deinstrumented = sum(bool(row["deinstrumented"]) for row in profile["functions"])
    assert profile.deinstrumented_functions == deinstrumented
    assert profile.max_overhead_percent == 5
    assert "not profiled" not in done.stderr

    # The time of the de-instrumented ones is their callers'. The program's clock also runs while a method
    # is compiled before its first call, which takes long where other processes want the processor.
    for method, seconds in (("Turn.Mixes", told["mixes"]), ("Turn.Counts", told["counts"])):
        assert functions[method]["wall_total_raw_ns"] == \
            pytest.approx(seconds * 1e9, rel=0.03, abs=150e6), method


@measured
def test_exceptions_run_through_methods_without_hooks(file, runtime):
    # So small a budget that what throws and catches loses its hooks as well.
    done = run_umbra(file, runtime.command("budget", SECONDS, SECONDS / 2, "throw"),
                     "--max-overhead", 0.1)
    assert done.status == 0, done.stdout
    profile = done.profile
    check_sound(profile)
    functions = rows(profile)
    methods = ("Fall.Down", "Fall.Through")
    if not any(functions[method]["deinstrumented"] for method in methods):
        pytest.skip("exceptions are so slow here that the budget leaves their methods alone")
    pair_ns = profile.probe_inside_ns + profile.probe_outside_ns
    for method in methods:
        row = functions[method]
        # Enough of them lose their hooks, and no more.
        cost_ns = int(row["calls"]) * pair_ns
        assert row["deinstrumented"] or cost_ns < 0.002 * profile.wall_ns, \
            f"{method}: probes cost {cost_ns} ns"
    assert profile.calls("budget.dll")["Turn.Mixes"] == done.expected["counts"]["Turn.Mixes"]


def test_without_the_option_nothing_is_limited(file, net10):
    done, told = measure(file, net10)
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "budget.dll")
    calls = done.profile.calls("budget.dll")
    for method, a_turn in TINY.items():
        assert calls[method] == told["turns"] * a_turn, method
    assert not any(row["deinstrumented"] for row in done.profile["functions"])
    assert done.profile.deinstrumented_functions == 0
    assert done.profile.max_overhead_percent == 0


def test_a_generous_budget_changes_nothing(file, net10):
    done = run_well(file, net10.command("sleepy"), "--max-overhead", 50)
    check_counts(done.profile, done.expected, "sleepy.dll")
    assert done.profile.deinstrumented_functions == 0
