# SPDX-License-Identifier: MIT
"""umbra ps: every .NET process, its runtime and what profiles it."""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from targets import (AGENT, Patient, agent_variables, as_nobody,
                     in_pid_namespace, listed,
                     start_time, stop, umbra, wait_for_profiler)
from targets import native, public_folder, small_program  # noqa: F401  (fixtures)
from umbra_runner import UMBRA, run_command, until

MODULE = "patient"


def test_runtime_and_command_line(runtime):
    with Patient(runtime) as program:
        row = listed(program.pid)
        assert row["runtime"] == runtime.version or row["runtime"].startswith(runtime.release + ".")
        assert (row["profiler"], row["profiler_library"], row["obstacle"]) == ("none", "", "")
        assert (row["architecture"], MODULE in row["command_line"]) == ("x64", True)
        program.check_unharmed()
    assert listed(program.pid) is None


def test_a_process_under_umbra_run_is_recording(net10, file):
    with subprocess.Popen(run_command(file, net10.command("patient"), ["-q"]), text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        pid = int(running.stdout.readline().split()[1])
        row = listed(pid)
        assert (row["profiler"], row["profiler_library"]) == ("recording", AGENT)
        running.communicate()
        assert running.returncode == 0


def test_another_profiler_is_named(net10, tmp_path):
    other = shutil.copy(AGENT, tmp_path / "libother.so")
    with Patient(net10, agent_variables(other)) as program:
        row = listed(program.pid)
        assert (row["profiler"], row["profiler_library"]) == ("another", str(other))
        program.check_unharmed()


def test_processes_of_others_show_with_all_only(net10, public_folder):
    nobody = as_nobody()
    program = public_folder / "umbra"
    with Patient(net10) as roots:
        assert listed(roots.pid, prefix=nobody, program=program) is None
        row = listed(roots.pid, "--all", prefix=nobody, program=program)
        assert (row["profiler"], row["user"]) == ("unknown", "root")
        assert "belongs to root" in row["obstacle"]
        table = umbra("ps", "--all", prefix=nobody, program=program).stdout
        assert re.search(rf"^ *{roots.pid}  root  +-  +unknown .*\n +belongs to root", table, re.M)
        roots.check_unharmed()


def test_a_user_sees_its_own_and_root_sees_all(net10, public_folder):
    nobody = as_nobody()
    environment = {"HOME": "/tmp", "TMPDIR": "/tmp"}
    if subprocess.run([*nobody, "test", "-r", net10.command("patient")[-1]]).returncode != 0:
        pytest.skip("other users cannot read the test programs here")
    with Patient(net10, environment, nobody) as program:
        own = listed(program.pid, prefix=nobody, program=public_folder / "umbra")
        assert (own["profiler"], own["obstacle"]) == ("none", "")
        assert listed(program.pid)["user"] == own["user"] == "nobody"
        program.check_unharmed()


@pytest.mark.parametrize("own_files", [False, True], ids=["same files", "own files"])
def test_other_pid_namespaces(net10, tmp_path, own_files):
    prefix = in_pid_namespace()
    environment = {}
    if own_files:  # a file system that only this process sees, as in a container
        prefix += ["sh", "-c", f'mount -t tmpfs none {tmp_path} && exec "$@"', "sh"]
        environment["TMPDIR"] = str(tmp_path)
    with Patient(net10, environment, prefix) as program:
        assert program.inner_pid == 1
        assert not own_files or not list(tmp_path.iterdir())
        row = listed(program.dotnet_pid)
        assert re.fullmatch(r"10\.0\.\d+", row["runtime"])
        program.check_unharmed()


def test_a_socket_folder_of_its_own(net10, tmp_path):
    folder = tmp_path / ("long" * 30)  # longer than an address of a socket takes
    folder.mkdir()
    # Not below tmp_path: where pytest has run often, that alone leaves too little of an address.
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir="/tmp") as place:
        short = Path(place, "short")
        short.symlink_to(folder)
        patch.setenv("TMPDIR", str(short))
        with Patient(net10) as program:
            assert list(folder.glob(f"dotnet-diagnostic-{program.pid}-*-socket"))
            assert listed(program.pid)["runtime"]
            program.check_unharmed()


def test_a_stopped_process_is_told_and_not_waited_for(net10):
    with Patient(net10) as program:
        stop(program.pid)
        row = listed(program.pid)
        assert (row["runtime"], row["obstacle"]) == ("", "it is stopped")
        os.kill(program.pid, signal.SIGCONT)
        program.check_unharmed()


def test_diagnostics_switched_off(runtime):
    for variable in ("DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics",
                     "DOTNET_EnableDiagnostics_IPC"):
        with Patient(runtime, {variable: "0"}) as program:
            assert listed(program.pid) is None
            assert f"{variable}=0" in listed(program.pid, "--all")["obstacle"]
            program.check_unharmed()


def test_a_prepared_process_needs_no_diagnostics(runtime):
    with Patient(runtime, agent_variables() | {"DOTNET_EnableDiagnostics_IPC": "0"}) as program:
        row = listed(program.pid)
        assert (row["profiler"], row["runtime"], row["obstacle"]) == ("dormant", "", "")
        program.check_unharmed()


def test_what_is_no_dotnet_program_is_not_listed(native, small_program):
    rows = [listed(pid, "--all") for pid in (native, small_program)]
    assert rows == [None, None]


def test_stale_sockets_are_skipped(native):
    path = Path(f"/tmp/dotnet-diagnostic-{native}-{start_time(native)}-socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    try:
        assert listed(native) is None
        assert "does not listen" in listed(native, "--all")["obstacle"]
    finally:
        path.unlink()


def test_processes_that_start_and_end_meanwhile_do_no_harm(net10, tmp_path):
    going_on = tmp_path / "going on"
    going_on.touch()
    with subprocess.Popen(["sh", "-c", 'while [ -e "$0" ]; do "$@" </dev/null || exit 1; done', str(going_on),
                           *net10.command("patient")], stdout=subprocess.DEVNULL) as churn:
        looked = seen = 0
        try:
            for _ in until(300, step=0):
                done = umbra("ps", "--all")
                assert (done.returncode, done.stderr) == (0, "")
                looked += 1
                seen += MODULE in done.stdout
                if looked >= 10 and seen >= 3:
                    break
            assert seen >= 3
        finally:
            going_on.unlink()
        assert churn.wait(timeout=60) == 0


def test_sampling_and_what_is_left_of_it(runtime, file):
    with Patient(runtime) as program:
        with subprocess.Popen([UMBRA, "attach", str(program.pid), "--duration", "60s", "-q", "-o",
                               str(file)]) as sampling:
            wait_for_profiler(program.pid, "sampling")
            sampling.send_signal(signal.SIGINT)
            assert sampling.wait(timeout=60) == 0
        assert listed(program.pid)["profiler"] == "none"
        program.check_unharmed()


def test_dormant_and_recording(runtime, file):
    with Patient(runtime, agent_variables()) as program:
        row = listed(program.pid)
        assert (row["profiler"], row["profiler_library"]) == ("dormant", AGENT)
        with subprocess.Popen([UMBRA, "start", str(program.pid), "-q", "-o", str(file)]) as timing:
            wait_for_profiler(program.pid, "recording")
            assert umbra("stop", program.pid).returncode == 0
            assert timing.wait(timeout=60) == 0
        wait_for_profiler(program.pid, "dormant")
        program.check_unharmed()
