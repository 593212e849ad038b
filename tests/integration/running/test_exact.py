# SPDX-License-Identifier: MIT
"""Calls are exact without any option: every row equals what the program has counted itself, and two runs
of it are equal in every row. Trivial methods have no row, unless they are asked for."""
import re
from collections import Counter

import pytest

from running_program import Program, Capture, difference
from targets import umbra
from umbra_runner import TIERING, by_method, check_counts, check_sound, on_runtimes, run_umbra, run_well

ROUNDS = 100
# Counted by themselves, and part of their callers: tests/managed/exact/Trivial.cs.
TRIVIAL = re.compile(r"^(Item|T|Pair)\.")
AT_ONCE = {"DOTNET_TC_CallCountingDelayMs": "0", "DOTNET_TC_BackgroundWorkerTimeoutMs": "0"}


def check_rows(profile, counts, module="exact.dll", trivial=False):
    """Each method's row tells its calls; trivial ones have none, unless they are timed."""
    rows = by_method(profile.calls(module))
    known = by_method(counts)
    assert len(known) > 90
    wrong = {name: (rows[name], calls) for name, calls in known.items()
             if rows[name] != (calls if trivial or not TRIVIAL.match(name) else 0)}
    assert not wrong, wrong
    assert all(not text for text in profile.column("functions", "inlined_into"))


def names_of_trivial(profile):
    return {name for name, trivial in zip(profile.methods(), profile["functions"]["trivial"]) if trivial}


@pytest.mark.parametrize("options", [[], ["--trivial"]], ids=["default", "trivial"])
@on_runtimes(TIERING | {"at once": AT_ONCE})
def test_every_row_equals_the_truth(file, runtime, setting, options):
    done = run_well(file, runtime.command("exact", ROUNDS), *options, environment=setting)
    check_sound(done.profile)
    check_rows(done.profile, done.expected["counts"], trivial=bool(options))


def test_two_runs_have_equal_calls_in_every_row(tmp_path, runtime):
    runs = [run_umbra(tmp_path / f"{i}.h5", runtime.command("exact", ROUNDS)).profile.calls("exact.dll")
            for i in range(2)]
    assert runs[0] == runs[1]


def callers(profile):
    """Calls by caller and callee. What calls itself last is its own caller in code that is not optimised alone."""
    methods = profile.methods()
    calls = Counter()
    for row in profile["edges"]:
        caller, callee = (methods[row[end]] if row[end] >= 0 else "" for end in ("caller", "callee"))
        if row["caller"] != row["callee"]:
            calls[caller, callee] += int(row["calls"])
    recursive = {callee for _, callee in calls if callee.split(".")[0] in ("Tails", "Link", "Stair", "Ring<int>", "Ring<T>")}
    return {pair: number for pair, number in calls.items() if pair[1] not in recursive}


def test_who_called_whom_does_not_depend_on_the_tier(tmp_path, runtime):
    """Optimised code would make a tail call of the last one: its caller's caller would be told, and its time
    not be part of its caller's."""
    runs = [callers(run_umbra(tmp_path / f"{name}.h5", runtime.command("exact", ROUNDS),
                              environment=environment).profile)
            for name, environment in (TIERING | {"at once": AT_ONCE}).items()]
    assert runs[0]["Calls.Forward", "Calls.Add"] == 20 * ROUNDS
    once = (("Calls.Pointed", "Calls.Add"), ("Calls.Dropped", "Calls.Add"), ("Deck<int>.Draw", "Deck<int>.Draw"),
            ("Deck<T>.Draw", "Deck<T>.Draw"), ("Hop.Go", "Goal.Go"))
    assert [runs[0][pair] for pair in once] == [ROUNDS] * len(once)
    for run in runs[1:]:
        assert run == runs[0]


@pytest.mark.parametrize("options", [[], ["--trivial"]], ids=["default", "trivial"])
def test_a_capture_counts_like_a_run(tmp_path, runtime, prepared, options):
    """Of a program that has long been hot: its methods are inlined into one another by then."""
    with Program(runtime, program="exact", prepared=prepared) as program:
        for _ in range(15):
            program.do(f"work {ROUNDS}")
        for turn in range(2):
            capture = Capture(program.pid, tmp_path / f"{turn}.h5", *options)
            before = program.do("work 0")
            after = program.do(f"work {ROUNDS}")
            profile = capture.stop()
            check_sound(profile)
            assert callers(profile)["Calls.Forward", "Calls.Add"] == 20 * ROUNDS
            counts = dict.fromkeys(after, 0) | difference(after, before)
            # What asks for the counts is a call of its own: in the capture, but not in the difference.
            counts["Work.Run"] += 1
            counts["Count.Hit"] += 1
            check_rows(profile, counts, trivial=bool(options))
        program.end()


def test_names_of_trivial_methods_are_in_the_file(file, net10):
    done = run_umbra(file, net10.command("exact", 2))
    trivial = names_of_trivial(done.profile)
    assert {"Item.P0.get", "Item.P7.set", "Item.Sum3", "T.Max2", "Pair.Left.get"} <= trivial
    text = umbra("report", file, "--details").stdout
    assert re.search(r"trivial +\d+ methods are part of their callers", text), text
    asked = umbra("report", file, "--callers", "Max2")
    assert asked.returncode != 0
    assert "Exact.T.Max2 is trivial" in asked.stderr and "--trivial" in asked.stderr
    shown = umbra("report", file, "--include", "Exact.T.Max2").stdout
    assert "Exact.T.Max2 is trivial" in shown, shown


@pytest.mark.parametrize("options", [
    ["--include", "Exact.T.Max2"],
    ["--include", "exact!Exact.T.Max*", "--include", "Exact.T.Max2"],
    ["--slowest", "Exact.T.Max2=3"],
], ids=["include", "beside others", "slowest"])
def test_who_names_a_method_gets_it(file, net10, options):
    done = run_umbra(file, net10.command("exact", 2), *options)
    calls = done.profile.calls("exact.dll")
    assert calls["T.Max2"] == done.expected["counts"]["T.Max2"]
    assert calls["T.Max1"] == 0


def test_arguments_name_a_method(tmp_path, net10):
    with Program(net10, program="exact", prepared=False) as program:
        program.do("work 3")
        capture = Capture(program.pid, tmp_path / "p.h5", "--args", "Exact.T.Max2(a)")
        before = program.do("work 0")
        after = program.do("work 4")
        assert capture.stop().calls("exact.dll")["T.Max2"] == difference(after, before)["T.Max2"]
        program.end()


def test_a_pattern_of_many_names_none(file, net10):
    done = run_umbra(file, net10.command("exact", 2), "--include", "Exact.T.*")
    assert done.profile.calls("exact.dll")["T.Max2"] == 0


def test_inlined_calls_are_marked(file, net10):
    """--inlining: what is missing is said, and where it has gone."""
    done = run_umbra(file, net10.command("exact", 3000), "--inlining",
                     environment={"DOTNET_TC_CallCountingDelayMs": "0"})
    profile = done.profile
    into = Counter()  # instantiations share a name
    for name, text in zip(profile.methods(), profile.column("functions", "inlined_into")):
        into[name] += bool(text)
    calls = profile.calls("exact.dll")
    missing = {name: (calls[name], known) for name, known in done.expected["counts"].items()
               if calls[name] < known and not TRIVIAL.match(name)}
    assert "Calls.Add" in missing
    assert all(into[name] for name in missing), missing
    text = umbra("report", file, "--details", "--include", "Exact.Calls.Add").stdout
    assert f">= {calls['Calls.Add']:,}" in text, text
    assert "Exact.Calls.Add(int, int) into " in text, text
    assert '"inlined_into":' in umbra("report", file, "--json").stdout


@pytest.mark.parametrize("options", [[], ["--inlining"]], ids=["default", "inlining"])
def test_a_method_called_by_code_without_probes_keeps_its_row(file, runtime, options):
    """A compiled expression calls it: inlined there it would leave no trace. Into methods that have
    probes --inlining lets it be inlined, and says so."""
    done = run_well(file, runtime.command("lost", 50), *options)
    if not options:
        check_counts(done.profile, done.expected, "lost.dll")
        return
    into = Counter()
    for name, text in zip(done.profile.methods(), done.profile.column("functions", "inlined_into")):
        assert "code made at run time" not in text
        into[name] += bool(text)
    calls = done.profile.calls("lost.dll")
    assert all(calls[name] == known or into[name] for name, known in done.expected["counts"].items())


def test_what_code_made_at_run_time_has_inlined_is_named(tmp_path, net10):
    """The runtime does not compile such code anew: the row says that calls are missing."""
    with Program(net10, program="lost", prepared=True) as program:
        program.do("serve 5")
        capture = Capture(program.pid, tmp_path / "p.h5")
        program.do("serve 5")
        profile = capture.stop()
        into = dict(zip(profile.methods(), profile.column("functions", "inlined_into")))
        assert into["Handler.Token"] == "code made at run time"
        text = umbra("report", tmp_path / "p.h5", "--details").stdout
        assert "Lost.Handler.Token() into code made at run time" in text, text
        program.end()
