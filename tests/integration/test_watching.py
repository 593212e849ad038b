# SPDX-License-Identifier: MIT
"""What is to be seen of a program while it runs: the progress line, and umbra top."""
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from terminal import Terminal
from umbra_runner import UMBRA, child_of, run_command, run_umbra, until

PROGRESS = re.compile(r"umbra \d+:\d\d  \S.* events/s  [\d,]+ calls  \d+ threads  [\d,]+ waits?  "
                      r"0 lost  hot \d+% Kill\.Busy\.\w+\(.*\)")


def spinning(net10, tmp_path, file, *options):
    return run_command(file, net10.command("kill", tmp_path / "counts", "spin"), options)


def progress_lines(terminal):
    return [line for line in terminal.lines if re.match(r"umbra \d+:\d\d", line)]


def test_the_progress_line_is_one_line_that_fits_and_leaves_nothing(net10, tmp_path, file):
    with Terminal(spinning(net10, tmp_path, file), rows=30, columns=130) as terminal:
        terminal.until(lambda _: any(PROGRESS.fullmatch(line) for line in terminal.lines))
        assert len(progress_lines(terminal)) == 1
        terminal.resize(30, 48)
        drawn = len(terminal.raw)
        terminal.until(lambda _: terminal.raw.count(b"\r", drawn) >= 2)
        assert len(progress_lines(terminal)) == 1
        assert "hot" in progress_lines(terminal)[0]
        terminal.type("\x03")
        assert terminal.ended() in (128 + signal.SIGINT, -signal.SIGINT)
        assert progress_lines(terminal) == []
        assert "umbra: wrote" in terminal.text
        assert terminal.is_as_found()


@pytest.mark.parametrize("how", ["quiet", "dumb"])
def test_no_line_where_none_is_wanted(net10, tmp_path, file, how):
    options = ["-q"] if how == "quiet" else []
    environment = {"TERM": "dumb"} if how == "dumb" else {}
    command = spinning(net10, tmp_path, file, "--checkpoint", "0.3", *options)
    with Terminal(command, environment=environment) as terminal:
        terminal.until_text("started")
        terminal.until(lambda _: file.exists())
        number = file.stat().st_ino
        # Long enough for lines to be drawn.
        for _ in range(4):
            terminal.until(lambda _: file.stat().st_ino != number)
            number = file.stat().st_ino
        # The runtime itself may have told the terminal something.
        assert terminal.raw.endswith(b"started\r\n") and b"umbra" not in terminal.raw
        terminal.type("\x03")
        terminal.ended()
        assert b"events/s" not in terminal.raw


def test_no_line_when_standard_error_is_no_terminal(net10, file):
    done = run_umbra(file, net10.command("naps"))
    assert "\r" not in done.stderr and "\x1b" not in done.stderr
    assert "events/s" not in done.stderr


def test_top_finds_the_profile_of_a_process_and_of_its_umbra(net10, tmp_path, file):
    command = spinning(net10, tmp_path, "profile.h5", "-q", "--checkpoint", "0.5")
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        target = child_of(running.pid)
        assert running.stdout.readline() == "started\n"
        for _ in until(30):
            if file.exists():
                break
        for pid in (target, running.pid):
            once = subprocess.run([UMBRA, "top", "--once", str(pid)], capture_output=True,
                                  text=True, cwd="/", timeout=60)
            assert once.returncode == 0, once.stderr
            assert f"pid {target}\n" in once.stdout
            assert "Kill.Busy.Step(int)" in once.stdout
            assert re.search(r"^checkpoint +written \d s ago$", once.stdout, re.MULTILINE)
        with Terminal([UMBRA, "top", target], columns=120) as terminal:
            terminal.until_text("calls/s in the last", "Kill.Busy.Step(int)")
            running.send_signal(signal.SIGTERM)
            terminal.until_text("ended after")
            terminal.type("q")
            assert terminal.ended() == 0
        running.wait(timeout=60)
    finally:
        running.kill()
        running.communicate()


def test_top_waits_for_the_first_checkpoint(net10, tmp_path, file):
    command = spinning(net10, tmp_path, file, "-q", "--checkpoint", "600")
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        target = child_of(running.pid)
        assert running.stdout.readline() == "started\n"
        folder = socket_folder(target)
        for _ in until(30):
            if (folder / f"profile-{target}").is_symlink():
                break
        once = subprocess.run([UMBRA, "top", "--once", str(target)], capture_output=True, text=True,
                              timeout=60)
        assert once.returncode == 1 and once.stdout == ""
        assert once.stderr.startswith("umbra: no checkpoint at") and once.stderr.count("\n") == 1
        with Terminal([UMBRA, "top", target], columns=150) as terminal:
            terminal.until_text("no checkpoint at", "q quit")
            running.send_signal(signal.SIGTERM)
            terminal.until_text("ended after", "Kill.Busy.Step(int)")
            terminal.type("q")
            assert terminal.ended() == 0
        running.wait(timeout=60)
        assert not folder.exists(), "umbra leaves no folder behind"
    finally:
        running.kill()
        running.communicate()


def socket_folder(pid):
    """Where the umbra that profiles a process keeps its socket."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    (socket,) = [entry for entry in variables if entry.startswith(b"UMBRA_SOCKET=")]
    return Path(os.fsdecode(socket.partition(b"=")[2])).parent
