# SPDX-License-Identifier: MIT
"""What the probes in the core library say of async calls, before anybody has made anything of it: the
async methods of tests/managed/shapes, whose suspensions are certain in number."""
import os
import re
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

import targets
from gated import Gated
from umbra_runner import TIMEOUT_SECONDS, UMBRA, output_of

TOOL = os.environ.get("UMBRA_ASYNC_RECORDS", "async_records")
RECORD_HEADER = (Path(__file__).resolve().parents[3] / "hotpath/record.h").read_text()
ROUNDS = 2_000  # as in Awaits.cs
# By method: how often it goes on after a suspension, how many of its calls end with a result that
# have suspended before. A stream's calls end by signals, its box once.
RESUMED = {"Chain": ROUNDS, "Leaf": 2 * ROUNDS, "Pooled": ROUNDS, "Drain": ROUNDS, "Stream": ROUNDS}
COMPLETED = {"Chain": 1, "Leaf": ROUNDS, "Pooled": 1, "Drain": 1, "Stream": 1}
# An awaiter that takes a delegate is told twice of: the box is asked for it.
SUSPENDED = {"Chain": ROUNDS, "Leaf": 4 * ROUNDS, "Pooled": 2 * ROUNDS, "Drain": ROUNDS,
             "Stream": 2 * ROUNDS}


def number_of(name):
    return int(re.search(rf"\b{name} = (\d+),", RECORD_HEADER).group(1))


class Told:
    """What the tool has written."""

    def __init__(self, text):
        self.text = text
        self.records = {}  # by number: Counter of types
        self.traits, self.notices = Counter(), []
        for line in text.splitlines():
            kind, *rest = line.split(" ", 3)
            if kind == "record":
                number, count, *name = rest
                self.records.setdefault(int(number), Counter())["".join(name)] += int(count)
            elif kind == "traits":
                self.traits[int(rest[0])] += int(rest[1])
            elif kind == "notice":
                self.notices.append(line)
            elif kind in ("unresolved", "unbalanced"):
                setattr(self, kind, int(rest[0]))

    def of(self, name):
        return self.records.get(number_of(name), Counter())

    def of_awaits(self, name):
        """By the method that a state machine is of."""
        found = Counter()
        for type_name, count in self.of(name).items():
            if method := re.match(r"timed Shapes\.Awaits\+<(\w+)>d__\d+$", type_name):
                found[method.group(1)] += count
        return found

    def check(self):
        assert self.of_awaits("kAsyncResumed") == RESUMED, self.text
        assert self.of_awaits("kAsyncSuspended") == SUSPENDED, self.text
        assert self.of_awaits("kAsyncCompleted") == COMPLETED, self.text
        assert self.of_awaits("kAsyncAwaits")["Leaf"] == ROUNDS, self.text
        assert self.of("kAsyncSignalled").total() >= ROUNDS
        # Each hop of Pooled is an item of the thread pool's.
        queued = self.of("kWorkQueued")
        assert queued.total() >= ROUNDS
        assert self.of("kWorkRuns").total() >= ROUNDS
        assert any("QueueUserWorkItemCallback" in name for name in queued), self.text
        assert (self.unresolved, self.unbalanced) == (0, 0), self.text
        assert self.traits[1] >= len(RESUMED) - 1 and self.traits[2] >= 1, self.text
        assert not [line for line in self.notices if "async calls" in line], self.text


def run_with_agent(command, **environment):
    return Told(output_of(TOOL, targets.AGENT, *command, env=dict(os.environ, **environment)))


def test_from_the_start_beside_hooks(runtime):
    run_with_agent(runtime.command("shapes")).check()


def test_nothing_is_told_where_nobody_asks(net10):
    assert not run_with_agent(net10.command("shapes"), UMBRA_TEST_NO_ASYNC="1").records


def test_nothing_is_told_where_no_async_method_is_timed(net10):
    told = run_with_agent(net10.command("shapes"), UMBRA_TEST_INCLUDE="Shapes.Dispatch.*")
    assert not told.records, told.text


def load_agent(pid):
    """A program that nobody prepared has a dormant agent from then on."""
    output_of(UMBRA, "start", "-q", "--no-profile", "--duration", "100ms", pid)


class Recording:
    """A capture of the tool's, which has begun when the constructor returns."""

    def __init__(self, pid):
        folder = os.environ.get("TMPDIR", "/tmp")
        self.process = subprocess.Popen(
            [TOOL, "--agent-socket", f"{folder}/umbra-agent-{pid}-{targets.start_time(pid)}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "recording\n"

    def end(self):
        output, _ = self.process.communicate(timeout=TIMEOUT_SECONDS)
        assert self.process.returncode == 0
        return Told(output)


@pytest.mark.parametrize("prepared", [True, False], ids=["hooks", "il"])
def test_while_it_runs(runtime, prepared):
    environment = targets.agent_variables() if prepared else {}
    with Gated(runtime, "shapes", environment=environment) as running:
        if not prepared:
            load_agent(running.pid)
        recording = Recording(running.pid)
        status, output = running.run(TIMEOUT_SECONDS)
        assert status == 0, output
        told = recording.end()
    told.check()
