# SPDX-License-Identifier: MIT
"""umbra.diff is a frame of what `umbra diff --json` says."""

import json
import math
import os
import subprocess

import numpy as np
import pytest
from conftest import rewrite, set_text

h5py = pytest.importorskip("h5py")
pytest.importorskip("pandas")
import umbra  # noqa: E402

ADD, RECEIVE, SEND = (
    "Acme.Cart<Item>.Add(Item, int)", "Acme.Orders.Receive()", "Acme.Orders.Send()"
)  # fmt: skip


@pytest.fixture
def runs(sample):
    """Three runs of two versions: Add takes 260 ms longer in the new one, Receive is called Send."""

    def changed(path, by_ns, names):
        def longer(ns):
            return ns + (np.arange(len(ns)) == 1) * by_ns

        times = ("wall_self_ns", "cpu_self_ns", "wall_self_raw_ns")
        rewrite(path, "functions", name=names, **dict.fromkeys(times, longer))
        return path

    def sent(names):
        return np.where(names == RECEIVE.encode(), SEND.encode(), names)

    old = [changed(sample(name=f"old{run}.h5"), run * 10**6, None) for run in range(3)]
    new = [changed(sample(name=f"new{run}.h5"), (260 + run) * 10**6, sent) for run in range(3)]
    return old, new


def told(old, new, *options):
    command = [os.environ["UMBRA"], "diff", "--json", *options, *old, "--against", *new]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["functions"]


@pytest.mark.parametrize(
    "by, column, options, given",
    [
        ("self", "wall_self_ns", {}, []),
        ("total", "wall_total_ns", {"absolute": True}, ["--absolute"]),
        ("cpu", "cpu_self_ns", {"pauses": True}, ["--pauses"]),
        ("cpu_total_ns", "cpu_total_ns", {"min_percent": 50}, ["--min", "50"]),
    ],
)
def test_the_frame_has_every_row_of_the_comparison(runs, by, column, options, given):
    frame, expected = umbra.diff(*runs, by, **options), told(*runs, *given)
    assert len(frame) == len(expected) == 5
    for (_, row), one in zip(frame.iterrows(), expected):
        old, new = one["old"], one["new"]
        assert (row["name"], row["module_name"]) == (one["name"], one["module"])
        assert row["verdict"] == one["verdict"]
        assert (row["old_ns"], row["new_ns"]) == (old[column], new[column])
        assert row["change_ns"] == new[column] - old[column]
        if old[column]:
            assert row["change_percent"] == pytest.approx(100 * row["change_ns"] / old[column])
        assert (row["calls_old"], row["calls_new"]) == (old["calls"], new["calls"])
        assert row["rough"] == (old["rough"] or new["rough"])
        judged = one["total" if one["verdict"].endswith("below") else "self"]
        if row["name"] in (RECEIVE, SEND):  # not in both
            assert math.isnan(row["chance"]) and math.isnan(row["error_ns"])
        elif not options.get("min_percent"):
            assert (row["chance"], row["error_ns"]) == (judged["chance"], judged["error_ns"])


def test_a_slower_method_is_named_first(runs):
    changed = umbra.diff(*runs)
    first = changed.iloc[0]
    assert (first["name"], first["verdict"]) == (ADD, "slower")
    assert first["change_ns"] == pytest.approx(260e6, rel=0.03)
    assert first["change_percent"] == pytest.approx(20, rel=0.03) and first["chance"] < 0.01
    assert dict(zip(changed["name"], changed["verdict"]))[SEND] == "new"
    back = umbra.diff(*reversed(runs)).set_index("name")
    assert back.loc[ADD, ["verdict", "change_ns"]].tolist() == ["faster", -first["change_ns"]]
    assert back.loc[SEND, "verdict"] == "gone" and back["change_ns"].dtype == "int64"


def test_open_profiles_and_names_of_files_are_the_same(runs, tmp_path, monkeypatch):
    opened = [[umbra.open(path) for path in side] for side in runs]
    monkeypatch.chdir(tmp_path)
    expected = umbra.diff(*runs)
    assert umbra.diff(*opened).equals(expected)
    assert umbra.diff(*[[path.name for path in side] for side in runs]).equals(expected)
    old, new = opened[0][0], opened[1][0]
    assert old.diff(new, by="total").equals(umbra.diff(runs[0][0], new, "total"))


def test_what_cannot_be_compared_says_why(runs, tmp_path, monkeypatch):
    old, new = runs
    (tmp_path / "x.h5").write_text("no profile")
    set_text(new[0], "cpu_source", "none")
    for error, text, arguments in (
        (umbra.ProfileError, f"^cannot read '{tmp_path}/x.h5': it is not", (old, tmp_path / "x.h5")),
        (ValueError, "named twice", ([old[0], old[0]], new)),
        (ValueError, "no profile", ([], new)),
        (ValueError, "not 'calls'", (old, new, "calls")),
        (ValueError, "no times on a processor", (old, new, "cpu")),
    ):
        with pytest.raises(error, match=text):
            umbra.diff(*arguments)
    with pytest.raises(ValueError, match="--min"):
        umbra.diff(old, new, min_percent=101)
    monkeypatch.delenv("UMBRA")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="'umbra diff' is needed.*variable UMBRA"):
        umbra.diff(old, new)
    (tmp_path / "umbra").write_text("#!/bin/sh\necho '{\"functions\": []}'\n")
    (tmp_path / "umbra").chmod(0o755)
    assert len(umbra.diff(old, new)) == 0


def test_copies_of_a_module_are_compared_as_one(sample):
    """A name that a file has once more, or in a second copy of its module, stays what it is elsewhere."""
    plain, copies = sample(), sample("copies")
    with umbra.open(plain) as old, umbra.open(copies) as new:
        names = new.functions["name"]
        assert names.is_unique and "Acme.Pricing.Fib(int) [copy 1]" in set(names)
        for name in names[names.str.contains("Fib")]:
            assert set(new.callers(name)["callee_name"]) == {name}
        assert "Acme.Pricing.Fib(int)" in set(old.diff(new)["name"])
    both = umbra.aggregate([plain, copies]).functions.set_index("name")
    assert both.loc["Acme.Pricing.Fib(int)", "files"] == 2
