# SPDX-License-Identifier: MIT
"""CPU time is the kernel's own, wherever it comes from, and wall time is not touched by it.

Bounds are wide: other work on the machine must not fail a test. benchmarks/cpu has the figures.
"""
import os
from dataclasses import dataclass

import pytest

from umbra_runner import check_counts, check_sound, run_umbra

MILLISECONDS = 400
CASES = ("Cases.Sleeps", "Cases.Waits", "Cases.Holds", "Cases.Fights")


@dataclass
class Measured:
    """What the program says of the thread that ran a case, in nanoseconds."""

    cpu: int
    wall: int


def measured(stdout):
    lines = [line.split() for line in stdout.splitlines() if line.startswith("UMBRA-CPU ")]
    return {name: Measured(int(cpu), int(wall)) for _, name, cpu, wall in lines}


def times(profile, method):
    return profile["functions"][profile.methods().index(method)]


@pytest.mark.parametrize("source", ["perf", "schedstat"])
def test_cpu_time_is_the_kernels(file, net10, source):
    processor = max(os.sched_getaffinity(0))
    done = run_umbra(file, net10.command("burn", MILLISECONDS, processor), "--cpu", source)
    assert done.status == 0, done.stdout + done.stderr
    profile = done.profile
    if profile.cpu_source == "none":
        pytest.skip(f"this machine has no {source}")
    assert profile.cpu_source == source
    assert profile.lost_switches == 0
    check_counts(profile, done.expected, "burn.dll")
    check_sound(profile)
    kernel = measured(done.stdout)
    assert set(kernel) == set(CASES)
    for case in CASES:
        cpu_ns, wall_ns = (int(times(profile, case)[name])
                           for name in ("cpu_total_ns", "wall_total_raw_ns"))
        # What the thread did before and behind the method, compiling it above all, is in the
        # kernel's figure and not in ours.
        assert abs(wall_ns - kernel[case].wall) < 20e6, (case, wall_ns, kernel[case])
        assert abs(cpu_ns - kernel[case].cpu) < 20e6 + kernel[case].cpu / 50, \
            (case, cpu_ns, kernel[case])
        assert cpu_ns <= wall_ns
    assert int(times(profile, "Cases.Sleeps")["cpu_total_ns"]) < MILLISECONDS * 1e6 / 4
    assert int(times(profile, "Cases.Waits")["cpu_total_ns"]) < MILLISECONDS * 1e6 / 4


@pytest.mark.parametrize("source", ["perf", "schedstat"])
def test_the_sums_are_those_of_the_process(file, net10, source):
    done = run_umbra(file, net10.command("burn", MILLISECONDS), "--cpu", source)
    profile = done.profile
    if profile.cpu_source == "none":
        pytest.skip(f"this machine has no {source}")
    cpu_self = sum(profile["functions"]["cpu_self_ns"].tolist())
    threads = sum(profile["threads"]["cpu_ns"].tolist())
    assert abs(cpu_self - threads) <= len(profile["calltree"])
    assert profile.on_cpu_ns == threads
    wall_self = sum(profile["functions"]["wall_self_ns"].tolist())
    assert abs(profile.on_cpu_ns + profile.off_cpu_ns - wall_self) <= len(profile["calltree"])
    # Outside: the runtime's own threads, its start and its end, and what it compiled.
    assert profile.process_cpu_ns > 0
    assert profile.on_cpu_ns < profile.process_cpu_ns + 20e6
    assert profile.process_cpu_ns - profile.on_cpu_ns < 500e6
    busy = max(profile["threads"], key=lambda thread: thread["cpu_ns"])
    assert abs(int(busy["cpu_ns"]) - int(busy["kernel_cpu_ns"])) < 60e6 + busy["cpu_ns"] / 50


def test_without_a_source_there_are_no_cpu_times(file, net10):
    profile = run_umbra(file, net10.command("burn", 50), "--cpu", "none").profile
    assert profile.cpu_source == "none"
    assert profile.on_cpu_ns == profile.off_cpu_ns == 0
    assert sum(profile["functions"]["cpu_total_ns"].tolist()) == 0
    assert times(profile, "Cases.Sleeps")["wall_total_ns"] > 40e6
