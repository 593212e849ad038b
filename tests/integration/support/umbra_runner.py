# SPDX-License-Identifier: MIT
"""Starts umbra on a test program and checks what every sound profile has in common."""
import contextlib
import difflib
import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import runtimes
from async_tables import plain
from profile_file import Profile, parse_tree

sys.path.append(str(Path(__file__).resolve().parents[2] / "support"))
from full import FULL  # noqa: E402

UMBRA = os.environ.get("UMBRA", "umbra")
SUPPORT = Path(__file__).resolve().parent  # the programs beside this file
TIMEOUT_SECONDS = 600  # against what hangs; how long a busy machine takes is not asked
DIED = 3  # what start and attach answer when the process has died while it was recorded


def on_runtimes(settings):
    """Parametrizes a test by a runtime and one of these settings of it, by their names: the first setting
    on every runtime, the others on the installed one alone, or with UMBRA_FULL=1 on every one."""
    return pytest.mark.parametrize("runtime, setting", [
        pytest.param(runtime, setting, id=f"{runtime.name}-{name}")
        for at, (name, setting) in enumerate(settings.items()) for runtime in runtimes.ALL
        if at == 0 or FULL or runtime is runtimes.NET10])


# The setting of most programs first.
TIERING = {"tiered": {"DOTNET_TieredCompilation": "1"}, "optimised": {"DOTNET_TieredCompilation": "0"}}


@dataclass
class Outcome:
    """What a run of umbra left behind."""

    status: int
    stdout: str
    stderr: str
    file: Path
    command: list = field(repr=False, default_factory=list)

    @property
    def profile(self):
        if not self.file.exists():
            pytest.fail(f"no profile was written by {' '.join(self.command)}\n{self.stderr}")
        return Profile(self.file)

    @property
    def expected(self):
        return expected_of(self.stdout)


def expected_of(stdout):
    """What a test program says about its own calls."""
    for line in stdout.splitlines():
        if line.startswith("UMBRA-EXPECT "):
            return json.loads(line.removeprefix("UMBRA-EXPECT "))
    pytest.fail(f"the program did not get to its end:\n{stdout}")


def run_command(file, command, options=()):
    return [UMBRA, "run", "--force", "-o", str(file), *map(str, options), "--", *map(str, command)]


def run_umbra(file, command, *options, environment=None, timeout=TIMEOUT_SECONDS, cwd=None):
    """`umbra run -o FILE OPTIONS -- COMMAND`, to its end."""
    line = run_command(file, command, options)
    done = subprocess.run(line, env=dict(os.environ, **(environment or {})), text=True, cwd=cwd,
                          capture_output=True, timeout=timeout)
    return Outcome(done.returncode, done.stdout, done.stderr, Path(file), line)


def run_well(*arguments, **options):
    """run_umbra() of a program that ends well."""
    done = run_umbra(*arguments, **options)
    assert done.status == 0, done.stderr
    return done


def output_of(*command, timeout=300, **options):
    """What a command says that has to end well."""
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True, timeout=timeout, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return done.stdout


def run_bare(command, environment=None, timeout=TIMEOUT_SECONDS):
    """The program without umbra."""
    return subprocess.run(command, env=dict(os.environ, **(environment or {})), text=True,
                          capture_output=True, timeout=timeout)


def report(file, *options):
    """`umbra report FILE --json OPTIONS`."""
    done = subprocess.run([UMBRA, "report", str(file), "--json", *map(str, options)], text=True,
                          capture_output=True, timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        pytest.fail(f"no report of {file}: {done.stderr}")
    return json.loads(done.stdout)


def child_of(pid, timeout=30):
    """Process id of the program a running umbra has started."""
    for _ in until(timeout):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:
            return int(children[0])
    pytest.fail("umbra started no program")


def until(timeout, step=0.01):
    """Turns of a loop that waits for something, at most `timeout` seconds long."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        yield
        time.sleep(step)


def wait_until(condition, timeout=30, step=0.01):
    """Whether it is met within so many seconds."""
    return any(condition() for _ in until(timeout, step))


def end_if_alive(process):
    """Kills what a test that has failed left running, and reads the rest of its pipes."""
    if process.poll() is None:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def busy_machine(processes):
    """As many processes that want a processor all the time; they end by themselves, too."""
    line = f"timeout {TIMEOUT_SECONDS} sh -c 'while :; do :; done'"
    others = [subprocess.Popen(shlex.split(line)) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.terminate()  # timeout hands it on
        for other in others:
            other.wait()


def check_sound(profile, complete=True):
    """Nothing lost, nothing guessed, and the times of every thread add up."""
    assert bool(profile.complete) == complete
    assert profile.lost_events == 0
    threads = profile["threads"]
    for column in ("repairs", "unmatched_leaves", "decode_errors", "lost_events"):
        assert sum(threads[column]) == 0, f"{column}: {threads[column].tolist()}"
    self_ns, functions = [0] * len(threads), [0] * len(threads)
    rows = profile["thread_functions"]
    for thread, time_ns in zip(rows["thread"], rows["wall_self_raw_ns"]):
        self_ns[thread] += int(time_ns)
        functions[thread] += 1
    assert sum(self_ns) == sum(profile["calltree"]["wall_self_raw_ns"].tolist())
    for row, covered_ns in enumerate(threads["covered_ns"].tolist()):
        # Each function's time is in whole nanoseconds.
        assert abs(self_ns[row] - covered_ns) <= max(covered_ns / 1000, functions[row]), \
            f"thread {row}: self times sum to {self_ns[row]} ns of {covered_ns} ns covered"


def by_method(counts):
    """Calls by name, without type arguments: those of the instantiations of a generic method are one."""
    merged = Counter()
    for name, calls in counts.items():
        merged[plain(name)] += calls
    return merged


def check_counts(profile, expected, module, without=(), merged=False):
    """Every count the program knows is the count umbra has; merged: by_method(), as probes in the IL have it."""
    calls, known = profile.calls(module), expected["counts"]
    if merged:
        calls, known = by_method(calls), by_method(known)
    wrong = [f"{method}: {calls.get(method, 0)} calls instead of {count}"
             for method, count in known.items()
             if calls.get(method, 0) != count and not method.startswith(tuple(without))]
    assert not wrong, "\n".join(
        wrong + [f"{name}: {profile.attributes.get(name)}"
                 for name in ("missed_hooks", "lost_events", "complete", "ended")] +
        [f"of no module: {profile.calls_of_no_module()}"])


def check_trees(profile, expected, module):
    """Every tree the program knows is in the call tree, to the last call of its own methods."""
    for text in expected["trees"]:
        wanted = parse_tree(text)
        found = profile.subtree(wanted.method, module)
        assert found is not None, f"{wanted.method} is not in the call tree"
        difference = list(difflib.unified_diff(list(wanted.lines()), list(found.lines()),
                                               "expected", "measured", lineterm="", n=100))
        assert not difference, "\n".join(difference)
