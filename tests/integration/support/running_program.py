# SPDX-License-Identifier: MIT
"""Starts a program, tells it what to do, and opens captures in it."""
import contextlib
import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from profile_file import Profile
from targets import agent_variables, command_line, descendants, umbra
from umbra_runner import TIMEOUT_SECONDS, UMBRA, until


class Program:
    """tests/managed/captures, which does what it is told and counts its own calls; or another program
    that goes on until its input ends. Prepared, it has the dormant agent from its start."""

    def __init__(self, runtime, prefix=(), program="captures", prepared=True,
                 environment=(), arguments=()):
        self.prepared = prepared
        self.process = subprocess.Popen(
            [*prefix, *runtime.command(program, *arguments)],
            env=dict(os.environ, **dict(environment), **(agent_variables() if prepared else {})),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        if not prepared and not prefix:
            self.await_runtime()
        if prefix:  # a program that starts it in a process of its own
            self.ask("serve 0")
            self.pid = next(pid for pid in descendants(self.pid) if "captures" in command_line(pid)
                            and "unshare" not in command_line(pid))

    def await_runtime(self):
        """Until the host has loaded the runtime: before that the process is no .NET program."""
        maps = Path(f"/proc/{self.pid}/maps")
        for _ in until(TIMEOUT_SECONDS):
            if self.process.poll() is not None or "libcoreclr.so" in maps.read_text():
                return

    def do(self, line):
        """Does it and answers the calls so far, by method."""
        return json.loads(self.ask(line))

    def ask(self, line):
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        if not answer:
            status = self.process.wait(TIMEOUT_SECONDS)
            pytest.fail(f"the program has ended, status {status}: {self.process.stderr.read()}")
        return answer

    def end(self):
        """Lets it end by itself; nothing may have been printed."""
        self.process.stdin.close()
        status = self.process.wait(TIMEOUT_SECONDS)
        error = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        assert (status, error) == (0, "")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()


class Capture:
    """An `umbra start` under way; its hooks are asked for when the constructor returns."""

    def __init__(self, pid, file, *options):
        self.file = Path(file)
        self.process = subprocess.Popen(
            [UMBRA, "start", str(pid), "--force", "-o", str(file), *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = pid
        self.first_line = self.process.stderr.readline()
        while " matches none of the " in self.first_line:  # of a pattern among others
            self.first_line = self.process.stderr.readline()
        self.brought_agent = "the agent is now in process" in self.first_line
        if self.brought_agent:
            self.first_line = self.process.stderr.readline()
        self.refused = ""  # what is said of methods that cannot be timed, before the capture opens
        while "not timed: " in self.first_line:
            self.refused += self.first_line
            self.first_line = self.process.stderr.readline()
        assert "timing process" in self.first_line, self.first_line + self.process.stderr.read()
        self.rest = ""
        # The end of a capture may come with more than a pipe holds.
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        self.rest = self.process.stderr.read()

    def wait(self, status=0):
        """Until it ends by itself; answers the profile."""
        code = self.process.wait(TIMEOUT_SECONDS)
        self.reader.join(TIMEOUT_SECONDS)
        self.process.stdout.close()
        self.process.stderr.close()
        assert code == status, self.rest
        return Profile(self.file)

    def interrupt(self):
        """Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def stop(self):
        """`umbra stop`, from elsewhere."""
        done = umbra("stop", self.pid, timeout=TIMEOUT_SECONDS)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return self.wait()


def difference(after, before):
    """Calls made in between, by method."""
    return {name: count - before.get(name, 0) for name, count in after.items()
            if count != before.get(name, 0)}
