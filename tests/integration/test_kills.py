# SPDX-License-Identifier: MIT
"""A thousand kills (UMBRA_FULL=1), of the program or of umbra, at any instant of a run, a capture and a
sampling: what had been told is in the file, and what lives on does so as if nothing had been. The kills
of a program under `umbra run` are test_process_death.py's."""
import os
import random
import subprocess
import time

import pytest

from profile_file import Profile
from running_program import difference
from targets import agent_variables, umbra, wait_for_profiler
from test_process_death import CALLS_TO_THE_END, STEP, own_counts
from umbra_runner import DIED, FULL, UMBRA, end_if_alive, run_command, until, wait_until

KILLS = 160 if FULL else 5  # of each kind


class Counting:
    """tests/managed/kill, on its way until it is killed; counts each call of its own."""

    def __init__(self, runtime, counts, prepared):
        self.counts = counts
        self.process = subprocess.Popen(
            runtime.command("kill", counts, "spin"), text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=os.environ | (agent_variables() if prepared else {}))
        assert self.process.stdout.readline() == "started\n"

    @property
    def pid(self):
        return self.process.pid

    def begun(self):
        """Calls begun, by thread."""
        return {thread: begun for thread, (begun, _) in own_counts(self.counts).items()}

    def check_goes_on(self):
        before = self.begun()
        if not wait_until(lambda: all(more > 0 for more in difference(self.begun(), before).values())):
            pytest.fail(f"the program stands still: {before}, {self.begun()}")

    def kill(self):
        self.process.kill()
        assert self.process.communicate(timeout=60) == ("", "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_if_alive(self.process)


def begin(command, pid, file):
    options = ["--include", "kill.dll!*"] if command == "start" else ["--rate", "500"]
    return subprocess.Popen([UMBRA, command, str(pid), "--duration", "60s", *options, "-o", str(file)],
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def ended(process):
    """Status and standard error of an umbra whose program has been killed: DIED or 1, and a reason."""
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (DIED, 1), errors
    last = errors.splitlines()[-1]
    assert last.startswith("umbra: ") and ("has died" in last) == (process.returncode == DIED), errors
    return process.returncode, errors


def begun_in(profile):
    """Calls of the counting method by thread."""
    tids, methods = profile["threads"]["os_tid"].tolist(), profile.methods()
    return {tids[row["thread"]]: int(row["calls"]) for row in profile["thread_functions"]
            if methods[row["function"]] == STEP}


def test_umbra_is_killed_while_it_runs_a_program(net10, tmp_path):
    """Each second time when the program has started, else at any instant from the start on."""
    instants = random.Random(31)
    for turn in range(KILLS):
        counts, file = tmp_path / f"{turn}.counts", tmp_path / f"{turn}.h5"
        runner = subprocess.Popen(
            run_command(file, net10.command("kill", counts, "return"), ["-q", "--checkpoint", "0.2"]),
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started = runner.stdout.readline() if turn % 2 else ""
        time.sleep(instants.uniform(0.0, 0.6))
        runner.kill()
        # To the program's end; communicate() would leave out what readline() has read ahead.
        output, errors = started + runner.stdout.read(), runner.stderr.read()
        runner.wait()
        assert output == "started\ncounted\n" or not (output or started), \
            "it runs to its end, or was not there yet"
        assert errors == ""
        if output:
            assert sum(ended for _, ended in own_counts(counts).values()) == CALLS_TO_THE_END
        if file.exists():
            Profile(file)


def test_a_program_is_killed_while_it_is_captured(net10, tmp_path, prepared):
    """At any instant from before the capture begins; where it has begun a while ago, every call from
    then on is in the file."""
    instants = random.Random(32)
    timed = 0
    for turn in range((KILLS + 1) // 2):
        file = tmp_path / f"{turn}.h5"
        with Counting(net10, tmp_path / f"{turn}.counts", prepared) as program:
            before = program.begun()
            process = begin("start", program.pid, file)
            sure = {}
            if turn % 2:
                wait_until(lambda: "methods when they are next called" in process.stderr.readline())
                time.sleep(1)  # all threads are in the new code
                sure = program.begun()
            time.sleep(instants.uniform(0.0, 0.4))
            program.kill()
            status, errors = ended(process)
            death = program.begun()
        assert not sure or (status == DIED and file.exists()), errors
        if not file.exists():
            continue
        profile = Profile(file)
        assert profile.complete and profile.lost_events == 0
        counted = begun_in(profile)
        for thread, begun in counted.items():
            assert begun <= death[thread] - before.get(thread, 0) + 1
        for thread, begun in sure.items():
            assert counted[thread] >= death[thread] - begun, "calls that were made are missing"
        timed += sum(counted.values()) > 0
    assert timed > 0


def test_umbra_is_killed_while_it_captures(net10, tmp_path, prepared):
    instants = random.Random(33)
    with Counting(net10, tmp_path / "counts", prepared) as program:
        for turn in range((KILLS + 1) // 2):
            file = tmp_path / f"{turn}.h5"
            process = begin("start", program.pid, file)
            time.sleep(instants.uniform(0.0, 0.6))
            process.kill()
            process.communicate(timeout=60)
            program.check_goes_on()
            if file.exists():
                Profile(file)
        done = None
        for _ in until(30, step=0.2):  # the agent notices, and takes its probes back
            done = umbra("start", program.pid, "--duration", "300ms", "-q", "--force", "-o", tmp_path / "last.h5")
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        assert Profile(tmp_path / "last.h5").calls("kill.dll")[STEP] > 0
        wait_for_profiler(program.pid, "dormant")
        program.kill()


def test_a_program_is_killed_while_it_is_sampled(net10, tmp_path):
    instants = random.Random(34)
    seen = 0
    for turn in range(KILLS):
        file = tmp_path / f"{turn}.h5"
        with Counting(net10, tmp_path / f"{turn}.counts", False) as program:
            process = begin("attach", program.pid, file)
            time.sleep(instants.uniform(0.0, 1.0))
            program.kill()
            ended(process)
        if file.exists():
            profile = Profile(file)
            # Whether the test or umbra asks for the status first is left to chance.
            assert profile.ended in ("the process ended", "signal 9 (SIGKILL)")
            seen += sum(profile["functions"]["calls"]) > 0
    assert seen > 0


def test_umbra_is_killed_while_it_samples(net10, tmp_path):
    instants = random.Random(35)
    with Counting(net10, tmp_path / "counts", False) as program:
        for turn in range(KILLS):
            process = begin("attach", program.pid, tmp_path / f"{turn}.h5")
            time.sleep(instants.uniform(0.0, 0.6))
            process.kill()
            process.communicate(timeout=60)
            program.check_goes_on()
        wait_for_profiler(program.pid, "none")
        file = tmp_path / "last.h5"
        done = umbra("attach", program.pid, "--duration", "300ms", "-q", "--force", "-o", file)
        assert done.returncode == 0, done.stderr
        assert sum(Profile(file)["functions"]["calls"]) > 0
        program.kill()
