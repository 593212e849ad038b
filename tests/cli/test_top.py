# SPDX-License-Identifier: MIT
"""umbra top: the screen of a terminal, a plain list without one, a terminal left as it was."""
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from conftest import UMBRA
from terminal import ENTER, LEAVE, Terminal
from test_report import expect_golden

HOURS = 3600


@pytest.fixture
def running(sample):
    """A checkpoint of three hours ago."""
    path = sample("running")
    then = time.time() - 3 * HOURS
    os.utime(path, (then, then))
    return path


def replace_by(path, other):
    """As umbra puts a new checkpoint in the place of the last."""
    new = path.with_suffix(".new")
    shutil.copy(other, new)
    new.rename(path)


def test_without_a_terminal_it_is_a_plain_list(umbra, running):
    ran = umbra("top", running)
    assert (ran.returncode, ran.stderr) == (0, "")
    expect_golden("top_running.txt", ran.stdout)
    assert umbra("top", "--once", running).stdout == ran.stdout
    assert "\x1b" not in ran.stdout


def test_of_a_program_that_has_ended_it_is_the_report(umbra, sample):
    path = sample()
    for options in ([], ["--sort", "calls", "--top", "1"], ["--sort", "cpu"]):
        assert umbra("top", path, *options).stdout == umbra("report", path, *options).stdout


def test_on_a_terminal_it_is_a_screen_that_keys_and_size_change(running):
    with Terminal([UMBRA, "top", running], rows=24, columns=120) as terminal:
        terminal.until_text("q quit", "Shop.Program.Main", "written 3 h ago")
        assert "pid 4711" in terminal.lines[0]
        assert terminal.lines[1].startswith("running  checkpoint at 2.50 s, written 3 h ago")
        assert any(line.startswith("lost ") for line in terminal.lines)
        assert any(line.startswith("clock ") for line in terminal.lines)
        assert terminal.lines[-1].startswith("q quit   by:  s self")
        assert terminal.pyte.cursor.hidden

        def names(column):
            heading = next(line for line in terminal.lines if column in line and "name" in line)
            begin = heading.index("name")
            rows = terminal.lines[terminal.lines.index(heading) + 1:]
            return [row[begin:] for row in rows[:rows.index("")]]

        by_self = names("self")
        terminal.type("t")
        terminal.until(lambda _: names("total") != by_self)
        by_total = names("total")
        terminal.type("c")
        terminal.until(lambda _: names("calls") not in (by_self, by_total))
        assert sorted(names("calls")) == sorted(by_self)
        terminal.type("s")
        terminal.until(lambda _: names("self") == by_self)

        terminal.resize(12, 60)
        terminal.until(lambda _: terminal.lines[0].endswith("pid 4711") and
                       terminal.lines[-1].startswith("q quit"))
        terminal.type("q")
        assert terminal.ended() == 0
        assert terminal.raw.count(ENTER) == terminal.raw.count(LEAVE) == 1
        assert terminal.raw.endswith(LEAVE)
        assert terminal.is_as_found()


def test_a_new_checkpoint_is_shown_with_what_has_happened_since(running, sample):
    later = sample("later")
    with Terminal([UMBRA, "top", running], columns=160) as terminal:
        terminal.until_text("written 3 h ago")
        assert "calls/s in the last" not in terminal.text
        replace_by(running, later)
        # A second and 2,000 calls of Fib more.
        terminal.until_text("2,000 calls/s in the last 1.00 s")
        fib = next(line for line in terminal.lines if "Fib" in line)
        assert " 2,000 " in fib and "100.0%" in fib
        terminal.type("n")
        terminal.until(lambda _: "Fib" in terminal.lines[4])


def test_the_last_list_stays_when_the_file_goes(running):
    with Terminal([UMBRA, "top", running]) as terminal:
        terminal.until_text("written 3 h ago")
        running.unlink()
        terminal.until_text("cannot read", "Shop.Program.Main")
        running.write_text("no profile")
        terminal.until_text("not an HDF5 file", "Shop.Program.Main")
        terminal.type("q")
        assert terminal.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT,
                                    signal.SIGSEGV, signal.SIGABRT], ids=lambda n: n.name)
def test_every_signal_gives_the_terminal_back(running, number):
    with Terminal([UMBRA, "top", running]) as terminal:
        terminal.until_text("q quit")
        assert not terminal.is_as_found()
        terminal.send(number)
        crash = number in (signal.SIGSEGV, signal.SIGABRT)
        expected = -number if crash else 0 if number == signal.SIGINT else 128 + number
        assert terminal.ended() == expected
        # An emulator has a line of its own to say of a crash.
        assert re.sub(rb"qemu: uncaught target signal .*\r\n$", b"", terminal.raw).endswith(LEAVE)
        assert terminal.is_as_found()


def test_ctrl_c_and_ctrl_z_work_as_everywhere(running):
    with Terminal([UMBRA, "top", running]) as terminal:
        terminal.until_text("q quit")
        terminal.type("\x1a")
        terminal.until(lambda _: terminal.raw.endswith(LEAVE))
        status = os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
        assert status.si_code == os.CLD_STOPPED
        assert terminal.is_as_found()
        terminal.send(signal.SIGCONT)
        terminal.until(lambda _: terminal.raw.count(ENTER) >= 2)
        terminal.type("\x03")
        assert terminal.ended() == 0
        assert terminal.raw.endswith(LEAVE)
        assert terminal.is_as_found()


@pytest.mark.parametrize("how", ["dumb", "no keyboard"])
def test_on_half_a_terminal_it_is_a_plain_list(running, how):
    environment = {"TERM": "dumb"} if how == "dumb" else {}
    stdin = subprocess.DEVNULL if how == "no keyboard" else None
    with Terminal([UMBRA, "top", running], 60, 120, environment, stdin) as terminal:
        assert terminal.ended() == 0
        assert ENTER not in terminal.raw
        assert "checkpoint written 3 h ago" in terminal.text


def test_what_is_no_profile_is_one_line(umbra, tmp_path):
    (tmp_path / "other.h5").write_text("text")
    (tmp_path / "folder.h5").mkdir()
    for name in ("other.h5", "missing.h5", "folder.h5"):
        for options in ([], ["--once"]):
            assert name in umbra.fails(1, "top", name, *options)
        with Terminal([UMBRA, "top", tmp_path / name]) as terminal:
            assert terminal.ended() == 1
            assert name in terminal.text.replace("\n", "")
            assert terminal.raw.count(ENTER) == terminal.raw.count(LEAVE)
            assert terminal.is_as_found()


def test_a_process_that_is_not_profiled_is_one_line(umbra, tmp_path):
    assert "not profiled" in umbra.fails(1, "top", os.getpid())
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert f"no process {gone.pid}" in umbra.fails(1, "top", gone.pid)


@pytest.mark.parametrize("mode", [0o755, 0o770, None])
def test_a_folder_others_can_write_to_is_not_believed(umbra, sample, tmp_path, mode):
    folder = tmp_path / "control"
    if mode is not None:
        folder.mkdir()
        folder.chmod(mode)
    sleeper = subprocess.Popen(["sleep", "60"], env={"UMBRA_SOCKET": f"{folder}/control"})
    try:
        if mode is not None:
            (folder / f"profile-{sleeper.pid}").symlink_to(sample())
        said = umbra.fails(1, "top", "--once", sleeper.pid)
        assert str(folder) in said and "name the file instead" in said
    finally:
        sleeper.kill()
        sleeper.wait()


def test_an_older_profile_in_the_place_is_not_taken_for_the_process(umbra, sample, tmp_path):
    folder = tmp_path / "control"
    folder.mkdir()
    folder.chmod(0o700)
    sleeper = subprocess.Popen(["sleep", "60"], env={"UMBRA_SOCKET": f"{folder}/control"})
    try:
        assert "is profiled yet" in umbra.fails(1, "top", "--once", sleeper.pid)
        (folder / "profile-4711").symlink_to(sample())
        assert "Shop.Program.Main" in umbra("top", sleeper.pid).stdout, "the only one there"
        (folder / f"profile-{sleeper.pid}").symlink_to(sample())
        assert "no checkpoint" in umbra.fails(1, "top", "--once", sleeper.pid)
        (folder / f"profile-{sleeper.pid}").unlink()
        (folder / "profile-4712").symlink_to(sample())
        assert "name one of them" in umbra.fails(1, "top", "--once", sleeper.pid)
    finally:
        sleeper.kill()
        sleeper.wait()
