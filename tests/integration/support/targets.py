# SPDX-License-Identifier: MIT
"""Processes to point umbra at: the patient program in all circumstances, and what is no .NET."""
import contextlib
import json
import os
import re
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from umbra_runner import UMBRA, expected_of, until, wait_until
from web_server import Conversation

AGENT = os.environ.get("UMBRA_AGENT", "libumbra_agent.so")
CLSID = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}"
SAMPLER_CLSID = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726102}"
NOBODY = 65534
IS_ROOT = os.geteuid() == 0


def agent_variables(agent=AGENT):
    """What `umbra env` prints."""
    return {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": CLSID,
            "CORECLR_PROFILER_PATH": str(agent), "DOTNET_TailCallLoopOpt": "0"}


class Patient(Conversation):
    """A .NET program that goes on until it is told to end, and counts its calls."""

    def __init__(self, runtime, environment=None, prefix=(), **options):
        super().__init__([*prefix, *runtime.command("patient")], environment, **options)
        self.inner_pid = int(self.hear("ready")[0])

    @property
    def dotnet_pid(self):
        """In this pid namespace; a prefix may have put a process before it."""
        for pid in descendants(self.process.pid):
            if inner_pid(pid) == self.inner_pid and "patient" in command_line(pid):
                return pid
        pytest.fail(f"no process below {self.process.pid} calls itself {self.inner_pid}")

    def calls(self):
        self.tell("calls")
        return int(self.hear("calls")[0])

    def check_unharmed(self):
        """It goes on, ends in order, and its output is its own."""
        before = self.calls()
        if not wait_until(lambda: self.calls() > before, 10):
            pytest.fail("the program does not go on")
        rest, status = self.end()
        assert status == 0
        lines = [line for line in rest.splitlines() if not line.startswith("calls ")]
        assert len(lines) == 1, rest
        assert expected_of(rest)["counts"]["Work.Tick"] > before


def descendants(pid):
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*"):
            with contextlib.suppress(OSError):  # a thread that ended meanwhile
                found += map(int, (task / "children").read_text().split())
    return found


def command_line(pid):
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")


def inner_pid(pid):
    match = re.search(r"^NSpid:\s+(.*)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(match.group(1).split()[-1])


def start_time(pid):
    """Field 22 of /proc/PID/stat: the key in the names of sockets."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])


def umbra(*arguments, prefix=(), program=UMBRA, timeout=60, **options):
    return subprocess.run([*map(str, prefix), str(program), *map(str, arguments)], text=True,
                          capture_output=True, timeout=timeout, **options)


def listed(pid, *options, prefix=(), program=UMBRA):
    """The row of a process in `umbra ps`, or None. A process that gets no processor within umbra's
    timeout is asked again."""
    for _ in until(60):
        done = umbra("ps", "--json", *options, prefix=prefix, program=program)
        assert (done.returncode, done.stderr) == (0, "")
        row = next((row for row in json.loads(done.stdout) if row["pid"] == pid), None)
        if row is None or row["obstacle"] != "it does not answer":
            break
    return row


def wait_for_profiler(pid, state, timeout=30):
    """Until `umbra ps` says that this is what the agent does."""
    for _ in until(timeout, step=0.02):
        row = listed(pid)
        if row and row["profiler"] == state:
            return
    pytest.fail(f"process {pid} is not {state}: {row}")


def check_refused(done, *words):
    """One line that says why, status 1, nothing on standard output."""
    assert done.returncode == 1, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("umbra: "), done.stderr
    for word in words:
        assert word in lines[0], lines[0]


def need_root():
    if not IS_ROOT:
        pytest.skip("only root can become another user")


def as_nobody():
    """Prefix that runs a command as another user than root."""
    need_root()
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv is not installed")
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def in_pid_namespace(*more):
    """Prefix that runs a command as the first process of a pid namespace; `more` options."""
    prefix = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", *more]
    tried = subprocess.run([*prefix, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"no pid namespaces here: {tried.stderr.strip()}")
    return prefix


class Published:
    """A runtime whose test programs lie in a folder that every user can read."""

    def __init__(self, runtime, folder):
        self.runtime, self.folder = runtime, folder

    def command(self, name, *arguments):
        dotnet, program, *rest = self.runtime.command(name, *arguments)
        for part in Path(program).parent.glob(f"{name}.*"):
            shutil.copy(part, self.folder)
        return [dotnet, self.folder / Path(program).name, *rest]


@pytest.fixture
def public_folder():
    """An empty folder that every user can read, with umbra and its agent in it."""
    folder = Path("/tmp") / f"umbra-test-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    for path in (UMBRA, AGENT):
        copy = Path(shutil.copy(shutil.which(path) or path, folder))
        copy.chmod(copy.stat().st_mode | stat.S_IROTH | stat.S_IXOTH)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def native():
    """A process that is no .NET program."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process.pid
        assert process.poll() is None, "the process did not survive"
        process.kill()


@pytest.fixture
def small_program(tmp_path):
    """A 32-bit program without any library."""
    source, program = tmp_path / "small.c", tmp_path / "small"
    source.write_text("void _start(void) { for (;;) __asm__ volatile(\"int $0x80\" :: \"a\"(29)); }\n")
    built = subprocess.run(["cc", "-m32", "-nostdlib", "-static", "-fno-pic", "-no-pie",
                            "-fno-stack-protector", "-o", program, source],
                           capture_output=True, text=True)
    if built.returncode != 0:
        pytest.skip(f"no 32-bit programs can be built here: {built.stderr.strip()[:200]}")
    try:
        process = subprocess.Popen([program])
    except OSError as error:
        pytest.skip(f"this kernel runs no 32-bit programs: {error}")
    with process:
        yield process.pid
        assert process.poll() is None, "the process did not survive"
        process.kill()


def stop(pid):
    os.kill(pid, signal.SIGSTOP)
    stat = Path(f"/proc/{pid}/stat")
    if not wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", 10):
        pytest.fail("the process did not stop")
