# SPDX-License-Identifier: MIT
"""Scripted runtimes that the agent comes to while they run, all or some of them, and captures of them:
the chosen ones are timed, call by call."""
import contextlib
import os
import struct
import subprocess

import pytest

from bare_collector import RemainListener, message
from profile_file import Profile
from scripted_runtimes import CHOICES, RUNSXS, VERSIONS, calls_of, check_exact, faults, profiled
from targets import AGENT, CLSID, SAMPLER_CLSID, agent_variables
from umbra_runner import TIMEOUT_SECONDS, UMBRA, child_of, end_if_alive, wait_until


class Scripted:
    """umbra-runsxs, at a line of its script that waits to be told to go on. `attach` in `begin` is
    completed by who makes the agent remain, unless it says by whom."""

    def __init__(self, folder, listener, begin, rest, environment=None):
        self.go_on = folder / "go_on"
        ready = folder / "ready"
        script = folder / "script.txt"
        attach = f"data={listener.client_data.hex()}"
        lines = [f"{line} {attach}" if line.startswith("attach ") and "data=" not in line else line
                 for line in begin]
        script.write_text("\n".join([*lines, f"tell {ready}", f"wait {self.go_on}", *rest, ""]))
        self.process = subprocess.Popen(
            [RUNSXS, "--calls", script], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | agent_variables() | (environment or {}))
        wait_until(lambda: ready.exists() or self.process.poll() is not None)
        self.pid = child_of(self.process.pid)  # each script has a process of its own

    def end(self):
        """What it prints."""
        self.go_on.touch()
        out, errors = self.process.communicate(timeout=TIMEOUT_SECONDS)
        assert (self.process.returncode, errors) == (0, ""), out[:2000]
        assert not faults(out)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        end_if_alive(self.process)


@contextlib.contextmanager
def capture(pid, file, *options):
    """`umbra start` to the end of the process. A list that has what it prints behind that."""
    printed = []
    with subprocess.Popen([UMBRA, "start", str(pid), "--force", "-o", str(file), "--tree=full", *options],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        begun = process.stderr.readline()
        yield printed
        out, errors = process.communicate(timeout=TIMEOUT_SECONDS)
        printed += [out, begun + errors, process.returncode]


def instances(names):
    return [f"instance {name} {VERSIONS[name]} ids=4096" for name in names]


def comings(way, names):
    """Lines by which the agent comes to all of them: to the first at its start, to all later."""
    if way == "attach":
        return [f"attach {' '.join(names)}"]
    return [f"start {names[0]}", f"run {names[0]} calls=100", f"attach {' '.join(names[1:])}"]


def time_script(file, tmp_path, names, way, listener, *options, environment=None):
    """Its output, its profile, None where nothing could be timed, and what umbra has printed."""
    every = " ".join(names)
    rest = [f"run {every} calls=1000 threads=2 together", f"through {every} calls=300",
            f"shutdown {every}"]
    with Scripted(tmp_path, listener, [*instances(names), *comings(way, names)], rest,
                  environment) as script:
        with capture(script.pid, file, *options) as printed:
            out = script.end()
    return out, Profile(file) if file.exists() else None, printed


@pytest.fixture
def listener(tmp_path):
    with RemainListener(tmp_path) as made:
        yield made


@pytest.mark.parametrize("chosen_by", ["the environment", "the capture"])
@pytest.mark.parametrize("way", ["attach", "mixed"])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("choice, places", CHOICES)
def test_the_chosen_ones_are_timed_and_the_others_run_on(file, tmp_path, listener, choice, places,
                                                         count, way, chosen_by):
    names = list(VERSIONS)[:count]
    wanted = [names[place - 1] for place in places if place <= count]
    environment, options = None, []
    if chosen_by == "the environment":
        environment = {"UMBRA_RUNTIMES": choice}
    else:
        options = [f"--runtimes={choice}"]
    out, profile, (_, errors, status) = time_script(file, tmp_path, names, way, listener, *options,
                                                    environment=environment)
    attached = names[1:] if way == "mixed" else names
    taken = [name == "AgentState" for name, _ in listener.answers]
    refused = [text for name, text in listener.answers if name == "Notice"]
    if chosen_by == "the environment":
        assert taken == [name in wanted for name in attached]
        assert all(b"UMBRA_RUNTIMES leaves this runtime" in text for text in refused)
    else:
        assert taken == [True] * len(attached)
    if not wanted:
        assert (profile, status) == (None, 1), errors
        return
    assert status == 0, errors
    check_exact(out, profile)
    assert profiled(profile) == {name: {f".NET {VERSIONS[name]}"} for name in wanted}


@pytest.mark.parametrize("probe", ["hooks", "il"])
def test_one_that_started_with_it_is_timed_by_either_kind_of_probes(file, tmp_path, listener, probe):
    """Those that it has come to later have probes in their IL all the same, in the same profile."""
    out, profile, (_, errors, status) = time_script(file, tmp_path, list("abc"), "mixed", listener,
                                                    f"--probe={probe}")
    assert status == 0, errors
    told = check_exact(out, profile)
    assert any(path.count("Script.") == 8 for path in told), "a thread went through all of them"
    assert set(profiled(profile)) == set("abc")


@pytest.mark.parametrize("choice, wanted", [("all", "ab"), ("first", "a")])
@pytest.mark.parametrize("way", ["attach", "mixed"])
def test_a_link_to_the_agent_is_the_same_agent(file, tmp_path, listener, way, choice, wanted):
    link = tmp_path / "another.so"
    link.symlink_to(AGENT)
    names = ["a", "b"]
    begin = [*instances(names), f"profiler b {link}", *comings(way, names)]
    rest = ["run a b calls=500 together", "shutdown a b"]
    with Scripted(tmp_path, listener, begin, rest, {"UMBRA_RUNTIMES": choice}) as script:
        with capture(script.pid, file):
            out = script.end()
    profile = Profile(file)
    check_exact(out, profile)
    assert set(profiled(profile)) == set(wanted)


@pytest.mark.parametrize("way", ["attach", "mixed"])
def test_another_class_id_is_another_profiler(file, tmp_path, listener, way):
    names = ["a", "b"]
    other = CLSID.replace("8C7A1F5E", "00000001")
    begin = [*instances(names), f"profiler b {AGENT} {other}", *comings(way, names)]
    rest = ["run a b calls=500 together", "expect b refused", "shutdown a b"]
    with Scripted(tmp_path, listener, begin, rest) as script:
        with capture(script.pid, file):
            out = script.end()
    assert "DllGetClassObject" in out
    profile = Profile(file)
    check_exact(out, profile)
    assert set(profiled(profile)) == {"a"}


SAMPLE_ORDER = message("SampleOrder", struct.pack("<II", 100_000, 10_000))


@pytest.mark.parametrize("clsid, order, asked, able", [
    (SAMPLER_CLSID, message("Remain"), "stay, for recordings", "take samples"),
    (CLSID, SAMPLE_ORDER, "take samples", "stay, for recordings"),
], ids=["the sampler", "the timer"])
def test_each_class_takes_its_own_order_alone(file, tmp_path, listener, clsid, order, asked, able):
    """What is refused counts for nothing: the other runtime is the first that is profiled."""
    (tmp_path / "other").mkdir()
    with RemainListener(tmp_path / "other", order) as other:
        begin = [*instances("ab"), f"profiler a {AGENT} {clsid}",
                 f"attach a data={other.client_data.hex()}", "attach b"]
        rest = ["run a b calls=500 together", "expect a refused", "shutdown a b"]
        with Scripted(tmp_path, listener, begin, rest, {"UMBRA_RUNTIMES": "first"}) as script:
            with capture(script.pid, file):
                out = script.end()
    (name, told), = other.answers
    assert name == "Notice"
    assert f"asked to {asked}, but the class that was attached can only {able}".encode() in told
    assert [name for name, _ in listener.answers] == ["AgentState"]
    profile = Profile(file)
    check_exact(out, profile)
    assert set(profiled(profile)) == {"b"}


def test_the_sampler_refuses_to_be_there_from_the_start(tmp_path, listener):
    log = tmp_path / "log"
    begin = [*instances("a"), f"profiler a {AGENT} {SAMPLER_CLSID}", "start a"]
    rest = ["expect a refused", "run a calls=500", "shutdown a"]
    with Scripted(tmp_path, listener, begin, rest, {"UMBRA_LOG": str(log)}) as script:
        script.end()
    assert "not profiled: CORECLR_PROFILER names the class of `umbra attach`" in log.read_text()


def test_captures_one_after_the_other_while_runtimes_come_and_go(file, tmp_path, listener):
    """The agent comes to one more, another ends: each capture has those that are there."""
    begin = [*instances("abc"), "start a", "attach b"]
    steps = [("all", ["run a b calls=400 together"], "ab"),
             ("one:9.0", ["run a b calls=400 together"], "b"),
             ("all", ["shutdown a", "run a b calls=400 together"], "b")]
    rest = []
    for number, (_, lines, _) in enumerate(steps):
        rest += [*lines, f"tell {tmp_path}/done{number}", f"wait {tmp_path}/go{number}"]
    rest += ["attach c " + f"data={listener.client_data.hex()}", f"tell {tmp_path}/done",
             f"wait {tmp_path}/go", "run b c calls=400 together", "shutdown b c"]
    with Scripted(tmp_path, listener, begin, rest) as script:
        for number, (choice, _, wanted) in enumerate(steps):
            its = tmp_path / f"{number}.h5"
            with capture(script.pid, its, f"--runtimes={choice}") as printed:
                (script.go_on if number == 0 else tmp_path / f"go{number - 1}").touch()
                wait_for(tmp_path / f"done{number}")
                assert subprocess.run([UMBRA, "stop", str(script.pid)]).returncode == 0
            assert printed[2] == 0, printed
            assert set(calls_of(Profile(its))) == set(wanted)
        (tmp_path / f"go{len(steps) - 1}").touch()
        wait_for(tmp_path / "done")
        with capture(script.pid, file) as printed:
            (tmp_path / "go").touch()
            script.end()
        assert set(calls_of(Profile(file))) == set("bc")


def wait_for(path):
    if not wait_until(path.exists):
        pytest.fail(f"{path} is not made")
