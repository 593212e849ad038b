# SPDX-License-Identifier: MIT
"""Async methods that the runtime suspends by itself instead of a state machine of the compiler
("runtime async"; .NET 10 has it where DOTNET_RuntimeAsync=1 asks for it, .NET 11 by default)."""
import json
import subprocess
import sys

import pytest

from async_tables import AsyncTables
from gated import Gated
from running_program import Capture
from runtimes import NET10, NET11, compiler, dotnet, sources_of
from umbra_runner import SUPPORT, TIMEOUT_SECONDS, check_sound, run_bare, run_umbra, run_well

ASYNC = {"Waits.Number", "Waits.Inner", "Waits.Text", "Waits.Fails"}
ENVIRONMENT = {"DOTNET_RuntimeAsync": "1"}
HOST = SUPPORT / "several_runtimes_host.py"
ROUNDS = 300  # of the program
MOST_NAMED = 8  # of the methods that cannot be timed for one reason


def compiled(folder, sources):
    """A program of tests/managed whose async methods the runtime suspends."""
    program = folder / "program.dll"
    made = subprocess.run(
        [*compiler(program, sources_of(sources)), "-langversion:preview",
         "-features:runtime-async=on", "-nowarn:SYSLIB5007"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout
    (folder / "program.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "tfm": NET10.framework,
        "framework": {"name": "Microsoft.NETCore.App", "version": "10.0.0"}}}))
    return program


def on_net11(program, *arguments):
    """The command that runs a program that lies in a file."""
    NET11.command("fib")  # builds it, and so has the runtime
    return [sys.executable, str(HOST), "turn", NET11.hosts(program, *arguments)]


@pytest.fixture(name="program", scope="module")
def _program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("runtime_async"), "runtime_async")


@pytest.fixture(name="command", params=[NET11, NET10], ids=lambda runtime: runtime.name)
def _command(request, program):
    """What starts it, and what it says without umbra."""
    command, environment = [dotnet(), str(program)], ENVIRONMENT
    if request.param is NET11:
        command, environment = on_net11(program), {}
    bare = run_bare(command, environment)
    if bare.returncode != 0 and request.param is NET10:
        pytest.skip("this runtime has no runtime async: " + bare.stderr.partition("\n")[0])
    assert bare.returncode == 0, bare.stderr
    return command, bare.stdout, environment


def plain_calls(output):
    return int(output.split()[1])


def captured(command, file, net10, *options):
    """A capture of the whole program, which was not prepared; and what umbra says."""
    command, expected, environment = command
    with Gated.of_command(net10, command, environment) as running:
        capture = Capture(running.pid, file, *options)
        assert running.run(TIMEOUT_SECONDS) == (0, expected)
        profile = capture.wait()
    assert profile.calls("program.dll")["Plain.Twice"] == plain_calls(expected)
    return profile, capture.rest


def check_followed(profile):
    calls = profile.calls("program.dll")
    assert {name: calls[name] for name in ASYNC} == dict.fromkeys(ASYNC, ROUNDS)
    check_sound(profile)
    tables = AsyncTables(profile)
    told = {(name, what): tables.sum(tables.methods[name], what) for name, what in
            [("Waits.Number", "suspensions"), ("Waits.Inner", "never_suspended"), ("Waits.Fails", "faults")]}
    assert list(told.values()) == [ROUNDS // 10, ROUNDS, ROUNDS // 2], told


@pytest.mark.parametrize("command", [NET11], indirect=True, ids=["net11"])
def test_probes_in_the_il_follow_them(command, file, net10):
    profile, _ = captured(command, file, net10)
    assert profile.refused_methods == 0
    check_followed(profile)


def test_probes_in_the_il_leave_them_alone(command, file, net10):
    """Where nothing tells that they are suspended."""
    profile, rest = captured(command, file, net10, *([] if command[2] else ["--no-async"]))
    calls = profile.calls("program.dll")
    assert not any(calls[name] for name in ASYNC), calls
    assert (profile.refused_methods, profile.runtime_async_methods) == (len(ASYNC), 0)
    told = [line for line in rest.splitlines() if "not timed: the runtime suspends" in line]
    assert all("umbra env" in line for line in told), told
    named = {name for name in ASYNC for line in told if f"umbra: {name} is not timed" in line}
    assert len(named) == min(len(ASYNC), MOST_NAMED), told
    rest = len(ASYNC) - len(named)
    assert not rest or any(line.startswith(f"umbra: {rest} more method") for line in told), told
    check_sound(profile)


def test_hooks_follow_them(command, file):
    """On .NET 11 call by call. On .NET 10, which has a preview of it, each time one begins or goes on counts as
    a call; that it is suspended is no Leave."""
    command, expected, environment = command
    followed = environment == {}
    done = run_umbra(file, command, environment=environment)
    assert (done.status, done.stdout) == (0, expected), done.stderr
    profile = done.profile
    calls = profile.calls("program.dll")
    assert calls["Plain.Twice"] == plain_calls(expected)
    assert (profile.complete, profile.lost_events) == (1, 0)
    assert profile.runtime_async_methods == (0 if followed else len(ASYNC))
    assert ("4 runtime-async methods timed, calls there are pieces" in done.stderr) == (not followed)
    if not followed:
        assert all(calls[name] >= ROUNDS for name in ASYNC), calls
        return
    check_followed(profile)


def test_no_async_leaves_their_pieces(command, file):
    command, expected, environment = command
    done = run_umbra(file, command, "--no-async", environment=environment)
    assert (done.status, done.stdout) == (0, expected), done.stderr
    profile = done.profile
    assert all(profile.calls("program.dll")[name] >= ROUNDS for name in ASYNC)
    assert profile.runtime_async_methods == len(ASYNC)


@pytest.mark.parametrize("probe", ["hooks", "il"])
def test_a_call_counts_once_whoever_makes_it(file, tmp_path, probe):
    """Each method has two functions, one of which hands out its task; generic ones have them for each
    instantiation, which share their IL."""
    done = run_well(file, on_net11(compiled(tmp_path, "runtime_async_generics")), f"--probe={probe}")
    told = done.profile.calls("program.dll")
    expected = {"Calls.All": 1, "Shared<T>.Get": 15, "Shared<int>.Get": 15, "Shared<T>.Of": 15,
                "Shared<T>.Both<U>": 15, "Shared<T>.Both<int>": 15, "Calls.Value<T>": 15,
                "Calls.Value<long>": 15, "Virtual<T>.Of": 15}
    if probe == "il":
        expected = {"Calls.All": 1, "Shared<T>.Get": 30, "Shared<T>.Of": 15, "Shared<T>.Both<U>": 30,
                    "Calls.Value<T>": 30, "Virtual<T>.Of": 15}
    assert {name: count for name, count in told.items() if count and "Main" not in name} == expected


@pytest.mark.parametrize("probe", ["hooks", "il"])
def test_calls_that_go_from_thread_to_thread_faster_than_they_are_read(file, tmp_path, probe):
    rounds = 100_000
    done = run_well(file, on_net11(compiled(tmp_path, "runtime_async_hops"), rounds), f"--probe={probe}")
    profile = done.profile
    assert (profile.lost_events, profile.attributes["lost_async_facts"]) == (0, 0)
    tables = AsyncTables(profile)
    told = {name: [tables.sum(rows, what) for what in ("calls", "results", "faults", "suspensions")]
            for name, rows in tables.methods.items() if name.startswith("Hops.")}
    throws = 4 * rounds // 1000
    assert told == {"Hops.All": [4, 4, 0, 4 * rounds],
                    "Hops.Outer": [4 * rounds, 4 * rounds, 0, 4 * rounds + throws],
                    "Hops.Inner": [4 * rounds, 4 * rounds, 0, 4 * rounds],
                    "Hops.Throws": [throws, 0, throws, throws]}
