# SPDX-License-Identifier: MIT
"""Suspensions and compilations are those the runtime itself counts.

Other work on the machine must not fail a test: bounds are wide, and what two clocks say is compared
in more than one run. benchmarks/cpu has the figures.
"""
import pytest

from measured import measured
from umbra_runner import check_sound, run_umbra


def told(stdout):
    words = [line.split() for line in stdout.splitlines()]
    return {line[0]: int(line[1]) for line in words if len(line) == 2 and line[0] != "sum"}


@pytest.mark.parametrize("options", [(), ("--framework",)])
@measured
def test_pauses_and_compilations_are_the_runtimes(file, net10, options):
    done = run_umbra(file, net10.command("pauses", 6), *options)
    assert done.status == 0, done.stdout + done.stderr
    profile, runtime = done.profile, told(done.stdout)
    check_sound(profile)
    assert profile.lost_pauses == 0

    pauses = profile["pauses"]
    collections = [pause for pause in pauses if pause["generations"]]
    # One pause may hold a background collection's begin beside another collection.
    assert 0 < len(collections) <= runtime["collections"]
    assert set(pauses["reason"].astype(str)) <= {"gc", "gc-prep", "other", "rejit", "shutdown"}
    assert pauses["duration_ns"].sum() == pytest.approx(runtime["pauses_ns"], rel=0.1, abs=10e6)
    assert all(pauses["stopping_ns"] <= pauses["duration_ns"])
    assert all(pauses["threads"] <= len(profile["threads"]))
    ends = pauses["start_ns"] + pauses["duration_ns"]
    assert all(ends[:-1] <= pauses["start_ns"][1:]), "pauses overlap"

    compilations = profile["compilations"]
    assert compilations["duration_ns"].sum() == \
        pytest.approx(runtime["compilation_ns"], rel=0.2, abs=20e6)
    versions = {}
    for row in compilations:
        versions.setdefault(int(row["function"]), []).append(int(row["version"]))
    assert all(seen == list(range(1, len(seen) + 1))
               for function, seen in versions.items() if function >= 0)


@measured
def test_a_pause_is_part_of_the_calls_it_stopped(file, net10):
    profile = run_umbra(file, net10.command("pauses", 6)).profile
    paused = dict(zip(profile.methods(), profile["functions"]["paused_total_ns"].tolist()))
    collected = int(profile["pauses"]["duration_ns"].sum())
    # Main is in a call from its first line on; what it compiles counts as well.
    assert paused["Program.Main"] > collected * 0.9
    for thread in profile["threads"]:
        assert thread["paused_ns"] <= thread["covered_ns"]
