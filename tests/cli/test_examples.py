# SPDX-License-Identifier: MIT
"""The scripts and files of examples/ that prepare running processes, with stand-ins for the tools
they call."""
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
SCRIPTS = {EXAMPLES / "systemd" / "profile-unit": "systemctl",
           EXAMPLES / "container" / "profile-container": "podman"}


@pytest.fixture(params=SCRIPTS, ids=lambda script: script.name)
def script(request):
    return request.param


@pytest.fixture
def run(script, tmp_path):
    """Runs the script where the tool it asks answers with a pid, and umbra repeats its arguments."""
    def run_with(pid, *arguments):
        for name, says in ((SCRIPTS[script], f"echo {pid}"), ("umbra", 'echo "$@"')):
            tool = tmp_path / name
            tool.write_text(f"#!/bin/sh\n{says}\n")
            tool.chmod(0o755)
        path = f"{tmp_path}:{os.environ['PATH']}"
        return subprocess.run([script, *arguments], text=True, capture_output=True,
                              env=dict(os.environ, PATH=path, CONTAINER_ENGINE=""))
    return run_with


def test_options_go_to_umbra_start(run):
    done = run(4711, "shop", "--include", "Shop.*", "-o", "a b.h5")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "start 4711 --include Shop.* -o a b.h5\n"


def test_what_does_not_run_is_said(run, script):
    done = run(0, "shop")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{script.name}: shop does not run")


def test_usage(run, script):
    done = run(4711)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"usage: {script.name}")


@pytest.mark.parametrize("file, kind, agent", [
    ("systemd/shop.service", "systemd", "/usr/local/lib/umbra/libumbra_agent.so"),
    ("container/Containerfile", "docker", "/opt/umbra/libumbra_agent.so")])
def test_the_variables_are_those_of_umbra_env(umbra, file, kind, agent):
    told = umbra("env", "--format", kind, "--agent", agent)
    assert told.returncode == 0
    lines = (EXAMPLES / file).read_text().splitlines()
    assert [line for line in lines if re.match(r"\w+[ =](CORECLR|DOTNET)_", line)] == \
        told.stdout.splitlines()


def test_the_tests_the_page_names_are_there():
    page = (ROOT / "docs" / "running_processes.md").read_text()
    named = re.findall(r"`((?:\w+/)?test_\w+\.py)(?:::(\w+))?`", page)
    assert len(named) > 15
    for file, test in named:
        source = (ROOT / "tests" / "integration" / file).read_text()
        assert not test or f"def {test}(" in source, f"{file}::{test}"
