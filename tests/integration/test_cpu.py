# SPDX-License-Identifier: MIT
"""CPU time is the kernel's own, wherever it comes from, and wall time is not touched by it.

Other work on the machine must not fail a test: bounds are wide, and what two clocks say is compared
in more than one run. benchmarks/cpu has the figures.
"""
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from measured import measured
from profile_file import Profile
from targets import in_pid_namespace
from umbra_runner import SUPPORT, check_counts, check_sound, run_command, run_umbra, run_well

MILLISECONDS = 400
CASES = ("Cases.Sleeps", "Cases.Waits", "Cases.Holds", "Cases.Fights")


@dataclass
class Measured:
    """What the program says of the thread that ran a case, in nanoseconds."""

    cpu: int
    wall: int


def cases_told(stdout):
    lines = [line.split() for line in stdout.splitlines() if line.startswith("UMBRA-CPU ")]
    return {name: Measured(int(cpu), int(wall)) for _, name, cpu, wall in lines}


def process_cpu_told(stdout):
    """What the whole program says it has used, in nanoseconds, a moment before its end."""
    return next(int(line.split()[1]) for line in stdout.splitlines()
                if line.startswith("UMBRA-PROCESS "))


def times(profile, method):
    return profile["functions"][profile.methods().index(method)]


@pytest.mark.parametrize("source", ["perf", "schedstat"])
@measured
def test_cpu_time_is_the_kernels(file, net10, source):
    processor = max(os.sched_getaffinity(0))
    done = run_umbra(file, net10.command("burn", MILLISECONDS, processor), "--cpu", source)
    assert done.status == 0, done.stdout + done.stderr
    profile = done.profile
    if profile.cpu_source == "none":
        pytest.skip(f"no {source} here: {profile.cpu_refusal}")
    assert profile.cpu_source == source
    assert profile.lost_switches == 0
    check_counts(profile, done.expected, "burn.dll")
    check_sound(profile)
    kernel = cases_told(done.stdout)
    assert set(kernel) == set(CASES)
    for case in CASES:
        cpu_ns, wall_ns = (int(times(profile, case)[name])
                           for name in ("cpu_total_ns", "wall_total_raw_ns"))
        # Between the probe and the program's own reading a busy machine may do other things.
        assert abs(wall_ns - kernel[case].wall) < 150e6 + kernel[case].wall / 10, \
            (case, wall_ns, kernel[case])
        assert abs(cpu_ns - kernel[case].cpu) < 60e6 + kernel[case].cpu / 10, \
            (case, cpu_ns, kernel[case])
        assert cpu_ns <= wall_ns
    for case in ("Cases.Sleeps", "Cases.Waits"):
        row = times(profile, case)
        assert int(row["cpu_total_ns"]) < int(row["wall_total_raw_ns"]) / 4, case


def test_a_process_that_is_number_one_elsewhere_is_not_taken_for_another(file, net10):
    """What it says of itself is right in its own namespace only. It is not umbra's child either, so
    that nothing of it is left to be read when it has ended: it tells what it has used as it ends."""
    done = run_well(file, in_pid_namespace() + net10.command("burn", MILLISECONDS))
    profile = done.profile
    assert profile.pid > 2
    if profile.cpu_source == "none":
        pytest.skip(f"no CPU times here: {profile.cpu_refusal}")
    told = sum(case.cpu for case in cases_told(done.stdout).values())
    assert 0 < told / 2 < profile.on_cpu_ns
    used = process_cpu_told(done.stdout)
    assert used <= profile.process_cpu_ns < used + 5e9


@pytest.mark.parametrize("source", ["perf", "schedstat"])
@measured
def test_the_sums_are_those_of_the_process(file, net10, source):
    done = run_umbra(file, net10.command("burn", MILLISECONDS), "--cpu", source)
    profile = done.profile
    if profile.cpu_source == "none":
        pytest.skip(f"no {source} here: {profile.cpu_refusal}")
    cpu_self = sum(profile["functions"]["cpu_self_ns"].tolist())
    threads = sum(profile["threads"]["cpu_ns"].tolist())
    assert abs(cpu_self - threads) <= len(profile["calltree"])
    assert profile.on_cpu_ns == threads
    wall_self = sum(profile["functions"]["wall_self_ns"].tolist())
    assert abs(profile.on_cpu_ns + profile.off_cpu_ns - wall_self) <= len(profile["calltree"])
    # Outside: the runtime's own threads, its start and its end, and what it compiled.
    assert profile.process_cpu_ns >= process_cpu_told(done.stdout)
    assert profile.on_cpu_ns < profile.process_cpu_ns + 20e6
    assert profile.process_cpu_ns - profile.on_cpu_ns < 3e9
    busy = max(profile["threads"], key=lambda thread: thread["cpu_ns"])
    assert abs(int(busy["cpu_ns"]) - int(busy["kernel_cpu_ns"])) < 150e6 + busy["cpu_ns"] / 50


@pytest.mark.parametrize("wanted, given", [("auto", "schedstat"), ("perf", "none")])
def test_a_kernel_that_refuses_is_named(file, net10, wanted, given):
    command = run_command(file, net10.command("burn", 50), ("--cpu", wanted))
    subprocess.run([sys.executable, SUPPORT / "deny_call.py", "perf_event_open",
                    *command], check=True, capture_output=True, timeout=120)
    profile = Profile(file)
    assert profile.cpu_source == given
    assert "Operation not permitted" in profile.cpu_refusal
    assert (profile.on_cpu_ns > 0) == (given != "none")


def test_without_a_source_there_are_no_cpu_times(file, net10):
    profile = run_umbra(file, net10.command("burn", 50), "--cpu", "none").profile
    assert profile.cpu_source == "none"
    assert profile.on_cpu_ns == profile.off_cpu_ns == 0
    assert sum(profile["functions"]["cpu_total_ns"].tolist()) == 0
    assert times(profile, "Cases.Sleeps")["wall_total_ns"] > 40e6
