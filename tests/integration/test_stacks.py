# SPDX-License-Identifier: MIT
"""The call tree is the one that was run: under exceptions, OSR, callbacks, exit and unloading."""
import pytest

from umbra_runner import (FULL, TIERING, busy_machine, check_counts, check_sound, check_trees,
                          on_runtimes, run_umbra, run_well)

MODES = {"selective": [], "whole": ["--framework"]}
MODULE = "stacks.dll"
FULL_TREE = "--tree=full"  # as the program knows it: recursion unfolded


@on_runtimes(TIERING)
@pytest.mark.parametrize("options", MODES.values(), ids=MODES)
def test_trees_are_those_the_program_knows(file, runtime, options, setting):
    done = run_well(file, runtime.command("stacks"), FULL_TREE, *options, environment=setting)
    check_trees(done.profile, done.expected, MODULE)
    check_counts(done.profile, done.expected, MODULE)
    check_sound(done.profile)


@pytest.mark.parametrize("turn", range(20 if FULL else 2))
def test_trees_repeat(file, net10, turn):
    done = run_umbra(file, net10.command("stacks"), FULL_TREE)
    check_trees(done.profile, done.expected, MODULE)
    check_sound(done.profile)


def test_exit_in_depth_ends_the_profile_and_nothing_else(file, runtime):
    done = run_umbra(file, runtime.command("stacks", "exit"), FULL_TREE)
    assert done.status == 7, done.stdout + done.stderr
    check_trees(done.profile, done.expected, MODULE)
    assert done.profile.complete
    assert "WRONG" not in done.stdout


@pytest.mark.parametrize("others", [0, 4])
def test_code_may_be_unloaded_at_any_time(tmp_path, runtime, others):
    """Beside other work a thread may stand still anywhere, for longer than a module lives."""
    with busy_machine(others):
        for turn in range(20 if FULL else 3):
            done = run_well(tmp_path / f"{turn}.h5", runtime.command("stacks", "unload", 100))
            check_counts(done.profile, done.expected, MODULE)
            check_sound(done.profile)


def test_exceptions_are_counted_by_type_and_place(file, net10):
    profile = run_umbra(file, net10.command("stacks")).profile
    methods = profile.methods() + ["outside"]
    found = {(kind, methods[thrown], methods[caught]): count
             for kind, thrown, caught, count in zip(
                 profile.column("exceptions", "type"), profile["exceptions"]["thrown_in"],
                 profile["exceptions"]["caught_in"], profile["exceptions"]["count"])}
    for row, count in {
            ("System.InvalidOperationException", "Finally.Throws", "Finally.Run"): 100,
            ("System.NotSupportedException", "ThrowInFinally.Second", "ThrowInFinally.Run"): 50,
            ("System.NullReferenceException", "Hardware.Length", "Hardware.Run"): 50,
            ("System.DivideByZeroException", "Hardware.Divides", "Hardware.Run"): 50,
            ("System.InvalidOperationException", "Deep.Bottom", "Deep.Run"): 20,
    }.items():
        assert found.get(row) == count, f"{row}: {found.get(row)} instead of {count}\n{found}"


def test_tail_calls_do_not_grow_the_tree(file, runtime):
    done = run_well(file, runtime.command("fsharp"))
    check_sound(done.profile)
    assert len(done.profile["calltree"]) < 200
    even = done.profile.subtree("Program.isEven")
    assert {child.method for child in even.children} == set()
