# SPDX-License-Identifier: MIT
"""umbra attach on the real runtimes: what it finds, what it leaves behind, and its races."""
import contextlib
import glob
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from processes import thread_names
from profile_file import Profile
from targets import start_time
from umbra_runner import DIED, FULL, UMBRA, output_of, until, wait_until

TIMEOUT_SECONDS = 60


class Target:
    """A running test program."""

    def __init__(self, command, ready=True):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        if ready:
            assert int(self.process.stdout.readline()) == self.pid

    def processor_ns(self):
        """For how long each thread was on a processor, by its name; names are its own."""
        times = {}
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                name = (task / "comm").read_text().strip()
                times[name] = int((task / "schedstat").read_text().split()[0])
        return times

    def files(self):
        """What its descriptors are open on, but for what comes and goes by itself."""
        links = []
        for file in Path(f"/proc/{self.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                links.append(os.readlink(file))
        return sorted(link for link in links if not link.startswith("/proc/"))

    def resident_kib(self):
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise AssertionError("no RssAnon")

    def end(self):
        """Ends in order, with nothing said."""
        _, errors = self.process.communicate(timeout=TIMEOUT_SECONDS)
        assert (self.process.returncode, errors) == (0, "")


@contextlib.contextmanager
def running(runtime, *arguments):
    target = Target(runtime.command("shares", *arguments))
    try:
        yield target
    finally:
        target.process.kill()
        target.process.communicate()


def start(target, file, *options):
    return subprocess.Popen([UMBRA, "attach", str(target.pid), "--force", "-o", str(file), *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def attach(target, file, *options):
    done = subprocess.run([UMBRA, "attach", str(target.pid), "--force", "-o", str(file), *options],
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return done


def wait_for_sampler(target):
    if not wait_until(lambda: "umbra-sampler" in thread_names(target.pid)):
        pytest.fail("no sampler was started")


def wait_for_no_sampler(target):
    if not wait_until(lambda: "umbra-sampler" not in thread_names(target.pid)):
        pytest.fail("the sampler is still there")


def assert_no_more(now, before):
    """Those of the runtime's own may end; none may be added. It closes the connection over which it
    was asked, and its threads end, a moment after the answer: `now` is called until they have."""
    for _ in until(30):
        added = Counter(now()) - Counter(before)
        if not added:
            return
    pytest.fail(f"left behind: {dict(added)}")


def test_samples_show_where_time_goes(runtime, file):
    """How much of a processor a thread gets, and how often umbra does, is for the machine to decide:
    what is asked for are shares of what it was, by the kernel's figures for the same threads."""
    seconds = 4
    with running(runtime) as target:
        kernel, began = target.processor_ns(), time.monotonic()
        attach(target, file, "--duration", f"{seconds}s", "--rate", "200", "--max-stop", "10")
        took_ns = (time.monotonic() - began) * 1e9
        kernel = {name: ns - kernel[name] for name, ns in target.processor_ns().items() if name in kernel}
        target.end()
    profile = Profile(file)
    assert profile.mode == "sampled" and profile.complete == 1 and profile.ended == "detached"
    assert profile.sample_rounds > 0
    whole = profile.wall_ns
    assert (seconds - 0.5) * 1e9 < whole < took_ns
    # The capture is covered by what was seen, round by round. On .NET 11 Thread.Sleep calls others.
    wall = profile.times_by_thread("wall_total_ns")
    for thread, method in (("sleeper", "Thread.Sleep"), ("busy", "Program.Busy"),
                           ("native", "Program.Native")):
        assert wall[thread][method] > 0.9 * whole, thread
    cpu = profile.times_by_thread("cpu_total_ns")
    assert sum(cpu["sleeper"].values()) < 0.2 * whole, "a sleeping thread is not on a processor"
    # No CPU time is made up, and hardly any is missed: the kernel's figure for all threads bounds it.
    told = profile.on_cpu_ns + profile.unattributed_cpu_ns
    assert 0.8 * profile.process_cpu_ns - 5e7 < told < 1.05 * profile.process_cpu_ns + 5e7
    used = {"busy": cpu["busy"]["Program.Busy"], "native": cpu["native"]["Program.Native"]}
    for thread, ns in used.items():
        share = kernel[thread] / (kernel["busy"] + kernel["native"])
        assert ns <= kernel[thread] + 5e6
        assert ns > 0.5 * share * sum(used.values()), (thread, used, kernel)
    # Four standard errors of as many samples as there were rounds, and two points for what else moves
    # them. A thread that waits for a processor is seen where it was before.
    samples = max(1, profile.sample_rounds * used["busy"] / wall["busy"]["Program.Busy"])
    for sevenths, method in ((1, "Program.One"), (2, "Program.Two"), (4, "Program.Four")):
        share = sevenths / 7
        allowed = 0.02 + 4 * (share * (1 - share) / samples) ** 0.5
        seen = wall["busy"].get(method, 0) / wall["busy"]["Program.Busy"]
        assert abs(seen - share) < allowed, f"{method}: {seen:.3f} of {share:.3f} +- {allowed:.3f}"
    # One stop may take as long as it does; the next one is put off for it.
    assert profile.suspended_ns - profile.worst_suspension_ns < 0.2 * whole


def test_names_are_those_of_the_source(runtime, file):
    with running(runtime) as target:
        attach(target, file, "--duration", "1s")
    profile = Profile(file)
    names = profile.column("functions", "name")
    for name in ("Program.Busy()", "Program.Sleeper()", "Program.Native()", "Program.Main(string[])",
                 "System.Threading.Thread.Sleep(int)"):
        assert name in names
    modules = profile.column("modules", "name")
    frameworks = profile.column("modules", "framework")
    assert not frameworks[modules.index("shares.dll")]
    assert frameworks[modules.index("System.Private.CoreLib.dll")]
    assert {"busy", "sleeper", "native"} <= set(profile.column("threads", "name"))


def test_nothing_is_left_after_a_detach(runtime, file):
    with running(runtime) as target:
        attach(target, file, "--duration", "300ms")  # wakes what the runtime itself keeps
        threads, files = thread_names(target.pid), target.files()
        attach(target, file, "--duration", "300ms")
        assert_no_more(lambda: thread_names(target.pid), threads)
        assert_no_more(target.files, files)
        assert not [name for name in thread_names(target.pid) if name.startswith("umbra")]
        # Unlike Path.glob, this one bears with the folders of other tests that go meanwhile.
        assert not glob.glob(f"/tmp/umbra-*/{target.pid}*")
        target.end()


def test_attaching_again_and_again_costs_nothing(runtime, file):
    cycles = 200 if FULL else 10
    with running(runtime) as target:
        for _ in range(5):
            attach(target, file, "--duration", "100ms", "-q")
        threads, files, resident = thread_names(target.pid), target.files(), target.resident_kib()
        for _ in range(cycles):
            attach(target, file, "--duration", "100ms", "-q")
        assert_no_more(lambda: thread_names(target.pid), threads)
        assert_no_more(target.files, files)
        # One attachment is about a megabyte: were each left behind, this would be far exceeded.
        assert target.resident_kib() - resident < 4096 + 20 * cycles
        target.end()


def test_a_second_attach_at_the_same_time_is_refused(net10, file, tmp_path):
    with running(net10) as target:
        first = start(target, file, "--duration", "3s", "-q")
        wait_for_sampler(target)
        second = subprocess.run([UMBRA, "attach", str(target.pid), "--force", "-o", str(tmp_path / "second.h5")],
                                capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
        assert second.returncode == 1
        assert len(second.stderr.splitlines()) == 1, second.stderr
        assert not (tmp_path / "second.h5").exists()
        _, errors = first.communicate(timeout=TIMEOUT_SECONDS)
        assert first.returncode == 0, errors
        attach(target, file, "--duration", "100ms")


@pytest.mark.parametrize("how", ["ends", "killed"])
def test_a_program_that_goes_leaves_a_profile(runtime, file, how):
    with running(runtime) as target:
        umbra = start(target, file, "--duration", "60s")
        wait_for_sampler(target)
        time.sleep(1)
        if how == "ends":
            target.end()
        else:
            target.process.kill()
        _, errors = umbra.communicate(timeout=TIMEOUT_SECONDS)
    assert umbra.returncode == {"ends": 0, "killed": DIED}[how], errors
    assert ("has died while it was recorded (signal 9 (SIGKILL))" in errors) == (how == "killed")
    profile = Profile(file)
    assert profile.ended == {"ends": "shutdown", "killed": "signal 9 (SIGKILL)"}[how]
    assert profile.complete == (how == "ends"), "an end in order is said behind the last sample"
    assert profile.events > 0


def test_a_collector_that_is_killed_frees_the_program(runtime, file):
    with running(runtime) as target:
        umbra = start(target, file, "--duration", "60s")
        wait_for_sampler(target)
        umbra.kill()
        umbra.communicate()
        wait_for_no_sampler(target)
        for _ in until(30, step=0.2):  # the runtime still has to let the agent go
            again = subprocess.run([UMBRA, "attach", str(target.pid), "--force", "-o", str(file), "--duration",
                                    "100ms"], capture_output=True, timeout=TIMEOUT_SECONDS)
            if again.returncode == 0:
                break
        assert again.returncode == 0, again.stderr
        target.end()


def test_detach_ends_it_and_the_profile_is_written(runtime, file):
    with running(runtime) as target:
        umbra = start(target, file, "--duration", "60s")
        wait_for_sampler(target)
        time.sleep(0.5)
        output_of(UMBRA, "detach", target.pid, timeout=TIMEOUT_SECONDS)
        assert "umbra-sampler" not in thread_names(target.pid)
        # By its start time too: a number comes back, and who was killed has left its socket.
        socket = f"umbra-agent-{target.pid}-{start_time(target.pid)}"
        assert not (Path(os.environ.get("TMPDIR", "/tmp")) / socket).exists()
        _, errors = umbra.communicate(timeout=TIMEOUT_SECONDS)
        assert umbra.returncode == 0, errors
        assert Profile(file).ended == "detached"
        attach(target, file, "--duration", "100ms")
        target.end()


def test_ctrl_c_stops_and_writes(net10, file):
    with running(net10) as target:
        umbra = start(target, file, "--duration", "60s")
        wait_for_sampler(target)
        time.sleep(0.5)
        umbra.send_signal(signal.SIGINT)
        _, errors = umbra.communicate(timeout=TIMEOUT_SECONDS)
        assert umbra.returncode == 0, errors
        assert Profile(file).ended == "detached"
        target.end()


def test_a_program_that_is_just_starting(runtime, file):
    """Whatever comes of it comes soon, a refusal is said in a line, and the program runs on."""
    delays = (0, 0.02, 0.05, 0.1) if not FULL else [n / 200 for n in range(60)]
    for delay in (*delays, None):  # None: it is running
        target = Target(runtime.command("shares"), ready=delay is None)
        try:
            time.sleep(delay or 0)
            done = subprocess.run([UMBRA, "attach", str(target.pid), "--force", "-o", str(file), "--duration",
                                   "100ms", "-q"], capture_output=True, text=True,
                                  timeout=TIMEOUT_SECONDS)
            assert done.returncode in (0, 1)
            assert len(done.stderr.splitlines()) == done.returncode, done.stderr
            assert done.returncode == 0 or delay is not None, f"it is running: {done.stderr}"
            target.end()
        finally:
            target.process.kill()
            target.process.communicate()


def test_a_program_that_collects_garbage_all_the_time(runtime, file):
    with running(runtime, "gc") as target:
        attach(target, file, "--duration", "2s", "--max-stop", "50")
        target.end()
    assert "Program.Collect()" in Profile(file).column("functions", "name")


def test_code_that_is_unloaded_while_it_is_sampled(runtime, file):
    with running(runtime, "short-lived") as target:
        attach(target, file, "--duration", "20s" if FULL else "3s", "--rate", "500", "--max-stop",
               "50")
        target.end()
    profile = Profile(file)
    types = set(profile.column("functions", "type"))
    assert "Plugin" in types
    assert "made_1" not in profile.column("functions", "method"), "the runtime tells of them now"
    assert "(unknown)" not in profile.column("functions", "name")


def test_reports_say_that_it_was_sampled(net10, file, tmp_path):
    with running(net10) as target:
        shown = attach(target, file, "--duration", "500ms").stderr
    assert shown.startswith(f"umbra: sampling process {target.pid}, 100 times a second, for 0.5 s\n")
    (heading,) = [line for line in shown.splitlines() if line.endswith("method")]
    assert " samples\n" in shown and "samples" in heading and "calls" not in heading
    assert "mode       sampled" in output_of(UMBRA, "report", file, "--details")
    exported = tmp_path / "out"
    for option in ("--speedscope", "--pprof", "--folded", "--callgrind", "--csv", "--perfetto", "--html"):
        output_of(UMBRA, "export", option, exported, file, timeout=TIMEOUT_SECONDS)
        assert exported.stat().st_size > 0
