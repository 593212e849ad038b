# SPDX-License-Identifier: MIT
"""Processes that stand still for a while, and clocks that do not run as they should."""
import contextlib
import os
import signal
import subprocess
import time

import pytest

from confined import in_namespaces
from processes import thread_names
from profile_file import Profile
from targets import Patient, agent_variables, listed, umbra
from umbra_runner import (UMBRA, check_counts, check_sound, expected_of, output_of, run_bare,
                          run_umbra, wait_until)
from world import run_both, world

STOP_SECONDS = 1.0
HOUR = 3600
MOST_NS = HOUR / 2 * 1e9
SLEEP = 200  # milliseconds
CLOCKS = ["auto", "os"]


def state_of(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    return "gone"


def suspend(*pids):
    """Stopped for a while, all of them together, and on again."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    if not wait_until(lambda: all(state_of(pid) == "T" for pid in pids)):
        pytest.fail(f"not stopped: {[state_of(pid) for pid in pids]}")
    time.sleep(STOP_SECONDS)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("who", ["program", "umbra", "both"])
def test_a_stop_while_it_is_profiled(net10, file, who):
    """As by Ctrl-Z: calls are counted to the last one, and the stop is in the times."""
    with Patient(net10, prefix=[UMBRA, "run", "-q", "-o", file, "--"],
                 stderr=subprocess.PIPE) as program:
        target = program.dotnet_pid
        suspend(*{"program": [target], "umbra": [program.pid], "both": [target, program.pid]}[who])
        before = program.calls()
        wait_until(lambda: program.calls() > before)
        rest, status = program.end()
        assert (status, program.process.stderr.read()) == (0, "")
    profile = Profile(file)
    check_sound(profile)
    check_counts(profile, expected_of(rest), "patient.dll")
    if who != "umbra":
        assert profile.wall_ns > STOP_SECONDS * 1e9


def test_a_stop_while_it_is_sampled(net10, file):
    with Patient(net10) as program:
        with subprocess.Popen([UMBRA, "attach", str(program.pid), "--duration", "3s", "-q", "-o",
                               str(file)], stderr=subprocess.PIPE, text=True) as sampling:
            wait_until(lambda: "umbra-sampler" in thread_names(program.pid))
            suspend(program.pid)
            _, errors = sampling.communicate(timeout=60)
        assert sampling.returncode == 0, errors
        program.check_unharmed()
    assert Profile(file).calls("patient.dll")


@pytest.fixture(name="jumping")
def _jumping(tmp_path):
    """A library under which the time of day jumps an hour, to and fro, at every look."""
    source, library = tmp_path / "jumping.c", tmp_path / "jumping.so"
    source.write_text("""
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_int looks;
int clock_gettime(clockid_t clock, struct timespec* now) {
    long status = syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += 3600 * (atomic_fetch_add(&looks, 1) % 3 - 1);
    return (int)status;
}
""")
    output_of("cc", "-shared", "-fPIC", "-O1", "-o", library, source)
    return {"LD_PRELOAD": str(library)}


def check_times(profile):
    """None is negative, and none as long as the clocks jump."""
    assert 0 < profile.wall_ns < MOST_NS
    for table, columns in {"functions": ["wall_total_ns", "wall_self_ns", "cpu_total_ns"],
                           "threads": ["covered_ns"]}.items():
        for column in columns:
            values = profile[table][column].tolist()
            assert all(0 <= value < MOST_NS for value in values), (table, column, values)
    for row in profile["pauses"]:
        assert 0 <= row["start_ns"] <= profile.wall_ns, row
        assert 0 <= row["duration_ns"] <= profile.wall_ns, row


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_time_of_day_that_jumps(net10, file, jumping, clock):
    """umbra's times are of clocks that nobody sets. The program and umbra both see the jumps."""
    both = run_both(file, world(net10, "plain"), "--clock-source", clock, environment=jumping)
    check_times(both.check_same().check_profile())


def other_clocks():
    """They began at another time than this machine's, as in a container moved from another one."""
    return in_namespaces("--time", "--fork", "--kill-child", "--monotonic", str(100 * HOUR),
                         "--boottime", str(100 * HOUR))


def check_sleep(profile):
    """Who sleeps is not on a processor: the kernel's times and the program's are on one line."""
    check_times(profile)
    if profile.cpu_source == "none":
        pytest.skip(f"no CPU times here: {profile.cpu_refusal}")
    sleeps = profile["functions"][profile.methods().index("Cases.Sleeps")]
    assert sleeps["cpu_total_ns"] < sleeps["wall_total_ns"] / 2


def test_a_program_with_other_clocks(net10, file):
    check_sleep(run_umbra(file, other_clocks() + net10.command("burn", SLEEP)).profile)


def test_the_systems_clock_of_a_program_with_other_clocks(net10, file):
    """Such times cannot be told beside umbra's, and umbra says so."""
    both = run_both(file, world(net10, "plain"), "--clock-source", "os", prefix=other_clocks())
    both.check_same().check_refused("time namespace", "run umbra in there too")


@pytest.mark.parametrize("clock", CLOCKS)
def test_umbra_with_other_clocks(net10, file, clock):
    """umbra and the program in one time namespace; what the kernel writes down is of neither."""
    done = run_bare([*other_clocks(), UMBRA, "run", "-q", "--clock-source", clock, "-o", str(file),
                     "--", *net10.command("burn", SLEEP)])
    assert (done.returncode, done.stderr) == (0, "")
    check_sleep(Profile(file))


@pytest.mark.parametrize("command", ["start", "attach"])
def test_a_running_program_with_other_clocks(net10, file, command):
    """The names of sockets hold its start, by its own clocks."""
    variables = agent_variables() if command == "start" else {}
    with Patient(net10, variables, other_clocks()) as program:
        pid = program.dotnet_pid
        assert listed(pid)["profiler"] == ("dormant" if command == "start" else "none")
        done = umbra(command, pid, "--duration", "300ms", "-q", "-o", file)
        assert done.returncode == 0, done.stderr
        program.check_unharmed()
    assert Profile(file).calls("patient.dll")
