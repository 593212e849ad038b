# SPDX-License-Identifier: MIT
"""umbra diff, by its whole output, its verdicts and its exit status."""

import json
import os
import shutil

import pytest

from test_report import expect_golden


@pytest.fixture
def two(sample):
    """A profile, and one in which Acme.Cart<Item>.Add takes 20 % longer."""
    sample(), sample("slower")
    return ["plain.h5", "slower.h5"]


@pytest.fixture
def three(two, tmp_path):
    """Three runs of each, as alike as runs never are."""
    sides = []
    for file in two:
        sides.append([file, *(f"{number}-{file}" for number in (2, 3))])
        for copy in sides[-1][1:]:
            shutil.copy(tmp_path / file, tmp_path / copy)
    return [*sides[0], "--against", *sides[1]]


@pytest.mark.parametrize(
    ("golden", "arguments"),
    [("diff_three.txt", []), ("diff_three.json", ["--json", "--exclude", "Acme.Orders.*"])],
)
def test_several_runs_of_each(umbra, three, golden, arguments):
    ran = umbra("diff", *three, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    expect_golden(golden, ran.stdout)


def test_a_run_counts_once(umbra, three):
    assert "'slower.h5' is named twice" in umbra.fails(2, "diff", *three, "slower.h5")
    text = umbra.fails(2, "diff", "a.h5", "b.h5", "c.h5")
    assert "take --against between them" in text


@pytest.mark.parametrize(
    ("golden", "arguments"),
    [
        ("diff.txt", []),
        ("diff_top_1.txt", ["--top", "1", "--min", "2", "--absolute", "--pauses"]),
        ("diff.json", ["--json", "--include", "Acme.Core.dll"]),
    ],
)
def test_diff(umbra, two, golden, arguments):
    ran = umbra("diff", *two, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    expect_golden(golden, ran.stdout)


def test_the_same_profile_twice_has_no_change(umbra, sample):
    sample()
    ran = umbra("diff", "plain.h5", "plain.h5", "--fail-above", "0")
    assert (ran.returncode, ran.stderr) == (0, "")
    expect_golden("diff_same.txt", ran.stdout)


def test_a_change_within_what_the_probes_leave_in_doubt_is_none(umbra, three):
    report = json.loads(umbra("diff", *three, "--json").stdout)
    verdicts = {row["name"]: row["verdict"] for row in report["functions"]}
    assert verdicts == {
        "Acme.Cart<Item>.Add(Item, int)": "slower",
        "Acme.Orders.Fetch()": "new",
        "Acme.Orders.Receive()": "gone",
        "Acme.Pricing.Fib(int)": "same",
        "Shop.Program.Main(string[])": "slower below",
    }
    assert report["functions"][0]["name"] == "Acme.Cart<Item>.Add(Item, int)"


@pytest.mark.parametrize(
    ("limit", "status"), [("5%", 3), ("19.5", 3), ("20.5%", 0), ("0%", 3), ("1000%", 0)]
)
def test_the_exit_status_follows_the_worst_increase(umbra, three, limit, status):
    assert umbra("diff", *three, "--fail-above", limit).returncode == status
    assert umbra("diff", *three, "--fail-above", limit, "--json").returncode == status
    # The other way round nothing is slower.
    assert umbra("diff", *three[4:], *three[3:4], *three[:3], "--fail-above", limit).returncode == 0


def test_one_run_of_each_names_large_changes_only(umbra, two):
    ran = umbra("diff", *two, "--fail-above", "5%")
    assert ran.returncode == 0 and "only large changes are named" in ran.stdout


def test_profiles_that_cannot_be_compared_well_say_so(umbra, sample):
    sample(), sample("losses"), sample("empty")
    text = umbra("diff", "plain.h5", "losses.h5").stdout
    assert "doubts     different methods were timed, inlining was on in some only" in text
    assert "NEW was killed: signal 9 (SIGKILL), has lost events, is not complete, NEW has de-instrumented functions" in text
    assert "0 functions of both" in umbra("diff", "plain.h5", "empty.h5").stdout
    assert umbra("diff", "empty.h5", "empty.h5").returncode == 0


def test_the_largest_methods_are_shown_whatever_is_thought_of_them(umbra, two):
    """A person may know more of two runs than can be told from them."""
    text = umbra("diff", *two).stdout
    table = text.partition("The largest methods, by their own CPU time:\n\n")[2].partition("\n\n")[0]
    heading, *rows = table.splitlines()
    assert heading.split() == ["old", "new", "change", "calls", "+calls", "more", "than", "noise?", "name"]
    by_name = {row.split()[-1] if "Add" not in row else "Add": row for row in rows}
    assert "+20.4%" in by_name["Add"] and "may be noise" in by_name["Add"]
    assert "new" in by_name["Acme.Orders.Fetch()"] and "gone" in by_name["Acme.Orders.Receive()"]


def test_several_runs_show_changes_alone(umbra, three):
    assert "The largest methods" not in umbra("diff", *three).stdout


def test_the_gate_compares_whole_runs_only(umbra, sample):
    sample(), sample("losses")
    ran = umbra("diff", "plain.h5", "losses.h5", "--fail-above", "5%")
    assert ran.returncode == 2
    assert ran.stderr == ("umbra: --fail-above compares whole runs only: losses.h5 was killed: signal 9 (SIGKILL), "
                          "has lost events, is not complete\n")
    assert umbra("diff", "plain.h5", "losses.h5").returncode == 0


def test_without_files_the_two_newest_are_compared(umbra, two, sample):
    for number, file in enumerate(two):
        os.utime(umbra.folder / file, (1000 + number, 1000 + number))
    shutil.copy(umbra.folder / "plain.h5", umbra.folder / "older.h5")
    os.utime(umbra.folder / "older.h5", (10, 10))
    ran = umbra("diff")
    assert ran.returncode == 0
    assert ran.stderr == "umbra: plain.h5 and slower.h5 are the newest profiles in this folder\n"
    assert ran.stdout == umbra("diff", *two).stdout


def test_a_file_that_cannot_be_read_is_named(umbra, sample, tmp_path):
    sample()
    (tmp_path / "notes.txt").write_text("hello\n")
    assert "cannot read 'notes.txt'" in umbra.fails(1, "diff", "plain.h5", "notes.txt")
    assert "cannot read 'none.h5'" in umbra.fails(1, "diff", "none.h5", "plain.h5")


@pytest.mark.parametrize("limit", ["five", "-1%", "%", "nan", "inf", "5%%", "1e999"])
def test_a_limit_that_is_no_percentage_is_a_wrong_command_line(umbra, limit):
    assert "is not a percentage, as in 5%" in umbra.fails(2, "diff", "a", "b", "--fail-above=" + limit)


def test_it_takes_two_files(umbra):
    assert "NEW is required" in umbra.fails(2, "diff", "a.h5")
