# SPDX-License-Identifier: MIT
"""What cannot be profiled while it runs: one clear line, status 1, and the process as it was."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from targets import (AGENT, Patient, agent_variables, as_nobody, check_refused,
                     in_pid_namespace, need_root, start_time, stop, umbra)
from targets import native, public_folder, small_program  # noqa: F401  (fixtures)
from umbra_runner import UMBRA, wait_until

MISSING_PID = 0x3fffffff

# By what they need in the process: the agent, or the runtime's diagnostics socket to bring it. Start
# takes what is there.
ON_AGENT = ["start", "stop", "detach"]
ON_RUNTIME = ["start", "attach"]
ALL = ["start", "stop", "detach", "attach"]

every_command = pytest.mark.parametrize("command", ALL)
agent_command = pytest.mark.parametrize("command", ON_AGENT)
runtime_command = pytest.mark.parametrize("command", ON_RUNTIME)


def ask(command, pid, *options, cwd=None, **more):
    return umbra(command, pid, *options, cwd=cwd, **more)


@every_command
def test_a_wrong_pid(command, tmp_path):
    check_refused(ask(command, MISSING_PID, cwd=tmp_path), f"there is no process {MISSING_PID}")
    assert not list(tmp_path.iterdir())


@every_command
def test_a_thread(command, net10):
    with Patient(net10) as program:
        thread = next(int(task.name) for task in Path(f"/proc/{program.pid}/task").iterdir()
                      if int(task.name) != program.pid)
        check_refused(ask(command, thread), f"thread of process {program.pid}")
        program.check_unharmed()


@every_command
def test_a_native_process(command, native):
    check_refused(ask(command, native), "is not a .NET program")


@every_command
def test_a_32_bit_process(command, small_program):
    check_refused(ask(command, small_program), "32-bit")


@every_command
def test_a_process_of_another_user(command, net10, public_folder):
    nobody = as_nobody()
    with Patient(net10, agent_variables()) as program:
        done = ask(command, program.pid, prefix=nobody, program=public_folder / "umbra", cwd="/tmp")
        check_refused(done, "belongs to root", "run umbra as that user or as root")
        program.check_unharmed()


@every_command
def test_a_stale_socket(command, native):
    """As an ended process of the same number and start time would leave them."""
    key = f"{native}-{start_time(native)}"
    paths = [Path(f"/tmp/dotnet-diagnostic-{key}-socket"), Path(f"/tmp/umbra-agent-{key}")]
    for path in paths:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    try:
        check_refused(ask(command, native), str(native))
    finally:
        for path in paths:
            path.unlink()


@every_command
def test_a_socket_of_somebody_else(command, native):
    """Whoever can write into /tmp can put a socket there in another process's name."""
    key = f"{native}-{start_time(native)}"
    listen = ("import socket, sys\n"
              "kept = []\n"
              "for path in sys.argv[1:]:\n"
              "    kept.append(socket.socket(socket.AF_UNIX))\n"
              "    kept[-1].bind(path)\n"
              "    kept[-1].listen()\n"
              "print('listening', flush=True)\n"
              "sys.stdin.read()\n")
    paths = [f"/tmp/dotnet-diagnostic-{key}-socket", f"/tmp/umbra-agent-{key}"]
    with subprocess.Popen([sys.executable, "-c", listen, *paths], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout.readline() == b"listening\n"
            check_refused(ask(command, native), "does not talk to it")
        finally:
            other.kill()
            for path in paths:
                os.unlink(path)


@runtime_command
def test_diagnostics_switched_off(command, runtime):
    for variable in ("DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics",
                     "DOTNET_EnableDiagnostics_IPC"):
        with Patient(runtime, {variable: "0"}) as program:
            check_refused(ask(command, program.pid), f"{variable}=0", "restart it without")
            program.check_unharmed()


@agent_command
def test_profilers_switched_off(command, runtime):
    for variable in ("DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_Profiler"):
        if (command, variable) == ("start", "DOTNET_EnableDiagnostics_Profiler"):
            continue  # brings the agent: see test_a_switch_for_the_start_alone
        with Patient(runtime, agent_variables() | {variable: "0"}) as program:
            check_refused(ask(command, program.pid), f"{variable}=0", "restart it without")
            program.check_unharmed()


@pytest.mark.parametrize("command", ["stop", "detach"])
def test_a_program_without_an_agent(command, runtime):
    with Patient(runtime) as program:
        check_refused(ask(command, program.pid), f"'umbra start {program.pid}' brings one")
        program.check_unharmed()


@every_command
def test_another_profiler(command, runtime, tmp_path):
    other = shutil.copy(AGENT, tmp_path / "libother.so")
    with Patient(runtime, agent_variables(other)) as program:
        if command in ON_AGENT:
            # Under whatever name, it is umbra's agent and says so on its socket: hide that.
            for path in Path("/tmp").glob(f"umbra-agent-{program.pid}-*"):
                path.unlink()
        check_refused(ask(command, program.pid), str(other), "one only")
        program.check_unharmed()


def test_a_prepared_process(runtime):
    with Patient(runtime, agent_variables()) as program:
        check_refused(ask("attach", program.pid), f"umbra start {program.pid}")
        program.check_unharmed()


@runtime_command
def test_a_switch_for_the_start_alone(command, runtime, file):
    with Patient(runtime, {"DOTNET_EnableDiagnostics_Profiler": "0"}) as program:
        done = ask(command, program.pid, "--duration", "1s", "-q", "-o", file)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr
        program.check_unharmed()


@pytest.mark.parametrize("missing", ["no file", "no library"])
def test_variables_that_name_no_agent(missing, runtime, tmp_path):
    """The program runs as if they were not there."""
    agent = tmp_path / "libumbra_agent.so"
    if missing == "no library":
        agent.write_text("neither this")
    with Patient(runtime, agent_variables(agent), stderr=subprocess.PIPE) as program:
        program.check_unharmed()
        assert program.process.stderr.read() == ""


@runtime_command
def test_a_stopped_process(command, net10):
    with Patient(net10) as program:
        stop(program.pid)
        check_refused(ask(command, program.pid), "it is stopped")
        os.kill(program.pid, signal.SIGCONT)
        program.check_unharmed()


@runtime_command
def test_a_container_without_the_agent(command, net10, public_folder):
    """The process has other files in the place where umbra's agent lies."""
    prefix = in_pid_namespace() + ["sh", "-c", f'mount -t tmpfs none {public_folder} && exec "$@"',
                                   "sh"]
    with Patient(net10, prefix=prefix) as program:
        done = ask(command, program.dotnet_pid, program=public_folder / "umbra")
        check_refused(done, "does not see", "container")
        program.check_unharmed()


@runtime_command
def test_a_process_in_another_pid_namespace(command, net10, file):
    with Patient(net10, prefix=in_pid_namespace()) as program:
        done = ask(command, program.dotnet_pid, "--duration", "1s", "-o", file)
        assert done.returncode == 0, done.stderr
        assert file.exists()
        program.check_unharmed()


@pytest.mark.parametrize("command", ["start", "attach"])
def test_a_full_disk(command, net10, tmp_path):
    need_root()
    variables = agent_variables() if command == "start" else {}
    with Patient(net10, variables) as program:
        script = (f"mount -t tmpfs -o size=4k none {tmp_path} && "
                  f"exec {UMBRA} {command} {program.pid} --duration 1s -q -o {tmp_path}/profile.h5")
        tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True)
        if tried.returncode != 0:
            pytest.skip("no mount namespaces here")
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script], text=True,
                              capture_output=True, timeout=60)
        check_refused(done, "No space left on device")
        program.check_unharmed()


@pytest.mark.parametrize("command", ["start", "attach"])
def test_a_folder_that_does_not_exist(command, net10, tmp_path):
    variables = agent_variables() if command == "start" else {}
    with Patient(net10, variables) as program:
        done = ask(command, program.pid, "--duration", "1s", "-o", tmp_path / "no" / "profile.h5")
        check_refused(done, str(tmp_path / "no"))
        program.check_unharmed()


@pytest.mark.parametrize("command", ["start", "attach"])
def test_a_process_that_ends_meanwhile(command, net10, file):
    """The profile covers the time until then."""
    variables = agent_variables() if command == "start" else {}
    with Patient(net10, variables) as program:
        with subprocess.Popen([UMBRA, command, str(program.pid), "--duration", "60s", "-q", "-o",
                               str(file)], stderr=subprocess.PIPE, text=True) as asking:
            wait_until(lambda: file.exists() or asking.poll() is not None or program.calls() > 500)
            program.check_unharmed()
            assert asking.wait(timeout=30) == 0, asking.stderr.read()
        assert file.exists()


SILENT = """
import os, socket
pid = os.getpid()
start = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
path = f"/tmp/dotnet-diagnostic-{pid}-{start}-socket"
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind(path)
    listener.listen(8)
    print("ready", flush=True)
    input()
    os.unlink(path)
"""


@runtime_command
def test_ctrl_c_while_a_process_does_not_answer(command):
    """It takes connections, and says nothing: umbra lets it be at once."""
    with subprocess.Popen([sys.executable, "-c", SILENT], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as silent:
        assert silent.stdout.readline() == "ready\n"
        asked = subprocess.Popen([UMBRA, command, str(silent.pid)], stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        begin = time.monotonic()
        asked.send_signal(signal.SIGINT)
        said = asked.communicate(timeout=30)[1]
        took = time.monotonic() - begin
        silent.communicate("end\n")
    assert (asked.returncode, said.splitlines()[-1].split(": ")[-1]) == (1, "interrupted")
    assert took < 5, f"{took:.1f} s"
