# SPDX-License-Identifier: MIT
"""Captures of every type of the core library, by either kind of probes, in a program that makes code all
the time: none of them ends it, and it computes what it should. Captures that leave the framework out have
none of it. The library's metadata is written to while nobody reads it."""
import itertools
import random

import pytest

from profile_file import Profile
from running_program import Program
from targets import umbra
from umbra_runner import FULL

CAPTURES = 2000 if FULL else 12
OF_A_PROCESS = 25 if FULL else 4
LIBRARY = "System.Private.CoreLib!"
# How the runtime makes code: what it does when decides what a request meets.
SETTINGS = [
    {},
    {"DOTNET_TC_CallCountingDelayMs": "0"},  # optimised code from the 30th call on
    {"DOTNET_TieredPGO": "0"},
    {"DOTNET_TieredCompilation": "0"},
    {"DOTNET_TC_CallCountThreshold": "2", "DOTNET_TC_CallCountingDelayMs": "1"},
    {"DOTNET_ReadyToRun": "0"},
]
# (prepared, options): probes in IL, in a process that nobody prepared and in one that was; hooks.
PROBES = [(False, ()), (False, ()), (True, ("--probe=il",)), (True, ())]


def pattern(name):
    """What selects a type and those within it: "System.A`1+B" is "System.A.B" in patterns."""
    plain = "".join(part.lstrip("0123456789") if at else part
                    for at, part in enumerate(name.split("`")))
    return f"{LIBRARY}{plain.replace('+', '.')}.*"


def selections(types, chance):
    """For each capture its options: everything together, then every type, over and over."""
    patterns = sorted({pattern(name) for name in types})
    at_once = -(-len(patterns) * (8 if FULL else 1) // (CAPTURES - 2))
    while True:
        yield ["--framework"]
        yield ["--include=System.Runtime.*"]
        chance.shuffle(patterns)
        for at in range(0, len(patterns), at_once):
            yield [f"--include={one}" for one in patterns[at:at + at_once]]


def processes(runtime):
    """A fresh program for each few captures: much goes wrong while a runtime is young only."""
    kinds = itertools.cycle(itertools.product(SETTINGS, PROBES) if FULL
                            else zip(itertools.cycle(SETTINGS), PROBES))
    for _ in range(0, CAPTURES, OF_A_PROCESS):
        settings, (prepared, options) = next(kinds)
        with Program(runtime, program="maker", prepared=prepared, environment=settings) as program:
            yield program, options, f"{settings} prepared={prepared} {options}"


def test_no_capture_of_the_core_library_ends_a_program(runtime, tmp_path):
    chance, selection, counted, captures = random.Random(26), None, set(), 0
    for program, options, circumstances in processes(runtime):
        types = [name[1:] for name in program.ask("types").split()]
        selection = selection or selections(types, chance)
        for _ in range(OF_A_PROCESS):
            selected, file = next(selection), tmp_path / "profile.h5"
            done = umbra("start", program.pid, "--force", "-o", file, "--duration", "150ms", *options, *selected,
                         timeout=300)
            assert done.returncode == 0, (circumstances, selected, done.stderr)
            assert program.process.poll() is None, (circumstances, selected)
            profile = Profile(file)
            assert profile.ended == "stopped", (circumstances, selected)
            counted.update(name for name, calls in profile.calls("System.Private.CoreLib.dll").items() if calls)
            captures += 1
            print(f"{runtime.name} {captures}: {circumstances}, {len(profile['functions'])} functions", flush=True)
        rounds = program.ask("rounds")
        assert all(count.isdigit() for count in rounds.split()), (circumstances, rounds)
        program.end()
    print(f"{runtime.name}: {captures} captures, {len(counted)} methods of {len(types)} types counted")
    assert captures >= CAPTURES
    assert len(counted) > 200


def captured_at_work(program, folder, duration):
    """The profile of a capture of a program whose threads have all begun."""
    while min(map(int, program.ask("rounds").split())) < 3:
        pass
    file = folder / "profile.h5"
    done = umbra("start", program.pid, "--force", "-o", file, "--duration", duration, timeout=300)
    assert done.returncode == 0, done.stderr
    return file


def test_what_is_being_compiled_when_a_capture_begins_is_left_out_all_the_same(runtime, tmp_path):
    """The program's threads ask about modules of the framework before the agent has come to them: in one
    beginning of a dozen, where the core library does not come first."""
    for settings, prepared in itertools.product([SETTINGS[1], SETTINGS[5]], [False] * (5 if FULL else 2) + [True]):
        with Program(runtime, program="maker", prepared=prepared, environment=settings) as program:
            profile = Profile(captured_at_work(program, tmp_path, "300ms"))
            assert {name: profile.calls(name).total() for name in profile.column("modules", "name")
                    if name.startswith("System.") and profile.calls(name).total()} == {}
            assert profile.calls("maker.dll").total() > 0
            assert profile.refused_methods > 0, "of assemblies that were made before"
            program.end()


@pytest.mark.parametrize("prepared", [False, True])
def test_a_capture_ends_no_program_that_reads_names(runtime, prepared, tmp_path):
    """Probes for async calls are written into the core library, whose names two threads read all the time."""
    with Program(runtime, program="maker", prepared=prepared, arguments=["names"]) as program:
        file = captured_at_work(program, tmp_path, "200ms")
        assert "Pause" in umbra("report", file, "--async").stdout
        rounds = [int(count) for count in program.ask("rounds").split()]
        while any(map(int.__eq__, rounds, map(int, program.ask("rounds").split()))):
            pass
        program.end()
