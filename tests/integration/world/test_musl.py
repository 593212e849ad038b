# SPDX-License-Identifier: MIT
"""umbra run on a program linked against musl: the agent for musl goes into it, and every call is there."""
import os
import shutil
import subprocess
from collections import Counter

from profile_file import Profile
from umbra_runner import TIMEOUT_SECONDS, UMBRA, run_umbra

PROGRAM = os.environ.get("UMBRA_MUSL_PROGRAM", "umbra_test_target_musl")


def calls_said(stdout):
    """Calls by the last method of each path that the program says it called."""
    calls = Counter()
    for line in stdout.splitlines():
        if line.startswith("path "):
            _, _, count, path = line.split()
            calls[path.rpartition(";")[2].partition(".")[2]] += int(count)
    return +calls


def test_every_call_is_counted(file):
    done = run_umbra(file, [PROGRAM, "random"], "-q")
    assert (done.status, done.stderr) == (0, "")
    said = calls_said(done.stdout)
    assert sum(said.values()) >= 16 * 8_000
    assert Profile(file).calls() == said


def test_an_umbra_without_the_agent_for_musl_says_so(tmp_path):
    lone = tmp_path / "umbra"
    shutil.copy(UMBRA, lone)
    done = subprocess.run([lone, "run", "--", PROGRAM, "random"], capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS)
    assert done.returncode != 0 and done.stdout == ""
    assert "linked against musl" in done.stderr
    assert str(tmp_path / "musl" / "libumbra_agent.so") in done.stderr
