# SPDX-License-Identifier: MIT
"""Exact timing switched on and off in a running process: umbra start, stop, detach."""
import os
import re
import signal
import subprocess
import time
from collections import Counter

import pytest

from processes import thread_names
from profile_file import BEFORE
from running_program import Program, Capture, difference
from targets import umbra
from umbra_runner import DIED, TIMEOUT_SECONDS, UMBRA, check_sound, until, wait_until

MODULES = ("captures.dll", "guest.dll")
EXACT = ("Desk.", "Late.", "Box.", "Fall.", "Guest.")  # the ticker calls when it likes


def serving(runtime, prepared):
    running = Program(runtime, prepared=prepared)
    running.do("serve 10")
    yield running
    running.kill()


@pytest.fixture
def program(runtime, prepared):
    yield from serving(runtime, prepared)


@pytest.fixture
def program10(net10, prepared):
    yield from serving(net10, prepared)


def check_capture(profile, before, after, without=()):
    """The capture has exactly the calls the program counted between the two."""
    check_sound(profile)
    counted = Counter()
    for module in MODULES:
        for name, calls in profile.calls(module).items():
            if name.startswith(EXACT):
                counted[name.split("<")[0]] += calls  # the instantiations of a generic method
    expected = {name: calls for name, calls in difference(after, before).items()
                if name.startswith(EXACT) and name not in without}
    assert {name: counted.get(name, 0) for name in expected} == expected
    assert {name for name, calls in counted.items() if calls} <= set(expected) | set(without)


WORK = ("serve 500", "here 20", "thread 7", "late 5", "generic 4", "throw 3", "load 6")
UNCOUNTED = ("Fall.Caught",)  # no calls


def worked_capture(program, file, *options, interrupt=False):
    """A capture's profile, and the counts before and after."""
    capture = Capture(program.pid, file, *options)
    before = program.do("serve 0")
    for line in WORK:
        after = program.do(line)
    # Its ticker calls when it gets a processor; one call may have begun before the capture.
    for _ in until(TIMEOUT_SECONDS):
        if after["Ticker.Tick"] >= before["Ticker.Tick"] + 2:
            break
        after = program.do("serve 0")
    profile = capture.interrupt() if interrupt else capture.stop()
    program.do("serve 1000")  # counts nowhere
    # The call that told the first counts was in the capture too.
    before["Desk.ServeMany"] -= 1
    return profile, before, after


@pytest.mark.parametrize("kinds", [("il", "hooks", "il", "hooks"), ("hooks", "il", "il", "auto")])
def test_a_prepared_program_takes_either_kind_of_probes(runtime, tmp_path, kinds):
    program = Program(runtime)
    program.do("serve 10")
    for number, kind in enumerate(kinds):
        profile, before, after = worked_capture(program, tmp_path / f"{number}.h5", "--probe", kind)
        check_capture(profile, before, after, UNCOUNTED)
        assert profile.probes == ("il" if kind == "il" else "hooks")
    program.end()


def test_hooks_for_a_program_without_an_agent_are_refused(net10, tmp_path):
    program = Program(net10, prepared=False)
    program.do("serve 10")
    done = umbra("start", program.pid, "--probe=hooks", "-o", tmp_path / "none.h5")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert not (tmp_path / "none.h5").exists()
    assert "umbra-control" not in thread_names(program.pid), "no agent was brought"
    Capture(program.pid, tmp_path / "il.h5").stop()
    done = umbra("start", program.pid, "--probe=hooks", "-o", tmp_path / "none.h5")
    assert (done.returncode, done.stdout) == (1, "")
    assert "its runtime takes no hooks; leave out --probe=hooks" in done.stderr, done.stderr
    program.end()


def test_every_call_in_a_capture_is_counted(program, tmp_path):
    for cycle in range(3):
        profile, before, after = worked_capture(program, tmp_path / f"{cycle}.h5",
                                                interrupt=cycle % 2 == 0)
        check_capture(profile, before, after, UNCOUNTED)
        assert (profile.ended, profile.capture) == ("stopped", 1)
        assert profile.calls("captures.dll")["Ticker.Tick"] > 0
    program.end()


def test_each_capture_has_methods_of_its_own(program, tmp_path):
    for cycle, (include, methods) in enumerate([
            ("Desk.Serve", {"Desk.Serve"}), ("Desk.Cook", {"Desk.Cook"}),
            ("guest.dll", {"Guest.Visit", "Guest.Greet"}), ("Desk.Serve*", {"Desk.Serve",
                                                                              "Desk.ServeMany"})]):
        capture = Capture(program.pid, tmp_path / f"{cycle}.h5", "--include", include)
        before = program.do("load 1")
        after = program.do("serve 30")
        after = program.do("load 2")
        profile = capture.stop()
        check_sound(profile)
        counted = {name: calls for module in MODULES
                   for name, calls in profile.calls(module).items() if calls}
        expected = {name: calls for name, calls in difference(after, before).items()
                    if name in methods}
        if "Guest.Visit" in methods:  # the first of them came before the counts
            expected["Guest.Visit"] += 1
            expected["Guest.Greet"] += 1
        assert counted == expected, include
    program.end()


def calls_made(program, file, count):
    """Of the method made at run time: its calls in a capture with `count`, and what is said of it."""
    capture = Capture(program.pid, file)
    program.do(f"made {count}")
    profile = capture.stop()
    check_sound(profile)
    assert not [name for name in profile.methods() if "name unknown" in name]
    calls = sum(row["calls"] for name, row in zip(profile.methods(), profile["functions"])
                if name == "Made.Call")
    said = "Made.Call is not timed: its assembly was made at run time" in capture.refused + capture.rest
    assert profile.refused_methods == int(said)
    return calls, said


def test_methods_made_at_run_time_are_timed_or_named(program, prepared, tmp_path):
    """The runtime compiles nothing of them anew: what has hooks keeps them in later captures."""
    for number, count in enumerate((5, 7)):
        counted = calls_made(program, tmp_path / f"{number}.h5", count)
        assert counted == ((count, False) if prepared else (0, True))
    program.end()


def test_methods_made_before_a_capture_are_named(program, tmp_path):
    program.do("made 3")
    assert calls_made(program, tmp_path / "made.h5", 5) == (0, True)
    program.end()


def test_what_is_compiled_in_a_capture_is_named(program, tmp_path):
    for cycle in range(2):  # what came in the first capture is known in the second, by its own name
        capture = Capture(program.pid, tmp_path / f"{cycle}.h5", "--include", "Desk.Serve")
        program.do("late 5" if cycle == 0 else "generic 4")
        profile = capture.stop()
        check_sound(profile)
        methods = profile.methods()
        compiled = {methods[row].split("<")[0]
                    for row in profile["compilations"]["function"] if row >= 0}
        # None of these has a probe.
        assert compiled >= ({"Late.First", "Late.Second"} if cycle == 0 else {"Box.Keep"})
        assert not profile.calls()["Late.First"]
    program.end()


def test_what_ran_before_has_its_time(program, tmp_path):
    program.process.stdin.write("nest\n")  # a call that waits inside Desk.Hold
    program.process.stdin.flush()
    program.process.stdout.readline()
    capture = Capture(program.pid, tmp_path / "profile.h5")
    time.sleep(0.3)
    program.do("release")  # Hold ends, and calls Inside before
    program.do("burn 100")
    profile = capture.stop()
    check_sound(profile)
    calls = profile.calls("captures.dll")
    assert calls["Desk.Inside"] == 1
    assert calls["Desk.Hold"] == 0  # its beginning was not seen
    tree = profile["calltree"]
    methods = profile.methods()
    assert {row["parent"] for row in tree if methods[row["function"]] == BEFORE} == {-1}
    rows = [row for row in profile["thread_functions"] if methods[row["function"]] == BEFORE]
    names = profile.column("threads", "name")
    older = {names[row["thread"]] for row in rows}
    assert {"ticker", "worker"} <= older
    for row in rows:
        # From the capture's first moment to its last, and off the processors for most of it.
        assert row["calls"] == 1 and row["unfinished"] == 1
        assert row["wall_total_raw_ns"] > 0.5 * profile.wall_ns
        assert row["wall_total_raw_ns"] <= profile.wall_ns
        if names[row["thread"]] == "ticker" and profile.cpu_source == "perf":
            assert row["cpu_total_ns"] < 0.5 * row["wall_total_ns"]
    below = {methods[row["function"]] for row in tree
             if row["parent"] >= 0 and methods[tree[row["parent"]]["function"]] == BEFORE}
    assert {"Desk.Inside", "Ticker.Tick"} <= below
    # Nor is any of that time on a processor in timed calls.
    spent = sum(int(row["cpu_self_ns"]) for row, name in zip(profile["functions"], methods)
                if name != BEFORE)
    assert abs(int(profile.attributes["on_cpu_ns"]) - spent) <= 0.01 * spent + 1000
    report = umbra("report", capture.file, "--details", "--top", 1000).stdout
    assert BEFORE not in report
    assert re.search(rf"^before +{len(rows)} threads were running at the start, ", report,
                     re.MULTILINE), report
    program.end()


def test_stack_traces_have_the_lines_they_had(program, tmp_path):
    before = program.do("lines")
    assert [line.split(":")[0] for line in before] == ["Down", "Through", "Loop", "Lines"]
    assert all(int(line.split(":")[1]) > 0 for line in before), "there are no symbols"
    capture = Capture(program.pid, tmp_path / "profile.h5")
    assert program.do("lines") == before
    assert capture.stop().calls("captures.dll")["Fall.Loop"] == 1
    assert program.do("lines") == before
    program.end()


def test_stack_traces_in_a_module_that_came_during_a_capture_have_their_lines(program, runtime, tmp_path):
    with Program(runtime, program="captures") as alone:
        lines = alone.do("guest")
        alone.end()
    assert [line.split(":")[0] for line in lines] == ["Throw", "Fall", "Lines"]
    capture = Capture(program.pid, tmp_path / "profile.h5")
    assert program.do("guest") == lines
    assert capture.stop().calls("guest.dll")["Guest.Fall"] == 1
    assert program.do("guest") == lines
    capture = Capture(program.pid, tmp_path / "il.h5", "--args", "Guest.Fall(way)")
    assert program.do("guest") == lines
    assert capture.stop().calls("guest.dll")["Guest.Fall"] == 1
    assert program.do("guest") == lines
    program.end()


def test_stack_traces_of_a_run_have_the_lines_of_the_program_alone(file, runtime):
    alone, timed = (subprocess.run([*prefix, *runtime.command("captures")], input="lines\n", text=True,
                                   stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_SECONDS).stdout
                    for prefix in ((), (UMBRA, "run", "-q", "-o", file, "--")))
    assert '"Loop:' in alone
    assert timed == alone


def test_eight_threads_while_garbage_is_collected(program, tmp_path):
    capture = Capture(program.pid, tmp_path / "profile.h5")
    before = program.do("serve 0")
    after = program.do("storm 20000")
    before["Desk.ServeMany"] -= 1
    check_capture(capture.stop(), before, after)
    program.end()


def test_a_duration_ends_the_capture(program10, tmp_path):
    capture = Capture(program10.pid, tmp_path / "profile.h5", "--duration", "400ms")
    program10.do("burn 50")
    profile = capture.wait()
    check_sound(profile)
    assert 0.4e9 <= profile.wall_ns
    assert "Ctrl-C" not in capture.first_line


def test_the_end_of_the_program_ends_the_capture(program, tmp_path):
    capture = Capture(program.pid, tmp_path / "profile.h5")
    before = program.do("serve 0")
    after = program.do("serve 40")
    program.end()
    profile = capture.wait()
    before["Desk.ServeMany"] -= 1
    check_capture(profile, before, after)
    assert profile.ended == "shutdown"


def test_a_killed_program_has_its_capture(program10, tmp_path):
    capture = Capture(program10.pid, tmp_path / "profile.h5")
    before = program10.do("serve 0")
    after = program10.do("serve 40")
    time.sleep(0.2)  # names follow their functions by some milliseconds
    program10.process.kill()
    profile = capture.wait(status=DIED)
    assert f"process {program10.pid} has died while it was recorded (signal 9 (SIGKILL))" in capture.rest
    before["Desk.ServeMany"] -= 1
    check_capture(profile, before, after)
    assert profile.ended == "signal 9 (SIGKILL)"


def test_a_killed_umbra_leaves_the_program_dormant(program, tmp_path):
    capture = Capture(program.pid, tmp_path / "first.h5")
    capture.stop()
    threads = thread_names(program.pid)
    capture = Capture(program.pid, tmp_path / "lost.h5")
    program.do("serve 100")
    capture.process.kill()
    capture.process.wait()
    program.do("serve 100")
    wait_until(lambda: "nothing to stop" in umbra("stop", program.pid).stderr, 10)
    capture = Capture(program.pid, tmp_path / "profile.h5")
    before = program.do("serve 0")
    after = program.do("serve 100")
    before["Desk.ServeMany"] -= 1
    check_capture(capture.stop(), before, after)
    assert thread_names(program.pid) == threads
    program.end()


def test_one_capture_at_a_time(program10, tmp_path):
    capture = Capture(program10.pid, tmp_path / "first.h5")
    second = umbra("start", program10.pid, "-o", tmp_path / "second.h5")
    assert second.returncode == 1
    assert second.stderr == (f"umbra: the process is being timed already by process "
                             f"{capture.process.pid}: end that with 'umbra stop' first\n")
    assert not (tmp_path / "second.h5").exists()
    check_sound(capture.stop())
    again = umbra("stop", program10.pid)
    assert (again.returncode, again.stderr) == (
        1, f"umbra: process {program10.pid}: there was nothing to stop\n")


def test_detach_says_why_not(program, tmp_path):
    Capture(program.pid, tmp_path / "profile.h5").stop()
    done = umbra("detach", program.pid)
    assert done.returncode == 1
    assert "detaches no profiler that" in done.stderr
    assert ("enter and leave hooks" if program.prepared else "compiled anew") in done.stderr
    assert "(0x80131370)" in done.stderr
    assert "costs nothing" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    program.do("serve 1")
    program.end()


def test_the_wait_for_the_lock_of_a_synchronized_method(program, prepared, tmp_path):
    """Hooks come before the lock is taken, probes in the IL behind that: the footer says so."""
    capture = Capture(program.pid, tmp_path / "profile.h5", "--include", "captures!Lock.*")
    program.do("lock 500")
    profile = capture.stop()
    waited = {method: int(row["wall_self_ns"])
              for method, row in zip(profile.methods(), profile["functions"])}
    assert waited["Lock.Waits" if prepared else "Lock.Ask"] >= 450e6
    assert prepared or waited["Lock.Waits"] < 450e6
    report = umbra("report", capture.file).stdout
    said = re.search(r"^locks +waiting for the lock of 1 synchronized method is in the callers' time", report,
                     re.MULTILINE)
    assert (said is None) == prepared, report
    program.end()


def test_the_end_by_a_stack_that_is_full(runtime, tmp_path):
    done = subprocess.run([UMBRA, "run", "-o", tmp_path / "deep.h5", "--include", "captures!Deep.*", "--",
                           *runtime.command("captures")], input="overflow\n", text=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS)
    assert done.returncode == 128 + signal.SIGABRT, done.stderr[-2000:]
    report = umbra("report", tmp_path / "deep.h5").stdout
    said = re.search(r"^stack +deep \d+ was ([\d,]+) calls deep in timed methods at the end", report, re.MULTILINE)
    assert said and int(said[1].replace(",", "")) > 5_000, report


def test_a_thread_has_its_name_although_the_process_dies_in_its_first_call(runtime, tmp_path):
    done = subprocess.run([UMBRA, "run", "-o", tmp_path / "killed.h5", "--include", "captures!Last.*", "--",
                           *runtime.command("captures")], input="killed\n", text=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS)
    assert done.returncode == 128 + signal.SIGKILL, done.stderr[-2000:]
    assert re.search(r" the last one \d+$", umbra("report", tmp_path / "killed.h5", "--by", "thread").stdout, re.M)


@pytest.mark.parametrize("options", [["--inlining"], ["--trivial"], ["--cpu", "schedstat"], ["--events"]],
                         ids=lambda options: options[0])
def test_options_of_run(program10, tmp_path, options):
    capture = Capture(program10.pid, tmp_path / "profile.h5", *options)
    before = program10.do("serve 0")
    for line in WORK:
        after = program10.do(line)
    before["Desk.ServeMany"] -= 1
    check_capture(capture.stop(), before, after, UNCOUNTED)
    program10.end()


def test_the_framework_too(program10, tmp_path):
    capture = Capture(program10.pid, tmp_path / "profile.h5", "--include", "System.Text.Json*",
                      "--include", "Desk.*")
    before = program10.do("serve 0")
    after = program10.do("serve 40")
    profile = capture.stop()
    before["Desk.ServeMany"] -= 1
    check_capture(profile, before, after)
    assert any(name.startswith("JsonSerializer.Serialize") and calls
               for name, calls in profile.calls("System.Text.Json.dll").items())
    program10.do("serve 40")
    program10.end()


def test_the_first_start_brings_the_agent_and_says_so(net10, tmp_path):
    with Program(net10, prepared=False) as program:
        program.do("serve 10")
        for cycle in range(2):
            capture = Capture(program.pid, tmp_path / f"{cycle}.h5")
            assert capture.brought_agent == (cycle == 0)
            before = program.do("serve 0")
            after = program.do("serve 40")
            before["Desk.ServeMany"] -= 1
            check_capture(capture.stop(), before, after)
            listed = umbra("ps").stdout.splitlines()
            assert any(str(program.pid) in line and "dormant" in line for line in listed), listed
        program.end()


def test_of_first_starts_at_once_one_times_and_the_others_say_who(net10, tmp_path):
    with Program(net10, prepared=False) as program:
        program.do("serve 10")
        starts = [subprocess.Popen([UMBRA, "start", str(program.pid), "--duration=2s", "-o", tmp_path / f"{number}.h5"],
                                   stderr=subprocess.PIPE, text=True) for number in range(4)]
        said = {start.pid: start.communicate(timeout=60)[1] for start in starts}
        (timing,) = [start.pid for start in starts if start.returncode == 0]
        del said[timing]
        # On a busy machine who brought the agent may come too late for it as well.
        brought = f"umbra: the agent is now in process {program.pid} and stays there, idle between captures, until the process ends\n"
        assert sum(brought in text for text in said.values()) <= 1
        assert {text.replace(brought, "") for text in said.values()} == {
            f"umbra: the process is being timed already by process {timing}: end that with 'umbra stop' first\n"}
        program.end()


def test_a_pid_namespace_of_its_own(net10, tmp_path, prepared):
    prefix = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    refused = subprocess.run([*prefix, "true"], capture_output=True, text=True)
    if refused.returncode:
        pytest.skip(f"no pid namespace can be made here: {refused.stderr.strip()}")
    with Program(net10, prefix, prepared=prepared) as program:
        capture = Capture(program.pid, tmp_path / "profile.h5")
        before = program.do("serve 0")
        program.do("burn 50")
        after = program.do("serve 40")
        profile = capture.stop()
        before["Desk.ServeMany"] -= 1
        check_capture(profile, before, after)
        names = profile.column("threads", "name")
        assert {"ticker", "worker"} <= set(names)
        assert profile.pid == program.pid
        tasks = set(map(int, os.listdir(f"/proc/{program.pid}/task")))
        assert set(profile["threads"]["os_tid"].tolist()) <= tasks
        if profile.cpu_source == "perf":
            cpu, wall = sum(profile["threads"]["cpu_ns"]), sum(profile["threads"]["covered_ns"])
            assert cpu < 0.7 * wall  # most of them wait for most of the time


def test_fifty_captures_leave_no_threads(program10, tmp_path):
    capture = Capture(program10.pid, tmp_path / "0.h5")
    program10.do("serve 10")
    capture.stop()
    threads = thread_names(program10.pid)
    descriptors = len(os.listdir(f"/proc/{program10.pid}/fd"))
    for cycle in range(50):
        include = ["Desk.*", "Ticker.*", "Counts.*"][cycle % 3]
        capture = Capture(program10.pid, tmp_path / "profile.h5", "--include", include)
        before = program10.do("here 0")
        after = program10.do("here 20")
        capture.process.send_signal(signal.SIGINT)
        profile = capture.wait()
        if cycle % 3 == 0:
            before["Desk.ServeMany"] -= 1
            check_capture(profile, before, after)
    # The runtime's own threads come and go with its work.
    ours = [name for name in thread_names(program10.pid) if name.startswith("umbra")]
    assert ours == [name for name in threads if name.startswith("umbra")] == ["umbra-control"]
    assert len(os.listdir(f"/proc/{program10.pid}/fd")) <= descriptors
    program10.end()
