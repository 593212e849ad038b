# SPDX-License-Identifier: MIT
"""Profile.tests and Profile.endpoints are the tables of `umbra report --by test` and `--by endpoint`."""

import json
import os
import subprocess

import pytest

h5py = pytest.importorskip("h5py")
pytest.importorskip("pandas")
import umbra  # noqa: E402

TIMES = ["wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"]


def told(path, kind="test"):
    done = subprocess.run(
        [os.environ["UMBRA"], "report", "--by", kind, "--json", str(path)],
        check=True,
        capture_output=True,
    )
    return json.loads(done.stdout)[f"{kind}s"]


def rows(frame, *more):
    return frame[["module_name", "name", "calls", *TIMES, *more]].to_numpy().tolist()


def lines(rows_told, *more):
    return [[one[key] for key in ("module", "name", "calls", *TIMES, *more)] for one in rows_told]


def assert_same(path):
    """Both tables are those of the report, order and all. Answers the report's tests."""
    report = told(path)
    with umbra.open(path) as profile:
        tests, below = profile.tests(), profile.tests(below=True)
        names = profile.functions["name"]
    assert rows(tests, "framework", "truncated_ns") == lines(report, "framework", "truncated_ns")
    if len(tests):
        assert tests["share_percent"].sum() == pytest.approx(100)
    assert below["test"].drop_duplicates().isin(tests.index).all()
    assert names[tests.index].tolist() == tests["name"].tolist()
    assert names[below["function"]].tolist() == below["name"].tolist()
    for test, one in zip(tests.index, report):
        part = below[below["test"] == test]
        assert rows(part) == lines(one["below"])
        assert (part["test_name"] == one["name"]).all()
        shares = 100 * part["wall_self_ns"] / one["wall_total_ns"]
        assert part["share_percent"].to_numpy() == pytest.approx(shares.to_numpy())
    return report


def test_an_async_test_takes_from_begin_to_result(sample):
    fetch, fib = assert_same(sample("tests"))
    assert (fetch["wall_total_ns"], fetch["below"][0]["calls"]) == (4_000_000_000, 40)
    assert (fib["framework"], fib["below"]) == ("NUnit", [])


@pytest.mark.parametrize("variant", ["plain", "empty", "sampled"])
def test_without_tests_the_table_is_empty(sample, variant):
    path = sample(variant)
    assert assert_same(path) == []
    with umbra.open(path) as profile:
        assert profile.tests().empty and profile.tests(below=True).empty
        assert {"name", "calls", "framework", "truncated_ns"} <= set(profile.tests().columns)
        assert {"test_name", "name", "share_percent"} <= set(profile.tests(below=True).columns)


def test_endpoints_are_told_in_the_same_way(sample):
    path = sample("tests")
    (report,) = told(path, "endpoint")
    with umbra.open(path) as profile:
        endpoints, below = profile.endpoints(), profile.endpoints(below=True)
    assert rows(endpoints, "endpoint", "truncated_ns") == lines([report], "endpoint", "truncated_ns")
    assert rows(below) == lines(report["below"])
    assert (below["endpoint"] == "GET /items/{id}").all()
    assert (below["method"] == endpoints.index[0]).all()


def test_without_endpoints_the_table_is_empty(sample):
    with umbra.open(sample("plain")) as profile:
        assert profile.endpoints().empty and profile.endpoints(below=True).empty
        assert {"name", "calls", "endpoint"} <= set(profile.endpoints().columns)
