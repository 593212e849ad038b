# SPDX-License-Identifier: MIT
"""Methods are called what their author called them."""
import json
import re

from umbra_runner import UMBRA, output_of, report, run_umbra, run_well

# Beside the constructs of names_table.py.
NAMES = [
    "Shapes.Delegates.Closing.lambda(int)",
    "Shapes.Program.Main()",
    "Shapes.Point.Area()",
    "Shapes.Threads.Work(object)",
    "Shapes.Members.Swap(ref int, ref int)",
    "Shapes.Members.Many(int[], string, params object[])",
    "Shapes.Iterators.Squared(long)",
    "Shapes.Iterators.Squared(int)",
    "Shapes.Iterators.Even(IEnumerable<int>)",
    "Shapes.Box<int>.Put(int)",
    "Shapes.Box<Point>.Take()",
    "Shapes.Box<T>.Take()",
]


def test_names_are_as_the_user_wrote_them(file, runtime):
    profile = run_umbra(file, runtime.command("shapes")).profile
    names = set(profile.column("functions", "name"))
    missing = [name for name in NAMES if name not in names]
    assert not missing, "\n".join(missing + ["", "instead:"] + sorted(names))


def callers_of(file, method):
    """What `umbra report --callers` finds, by the name of the method: its calls, and those of each caller."""
    return {found["method"]["name"]: (found["method"]["calls"], [row["calls"] for row in found["callers"]])
            for found in report(file, "--callers", method)["methods"]}


def test_copies_of_a_library(file, runtime):
    ran = run_well(file, runtime.command("copies"), "--include", "copies!Plug.*", "--include", "copies!Program.*")
    names = ran.profile.column("functions", "name")
    assert len(names) == len(set(names))
    # Loads of one file are one module; what comes from memory is another.
    copies = {name for name in names if name.startswith("Plug.Work.Do(int) [") and "copy " in name}
    assert len(copies) == 5
    for wanted in ("Plug.Work.Do(int)", "Work.Do", "copies.dll!Plug.Work.Do"):
        found = callers_of(file, wanted)
        assert set(found) == copies
        assert sorted(calls for calls, _ in found.values()) == [10, 20, 30, 40, 50]
    for name, (calls, callers) in found.items():
        assert callers == [calls]
        assert list(callers_of(file, name)) == [name], "a name that is shown means one method"
        rows = report(file, "--include", name)["functions"]
        assert [row["name"] for row in rows] == [name]
    shares = re.findall(r"([\d.]+)%  ", output_of(UMBRA, "report", "--callers", "Work.Do", file))
    assert len(shares) == 5 and all(float(share) <= 100 for share in shares)
    speedscope = output_of(UMBRA, "export", "--speedscope=-", file)
    assert {frame["name"] for frame in json.loads(speedscope)["shared"]["frames"]} >= set(copies)


def test_names_in_which_nothing_is_seen(file, runtime):
    ran = run_well(file, runtime.command("copies"))
    names = set(ran.profile.column("functions", "name"))
    for spelled in (r"\u200b", r"\u200b\u200b", r"\u202e", r"\u2028", r"\ufeff", r"\u0001", r"\u00a0"):
        assert f"Odd.{spelled}()" in names, sorted(names)
        assert list(callers_of(file, f"Odd.{spelled}()")) == [f"Odd.{spelled}()"]
    assert names >= {f"Odd.Get() [returns {kind}]" for kind in ("int", "string", "long")}
    assert len(names) == ran.profile["functions"].size
    # What is seen is what a pattern may say.
    only = file.with_name("only.h5")
    ran = run_well(only, runtime.command("copies"), "--include", r"Odd.\u202e")
    assert [name for name, calls in zip(ran.profile.column("functions", "name"), ran.profile["functions"]["calls"])
            if calls] == [r"Odd.\u202e()"]
