# SPDX-License-Identifier: MIT
"""Commands that meet: two at the same process in the same moment, and an umbra that is killed there."""
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from bare_collector import BareCollector
from profile_file import Profile
from targets import Patient, agent_variables, umbra, wait_for_profiler
from umbra_runner import FULL, UMBRA, child_of, run_bare, until, wait_until
from world import world

TURNS = 20 if FULL else 4
KILLS = 40 if FULL else 6


def begin(command, pid, folder, turn):
    options = ["--duration", "200ms", "-q", "-o", str(folder / f"{turn}.h5")] \
        if command in ("start", "attach") else []
    return subprocess.Popen([UMBRA, command, str(pid), *options], text=True, cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def outcome(process):
    """Status 0, or 1 and one line that says why."""
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode in (0, 1), (process.args, process.returncode, stderr)
    if process.returncode == 1:
        assert stdout == ""
        (line,) = stderr.splitlines()
        assert line.startswith("umbra: "), line
    return process.returncode


@pytest.mark.parametrize("first, second", [("start", "start"), ("start", "detach"),
                                           ("start", "stop"), ("attach", "attach"),
                                           ("attach", "detach"), ("start", "attach")])
def test_two_at_the_same_moment(net10, tmp_path, first, second):
    prepared = agent_variables() if first == "start" else {}
    with Patient(net10, prepared, stderr=subprocess.PIPE) as program:
        won = 0
        for turn in range(TURNS):
            both = [begin(command, program.pid, tmp_path, f"{turn}-{at}")
                    for at, command in enumerate((first, second))]
            statuses = [outcome(process) for process in both]
            if "detach" not in (first, second) and "stop" not in (first, second):
                assert 0 in statuses, "one of them had to succeed"
            won += statuses[0] == 0
        assert won or second == first, "the first never succeeded"
        settle(program, first)
        check_works(program, first, tmp_path / "last.h5")
        program.check_unharmed()
        assert program.process.stderr.read() == ""


def settle(program, command):
    """Until nothing is under way any more."""
    wait_for_profiler(program.pid, "dormant" if command == "start" else "none")


def check_works(program, command, file):
    for _ in until(30, step=0.2):
        done = umbra(command, program.pid, "--duration", "300ms", "-q", "-o", file)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr
    assert Profile(file).calls("patient.dll")


@pytest.mark.parametrize("command", ["start", "attach"])
def test_umbra_is_killed_while_it_begins(net10, tmp_path, command):
    """At any instant of the handshake: the program goes on, and the next umbra finds it free."""
    instants = random.Random(3)
    with Patient(net10, agent_variables() if command == "start" else {},
                 stderr=subprocess.PIPE) as program:
        for turn in range(KILLS):
            process = begin(command, program.pid, tmp_path, turn)
            time.sleep(instants.uniform(0.0, 0.15))
            process.kill()
            process.communicate(timeout=60)
        settle(program, command)
        check_works(program, command, tmp_path / "last.h5")
        program.check_unharmed()
        assert program.process.stderr.read() == ""


def test_a_collector_that_goes_between_two_messages(net10, tmp_path):
    """It has asked for a capture and had the segment, and is gone before it has answered."""
    with Patient(net10, agent_variables(), stderr=subprocess.PIPE) as program:
        for _ in range(KILLS):
            asking = BareCollector(program.pid, welcome=False)
            asking.socket.close()
        settle(program, "start")
        check_works(program, "start", tmp_path / "last.h5")
        program.check_unharmed()
        assert program.process.stderr.read() == ""


def test_umbra_is_killed_while_the_agent_waits_for_its_answer(net10, file, tmp_path):
    """umbra run: the program runs unprofiled."""
    bare = run_bare(world(net10, "plain"))
    go, out, err = tmp_path / "go", tmp_path / "out", tmp_path / "err"
    wait = f'while [ ! -e {go} ]; do sleep 0.05; done; exec "$@" > {out} 2> {err}'
    with subprocess.Popen([UMBRA, "run", "-q", "-o", file, "--", "sh", "-c", wait, "sh",
                           *world(net10, "plain")], env=dict(os.environ, TMPDIR=str(tmp_path)),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        program = child_of(process.pid)
        (control,) = tmp_path.glob("umbra-*/control")
        os.kill(process.pid, signal.SIGSTOP)
        go.touch()
        if not wait_until(lambda: connections_of(control) > 1, 60):
            pytest.fail("no agent has connected")
        process.kill()
    wait_until(lambda: not Path(f"/proc/{program}").exists() or "UMBRA-EXPECT" in out.read_text(), 60)
    assert (out.read_text(), err.read_text()) == (bare.stdout, "")
    assert not file.exists()


def connections_of(path):
    """Sockets of that name: the listener, and each that has been connected to it."""
    return sum(line.split()[-1] == str(path)
               for line in Path("/proc/net/unix").read_text().splitlines())
