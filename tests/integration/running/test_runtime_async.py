# SPDX-License-Identifier: MIT
"""Async methods that the runtime suspends by itself instead of a state machine of the compiler
("runtime async"; .NET 10 has it where DOTNET_RuntimeAsync=1 asks for it, .NET 11 by default)."""
import json
import os
import subprocess
import sys

import pytest

from gated import Gated
from profile_file import Profile
from running_program import Window
from runtimes import NET10, NET11, compiler, dotnet, sources_of
from umbra_runner import SUPPORT, TIMEOUT_SECONDS, UMBRA, check_sound

ASYNC = {"Waits.Number", "Waits.Inner", "Waits.Text", "Waits.Fails"}
ENVIRONMENT = {"DOTNET_RuntimeAsync": "1"}
HOST = SUPPORT / "several_runtimes_host.py"
MOST_NAMED = 8  # of the methods that cannot be timed for one reason


@pytest.fixture(name="program", scope="module")
def _program(tmp_path_factory):
    """tests/managed/runtime_async."""
    folder = tmp_path_factory.mktemp("runtime_async")
    program = folder / "program.dll"
    made = subprocess.run(
        [*compiler(program, sources_of("runtime_async")), "-langversion:preview",
         "-features:runtime-async=on", "-nowarn:SYSLIB5007"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout
    (folder / "program.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": {
        "tfm": NET10.framework,
        "framework": {"name": "Microsoft.NETCore.App", "version": "10.0.0"}}}))
    return program


@pytest.fixture(name="command", params=[NET11, NET10], ids=lambda runtime: runtime.name)
def _command(request, program):
    """What starts it, and what it says without umbra."""
    command, environment = [dotnet(), str(program)], ENVIRONMENT
    if request.param is NET11:
        command, environment = [sys.executable, str(HOST), "turn", NET11.hosts(program)], {}
    bare = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    if bare.returncode != 0:
        pytest.skip("this runtime has no runtime async: " + bare.stderr.partition("\n")[0])
    return command, bare.stdout, environment


def plain_calls(output):
    return int(output.split()[1])


def test_probes_in_the_il_leave_them_alone(command, file, net10):
    """Their IL gives back what their signature's task holds, and their frames come and go."""
    command, expected, environment = command
    with Gated.of_command(net10, command, environment) as running:
        window = Window(running.pid, file)
        assert running.run(TIMEOUT_SECONDS) == (0, expected)
        profile = window.wait()
    calls = profile.calls("program.dll")
    assert calls["Plain.Twice"] == plain_calls(expected)
    assert not any(calls[name] for name in ASYNC), calls
    assert (profile.refused_methods, profile.runtime_async_methods) == (len(ASYNC), 0)
    told = [line for line in window.rest.splitlines() if "not timed: the runtime suspends" in line]
    assert all("umbra env" in line for line in told), told
    named = {name for name in ASYNC for line in told if f"umbra: {name} is not timed" in line}
    assert len(named) == min(len(ASYNC), MOST_NAMED), told
    rest = len(ASYNC) - len(named)
    assert not rest or any(line.startswith(f"umbra: {rest} more method") for line in told), told
    check_sound(profile)


def test_hooks_follow_them(command, file):
    """Each time one begins or goes on counts as a call; that it is suspended is no Leave."""
    command, expected, environment = command
    done = subprocess.run([UMBRA, "run", "-o", file, "--", *command], capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS, env=os.environ | environment)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    profile = Profile(file)
    calls = profile.calls("program.dll")
    assert calls["Plain.Twice"] == plain_calls(expected)
    assert all(calls[name] >= 300 for name in ASYNC), calls
    assert (profile.complete, profile.lost_events) == (1, 0)
    assert profile.runtime_async_methods == len(ASYNC)
    assert "4 runtime-async methods timed, calls there are pieces" in done.stderr
