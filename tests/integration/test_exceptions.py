# SPDX-License-Identifier: MIT
"""Exceptions, filters, finally blocks and recursion at random: what made-up programs know they called
is what umbra says, by hooks and by probes in the IL.

10,000 programs for each runtime with UMBRA_FULL=1, else a sample."""
import pytest

from gated import Gated
from made_up import OPTIONS, Programs
from running_program import Capture
from umbra_runner import FULL, TIMEOUT_SECONDS, check_sound, run_umbra

# Each pool of methods is compiled, and its programs run in a process of their own.
POOLS = range(1, 11) if FULL else range(1, 2)
PROGRAMS = range(1000) if FULL else range(150)
CALLS_OF_EACH = 100  # of timed methods, at least, on average


def hooked(file, programs):
    done = run_umbra(file, programs.command, *OPTIONS)
    assert done.status == 0, done.stdout + done.stderr
    return done.profile


def with_probes_in_il(file, programs, runtime):
    """Timed from before the first call, in a process that nobody prepared."""
    with Gated.of_command(runtime, programs.command) as running:
        capture = Capture(running.pid, file, *OPTIONS)
        assert capture.brought_agent
        status, output = running.run(TIMEOUT_SECONDS)
        assert status == 0, output
        return capture.wait()


@pytest.mark.parametrize("pool", POOLS)
def test_made_up_programs_called_what_they_say(tmp_path, runtime, pool):
    programs = Programs.of(runtime, pool, PROGRAMS, tmp_path / "called")
    for name, profile in (("hooks", hooked(tmp_path / "hooks.h5", programs)),
                          ("il", with_probes_in_il(tmp_path / "il.h5", programs, runtime))):
        calls = programs.check(profile)
        check_sound(profile)
        print(f"{runtime.name} {name}: {len(PROGRAMS)} programs, {calls} calls, "
              f"{int(sum(profile['exceptions']['count']))} exceptions")
        assert calls > CALLS_OF_EACH * len(PROGRAMS)
