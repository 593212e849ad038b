# SPDX-License-Identifier: MIT
"""Nothing is lost when a process dies: target or collector, in whatever way."""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from held_thread import held
from profile_file import Profile
from umbra_runner import (FULL, check_sound, child_of, expected_of, run_bare, run_command,
                          run_umbra, until, wait_until)

KILLS = 200 if FULL else 8
STEP = "Busy.Step"
CALLS_TO_THE_END = 4 * 100_000


def own_counts(path):
    """Begun and ended calls by thread, as the target wrote them into its shared file."""
    words = memoryview(path.read_bytes()).cast("q") if path.exists() else []
    return {words[at + 2]: (words[at], words[at + 1])
            for at in range(0, len(words), 8) if words[at + 2]}


def measured_counts(profile):
    """Begun and ended calls of the counting method by thread, as umbra has them."""
    tids, methods = profile["threads"]["os_tid"].tolist(), profile.methods()
    return {tids[row["thread"]]: (int(row["calls"]), int(row["calls"] - row["unfinished"]))
            for row in profile["thread_functions"] if methods[row["function"]] == STEP}


def check_all_calls_are_there(profile, counts):
    measured = measured_counts(profile)
    for tid, (begun, ended) in own_counts(counts).items():
        calls, finished = measured.get(tid, (0, 0))
        # The probe runs before the method counts itself, and again after it counted its end.
        assert begun == 0 or (begun <= calls <= begun + 1 and ended - 1 <= finished <= ended), \
            f"thread {tid}: {begun} begun, {ended} ended; measured {measured.get(tid)}"


def wait_for_calls(counts):
    if not wait_until(lambda: any(begun for begun, _ in own_counts(counts).values()), 60):
        pytest.fail("the program does not begin")


def start(file, command, *options):
    return subprocess.Popen(run_command(file, command, options), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_sigkill_at_random_instants(tmp_path, net10):
    """Each second one when it is at work, the others at any instant from the start on."""
    instants = random.Random(20)
    for turn in range(KILLS):
        counts, file = tmp_path / f"{turn}.counts", tmp_path / f"{turn}.h5"
        umbra = start(file, net10.command("kill", counts, "spin"))
        target = child_of(umbra.pid)
        at_work = turn % 2 == 1
        if at_work:
            wait_for_calls(counts)
        time.sleep(instants.uniform(0.0, 0.6))
        os.kill(target, signal.SIGKILL)
        _, errors = umbra.communicate(timeout=60)
        assert umbra.returncode in (128 + signal.SIGKILL, -signal.SIGKILL), errors
        if not at_work and not own_counts(counts) and not file.exists():
            continue  # killed before the runtime was up: there was nothing to profile
        profile = Profile(file)
        assert profile.complete
        assert profile.ended == "signal 9 (SIGKILL)"
        assert profile.lost_events == 0
        check_all_calls_are_there(profile, counts)
        assert not at_work or profile.calls("kill.dll")[STEP] > 0


def test_names_that_had_not_been_sent(tmp_path, runtime, file):
    """The thread that sends them may not get a processor before the process ends."""
    counts = tmp_path / "counts"
    umbra = start(file, runtime.command("kill", counts, "spin"))
    target = child_of(umbra.pid)
    try:
        with held(target, "umbra-worker"):
            assert not own_counts(counts), "the program was at work before its names were held back"
            assert umbra.stdout.readline() == "started\n"
            time.sleep(0.2)
            os.kill(target, signal.SIGKILL)
    except BaseException:  # what skips a test, too
        os.kill(target, signal.SIGKILL)  # it would run for ever
        raise
    _, errors = umbra.communicate(timeout=60)
    profile = Profile(file)
    assert (profile.complete, profile.ended, profile.lost_events) == (1, "signal 9 (SIGKILL)", 0)
    check_all_calls_are_there(profile, counts)
    assert profile.calls("kill.dll")["Program.Main"] == 1
    assert not profile.calls_of_no_module()
    assert "(name unknown)" not in errors


def test_sigterm(tmp_path, runtime, file):
    counts = tmp_path / "counts"
    umbra = start(file, runtime.command("kill", counts, "spin"))
    target = child_of(umbra.pid)
    assert umbra.stdout.readline() == "started\n"
    time.sleep(0.2)
    os.kill(target, signal.SIGTERM)
    _, errors = umbra.communicate(timeout=60)
    assert umbra.returncode in (128 + signal.SIGTERM, -signal.SIGTERM), errors
    profile = Profile(file)
    assert profile.complete
    assert profile.lost_events == 0
    check_all_calls_are_there(profile, counts)


@pytest.mark.parametrize("mode, status", [("return", {3}), ("exit", {3}), ("_exit", {3}),
                                          ("failfast", {134, -6}), ("unhandled", {134, -6})])
def test_sudden_ends(tmp_path, runtime, file, mode, status):
    counts = tmp_path / "counts"
    done = run_umbra(file, runtime.command("kill", counts, mode))
    assert done.status in status, done.stderr
    assert done.stdout == "started\ncounted\n"
    profile = done.profile
    assert profile.complete
    assert profile.lost_events == 0
    assert profile.calls("kill.dll")[STEP] == CALLS_TO_THE_END
    check_all_calls_are_there(profile, counts)


def test_every_call_of_a_stack_that_overflows_is_there(tmp_path, runtime, file):
    counts = tmp_path / "counts"
    done = run_umbra(file, runtime.command("kill", counts, "overflow"))
    assert done.status in {134, -6}, done.stderr
    assert "Stack overflow" in done.stderr
    profile = done.profile
    assert profile.complete
    assert profile.ended == "signal 6 (SIGABRT)"
    assert profile.lost_events == 0
    deep = max(begun for begun, ended in own_counts(counts).values() if ended == 0)
    assert deep > 10_000, "no stack has overflowed"
    check_all_calls_are_there(profile, counts)


def test_output_of_a_crash_is_the_programs_own(tmp_path, net10, file):
    bare = run_bare(net10.command("kill", tmp_path / "bare", "unhandled"))
    done = run_umbra(file, net10.command("kill", tmp_path / "counts", "unhandled"))
    assert "asked for" in bare.stderr
    assert done.stderr.startswith(bare.stderr), "what umbra says comes behind it"


def test_killed_collector_leaves_the_target_running(net10, file):
    number, repeats = 30, 150
    umbra = start(file, net10.command("fib", number, repeats), "--checkpoint", 0.5)
    target = child_of(umbra.pid)
    wait_until(file.exists)
    os.kill(umbra.pid, signal.SIGKILL)
    umbra.wait(timeout=10)
    assert os.path.exists(f"/proc/{target}"), "the target ended with its collector"

    # The target still holds both pipes: they end with it.
    output, errors = umbra.communicate(timeout=120)
    assert errors == ""
    assert expected_of(output)["counts"]["Fib.Run"] > 0
    assert ended(target)

    checkpoint = Profile(file)
    assert not checkpoint.complete
    assert checkpoint.ended == "running"
    assert checkpoint.calls("fib.dll")["Fib.Run"] > 0


def ended(pid):
    """Whether a process that is not our child comes to its end in a few seconds."""
    for _ in until(5):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
    return False
