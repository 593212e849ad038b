# SPDX-License-Identifier: MIT
"""Profile.tests is the table of `umbra report --by test`."""

import json
import os
import subprocess

import pytest
from conftest import rewrite

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")
pytest.importorskip("pandas")
import umbra  # noqa: E402

PATHS = 2_000  # of a call tree that was made up
FUNCTIONS = 24  # that are called in it
TIMES = ["wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"]


def told(path):
    done = subprocess.run(
        [os.environ["UMBRA"], "report", "--by", "test", "--json", str(path)],
        check=True,
        capture_output=True,
    )
    return json.loads(done.stdout)["tests"]


def rows(frame, *more):
    return frame[["module_name", "name", "calls", *TIMES, *more]].to_numpy().tolist()


def lines(rows_told, *more):
    return [[one[key] for key in ("module", "name", "calls", *TIMES, *more)] for one in rows_told]


def assert_same(path):
    """Both tables are those of the report, order and all. Answers the report's tests."""
    report = told(path)
    with umbra.open(path) as profile:
        tests, below = profile.tests(), profile.tests(below=True)
    assert rows(tests, "framework", "truncated_ns") == lines(report, "framework", "truncated_ns")
    if len(tests):
        assert tests["share_percent"].sum() == pytest.approx(100)
    assert below["test"].drop_duplicates().isin(tests.index).all()
    for test, one in zip(tests.index, report):
        part = below[below["test"] == test]
        assert rows(part) == lines(one["below"])
        assert (part["test_name"] == one["name"]).all()
        shares = 100 * part["wall_self_ns"] / one["wall_total_ns"]
        assert part["share_percent"].to_numpy() == pytest.approx(shares.to_numpy())
    return report


def test_an_async_test_has_its_pieces(sample):
    fetch, fib = assert_same(sample("tests"))
    assert (fetch["wall_total_ns"], fetch["below"][0]["calls"]) == (350_000_000, 40)
    assert (fib["framework"], fib["below"]) == ("NUnit", [])


@pytest.mark.parametrize("variant", ["plain", "empty", "sampled"])
def test_without_tests_the_table_is_empty(sample, variant):
    path = sample(variant)
    assert assert_same(path) == []
    with umbra.open(path) as profile:
        assert profile.tests().empty and profile.tests(below=True).empty
        assert {"name", "calls", "framework", "truncated_ns"} <= set(profile.tests().columns)
        assert {"test_name", "name", "share_percent"} <= set(profile.tests(below=True).columns)


@pytest.mark.parametrize("seed", range(6))
def test_made_up_trees_give_the_same_tables(tmp_path, seed):
    """Tests that call each other and themselves, methods in pieces, recursion, files of folded
    trees with time on paths without a row (odd seeds)."""
    path = tmp_path / "made.h5"
    subprocess.run([os.environ["UMBRA_WRITE_SYNTHETIC"], str(PATHS), str(path)], check=True)
    random = np.random.default_rng(seed)
    with h5py.File(path) as file:
        count = len(file["functions"])
    names = [b"Made.T.M%d()" % number for number in range(count)]
    raw = [b"Made.T.M%d" % number for number in range(count)]
    for number in range(0, FUNCTIONS, 3):  # the function before it starts it
        names[number + 1] = names[number]
        raw[number + 1] = b"Made.T/<M%d>d__%d.MoveNext" % (number, number)
    # Some paths go far down, others not.
    parent = np.maximum(np.arange(PATHS) - random.integers(1, 40, PATHS), -1)
    function = random.integers(0, FUNCTIONS, PATHS)
    values = {name: random.integers(0, 10**9, PATHS) for name in TIMES}
    values["calls"] = random.integers(0, 50, PATHS)
    rewrite(path, "calltree", parent=parent, function=function, thread=0 * parent, **values)
    sums = {
        name: np.bincount(function, values[name], minlength=count).astype(np.int64)
        for name in values
    }
    sums["wall_total_ns"] += 10**13 * (seed % 2) * (sums["calls"] > 0)
    rewrite(
        path,
        "functions",
        name=names,
        raw_name=raw,
        test=[b"xUnit" if number % 4 == 0 else b"" for number in range(count)],
        module=lambda modules: np.zeros_like(modules),
        **sums,
    )
    report = assert_same(path)
    assert len(report) > 3 and all(one["below"] for one in report)
    assert any(one["truncated_ns"] > 0 for one in report) or seed % 2 == 0
