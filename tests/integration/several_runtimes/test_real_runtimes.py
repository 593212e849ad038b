# SPDX-License-Identifier: MIT
"""Two real runtimes in one process, in turn and at the same time: one profile with the calls of both.

The programs throw nothing: the signal handlers by which runtimes see a null reference are the process's,
and two of them at once crash it now and then without umbra as well.
"""
import json
import shlex
import sys
from pathlib import Path

import pytest

import runtimes
from umbra_runner import SUPPORT, check_sound, run_umbra

PAIRS = [("net10", "net9"), ("net10", "net8"), ("net9", "net8")]
RUNTIMES = {runtime.name: runtime for runtime in runtimes.ALL}
PROGRAMS = (("fib", "21"), ("registers", "2000"))


def run_of(name, program, *arguments):
    """A RUN of the host."""
    runtime = RUNTIMES[name]
    runtime.command(program)  # builds it
    folder = runtime.folder / "bin"
    if not runtime.version:
        shared = Path(runtimes.dotnet()).resolve().parent / "shared" / "Microsoft.NETCore.App"
        folder = max(shared.glob(f"{runtime.framework.removeprefix('net').split('.')[0]}.*"))
    return shlex.join([str(folder), str(runtime.folder / "bin" / f"{program}.dll"), *arguments])


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_one_profile_has_the_calls_of_both(file, pair, order):
    runs = [run_of(name, *program) for name, program in zip(pair, PROGRAMS)]
    done = run_umbra(file, [sys.executable, SUPPORT / "several_runtimes_host.py", order, *runs])
    assert (done.status, done.stderr.count("Unhandled")) == (0, 0), done.stderr
    check_sound(done.profile)
    told = [json.loads(line.removeprefix("UMBRA-EXPECT "))["counts"]
            for line in done.stdout.splitlines() if line.startswith("UMBRA-EXPECT ")]
    assert len(told) == len(runs)
    counted = {**done.profile.calls("fib.dll"), **done.profile.calls("registers.dll")}
    expected = {name: calls for counts in told for name, calls in counts.items()}
    assert {name: counted.get(name, 0) for name in expected} == expected
