# SPDX-License-Identifier: MIT
"""umbra.open: frames that say what the file says, the hot list that umbra report shows, diff."""

import html
import json
import os
import re
import subprocess

import numpy as np
import pytest
from conftest import rewrite

h5py = pytest.importorskip("h5py")
pd = pytest.importorskip("pandas")
import umbra  # noqa: E402
from umbra import _schema  # noqa: E402

FRAMES = [name for name in _schema.TABLES if name != "long_strings"]


def report(path, *options):
    done = subprocess.run(
        [os.environ["UMBRA"], "report", str(path), "--json", *options],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("variant", ["plain", "losses", "wall", "long", "sampled", "slow", "async", "slow_async"])
def test_every_frame_holds_what_the_file_holds(sample, variant):
    path = sample(variant)
    with h5py.File(path) as f, umbra.open(path) as profile:
        for name in FRAMES:
            frame = getattr(profile, name)
            assert len(frame) == len(f[name]) == profile.rows(name)
            for column, known in _schema.TABLES[name].items():
                if known.kind != "text":
                    assert frame[column].tolist() == f[name][column].tolist(), (name, column)
                    assert frame[column].dtype == f[name].dtype[column]


def test_values_of_arguments_bear_their_names(sample):
    path = sample()
    with umbra.open(path) as profile:
        arguments, values = profile.arguments, profile.argument_values
    assert arguments["name"].tolist() == ["n", "item.Name", "item", "Acme.Nowhere(x)"]
    assert arguments["function_name"].tolist()[0] == "Acme.Pricing.Fib(int)"
    assert arguments["function_name"].tolist()[3] == ""
    assert [bool(why) for why in arguments["refusal"]] == [False, False, True, True]
    by_argument = {
        (entry["function"], entry["argument"]): entry["by_value"]
        for entry in report(path, "--by-arg")["arguments"]
        if entry["refusal"] is None
    }
    assert sum(len(rows) for rows in by_argument.values()) == len(values) == 5
    for (function, argument), rows in by_argument.items():
        mine = values[
            (values["function_name"] == function) & (values["argument_name"] == argument)
        ]
        assert mine["value"].tolist() == [row["value"] for row in rows]
        for column in ("rest", "calls", "unfinished", "wall_total_ns", "wall_p99_ns"):
            assert mine[column].tolist() == [row[column] for row in rows], column
        for mean_ns, row in zip(mine["wall_mean_ns"], rows, strict=True):
            assert np.isnan(mean_ns) if row["calls"] == row["unfinished"] else True
            assert np.isnan(mean_ns) or abs(mean_ns - row["wall_mean_ns"]) <= 1


def test_async_calls_are_those_of_the_report(sample):
    path = sample("async")
    told = report(path, "--async")["async"]
    with umbra.open(path) as profile:
        methods, tree, waits = profile.async_methods, profile.async_tree, profile.async_waits
    assert len(told) == len(methods) == 1
    for column in methods.columns:
        if column in told[0] and column != "wall_mean_ns":
            assert methods[column].tolist() == [told[0][column]], column
    assert methods["wall_mean_ns"].tolist() == [methods["wall_ns"][0] / methods["calls"][0]]
    parts = ["running_ns", "children_ns", "others_ns", "outside_ns", "queued_ns"]
    assert methods[parts].sum(axis=1).tolist() == methods["wall_ns"].tolist()
    assert tree["parent"].tolist() == [-1, 0]
    assert tree["how"].tolist() == ["root", "spawned"]
    assert waits["awaited"].tolist()[0] == "Task.Delay"
    assert waits["awaited_function_name"].tolist()[1] == methods["function_name"][0]
    own = waits[waits["function"] != -1]
    assert own["total_ns"].tolist() == [
        await_["total_ns"] for await_ in sorted(told[0]["awaits"], key=lambda a: -a["total_ns"])
    ]


@pytest.mark.parametrize("variant", ["slow", "slow_async"])
def test_slow_calls_are_those_of_the_report(sample, variant):
    path = sample(variant)
    all_told = report(path, "--slowest")["slowest"]
    told = all_told[0]
    with umbra.open(path) as profile:
        calls = profile.slow_calls
        requests = profile.slow_methods["request"].tolist()
        assert requests == [method["request"] for method in all_told]
        assert calls["function_name"].tolist() == [told["name"]] * len(told["calls"])
        assert calls["wall_ns"].tolist() == [call["wall_ns"] for call in told["calls"]]
        for row, call in enumerate(told["calls"]):
            frame = profile.slow_call(row)
            for column in ("depth", "kind", "start_ns", "duration_ns", "self_ns", "calls"):
                expected = [one[column] for one in call["slices"]]
                assert frame[column].tolist() == expected, (row, column)
        assert profile.slow_call(17).empty


def test_without_slow_calls_their_frames_are_empty(sample):
    with umbra.open(sample()) as profile:
        assert profile.slow_methods.empty
        assert profile.slow_calls.empty
        assert profile.slow_slices.empty
        assert "function_name" in profile.slow_calls
        assert profile.slow_call(0).empty


def test_without_arguments_their_frames_are_empty(sample):
    with umbra.open(sample("async")) as profile:
        assert profile.arguments.empty
        assert profile.argument_values.empty
        assert "function_name" in profile.argument_values


def test_the_schema_is_that_of_umbra():
    """A column that umbra adds is added to python/umbra/_schema.py as well."""
    listing = subprocess.run(
        [os.environ["UMBRA_WRITE_SAMPLE"], "--listing"], check=True, capture_output=True, text=True
    ).stdout
    documented, table = {}, None
    for line in listing.splitlines():
        if line.startswith("### "):
            table = line.split("`")[1] if "Table" in line else None
        elif table and line.startswith("| `"):
            cells = [cell.strip(" `") for cell in line.strip("|").split(" | ")]
            kind = "text" if cells[1] == "string" else cells[1]
            row_of = cells[2].removeprefix("row of ") if cells[2].startswith("row of") else None
            documented.setdefault(table, {})[cells[0]] = (kind, row_of)
    known = {
        table: {name: (column.kind, column.refers_to) for name, column in columns.items()}
        for table, columns in _schema.TABLES.items()
    }
    assert known == documented


def test_names_stand_beside_row_numbers(sample):
    profile = umbra.open(sample())
    edge = profile.edges.set_index(["caller", "callee"]).loc[(1, 2)]
    assert edge["caller_name"] == "Acme.Cart<Item>.Add(Item, int)"
    assert edge["callee_name"] == "Acme.Pricing.Fib(int)"
    assert edge["callee_module"] == "Acme.Core.dll"
    outside = profile.edges[profile.edges["caller"] == -1]
    assert set(outside["caller_name"]) == {""}
    assert profile.calltree["thread_name"].tolist()[3] == ".NET TP Worker"
    assert profile.functions["module_name"].tolist()[0] == "shop.dll"
    assert profile.pauses["thread_name"].tolist() == ["Main", ".NET TP Worker", ""]
    assert profile.exceptions["thrown_in_name"].tolist()[1] == ""
    assert profile.histograms["function_name"].tolist()[0] == "Acme.Pricing.Fib(int)"


def test_long_texts_are_whole_and_control_characters_gone(sample):
    functions = umbra.open(sample("long")).functions
    assert functions["name"][1] == "Acme." + "x" * 300 + "\u20ac.Add(Item, int)"
    raw = functions["raw_name"][1]
    assert raw.endswith("y" * 1000) and raw.isprintable() and "\x1b" not in raw


def test_the_session_is_there(sample):
    profile = umbra.open(sample("losses"))
    assert profile.session["program"] == "shop.dll"
    assert profile.session["command_line"].endswith("J\u00fcrgen")
    assert profile.session["lost_events"] > 0
    assert "shop.dll" in repr(profile) and "incomplete" in repr(profile)


@pytest.mark.parametrize("sort", ["self", "total", "calls", "cpu"])
def test_the_hot_list_is_that_of_the_report(sample, sort):
    path = sample()
    hot = umbra.open(path).hot(None, by=sort)
    expected = report(path, "--sort", sort, "--top", "1000")["functions"]
    own = hot["cpu_self_ns" if sort == "cpu" else "wall_self_ns"]
    assert hot["share_percent"].tolist() == pytest.approx((100 * own / own.sum()).tolist())
    assert hot["name"].tolist() == [row["name"] for row in expected]
    for row, (_, actual) in zip(expected, hot.iterrows()):
        assert actual["calls"] == row["calls"]
        assert actual["wall_self_ns"] == row["wall_self_ns"]
        assert actual["wall_total_ns"] == row["wall_total_ns"]
        assert actual["wall_mean_ns"] == pytest.approx(row["wall_mean_ns"], abs=1)
        for name in ("p50_ns", "p90_ns", "p99_ns"):  # 0: no call has finished
            assert np.nan_to_num(actual[name]) == pytest.approx(row[f"wall_{name}"], abs=1)


def test_a_sampled_profile_lists_what_was_seen_on_a_stack(sample):
    path = sample("sampled")
    hot = umbra.open(path).hot(None)
    reported = report(path, "--top", "1000")["functions"]
    assert list(hot["name"]) == [row["name"] for row in reported]
    assert list(hot["wall_self_ns"]) == [row["wall_self_ns"] for row in reported]
    assert hot["calls"].tolist() == [130, 90, 10, 50], "samples stand where calls do"
    assert hot["wall_max_ns"].eq(0).all() and hot["p99_ns"].isna().all()


def test_hot_takes_the_first_rows_and_any_column(sample):
    profile = umbra.open(sample())
    assert len(profile.hot(2)) == 2
    assert profile.hot(1, by="max")["name"].tolist() == ["Shop.Program.Main(string[])"]
    assert profile.hot(1, by="paused_self_ns")["name"].tolist() == [
        "Acme.Cart<Item>.Add(Item, int)"
    ]
    with pytest.raises(ValueError, match="not 'colour'"):
        profile.hot(by="colour")


def test_percentiles_lie_in_the_bucket_that_holds_the_call(sample):
    profile = umbra.open(sample())
    found = profile.percentiles([0, 50, 94, 95, 100])
    # 635,621 calls, of which 600,000 are in [64, 128) and the rest in [128, 256).
    fib = found.loc[2]
    assert fib["p0_ns"] == 85  # the shortest call: a bucket starts before it
    assert fib["p50_ns"] == pytest.approx(64 + 64 * (317_811 - 0.5) / 600_000, abs=0.1)
    assert fib["p94_ns"] < 128 < fib["p95_ns"] < fib["p100_ns"] <= 256
    assert np.isnan(found.loc[5, "p50_ns"])
    assert list(profile.hot().filter(like="p9").columns) == ["p90_ns", "p99_ns"]


def test_callers_and_callees(sample):
    profile = umbra.open(sample())
    callers = profile.callers("Fib")
    assert callers["caller_name"].tolist() == [
        "Acme.Cart<Item>.Add(Item, int)",
        "(outside timed code)",
    ]
    assert callers["wall_total_ns"].tolist() == [500_000_000, 400_000_000]
    assert profile.callees(0)["callee_name"].tolist()[0] == "Acme.Cart<Item>.Add(Item, int)"
    assert profile.select("Acme.*.Fib(*")["calls"].tolist() == [635_621]
    assert profile.select("Cart<Item>.A")["calls"].tolist() == [5_000]


def test_a_part_of_a_large_table_is_read_alone(sample):
    profile = umbra.open(sample())
    part = profile.table("calltree", ["function", "calls"], start=1, stop=3)
    assert part.index.tolist() == [1, 2]
    assert part.columns.tolist() == ["function", "calls"]
    assert part["calls"].tolist() == [5_000, 625_619]
    assert len(profile.table("calltree", ["calls"], start=100)) == 0
    assert not {"functions", "calltree"} & set(vars(profile)), "nothing else has been read"
    with pytest.raises(KeyError, match="no column colour"):
        profile.table("calltree", ["colour"])


def test_a_large_table_is_read_in_blocks(sample):
    path = sample()
    count = 200_001  # more than three blocks
    with h5py.File(path, "r+") as f:
        rows = np.zeros(count, dtype=f["histograms"].dtype)
        rows["calls"] = np.arange(count)
        rows["upper_ns"] = 1
        del f["histograms"]
        f.create_dataset("histograms", data=rows, chunks=(4096,), compression="gzip")
    assert umbra.open(path).histograms["calls"].tolist() == list(range(count))


def test_an_empty_profile_answers_with_empty_frames(sample):
    profile = umbra.open(sample("empty"))
    assert len(profile.hot()) == len(profile.percentiles()) == len(profile.callers("x")) == 0
    assert len(profile.diff(profile)) == 0


def test_the_page_stands_in_a_frame_of_its_own(sample, with_page, tmp_path):
    page = umbra.open(sample()).flame(height=500)
    page.save(tmp_path / "own.html")
    told = [os.environ["UMBRA"], "export", "--html", tmp_path / "umbra.html", sample()]
    subprocess.run(told, check=True)
    assert (tmp_path / "own.html").read_bytes() == (tmp_path / "umbra.html").read_bytes()
    framed = page._repr_html_()
    (source,) = re.findall(r'^<iframe srcdoc="([^"<>]*)" sandbox="([^"]*)" style="[^"]*500px', framed)
    assert html.unescape(source[0]) == page.html and "allow-same-origin" not in source[1]
    assert len(repr(page)) < 80


def test_two_equal_runs_differ_in_nothing(sample):
    old, new = umbra.open(sample(name="a.h5")), umbra.open(sample(name="b.h5"))
    assert set(old.diff(new)["verdict"]) == {"same"}
    assert set(old.diff(new)["change_ns"]) == {0}


def test_units_are_in_the_names(sample):
    profile = umbra.open(sample())
    in_ms = umbra.in_unit(profile.hot(), "ms")
    assert in_ms["wall_self_ms"].tolist()[0] == 1300.0
    assert not [name for name in in_ms.columns if name.endswith("_ns")]
    with pytest.raises(ValueError):
        umbra.in_unit(profile.hot(), "weeks")
