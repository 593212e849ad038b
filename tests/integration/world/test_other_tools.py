# SPDX-License-Identifier: MIT
"""Debuggers, dumps, traces and test hosts beside umbra, all of them at the same process."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import runtimes
from profile_file import Profile
from running_program import Program, Capture, difference
from targets import Patient, check_refused, umbra
from umbra_runner import UMBRA, check_counts, check_sound, expected_of, wait_until
from world import environment_without, run_both, shell_status, world

TRACE_VERSION = "9.0.661903"
GIB = 1 << 30
SEGV = 139


def need(tool):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")


def gdb(pid, *commands):
    """What a debugger at a running process is told, before it lets it go."""
    line = ["gdb", "-q", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-p", str(pid)]
    for command in [*commands, "detach"]:
        line += ["-ex", command]
    return subprocess.run(line, capture_output=True, text=True, timeout=300)


def check_patient(program, file, rest):
    profile = Profile(file)
    check_sound(profile)
    check_counts(profile, expected_of(rest), "patient.dll")


def under_umbra(runtime, file):
    return Patient(runtime, prefix=[UMBRA, "run", "-q", "-o", file, "--"], stderr=subprocess.PIPE)


def end_and_check(program, file):
    before = program.calls()
    wait_until(lambda: program.calls() > before)
    rest, status = program.end()
    assert (status, program.process.stderr.read()) == (0, "")
    check_patient(program, file, rest)


def test_a_debugger_looks_at_a_profiled_program(net10, file):
    need("gdb")
    with under_umbra(net10, file) as program:
        seen = gdb(program.dotnet_pid, "thread apply all backtrace 3")
        assert "umbra-control" in seen.stdout, seen.stdout + seen.stderr
        end_and_check(program, file)


def test_a_program_that_a_debugger_holds(net10, file):
    """It cannot answer, and umbra says so; let go, it can be sampled."""
    need("gdb")
    with Patient(net10) as program:
        with subprocess.Popen(["gdb", "-q", "-nx", "-iex", "set debuginfod enabled off", "-p",
                               str(program.pid)], text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as debugger:
            status = Path(f"/proc/{program.pid}/status")
            wait_until(lambda: re.search(r"^State:\s+t", status.read_text(), re.MULTILINE), 60)
            check_refused(umbra("attach", program.pid, "-o", file), "it is stopped")
            debugger.communicate("detach\nquit\n", timeout=60)
        done = umbra("attach", program.pid, "--duration", "300ms", "-o", file)
        assert done.returncode == 0, done.stderr
        program.check_unharmed()


def createdump(pid, dump):
    tool = next((Path(runtimes.dotnet()).resolve().parent / "shared").glob(
        "Microsoft.NETCore.App/*/createdump"), None)
    if tool is None:
        pytest.skip("the runtime has no createdump")
    return subprocess.run([tool, "--withheap", "-f", dump, str(pid)], capture_output=True, text=True,
                          timeout=300)


def test_a_dump_of_a_profiled_program(net10, file, tmp_path):
    """One with the heap, the default: the segment, 10 GiB of addresses, is not in it."""
    dump = tmp_path / "dump"
    with under_umbra(net10, file) as program:
        done = createdump(program.dotnet_pid, dump)
        assert done.returncode == 0, done.stdout + done.stderr
        assert 0 < dump.stat().st_size < GIB
        end_and_check(program, file)
    dump.unlink()


def test_a_crash_that_leaves_a_dump(net10, file, tmp_path, library):
    dump = tmp_path / "dump"
    both = run_both(file, world(net10, "crash"),
                    environment=library | {"DOTNET_DbgEnableMiniDump": "1",
                                           "DOTNET_DbgMiniDumpName": str(dump),
                                           "DOTNET_DbgMiniDumpType": "1"})
    assert shell_status(both.bare.returncode) == both.done.status != 0
    for umbras, bare in ((both.done.stdout, both.bare.stdout),
                         (both.done.stderr, both.bare.stderr)):
        assert without_dumper(umbras) == without_dumper(bare)
    assert 0 < dump.stat().st_size < GIB
    profile = both.done.profile
    check_sound(profile)
    check_counts(profile, both.done.expected, "world.dll")


def without_dumper(text):
    """What the program says, and not createdump, which tells numbers, sizes and times."""
    return [line for line in text.splitlines() if not line.startswith("[createdump]")]


@pytest.fixture(name="dotnet_trace", scope="session")
def _dotnet_trace():
    folder = runtimes.WORK_FOLDER / "tools"
    folder.mkdir(parents=True, exist_ok=True)
    tool = folder / "dotnet-trace"
    with runtimes.locked(folder / "lock"):
        if not tool.exists():
            made = subprocess.run([runtimes.dotnet(), "tool", "install", "dotnet-trace", "--version",
                                   TRACE_VERSION, "--tool-path", folder], capture_output=True,
                                  text=True, env=runtimes.build_environment())
            if made.returncode != 0:
                pytest.skip(f"dotnet-trace cannot be had here: {made.stderr.strip()[:200]}")
    return tool


def trace(tool, pid, output):
    return subprocess.Popen([tool, "collect", "-p", str(pid), "--duration", "00:00:02", "-o", output],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            env=dict(environment_without(), DOTNET_ROLL_FORWARD="LatestMajor"))


def test_a_trace_of_a_profiled_program(net10, file, tmp_path, dotnet_trace):
    with under_umbra(net10, file) as program:
        with trace(dotnet_trace, program.dotnet_pid, tmp_path / "a.nettrace") as tracing:
            output, _ = tracing.communicate(timeout=120)
        assert tracing.returncode == 0, output
        assert (tmp_path / "a.nettrace").stat().st_size > 0
        end_and_check(program, file)


def test_a_trace_of_a_sampled_program(net10, file, tmp_path, dotnet_trace):
    with Patient(net10) as program:
        with trace(dotnet_trace, program.pid, tmp_path / "a.nettrace") as tracing:
            done = umbra("attach", program.pid, "--duration", "2s", "-q", "-o", file)
            output, _ = tracing.communicate(timeout=120)
        assert (tracing.returncode, done.returncode) == (0, 0), output + done.stderr
        assert (tmp_path / "a.nettrace").stat().st_size > 0
        program.check_unharmed()
    assert Profile(file).mode == "sampled"


def timed_calls(program, file, beside):
    """A capture of a program that nobody prepared counts each call, while `beside()` has another tool
    at the same process. Some methods get their probes before it, some at their first call after it."""
    program.do("serve 100")
    capture = Capture(program.pid, file)
    before = program.do("serve 0")
    beside()
    after = program.do("here 20")
    profile = capture.stop()
    check_sound(profile)
    assert profile.probes == "il"
    expected = {name: calls for name, calls in difference(after, before).items()
                if name not in ("Desk.ServeMany", "Ticker.Tick")}
    counted = profile.calls("captures.dll")
    assert expected["Desk.Serve"] > 0
    assert {name: counted.get(name, 0) for name in expected} == expected
    program.do("serve 100")
    program.end()


def test_a_debugger_looks_at_a_capture_of_an_unprepared_program(runtime, file):
    need("gdb")
    program = Program(runtime, prepared=False)

    def look():
        for _ in range(2):
            seen = gdb(program.pid, "thread apply all backtrace 3")
            assert "umbra-control" in seen.stdout, seen.stdout + seen.stderr
            program.do("serve 300")

    timed_calls(program, file, look)


def test_a_trace_of_a_program_in_a_capture_that_nobody_prepared(runtime, file, tmp_path, dotnet_trace):
    """It samples stacks, asks for all methods' names at its end, and hears of new code meanwhile."""
    program = Program(runtime, prepared=False)

    def follow():
        with trace(dotnet_trace, program.pid, tmp_path / "a.nettrace") as tracing:
            while tracing.poll() is None:
                program.do("serve 300")
            output = tracing.stdout.read()
        assert tracing.returncode == 0, output
        assert (tmp_path / "a.nettrace").stat().st_size > 0

    timed_calls(program, file, follow)


def test_a_capture_of_an_unprepared_program_under_a_trace(net10, file, tmp_path, dotnet_trace):
    """The trace is there before the first probes come."""
    program = Program(net10, prepared=False)
    program.do("serve 10")
    output = tmp_path / "a.nettrace"
    with trace(dotnet_trace, program.pid, output) as tracing:
        wait_until(output.exists)
        for number in range(3):
            capture = Capture(program.pid, file)
            before = program.do("serve 0")
            after = program.do(f"serve {100 + number}")
            profile = capture.stop()
            check_sound(profile)
            served = after["Desk.Serve"] - before["Desk.Serve"]
            assert profile.calls("captures.dll")["Desk.Serve"] == served > 0
        said, _ = tracing.communicate(timeout=120)
    assert tracing.returncode == 0, said
    program.end()
