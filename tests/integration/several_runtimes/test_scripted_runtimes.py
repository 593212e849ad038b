# SPDX-License-Identifier: MIT
"""The agent under the scripted runtimes of umbra-runsxs: no verdict against it, exact calls of each
runtime, the call tree of threads that go through several."""
import os
import re
import shutil
import subprocess
from collections import Counter

import pytest

from profile_file import Profile
from scripted_runtimes import (CHOICES, RUNSXS, SCRIPTS, VERSIONS, check_exact, faults, paths_of,
                               profiled, script_names, told_by)
from targets import agent_variables
from umbra_runner import check_sound, run_umbra

# The sanitizers that umbra was built with, or "": they take memory of their own, and time.
SANITIZERS = os.environ.get("UMBRA_SANITIZE", "")
SECONDS = 600 if SANITIZERS else 60


def run_script(file, script, *options, environment=None):
    done = run_umbra(file, [RUNSXS, "--calls", f"--timeout={SECONDS}", script], "-q", "--tree=full",
                     *options, environment=environment, timeout=2 * SECONDS)
    assert (done.status, done.stderr) == (0, ""), done.stdout[:2000]
    assert not faults(done.stdout)
    return done


@pytest.mark.parametrize("name", ["in_turn", "together", "staggered", "equal_ids", "through", "blind",
                                  "attach"])
def test_calls_and_trees_are_those_of_the_script(file, name):
    done = run_script(file, SCRIPTS / f"{name}.txt")
    check_exact(done.stdout, done.profile)
    for instance, versions in profiled(done.profile).items():
        assert versions == {f".NET {VERSIONS[instance]}"}


def test_a_thread_through_all_of_them(file, tmp_path):
    """One stack, with the right parents across the borders, exceptions and all."""
    script = tmp_path / "script.txt"
    script.write_text("".join(f"instance {name} {version} ids=4096\n"
                              for name, version in VERSIONS.items()) +
                      "start a b c\n"
                      "through a b c calls=3000\n"
                      "through c a calls=3000\n"
                      "shutdown b\n"
                      "through a c calls=100\n"
                      "shutdown c a\n")
    done = run_script(file, script)
    told = check_exact(done.stdout, done.profile)
    assert told["Script.a.M0;Script.a.M1;Script.b.M0;Script.b.M1;Script.c.M0"] == 3000 / 12
    threads = dict(zip(done.profile.column("threads", "name"), done.profile["threads"]["runtime"]))
    assert set(threads.values()) == {-1}, "each called methods of several"


@pytest.mark.parametrize("how", ["in turn", "staggered", "together"])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("choice, places", CHOICES)
def test_the_chosen_ones_are_profiled_and_the_others_run_on(file, tmp_path, choice, places, count,
                                                             how):
    names = list(VERSIONS)[:count]
    wanted = [names[place - 1] for place in places if place <= count]
    every = " ".join(names)
    starts = {"in turn": f"start {every}\n", "together": f"start {every} together\n",
              "staggered": "".join(f"start {name}\nrun {name} calls=300\n" for name in names)}
    script = tmp_path / "script.txt"
    by_place = how == "together" and choice not in ("all", "one:9.0", "one:10")
    expected = "".join(f"expect {name} {'profiled' if name in wanted else 'refused'}\n"
                       for name in names if not by_place)
    script.write_text("".join(f"instance {name} {VERSIONS[name]} ids=4096\n" for name in names) +
                      starts[how] + f"run {every} calls=1000 threads=2 together\n" + expected +
                      f"shutdown {every}\n")
    command = [RUNSXS, "--calls", script]
    if not wanted:
        done = run_umbra(file, command, "-q", f"--runtimes={choice}")
        assert done.status == 0 and not file.exists() and not faults(done.stdout)
        assert f"--runtimes={choice} leaves others out" in done.stderr
        return
    done = run_script(file, script, f"--runtimes={choice}")
    check_exact(done.stdout, done.profile)
    found = profiled(done.profile)
    assert len(found) == len(wanted)
    if not by_place:  # started at once, any may be the second
        assert found == {name: {f".NET {VERSIONS[name]}"} for name in wanted}


def test_runtimes_that_come_and_go(file):
    """With the same FunctionIDs each time: no call is booked to one that has gone."""
    done = run_script(file, SCRIPTS / "load_and_unload.txt")
    check_sound(done.profile)
    assert len(done.profile["runtimes"]) == 3000
    counts = Counter()
    for name, calls in zip(script_names(done.profile), done.profile["functions"]["calls"]):
        counts[name] += int(calls)
    told = Counter()
    for path, calls in told_by(done.stdout).items():
        told[path.rsplit(";", 1)[-1]] += calls
    assert counts == told


@pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer keeps memory of its own for each runtime")
def test_runtimes_that_come_and_go_leave_little_behind():
    """The agent keeps its object of each, of about a kilobyte; the harness a third of that."""
    done = subprocess.run([RUNSXS, SCRIPTS / "load_and_unload.txt"], text=True, capture_output=True,
                          timeout=120, env=os.environ | agent_variables())
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    early, late = map(int, re.search(r"memory (\d+) KiB after .* repeats, (\d+) KiB", done.stdout).groups())
    assert (late - early) * 1024 / 2700 < 2048, "bytes a runtime, of three in 900 repeats"


def test_another_class_id_is_another_profiler(file, tmp_path):
    script = tmp_path / "script.txt"
    script.write_text("instance a 10.0.12\ninstance b 9.0.18\n"
                      f"profiler b {os.environ['UMBRA_AGENT']} {{00000001-0002-0003-0405-060708090a0b}}\n"
                      "start a b\nrun a b\nexpect a profiled\nexpect b refused\nshutdown a b\n")
    done = run_script(file, script)
    assert "DllGetClassObject" in done.stdout
    check_exact(done.stdout, done.profile)
    assert set(profiled(done.profile)) == {"a"}


def test_a_link_to_the_agent_is_the_same_agent(file, tmp_path):
    """The loader knows a library by its file: one profile, and the choice holds for both."""
    link = tmp_path / "another.so"
    link.symlink_to(os.environ["UMBRA_AGENT"])
    script = tmp_path / "script.txt"
    script.write_text("instance a 10.0.12\ninstance b 9.0.18\n"
                      f"profiler b {link}\nstart a b\nrun a b together\nshutdown a b\n")
    done = run_script(file, script)
    check_exact(done.stdout, done.profile)
    assert set(profiled(done.profile)) == {"a", "b"}
    done = run_script(file, script, "--runtimes=first")
    check_exact(done.stdout, done.profile)
    assert set(profiled(done.profile)) == {"a"}


def test_the_harness_says_what_it_cannot_do(tmp_path):
    def run(*arguments, **environment):
        return subprocess.run([RUNSXS, *map(str, arguments)], text=True, capture_output=True,
                              timeout=SECONDS, env=os.environ | environment)

    script = tmp_path / "script.txt"
    script.write_text("instance a ten\n")
    clsid = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}"
    for arguments, why in ((["--profiler", "/nowhere.so", "--clsid", clsid, script], "/nowhere.so"),
                           (["--clsid", clsid, script], "which profiler?"),
                           (["--profiler", RUNSXS, script], "is not a class id"),
                           (["--profiler", RUNSXS, "--clsid", clsid, script], "is no version"),
                           (["--profiler", RUNSXS, "--clsid", clsid, tmp_path / "no"], "cannot read"),
                           ([], "which script?")):
        done = run(*arguments, CORECLR_PROFILER_PATH="", CORECLR_PROFILER="")
        assert (done.returncode, done.stdout) == (2, ""), done
        assert why in done.stderr and len(done.stderr.splitlines()) == 1
    listed = run("--checks")
    assert listed.returncode == 0
    assert {"own-info", "own-ids", "crash"} <= {line.split()[0] for line in listed.stdout.splitlines()}


def test_two_copies_of_the_agent(file, tmp_path):
    """Each is an agent of its own, with a profile of its own; of one runtime there is one profile."""
    copy = shutil.copy(os.environ["UMBRA_AGENT"], tmp_path / "another.so")
    script = tmp_path / "script.txt"
    script.write_text("instance a 10.0.12\ninstance b 9.0.18\n"
                      f"profiler b {copy}\nstart a b\nrun a b together\nshutdown a b\n")
    done = run_script(file, script)
    profiles = [Profile(path) for path in tmp_path.glob("*.h5")]
    assert len(profiles) == 2
    told = Counter()
    for profile in profiles:
        check_sound(profile)
        told += paths_of(profile)
    assert told == told_by(done.stdout)
    for path in tmp_path.glob("*.h5"):
        path.unlink()
    done = run_script(file, script, "--runtimes=first")
    check_exact(done.stdout, done.profile)
    assert set(profiled(done.profile)) == {"a"}
    assert list(tmp_path.glob("*.h5")) == [file]
