# SPDX-License-Identifier: MIT
"""Two real runtimes in one process, in turn and at the same time: one profile with the calls of both.

A runtime stops its threads by a signal, and who has started last handles the signals of all, which
crashes threads of another version, with umbra or without (docs/several_runtimes.md). So where both run
at the same time, they are told to stop their threads without.
"""
import contextlib
import csv
import itertools
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import runtimes
from profile_file import Profile
from targets import (Patient, agent_variables, check_refused, listed, umbra,
                     wait_for_profiler)
from umbra_runner import (FULL, SUPPORT, TIMEOUT_SECONDS, check_counts, check_sound, check_trees, run_umbra,
                          until)

RUNTIMES = {runtime.name: runtime for runtime in runtimes.ALL}
NEIGHBOURS = list(itertools.pairwise(RUNTIMES))
PAIRS = list(itertools.combinations(RUNTIMES, 2)) if FULL else NEIGHBOURS
PROGRAMS = (("fib", "21"), ("registers", "2000"))
HOST = SUPPORT / "several_runtimes_host.py"
WITHOUT_SIGNALS = {"DOTNET_INTERNAL_ThreadSuspendInjection": "0"}


def run_of(name, program, *arguments):
    """A RUN of the host."""
    return RUNTIMES[name].hosted(program, *arguments)


def host(order, pair):
    """The command line that runs a program on each runtime of a pair."""
    runs = [run_of(name, *program) for name, program in zip(pair, PROGRAMS)]
    return [sys.executable, HOST, order, *runs]


def told_by(done):
    """What the programs say of their own calls."""
    return [json.loads(line.removeprefix("UMBRA-EXPECT "))
            for line in done.stdout.splitlines() if line.startswith("UMBRA-EXPECT ")]


def run_host(file, order, pair, *options, environment=None):
    return run_umbra(file, host(order, pair), "-q", *options,
                     environment=(environment or {}) | WITHOUT_SIGNALS)


def check_profiled(done, programs):
    """The profile has exactly the calls of these of the programs, and none of the others'."""
    assert done.status == 0, done.stderr
    check_sound(done.profile)
    told = [one["counts"] for one in told_by(done)]
    assert len(told) == len(PROGRAMS), "all of them run to their ends"
    for name, _ in PROGRAMS:
        counted = done.profile.calls(f"{name}.dll")
        (expected,) = [counts for counts in told if (name == "fib") == ("Fib.Run" in counts)]
        if name in programs:
            assert {method: counted.get(method, 0) for method in expected} == expected
        else:
            assert not any(counted.values())


def check_runtimes(profile, runtime_of):
    """The methods, module and threads of each program are of its runtime, in the file and in the
    report. `runtime_of`: by module."""
    versions = profile.column("runtimes", "version")
    assert len(versions) == len(runtime_of)
    modules = profile.column("modules", "name")
    for name, runtime in runtime_of.items():
        version = RUNTIMES[runtime].release
        (its,) = [row for row, text in enumerate(versions) if text.startswith(f".NET {version}.")]
        module = modules.index(name)
        assert profile["modules"][module]["runtime"] == its
        functions = profile["functions"]
        of_module = functions[functions["module"] == module]
        assert len(of_module) and set(of_module["runtime"].tolist()) == {its}
        threads = {int(row["thread"]) for row in profile["thread_functions"]
                   if functions[row["function"]]["module"] == module}
        assert {int(profile["threads"][row]["runtime"]) for row in threads} == {its}


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_one_profile_has_the_calls_of_both(file, pair, order):
    done = run_host(file, order, pair)
    assert done.stderr == ""
    check_profiled(done, ["fib", "registers"])
    check_runtimes(done.profile, dict(zip(("fib.dll", "registers.dll"), pair)))


@pytest.mark.parametrize("order", ["turn", "parallel"] if FULL else ["parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
@pytest.mark.parametrize("which", [0, 1])
def test_one_is_chosen_by_its_version(file, pair, order, which):
    version = RUNTIMES[pair[which]].release
    done = run_host(file, order, pair, f"--runtimes=one:{version}")
    assert done.stderr == ""
    check_profiled(done, [PROGRAMS[which][0]])
    assert done.profile.attributes["runtime"].startswith(f".NET {version}.")


def crashes_without_umbra(order, runs):
    """Whether two copies of the runtime harm each other by themselves (docs/several_runtimes.md)."""
    return any(subprocess.run([sys.executable, HOST, order, *runs], capture_output=True,
                              env=os.environ | WITHOUT_SIGNALS, timeout=TIMEOUT_SECONDS,
                              check=False).returncode == -signal.SIGSEGV for _ in range(5))


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_exceptions_and_trees_of_one_beside_the_other(file, pair, order):
    """The runtimes' callbacks of exceptions, compilations and unloading come from both."""
    runs = [run_of(pair[0], "fib", "21"), run_of(pair[1], "stacks")]
    done = run_umbra(file, [sys.executable, HOST, order, *runs], "--tree=full", "-q",
                     environment=WITHOUT_SIGNALS)
    if done.status == 128 + signal.SIGSEGV and crashes_without_umbra(order, runs):
        pytest.skip(f"the two runtimes crash without umbra too: {'+'.join(pair)}, {order}")
    assert (done.status, done.stderr) == (0, "")
    check_sound(done.profile)
    told = {"fib" if "Fib.Run" in one["counts"] else "stacks": one for one in told_by(done)}
    for name, expected in told.items():
        check_counts(done.profile, expected, f"{name}.dll")
        check_trees(done.profile, expected, f"{name}.dll")


@pytest.mark.parametrize("order", ["turn", "parallel"])
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
@pytest.mark.parametrize("choice, program", [("first", "fib"), ("one:2", "registers")])
def test_one_is_chosen_by_its_place(file, choice, program, pair, order):
    """By the environment, which an option would overrule. Started at the same time, either may come
    first."""
    done = run_host(file, order, pair, environment={"UMBRA_RUNTIMES": choice})
    assert done.stderr == ""
    (version,) = done.profile.column("runtimes", "version")
    if order == "parallel":
        names = [RUNTIMES[name].release for name in pair]
        (place,) = [at for at, name in enumerate(names) if version.startswith(f".NET {name}.")]
        program = PROGRAMS[place][0]
    check_profiled(done, [program])


def test_none_is_chosen(file):
    done = run_host(file, "turn", PAIRS[0], "--runtimes=one:3")
    assert done.status == 0 and not file.exists()
    assert "nothing was profiled" in done.stderr and "--runtimes=one:3" in done.stderr


def test_what_is_no_choice_is_refused(file):
    done = run_umbra(file, ["true"], "--runtimes=some")
    assert (done.status, done.stdout) == (2, "")
    assert "'some' chooses no runtimes" in done.stderr


@pytest.mark.parametrize("choice, why", [
    ("one:2", "UMBRA_RUNTIMES leaves this runtime of the process out"),
    ("some", "'some' chooses no runtimes")])
def test_a_runtime_that_is_left_out_refuses_what_comes_later(file, runtime, choice, why):
    with Patient(runtime, environment=dict(os.environ, UMBRA_RUNTIMES=choice)) as program:
        for command in ("attach", "start", "attach", "start"):
            check_refused(umbra(command, program.pid, "--duration", "10s", "-q", "-o", file), why)
        program.check_unharmed()
    assert not file.exists()


def test_a_runtime_that_is_chosen_takes_what_comes_later(file, runtime):
    with Patient(runtime, environment=dict(os.environ, UMBRA_RUNTIMES="first")) as program:
        for command in ("attach", "attach", "start", "start"):
            done = umbra(command, program.pid, "--force", "--duration", "100ms", "-q", "-o", file)
            assert done.returncode == 0, done.stderr
        program.check_unharmed()


def test_a_report_tells_the_runtimes_apart(file):
    """Equal programs on two of them: each method has two rows, one of which a filter takes."""
    runs = [run_of(name, "fib", number) for name, number in (("net10", "21"), ("net9", "16"))]
    done = run_umbra(file, [sys.executable, HOST, "turn", *runs], "-q")
    assert (done.status, done.stderr) == (0, "")
    check_sound(done.profile)
    expected = [one["counts"]["Fib.Run"] for one in told_by(done)]
    report = json.loads(umbra("report", "--json", file).stdout)
    rows = {row["runtime"]: row["calls"] for row in report["functions"] if "Fib.Run" in row["name"]}
    ten, nine = (text.split()[-1] for text in report["summary"]["runtimes"])
    assert (ten.split(".")[0], nine.split(".")[0]) == ("10", "9")
    assert rows == {ten: expected[0], nine: expected[1]}
    text = umbra("report", file, "--details").stdout
    assert [line.split()[0] for line in text.splitlines() if "Fib.Run" in line] == \
        [f"{calls:,}" for calls in expected]
    assert re.search(rf"^runtimes +{re.escape(ten)}: ", text, re.MULTILINE), text
    of_one = json.loads(umbra("report", "--json", "--runtime", "9", file).stdout)["functions"]
    assert {row["runtime"] for row in of_one} == {nine}
    assert [row["calls"] for row in of_one if "Fib.Run" in row["name"]] == expected[1:]
    check_refused(umbra("report", "--runtime", "8", file), "no runtime '8'", f"2 (.NET {nine})")
    for name in ("speedscope", "callgrind"):
        exported = umbra("export", f"--{name}", "-", file).stdout
        assert f"{ten}/fib.dll" in exported and f"{nine}/fib.dll" in exported
    told = re.findall(r"^runtime \d +\.NET (.*)$", umbra("info", file).stdout, re.MULTILINE)
    assert told == [ten, nine]
    table = list(csv.DictReader(umbra("export", "--csv", "-", file).stdout.splitlines()))
    assert {row["runtime"]: int(row["calls"]) for row in table if "Fib.Run" in row["name"]} == \
        {f".NET {ten}": expected[0], f".NET {nine}": expected[1]}


@contextlib.contextmanager
def two_that_run(pair, seconds, prepared=True):
    """A process in which both runtimes run the program budget for a while."""
    runs = [run_of(name, "budget", seconds, 1) for name in pair]
    with subprocess.Popen([sys.executable, HOST, "parallel", *runs], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=os.environ | WITHOUT_SIGNALS |
                          (agent_variables() if prepared else {})) as process:
        if prepared:
            wait_for_profiler(process.pid, "dormant")
        for _ in until(30):
            mapped = {line.split()[-1] for line in
                      Path(f"/proc/{process.pid}/maps").read_text().splitlines()}
            if sum(name.endswith("/budget.dll") for name in mapped) == len(pair):
                break
        yield process
        out, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
        assert out.count("UMBRA-EXPECT ") == len(pair), "both ran to their ends"


@pytest.mark.parametrize("probe", ["hooks", "il"])
@pytest.mark.parametrize("choice, versions", [("all", ["10", "9"]), ("one:9.0", ["9"]),
                                              ("one:10", ["10"])])
def test_a_capture_is_of_the_runtimes_it_is_asked_for(file, choice, versions, probe):
    with two_that_run(("net10", "net9"), 10) as process:
        done = umbra("start", process.pid, "--duration", "1s", "-q", "--force", "-o", file,
                     f"--runtimes={choice}", f"--probe={probe}")
        assert (done.returncode, done.stderr) == (0, "")
    profile = Profile(file)
    check_sound(profile)
    names = profile.column("runtimes", "version")
    assert sorted(name.split()[1].split(".")[0] for name in names) == sorted(versions)
    functions = profile["functions"]
    ticks = [row for row, name in enumerate(profile.methods()) if name == "Tiny.Mix"]
    assert sorted(functions[row]["runtime"] for row in ticks) == list(range(len(versions)))
    assert all(functions[row]["calls"] > 0 for row in ticks)


def test_a_capture_of_a_runtime_that_is_not_there_is_refused(file):
    with two_that_run(("net10", "net9"), 8) as process:
        refused = umbra("start", process.pid, "--duration", "1s", "-q", "--force", "-o", file,
                        "--runtimes=one:8.0")
        check_refused(refused, "--runtimes=one:8.0 chooses none of the runtimes of process")
        assert not file.exists()
        done = umbra("start", process.pid, "--duration", "500ms", "-q", "--force", "-o", file)
        assert (done.returncode, done.stderr) == (0, "")
    assert len(Profile(file)["runtimes"]) == 2


def test_a_process_that_nobody_prepared_gives_its_calls_by_the_runtime_that_answers(file, tmp_path):
    """One of them has the diagnostics socket; attach, start and ps say which, or how many there are."""
    with two_that_run(("net10", "net9"), 15, prepared=False) as process:
        row = listed(process.pid)
        assert (row["profiler"], row["obstacle"]) == ("none", "")
        assert len(row["runtime_libraries"]) == 2
        assert f"{row['runtime']} and 1 more" in umbra("ps").stdout
        sampled = tmp_path / "sampled.h5"
        done = umbra("attach", process.pid, "--duration", "1s", "--force", "-o", sampled)
        assert done.returncode == 0, done.stderr
        assert f"has 2 runtimes; .NET {row['runtime']} has answered" in done.stderr
        done = umbra("start", process.pid, "--duration", "1s", "-q", "--force", "-o", file)
        assert (done.returncode, done.stderr) == (0, "")
    for profile in (Profile(sampled), Profile(file)):
        assert profile.column("runtimes", "version") == [f".NET {row['runtime']}"]
    assert Profile(file).calls("budget.dll")["Tiny.Mix"] > 0
