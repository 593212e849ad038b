# SPDX-License-Identifier: MIT
"""What programs do to themselves: they crash, handle signals, fork, become daemons, close descriptors."""
import subprocess
import time

import pytest

from profile_file import Profile
from umbra_runner import FULL, UMBRA, check_counts, expected_of, wait_until
from world import MODULE, environment_without, run_both, shell_status, world

SEGV = 139
REPEATS = 20 if FULL else 2
# With W^X the runtime keeps code and static fields in memory that a fork shares instead of copying:
# child and parent then write over each other, umbra or not.
PRIVATE_CODE = {"DOTNET_EnableWriteXorExecute": "0"}


def test_a_crash_in_native_code(runtime, file, library):
    both = run_both(file, world(runtime, "crash"), environment=library)
    both.check_same(SEGV).check_profile(ended="signal 11 (SIGSEGV)")


def test_a_handler_of_its_own(runtime, file, library):
    """It takes its own faults and hands the rest to the runtime, which makes exceptions of them."""
    both = run_both(file, world(runtime, "handler"), environment=library)
    both.check_same().check_profile(ended="exit 0")


@pytest.mark.parametrize("turn", range(REPEATS))
def test_fork_without_exec(net10, file, turn):
    """The child calls, collects, throws and ends by itself, and none of it is in the profile."""
    both = run_both(file, world(net10, "fork"), environment=PRIVATE_CODE)
    profile = both.check_same().check_profile(ended="exit 0")
    assert len(profile["pauses"]) == 0, "pauses of the child"
    assert len(profile["exceptions"]) == 0, "exceptions of the child"


def test_a_daemon(net10, tmp_path, file, library):
    """It leaves its parent, which ends at once. What is left has nothing of umbra's."""
    left = tmp_path / "left"
    both = run_both(file, world(net10, "daemon", left), environment=library | PRIVATE_CODE)
    both.check_same().check_profile(ended="exit 0")
    assert left.read_text() == "daemon 17500\n"


def test_a_daemon_does_not_hold_the_connection_of_its_parent(net10, tmp_path, file, library):
    """umbra hears of the parent's end although its child goes on, and its shell does too."""
    left = tmp_path / "left"
    line = [UMBRA, "run", "-q", "-o", file, "--", "sh", "-c",
            '"$@"; echo ended; while [ ! -e "$0" ]; do sleep 0.05; done; sleep 0.2', left,
            *world(net10, "daemon", left, 2000)]
    with subprocess.Popen(line, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment_without() | library | PRIVATE_CODE) as umbra:
        output = umbra.stdout.readline()
        assert umbra.stdout.readline() == "ended\n"
        wait_until(lambda: file.exists() and Profile(file).complete)
        written_before = not left.exists()
        rest, errors = umbra.communicate(timeout=60)
    assert (umbra.returncode, rest, errors) == (0, "", "")
    check_counts(Profile(file), expected_of(output), MODULE)
    assert left.read_text() == "daemon 17500\n"
    assert written_before, "the profile came when the daemon had ended"


def test_a_parent_that_ends_before_its_child(net10, file, tmp_path):
    """umbra waits half a second for what the program has left behind, then says that it runs."""
    release = tmp_path / "release"
    wait = f"while [ ! -e {release} ]; do sleep 0.05; done"
    script = f'{{ {wait} | "$@"; }} > {tmp_path}/out 2>&1 & sleep 1'
    line = [UMBRA, "run", "-q", "-o", file, "--", "sh", "-c", script, "sh",
            *net10.command("patient")]
    done = subprocess.run(line, text=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    profile = Profile(file)
    assert (profile.complete, profile.ended) == (0, "running")
    assert profile.calls("patient.dll")["Work.Tick"] > 0
    release.touch()
    wait_until(lambda: "UMBRA-EXPECT" in (tmp_path / "out").read_text())
    counts = expected_of((tmp_path / "out").read_text())["counts"]
    assert counts["Work.Tick"] >= profile.calls("patient.dll")["Work.Tick"]


def test_what_is_left_behind_is_waited_for_together(net10, file, tmp_path):
    """Half a second for all of it, and not a second more for each."""
    release = tmp_path / "release"
    script = (f'for n in 1 2 3 4 5 6; do {{ while [ ! -e {release} ]; do sleep 0.05; done | "$@"; }} '
              f'> {tmp_path}/out.$n 2>&1 & done; sleep 2; date +%s.%N')
    done = subprocess.run([UMBRA, "run", "-q", "-o", file, "--", "sh", "-c", script, "sh",
                           *net10.command("patient")], text=True, capture_output=True, timeout=60)
    took = time.time() - float(done.stdout)
    release.touch()
    assert (done.returncode, done.stderr) == (0, "")
    assert Profile(file).ended == "running"
    assert took < 5
    for output in tmp_path.glob("out.*"):
        wait_until(lambda output=output: "UMBRA-EXPECT" in output.read_text())


def test_a_program_that_closes_what_it_did_not_open(net10, file):
    """Its files stay its own; umbra says that the profile ends there, and does not call it complete."""
    both = run_both(file, world(net10, "closeall"), environment=PRIVATE_CODE).check_same()
    profile = both.done.profile
    assert (profile.complete, profile.ended) == (0, "disconnected")
    assert profile.lost_events == 0
    (line,) = both.said
    assert "without its connection to umbra" in line and str(profile.pid) in line


def test_closing_descriptors_with_w_xor_x(net10, file):
    """The runtime itself needs one of them then: the program fails, with umbra as without."""
    both = run_both(file, world(net10, "closeall"))
    assert shell_status(both.bare.returncode) == both.done.status != 0
    assert both.done.stdout == both.bare.stdout
