# SPDX-License-Identifier: MIT
"""A folder in which the commands of the documents find what they name, and what runs them there."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import other_python
from documents import ROOT

sys.path.insert(0, str(ROOT / "tests/integration/support"))
import runtimes  # noqa: E402
from targets import wait_for_profiler  # noqa: E402
from umbra_runner import UMBRA, until  # noqa: E402
from web_server import Conversation  # noqa: E402

SECONDS = 120  # against what hangs
ROUNDS = 3  # of app.dll: by then it has called each of its methods since a capture began
CONFIGURATION = {"runtimeOptions": {
    "framework": {"name": "Microsoft.NETCore.App", "version": "10.0.0"},
    "configProperties": {"System.Globalization.Invariant": True}}}
NO_PAGE = "built without its page"

# What goes on until something ends it, and what it says when it has begun: umbra attach, nothing.
ATTACH = re.compile(r"umbra attach ")
STREAM = re.compile(r"umbra top (?!.*--once).*--json$")
GOES_ON = {
    re.compile(r"umbra start |\S+/profile-(?:unit|container) "): "timing process",
    ATTACH: "",
    re.compile(r"umbra view "): "Ctrl-C ends it",
    STREAM: '"methods"',
}
# What has to go on for a command to make sense, where nothing does.
TAKEN_FOR_GRANTED = {
    re.compile(r"umbra stop |umbra top$"): "umbra start PID --no-profile",
    re.compile(r"umbra detach "): "umbra attach PID --duration 0",
}
# What is typed elsewhere while something goes on; any other command comes after that.
MEANWHILE = re.compile(r"umbra (?:stop|detach|top)\b")
ENDS_IT = re.compile(r"umbra (?:stop|detach) ")
# Of systemd and of containers all that is asked is the number of a process.
STAND_INS = ("systemctl", "podman")


def first_of(table, command):
    """What the table has for the first pattern that fits, or None."""
    return next((value for pattern, value in table.items() if pattern.match(command)), None)


def path_with(*folders):
    """A PATH with these folders, umbra's, and the system's own before whatever else there is."""
    own = Path(UMBRA).resolve().parent
    return ":".join(map(str, (*folders, own, "/usr/bin", "/bin", os.environ["PATH"])))


def fail(text, said):
    """The test has failed, unless umbra lacks what only a build with node has."""
    if NO_PAGE in said:
        pytest.skip("umbra was built without its page: node or npm is missing")
    pytest.fail(f"{text}\n{said}", pytrace=False)


class Template:
    """What each stage is a copy of: programs, profiles, and parts of the tree of sources."""

    def __init__(self, base):
        self.folder, self.home = base / "template", base / "home"
        self.stand_ins = base / "stand-ins"
        self.other_python = other_python.make(base / "other-python")
        for folder in (self.folder, self.home, self.stand_ins, self.folder / "runs"):
            folder.mkdir()
        for name in STAND_INS:
            (self.stand_ins / name).write_text('#!/bin/sh\nexec echo "$UMBRA_TEST_PID"\n')
            (self.stand_ins / name).chmod(0o755)
        without = shutil.ignore_patterns("bin", "obj", "build", "*.egg-info", "__pycache__")
        for part in ("examples", "python"):
            shutil.copytree(ROOT / part, self.folder / part, ignore=without)
        self.make_programs()
        self.make_profiles()

    def make_programs(self):
        self.compile("app", ROOT / "tests/docs/program/Program.cs")
        self.compile("hello-shop", ROOT / "examples/hello-shop/Shop.cs")
        for file in self.folder.glob("app.*"):
            shutil.copy(file, self.folder / file.name.replace("app.", "shop."))
        built = self.folder / "build/examples/hello-shop/bin"  # where ./quickstart puts it
        built.mkdir(parents=True)
        for file in self.folder.glob("hello-shop.*"):
            shutil.copy(file, built)

    def compile(self, name, source):
        command = runtimes.compiler(self.folder / f"{name}.dll", [source])
        done = subprocess.run([*command, "-debug:portable"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        (self.folder / f"{name}.runtimeconfig.json").write_text(json.dumps(CONFIGURATION))

    def make_profiles(self):
        for number in (1, 2, 3):
            self.record(f"old{number}.h5")
            self.record(f"new{number}.h5", ACME_SLOWER="1")
        for name in ("old", "new"):
            (self.folder / f"{name}1.h5").rename(self.folder / f"{name}.h5")
        self.record("app.h5")  # the newest
        for copy in ("umbra-app-4711.h5", "run-testhost-4711.h5", "runs/1.h5", "runs/2.h5"):
            shutil.copy2(self.folder / "app.h5", self.folder / copy)

    def record(self, file, **variables):
        done = subprocess.run(
            [UMBRA, "run", "-q", "--slowest", "Acme.Orders.Handle=20", "-o", file, "--", "dotnet",
             "app.dll"], cwd=self.folder, env={**os.environ, **variables}, capture_output=True,
            text=True)
        assert done.returncode == 0, done.stderr


class Stage:
    """A folder for the commands of one part of a document, and what they have left running. A word
    that stands for something is replaced by what `words` has for it: None is the number of a
    program."""

    def __init__(self, template, folder, words):
        self.words = words
        self.said_file = folder / "said"
        self.folder = self.here = Path(shutil.copytree(template.folder, folder / "umbra"))
        self.program = self.going_on = self.kind = None
        hidden = re.compile("UMBRA|DISPLAY$|WAYLAND_DISPLAY$|PYTHONPATH$")
        self.environment = {name: value for name, value in os.environ.items()
                            if not hidden.match(name)}
        self.environment.update(
            PATH=path_with(template.other_python, template.stand_ins), HOME=str(template.home),
            COLUMNS="100", LC_ALL="C.UTF-8", PIP_NO_INDEX="1", CONTAINER_ENGINE="podman")

    def close(self):
        """Kills what a test that failed has left running, and removes the folder."""
        if self.going_on:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.going_on.pid, signal.SIGKILL)
            self.going_on.wait()
        if self.program:
            self.program.process.kill()
            self.end_program()
        shutil.rmtree(self.folder)

    def run(self, command):
        """Runs a command as it stands to its end, or until it has begun what it does until it is
        told to end. Answers its status and what it has printed."""
        needed = first_of(TAKEN_FOR_GRANTED, command)
        if needed and not self.going_on:
            self.begin(needed)
        goes_on = first_of(GOES_ON, command) is not None
        if goes_on or not MEANWHILE.match(command):
            self.end()
        if goes_on:
            self.begin(command)
            return 0, self.said()
        if command.startswith("cd "):
            self.here = self.here / command[3:]
            return (0 if self.here.is_dir() else 1), ""
        done = self.finished(["bash", "-o", "pipefail", "-c", self.filled(command)])
        if ENDS_IT.match(command):
            self.end(how=None)
        return done

    def finished(self, command, **variables):
        """Status and output of a program that has run to its end."""
        done = subprocess.run(command, cwd=self.here, env={**self.environment, **variables},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        return done.returncode, done.stdout

    def filled(self, command):
        """The command with what its words stand for."""
        for pattern, word in self.words.items():
            if re.search(pattern, command):
                text = str(self.pid()) if word is None else word(self) if callable(word) else word
                command = re.sub(pattern, text, command)
        return command

    def newest(self):
        """The profile that was written last."""
        return max(self.here.glob("*.h5"), key=lambda file: file.stat().st_mtime).name

    def pid(self):
        """The number of a running app.dll, in which there was nothing of umbra when it began."""
        if self.program is None:
            command = ["dotnet", "app.dll", "serve"]
            self.program = Conversation(command, self.environment, cwd=self.folder)
            self.environment["UMBRA_TEST_PID"] = str(self.program.pid)
            self.work()
        return self.program.pid

    def work(self):
        """Returns when the program has gone through its work some times."""
        wanted = self.rounds() + ROUNDS
        for _ in until(SECONDS):
            if self.rounds() >= wanted:
                return
        pytest.fail("the program does not go on")

    def rounds(self):
        self.program.tell("rounds")
        return int(self.program.hear("rounds")[0])

    def end_program(self):
        """Has it end by itself; answers its status."""
        _, status = self.program.end()
        self.program = None
        return status

    def begin(self, command):
        """Starts what goes on; returns when it has begun, and the program has worked meanwhile."""
        self.kind = command
        if ATTACH.match(command) and self.program:  # the agent of umbra start may be in it
            self.end_program()
        pid = self.pid()
        with open(self.said_file, "w") as said:
            self.going_on = subprocess.Popen(
                ["bash", "-c", self.filled(command)], cwd=self.here, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
        if ATTACH.match(command):
            wait_for_profiler(pid, "sampling")
        for _ in until(SECONDS):
            if first_of(GOES_ON, command) in self.said():
                break
            if self.going_on.poll() is not None:
                fail(f"{command}\nhas ended at once:", self.said())
        else:
            fail(f"{command}\nhas not begun:", self.said())
        self.work()

    def said(self):
        return self.said_file.read_text()

    def end(self, how=signal.SIGINT):
        """Ends what goes on as its user would; None: something else has. It has to end in order."""
        if self.going_on is None:
            return
        if STREAM.match(self.kind):
            assert self.end_program() == 0
        elif how is not None and self.going_on.poll() is None:
            os.killpg(self.going_on.pid, how)
        status = self.going_on.wait(SECONDS)
        self.going_on = None
        if status != 0:
            fail(f"{self.kind}\nends with status {status}:", self.said())

    def finish(self):
        """Ends what goes on and the program, which has to end in order as well."""
        self.end()
        if self.program and (status := self.end_program()) != 0:
            pytest.fail(f"the program ends with status {status}")
