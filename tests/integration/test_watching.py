# SPDX-License-Identifier: MIT
"""What is to be seen of a program while it runs: the progress line, and umbra top."""
import json
import os
import re
import signal
import subprocess

import pytest

from profile_file import Profile
from running_program import Program
from targets import listed, wait_for_profiler
from terminal import Terminal
from umbra_runner import DIED, UMBRA, child_of, report, run_command, run_well, wait_until

PROGRESS = re.compile(r"umbra \d+:\d\d  \S.* events/s  [\d,]+ calls  \d+ threads  [\d,]+ waits?  "
                      r"0 lost  hot \d+% Kill\.Busy\.\w+\(.*\)")


def spinning(net10, tmp_path, file, *options):
    return run_command(file, net10.command("kill", tmp_path / "counts", "spin"), options)


def progress_lines(terminal):
    return [line for line in terminal.lines if re.match(r"umbra \d+:\d\d", line)]


def test_the_progress_line_is_one_line_that_fits_and_leaves_nothing(net10, tmp_path, file):
    # What the program prints would stand behind a line that has been drawn before.
    alone = ["sh", "-c", 'exec "$@" >/dev/null', "sh", *map(str, spinning(net10, tmp_path, file))]
    with Terminal(alone, rows=30, columns=130) as terminal:
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
    done = run_well(file, net10.command("sleepy"))
    assert "\r" not in done.stderr and "\x1b" not in done.stderr
    assert "events/s" not in done.stderr


def top(*arguments):
    return subprocess.run([UMBRA, "top", *map(str, arguments)], capture_output=True, text=True,
                          cwd="/", timeout=120)


def figures(*arguments):
    done = top(*arguments, "--once", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def recorder_of(pid):
    row = listed(pid)
    return row["recorder"], row["recorder_pid"]


def test_top_shows_a_run_from_elsewhere_by_its_process_and_by_its_umbra(net10, tmp_path, file):
    command = spinning(net10, tmp_path, "profile.h5", "-q", "--checkpoint", "600")
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    target = child_of(running.pid)
    try:
        assert running.stdout.readline() == "started\n"
        for pid in (target, running.pid):
            seen = figures(pid)
            assert (seen["pid"], seen["ended"]) == (target, None)
            assert seen["recorder"] == f"umbra run, process {running.pid}"
            # Which is first is the machine's to say: Main waits for as long as the others compute.
            assert any(row["name"].startswith("Kill.Busy.") for row in seen["methods"][:5])
            assert seen["calls_per_second"] > 1000
            assert sum(seen["lost"].values()) == 0
        assert recorder_of(target) == ("umbra run", running.pid)
        with Terminal([UMBRA, "top", target], columns=120) as terminal:
            terminal.until_text("calls/s in the last", "Kill.Busy.Step(int)")
            running.send_signal(signal.SIGTERM)
            terminal.until_text("ended after")
            terminal.type("q")
            assert terminal.ended() == 0
        running.wait(timeout=60)
        assert file.exists()
    finally:
        if running.poll() is None:  # the test has failed, and its program would spin for ever
            os.kill(target, signal.SIGKILL)
            running.kill()
            running.communicate()


def test_the_last_figures_are_those_of_the_profile(net10, tmp_path, file):
    """Of a program that ends by itself: calls to the call, times to what rounding leaves."""
    running = subprocess.Popen(run_command(file, net10.command("captures"), ["-q"]), text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        target = child_of(running.pid)
        running.stdin.write("serve 0\n")
        running.stdin.flush()
        running.stdout.readline()
        stream = subprocess.Popen([UMBRA, "top", str(target), "--json", "--top", "100"], text=True,
                                  stdout=subprocess.PIPE)
        stream.stdout.readline()
        running.stdin.close()
        *_, last = map(json.loads, stream.stdout)
        assert stream.wait(60) == 0 and running.wait(60) == 0
    finally:
        running.kill()
        running.wait()
    assert last["ended"] == "exit 0"
    rows = {row["name"]: row for row in report(file)["functions"]}
    assert len(last["methods"]) > 3
    for method in last["methods"]:
        row = rows[method["name"]]
        assert method["calls"] == row["calls"], method["name"]
        for mine, its in [("self_ns", "wall_self_ns"), ("total_ns", "wall_total_ns")]:
            assert abs(method[mine] - row[its]) <= 1000 + row[its] // 100, (method, row)


def test_top_shows_a_capture_and_a_sampling_from_elsewhere(net10, tmp_path):
    command = net10.command("kill", tmp_path / "counts", "spin")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline() == "started\n"
            for options, recorded, counts in [(["attach", "--duration", "0"], "umbra attach", "samples"),
                                              (["start", "--no-profile"], "umbra start", "calls")]:
                recording = subprocess.Popen([UMBRA, *options, str(program.pid)], cwd=tmp_path,
                                             stderr=subprocess.DEVNULL)
                try:
                    wait_until(lambda: recorder_of(program.pid)[0], 60)
                    assert recorder_of(program.pid) == (recorded, recording.pid)
                    seen = figures(program.pid)
                    assert seen["counts"] == counts and seen["pid"] == program.pid
                    assert any(method["name"].startswith("Kill.Busy.") for method in seen["methods"])
                    recording.send_signal(signal.SIGINT)
                    assert recording.wait(60) == 0
                finally:
                    recording.kill()
                    recording.wait()
                assert recorder_of(program.pid) == ("", 0)
        finally:
            program.kill()


def test_top_opens_a_capture_where_nobody_records(net10, tmp_path):
    command = net10.command("kill", tmp_path / "counts", "spin")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout.readline() == "started\n"
            with Terminal([UMBRA, "top", program.pid, "--include", "Kill.Busy.Step",
                           "-o", tmp_path / "top.h5"], columns=120) as terminal:
                terminal.until_text("calls/s in the last", "Kill.Busy.Step(int)", "umbra start")
                # Others see it as well.
                assert [m["name"] for m in figures(program.pid)["methods"]] == ["Kill.Busy.Step(int)"]
                terminal.type("q")
                assert terminal.ended() == 0
                assert terminal.is_as_found()
            assert listed(program.pid)["profiler"] == "dormant", "the capture has ended"
            assert Profile(tmp_path / "top.h5").ended == "stopped"
            # However it ends, nothing is left running.
            stream = subprocess.Popen([UMBRA, "top", str(program.pid), "--json"],
                                      stdout=subprocess.PIPE)
            stream.stdout.readline()
            assert listed(program.pid)["profiler"] == "recording"
            stream.kill()
            stream.communicate()
            wait_until(lambda: listed(program.pid)["profiler"] == "dormant", 60)
            assert listed(program.pid)["profiler"] == "dormant" and program.poll() is None
        finally:
            program.kill()


def test_a_death_is_told_in_red(net10, file):
    with Program(net10) as program:
        wait_for_profiler(program.pid, "dormant")  # before that it is no .NET program yet
        with Terminal([UMBRA, "start", program.pid, "-q", "-o", file], columns=150) as terminal:
            wait_for_profiler(program.pid, "recording")
            program.process.kill()
            assert terminal.ended() == DIED
            assert b"\x1b[1;31mumbra: process " in terminal.raw, terminal.raw
            assert "died while it was recorded (signal 9 (SIGKILL))" in terminal.text, terminal.raw
