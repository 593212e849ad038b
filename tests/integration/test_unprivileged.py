# SPDX-License-Identifier: MIT
"""All of it as a user without any rights: what works as root alone does not work."""
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from profile_file import Profile
from targets import (NOBODY, Patient, Published, agent_variables, as_nobody, listed,
                     public_folder, umbra, wait_for_profiler)  # noqa: F401  (a fixture)
from umbra_runner import check_counts, check_sound, expected_of

TICK = "Work.Tick"


class Nobody:
    """Another user than root, with umbra, its agent, the test programs and a folder of its own."""

    def __init__(self, runtime, public):
        self.prefix = as_nobody()
        self.program = public / "umbra"
        self.agent = public / "libumbra_agent.so"
        self.runtime = Published(runtime, public)
        self.home = Path(tempfile.mkdtemp(prefix="umbra-nobody-"))
        os.chown(self.home, NOBODY, NOBODY)
        self.environment = {"HOME": str(self.home), "TMPDIR": str(self.home), "XDG_RUNTIME_DIR": ""}

    def umbra(self, *arguments, **options):
        return umbra(*arguments, prefix=self.prefix, program=self.program, cwd=self.home,
                     env=dict(os.environ, **self.environment), **options)

    def patient(self, **more):
        """A program of this user."""
        return Patient(self.runtime, {**self.environment, **more}, self.prefix, cwd=self.home)

    def row(self, pid):
        return listed(pid, prefix=self.prefix, program=self.program)


@pytest.fixture(name="nobody")
def _nobody(net10, public_folder):  # noqa: F811
    user = Nobody(net10, public_folder)
    yield user
    shutil.rmtree(user.home, ignore_errors=True)


def test_run(nobody):
    done = nobody.umbra("run", "--force", "-o", "run.h5", "--", *nobody.runtime.command("fib", 20))
    assert done.returncode == 0, done.stderr
    profile = Profile(nobody.home / "run.h5")
    check_sound(profile)
    check_counts(profile, expected_of(done.stdout), "fib.dll")
    assert os.stat(nobody.home / "run.h5").st_uid == NOBODY
    paranoid = int(Path("/proc/sys/kernel/perf_event_paranoid").read_text())
    assert profile.cpu_source in ("perf", "schedstat"), f"{profile.cpu_refusal}; paranoid {paranoid}"
    if paranoid > 2:
        assert profile.cpu_source == "schedstat" and profile.cpu_refusal


def test_start_and_stop(nobody):
    with nobody.patient(**agent_variables(nobody.agent)) as program:
        wait_for_profiler(program.pid, "dormant")
        assert nobody.row(program.pid)["profiler"] == "dormant"
        recording = subprocess.Popen(
            [*nobody.prefix, nobody.program, "start", str(program.pid), "--force", "-o", "start.h5"],
            cwd=nobody.home, env=dict(os.environ, **nobody.environment), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_profiler(program.pid, "recording")
        time.sleep(0.3)
        stopped = nobody.umbra("stop", program.pid)
        _, errors = recording.communicate(timeout=60)
        assert (stopped.returncode, recording.returncode) == (0, 0), stopped.stderr + errors
        program.check_unharmed()
    profile = Profile(nobody.home / "start.h5")
    assert profile.calls("patient.dll")[TICK] > 10


def test_attach_and_detach(nobody):
    with nobody.patient() as program:
        time.sleep(1)
        done = nobody.umbra("attach", program.pid, "--force", "-o", "attach.h5", "--duration", "500ms")
        assert done.returncode == 0, done.stderr
        sampling = subprocess.Popen(
            [*nobody.prefix, nobody.program, "attach", str(program.pid), "--force", "-o", "again.h5"],
            cwd=nobody.home, env=dict(os.environ, **nobody.environment), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for_profiler(program.pid, "sampling")
        detached = nobody.umbra("detach", program.pid)
        _, errors = sampling.communicate(timeout=60)
        assert (detached.returncode, sampling.returncode) == (0, 0), detached.stderr + errors
        program.check_unharmed()
    assert Profile(nobody.home / "attach.h5").mode == "sampled"


def test_top(nobody):
    with nobody.patient(**agent_variables(nobody.agent)) as program:
        wait_for_profiler(program.pid, "dormant")
        # A capture of its own, and one that another umbra of the user's has opened.
        own = nobody.umbra("top", program.pid, "--once", "--json")
        assert own.returncode == 0, own.stderr
        wait_for_profiler(program.pid, "dormant")
        recording = subprocess.Popen(
            [*nobody.prefix, nobody.program, "start", str(program.pid), "--no-profile"],
            cwd=nobody.home, env=dict(os.environ, **nobody.environment), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            wait_for_profiler(program.pid, "recording")
            for watched in (nobody.umbra("top", program.pid, "--once", "--json"),
                            umbra("top", program.pid, "--once", "--json")):  # root
                assert watched.returncode == 0, watched.stderr
                assert f'"recorder":"umbra start, process {recording.pid}"' in watched.stdout
                assert TICK in watched.stdout
            assert nobody.umbra("stop", program.pid).returncode == 0
        finally:
            recording.communicate(timeout=60)
        program.check_unharmed()


def test_view(nobody):
    command = nobody.runtime.command("fib", 20)
    assert nobody.umbra("run", "--force", "-o", "run.h5", "--", *command).returncode == 0
    line = [*nobody.prefix, str(nobody.program), "view", "--no-browser", "run.h5"]
    with subprocess.Popen(line, cwd=nobody.home, env=dict(os.environ, **nobody.environment),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            address = server.stdout.readline().strip()
            if not address:
                server.kill()
                error = server.communicate()[1]
                assert "built without its page" in error, error
                pytest.skip("umbra was built without its page: node or npm is missing")
            with urllib.request.urlopen(address, timeout=20) as page:
                assert b"<html" in page.read()
        finally:
            server.terminate()
