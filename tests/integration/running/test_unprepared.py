# SPDX-License-Identifier: MIT
"""Programs that nobody prepared, timed from before their first call: each call is counted.

A startup hook holds a program in front of its Main, so that `umbra start` comes to a running process
that has called nothing of its own."""
from dataclasses import dataclass

import pytest

from gated import Gated
from profile_file import Profile
from published import published
from running_program import Capture
from umbra_runner import TIERING, TIMEOUT_SECONDS, check_counts, check_sound, check_trees, expected_of, on_runtimes

SETTINGS = {
    "as it is": {},
    "optimised": TIERING["optimised"],
    "no profile": {"DOTNET_TieredPGO": "0"},
    "loops optimised": {"DOTNET_TC_QuickJitForLoops": "0"},
    "nothing precompiled": {"DOTNET_ReadyToRun": "0"},
    "server GC": {"DOTNET_gcServer": "1"},
}


# The runtime has no new versions of what can be unloaded.
COLLECTIBLE = ("Guest.",)


@dataclass
class Measured:
    status: int
    output: str
    profile: Profile

    @property
    def expected(self):
        return expected_of(self.output)


def measure(file, runtime, program, *arguments, options=(), environment=()):
    """Runs a test program; umbra starts to time it before its Main."""
    return measure_gated(file, Gated(runtime, program, *arguments, environment=environment), options)


def measure_gated(file, gated, options=()):
    with gated as running:
        capture = Capture(running.pid, file, "--trivial", *options)  # the programs count their small methods too
        assert capture.brought_agent
        status, output = running.run(TIMEOUT_SECONDS)
        return Measured(status, output, capture.wait())


@on_runtimes(SETTINGS)
@pytest.mark.parametrize("program", ["shapes", "fsharp"])
def test_every_call_is_counted(file, runtime, program, setting):
    """Those of methods that would be inlined too."""
    done = measure(file, runtime, program, environment=setting)
    assert done.status == 0, done.output
    check_sound(done.profile)
    check_counts(done.profile, done.expected, f"{program}.dll", merged=True)
    assert (done.profile.probes, done.profile.refused_methods) == ("il", 0)


@pytest.mark.parametrize("kind", ["debug", "ready to run", "single file"])
def test_every_call_of_a_published_program_is_counted(file, net10, kind):
    """Code that was compiled before, code without optimisation, modules without a file."""
    done = measure_gated(file, Gated.of_command(net10, [str(published(kind, "shapes"))]))
    assert done.status == 0, done.output
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "shapes.dll", merged=True)
    assert (done.profile.probes, done.profile.refused_methods) == ("il", 0)


@on_runtimes(TIERING)
def test_trees_are_those_the_program_knows(file, runtime, setting):
    """Under exceptions, on-stack replacement, callbacks from native code."""
    done = measure(file, runtime, "stacks", options=["--tree=full"], environment=setting)
    assert done.status == 0, done.output
    check_trees(done.profile, done.expected, "stacks.dll")
    check_counts(done.profile, done.expected, "stacks.dll", without=COLLECTIBLE, merged=True)
    assert done.profile.refused_methods > 0  # those
    check_sound(done.profile)


def test_methods_made_at_run_time_are_named(file, runtime):
    """Reflection.Emit: of such code the runtime compiles nothing anew."""
    with Gated(runtime, "copies") as running:
        capture = Capture(running.pid, file)
        status, output = running.run(TIMEOUT_SECONDS)
        profile = capture.wait()
    assert status == 0, output
    check_sound(profile)
    assert profile.refused_methods == 11  # of type Odd, each once
    told = [line for line in capture.rest.splitlines() if "made at run time (Reflection.Emit)" in line]
    assert sum("Odd." in line for line in told) == 8, told
    assert told[-1].startswith("umbra: 3 more methods are not timed: "), told


def test_values_come_through_the_probes(file, runtime):
    """Arguments and results in every register, of every size."""
    done = measure(file, runtime, "registers")
    assert done.status == 0, done.output
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "registers.dll", merged=True)


def test_framework_methods_too(file, net10):
    done = measure(file, net10, "shapes", options=["--framework"])
    assert done.status == 0, done.output
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "shapes.dll", merged=True)
    assert len(done.profile["functions"]) > 500


def test_tail_calls_do_not_grow_the_tree(file, runtime):
    done = measure(file, runtime, "fsharp")
    assert len(done.profile["calltree"]) < 300
    even = done.profile.subtree("Program.isEven")
    assert {child.method for child in even.children} == set()


def test_a_budget_takes_probes_out_of_tiny_methods(file, runtime):
    """Their IL is as it was again, their calls are counted until then; all others stay exact."""
    done = measure(file, runtime, "budget", 2, 1, options=["--max-overhead=5"])
    assert done.status == 0 and "wrong" not in done.output.lower(), done.output
    check_sound(done.profile)
    check_counts(done.profile, done.expected, "budget.dll", merged=True)
    rows = dict(zip(done.profile.methods(), done.profile["functions"]))
    for method in ("Tiny.Mix", "Tiny.Fold", "Tree.Count"):
        assert rows[method]["deinstrumented"] and rows[method]["calls"] > 1_000, method
    for method in ("Turn.Mixes", "Turn.Counts"):
        assert not rows[method]["deinstrumented"], method
    assert (done.profile.probes, done.profile.refused_methods) == ("il", 0)
