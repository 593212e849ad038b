# SPDX-License-Identifier: MIT
"""umbra env: variables that shells, unit files, container files and scripts take."""
import json
import os
import subprocess

import pytest

from conftest import UMBRA

AGENT = os.environ.get("UMBRA_AGENT", "")
NAMES = ["CORECLR_ENABLE_PROFILING", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH", "DOTNET_TailCallLoopOpt"]
CLSID = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}"


def expected(agent):
    return dict(zip(NAMES, ["1", CLSID, agent, "0"]))


def pairs(text):
    return dict(line.split("=", 1) for line in text.splitlines())


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("script", ["env $({umbra} env) env", "export $({umbra} env); env"])
def test_a_shell_takes_them(shell, script):
    told = subprocess.run([shell, "-c", script.format(umbra=UMBRA)], check=True, text=True,
                          capture_output=True).stdout
    found = {name: value for name, value in
             (line.split("=", 1) for line in told.splitlines() if "=" in line) if name in NAMES}
    assert found == expected(AGENT)


@pytest.mark.parametrize("options, value", [([], "0"), (["--probe=il"], None)], ids=["hooks", "il"])
def test_a_run_keeps_tail_calls_for_hooks(umbra, options, value):
    told = umbra("run", *options, "--", "env").stdout
    assert dict(line.split("=", 1) for line in told.splitlines() if "=" in line).get(NAMES[3]) == value


def test_unit_files_and_container_files(umbra):
    for kind, before in (("systemd", "Environment="), ("docker", "ENV ")):
        ran = umbra("env", "--format", kind, "--agent", "/opt/umbra/libumbra_agent.so")
        assert (ran.returncode, ran.stderr) == (0, "")
        lines = ran.stdout.splitlines()
        assert all(line.startswith(before) for line in lines)
        assert pairs("\n".join(line.removeprefix(before) for line in lines)) == \
            expected("/opt/umbra/libumbra_agent.so")


def test_json(umbra):
    assert json.loads(umbra("env", "--format", "json", "--agent", "/a b/c.so").stdout) == \
        expected("/a b/c.so")


def test_paths_that_cannot_be_written_down_are_refused(umbra):
    ran = umbra("env", "--agent", "/a b/c.so")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1 and "--format json" in ran.stderr
    ran = umbra("env", "--agent", "c.so")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "absolute" in ran.stderr
