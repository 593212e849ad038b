# SPDX-License-Identifier: MIT
"""What a user meets at the command line: exit status, Ctrl-C, clear refusals."""
import os
import signal
import subprocess
import sys
import time

import pytest

from profile_file import Profile
from umbra_runner import UMBRA, child_of, output_of, run_bare, run_command, run_umbra


def umbra(*arguments, cwd=None):
    return subprocess.run([UMBRA, *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          cwd=cwd)


def check_refusal(done, *words):
    """One clear line and a status that says no."""
    assert done.returncode not in (0, -signal.SIGABRT, -signal.SIGSEGV), done
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr


def test_exit_status_is_passed_on(tmp_path, file, net10):
    done = run_umbra(file, net10.command("kill", tmp_path / "counts", "exit"))
    assert done.status == 3
    assert done.profile.ended == "exit 3"


def test_output_is_the_programs_own(file, net10):
    bare = run_bare(net10.command("shapes"))
    done = run_umbra(file, net10.command("shapes"))
    assert done.stdout.startswith(bare.stdout)


def test_default_file_name_tells_program_and_process(tmp_path, net10):
    output_of(UMBRA, "run", "--", *net10.command("fib"), timeout=60, cwd=tmp_path)
    (written,) = tmp_path.iterdir()
    assert written.name == f"umbra-fib-{Profile(written).pid}.h5"


@pytest.mark.parametrize("to_group", [True, False], ids=["terminal", "umbra alone"])
def test_ctrl_c_reaches_the_target_and_the_profile_is_written(tmp_path, file, net10, to_group):
    running = subprocess.Popen(run_command(file, net10.command("kill", tmp_path / "counts", "spin")),
                               text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    target = child_of(running.pid)
    assert running.stdout.readline() == "started\n"
    time.sleep(0.2)
    if to_group:
        os.killpg(running.pid, signal.SIGINT)
    else:
        os.kill(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode in (128 + signal.SIGINT, -signal.SIGINT), errors
    assert not os.path.exists(f"/proc/{target}")
    profile = Profile(file)
    assert profile.complete
    assert profile.calls("kill.dll")["Busy.Step"] > 0


def test_missing_program(file):
    check_refusal(umbra("run", "-o", file, "--", "/no/such/program"), "/no/such/program")
    assert not file.exists()


def test_program_without_dotnet_runs_and_leaves_no_profile(file):
    done = umbra("run", "-o", file, "--", "sh", "-c", "echo fine; exit 5")
    assert done.returncode == 5
    assert done.stdout.startswith("fine\n")
    assert "no .NET" in done.stderr
    assert not file.exists()


def ignore_some():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])


def test_a_program_keeps_the_signals_that_are_ignored_and_blocked(file):
    """By nohup, by '&' in a script."""
    script = ("import signal as s; print([s.getsignal(n) == s.SIG_IGN for n in (s.SIGHUP, s.SIGUSR1, s.SIGTERM)],"
              " [int(n) for n in s.pthread_sigmask(s.SIG_BLOCK, [])])")
    command = [sys.executable, "-c", script]
    bare = subprocess.run(command, preexec_fn=ignore_some, stdout=subprocess.PIPE, text=True, check=True)
    done = subprocess.run([UMBRA, "run", "-o", file, "--", *command], preexec_fn=ignore_some,
                          stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == bare.stdout == f"[True, True, False] [{int(signal.SIGUSR2)}]\n"


def test_a_hangup_that_is_ignored_ends_nothing(file):
    process = subprocess.Popen([UMBRA, "run", "-o", file, "--", "sh", "-c", "echo ready; read line; exit 5"],
                               preexec_fn=ignore_some, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGHUP)
    child = child_of(process.pid)
    os.kill(child, signal.SIGHUP)
    process.communicate("go\n", timeout=30)
    assert process.returncode == 5


def test_unknown_options():
    check_refusal(umbra("run", "--no-such-option", "--", "true"), "--no-such-option")
    check_refusal(umbra("run", "--overflow=sideways", "--", "true"), "sideways")
    check_refusal(umbra("no-such-command"))


def test_nothing_to_run():
    check_refusal(umbra("run"))


def test_unwritable_file(tmp_path, net10):
    done = umbra("run", "-o", tmp_path / "missing" / "profile.h5", "--", *net10.command("fib"))
    check_refusal(done, str(tmp_path / "missing"))


@pytest.mark.parametrize("content", [b"", b"not HDF5 at all\n" * 100, b"\x89HDF\r\n\x1a\n" * 64],
                         ids=["empty", "text", "torn"])
def test_foreign_files(tmp_path, content):
    foreign = tmp_path / "foreign.h5"
    foreign.write_bytes(content)
    for command in ("report", "info"):
        check_refusal(umbra(command, foreign), str(foreign))
        check_refusal(umbra(command, tmp_path / "absent.h5"), "absent.h5")


def test_truncated_profile(tmp_path, file, net10):
    run_umbra(file, net10.command("fib"))
    whole = file.read_bytes()
    torn = tmp_path / "torn.h5"
    for share in (0.1, 0.5, 0.9):
        torn.write_bytes(whole[:int(len(whole) * share)])
        check_refusal(umbra("report", torn), "torn.h5")


def test_help_is_there_for_a_stranger():
    for arguments in ([], ["run"], ["report"], ["info"]):
        done = umbra(*arguments, "--help")
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) > 5
        assert done.stderr == ""
