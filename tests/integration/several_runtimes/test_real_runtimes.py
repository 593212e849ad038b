# SPDX-License-Identifier: MIT
"""Two real runtimes in one process, in turn and at the same time: one profile with the calls of both.

A runtime stops its threads by a signal, and who has started last handles the signals of all, which
crashes threads of another version, with umbra or without (docs/several_runtimes.md). So where both run
at the same time, they are told to stop their threads without.
"""
import json
import os
import shlex
import sys
from pathlib import Path

import pytest

import runtimes
from targets import Patient, check_refused, umbra
from umbra_runner import SUPPORT, check_counts, check_sound, check_trees, run_umbra

PAIRS = [("net10", "net9"), ("net10", "net8"), ("net9", "net8")]
RUNTIMES = {runtime.name: runtime for runtime in runtimes.ALL}
PROGRAMS = (("fib", "21"), ("registers", "2000"))
HOST = SUPPORT / "several_runtimes_host.py"
WITHOUT_SIGNALS = {"DOTNET_INTERNAL_ThreadSuspendInjection": "0"}


def run_of(name, program, *arguments):
    """A RUN of the host."""
    runtime = RUNTIMES[name]
    runtime.command(program)  # builds it
    folder = runtime.folder / "bin"
    if not runtime.version:
        shared = Path(runtimes.dotnet()).resolve().parent / "shared" / "Microsoft.NETCore.App"
        folder = max(shared.glob(f"{runtime.framework.removeprefix('net').split('.')[0]}.*"))
    return shlex.join([str(folder), str(runtime.folder / "bin" / f"{program}.dll"), *arguments])


def host(order, pair):
    """The command line that runs a program on each runtime of a pair."""
    runs = [run_of(name, *program) for name, program in zip(pair, PROGRAMS)]
    return [sys.executable, HOST, order, *runs]


def told_by(done):
    """What the programs say of their own calls."""
    return [json.loads(line.removeprefix("UMBRA-EXPECT "))
            for line in done.stdout.splitlines() if line.startswith("UMBRA-EXPECT ")]


def run_host(file, order, pair, *options, environment=None):
    return run_umbra(file, host(order, pair), "-q", *options,
                     environment=(environment or {}) | WITHOUT_SIGNALS)


def check_profiled(done, programs):
    """The profile has exactly the calls of these of the programs, and none of the others'."""
    assert done.status == 0, done.stderr
    check_sound(done.profile)
    told = [one["counts"] for one in told_by(done)]
    assert len(told) == len(PROGRAMS), "all of them run to their ends"
    for name, _ in PROGRAMS:
        counted = done.profile.calls(f"{name}.dll")
        (expected,) = [counts for counts in told if (name == "fib") == ("Fib.Run" in counts)]
        if name in programs:
            assert {method: counted.get(method, 0) for method in expected} == expected
        else:
            assert not any(counted.values())


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_one_profile_has_the_calls_of_both(file, pair, order):
    done = run_host(file, order, pair)
    assert done.stderr == ""
    check_profiled(done, ["fib", "registers"])


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
@pytest.mark.parametrize("which", [0, 1])
def test_one_is_chosen_by_its_version(file, pair, order, which):
    version = RUNTIMES[pair[which]].framework.removeprefix("net")
    done = run_host(file, order, pair, f"--runtimes=one:{version}")
    assert done.stderr == ""
    check_profiled(done, [PROGRAMS[which][0]])
    assert done.profile.attributes["runtime"].startswith(f".NET {version}.")


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_exceptions_and_trees_of_one_beside_the_other(file, pair, order):
    """The runtimes' callbacks of exceptions, compilations and unloading come from both."""
    runs = [run_of(pair[0], "fib", "21"), run_of(pair[1], "stacks")]
    done = run_umbra(file, [sys.executable, HOST, order, *runs], "--tree=full", "-q",
                     environment=WITHOUT_SIGNALS)
    assert (done.status, done.stderr) == (0, "")
    check_sound(done.profile)
    told = {"fib" if "Fib.Run" in one["counts"] else "stacks": one for one in told_by(done)}
    for name, expected in told.items():
        check_counts(done.profile, expected, f"{name}.dll")
        check_trees(done.profile, expected, f"{name}.dll")


@pytest.mark.parametrize("choice, program", [("first", "fib"), ("one:2", "registers")])
def test_one_is_chosen_by_its_place(file, choice, program):
    """By the environment, which an option would overrule."""
    done = run_host(file, "turn", PAIRS[0], environment={"UMBRA_RUNTIMES": choice})
    assert done.stderr == ""
    check_profiled(done, [program])


def test_none_is_chosen(file):
    done = run_host(file, "turn", PAIRS[0], "--runtimes=one:3")
    assert done.status == 0 and not file.exists()
    assert "nothing was profiled" in done.stderr and "--runtimes=one:3" in done.stderr


def test_what_is_no_choice_is_refused(file):
    done = run_umbra(file, ["true"], "--runtimes=some")
    assert (done.status, done.stdout) == (2, "")
    assert "'some' chooses no runtimes" in done.stderr


@pytest.mark.parametrize("choice, why", [
    ("one:2", "UMBRA_RUNTIMES leaves this runtime of the process out"),
    ("some", "'some' chooses no runtimes")])
def test_a_runtime_that_is_left_out_refuses_what_comes_later(file, runtime, choice, why):
    with Patient(runtime, environment=dict(os.environ, UMBRA_RUNTIMES=choice)) as program:
        for command in ("attach", "start", "attach", "start"):
            check_refused(umbra(command, program.pid, "--duration", "10s", "-q", "-o", file), why)
        program.check_unharmed()
    assert not file.exists()


def test_a_runtime_that_is_chosen_takes_what_comes_later(file, runtime):
    with Patient(runtime, environment=dict(os.environ, UMBRA_RUNTIMES="first")) as program:
        for command in ("attach", "attach", "start", "start"):
            done = umbra(command, program.pid, "--duration", "100ms", "-q", "-o", file)
            assert done.returncode == 0, done.stderr
        program.check_unharmed()
