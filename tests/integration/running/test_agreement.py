# SPDX-License-Identifier: MIT
"""Tree, page, pprof, callgrind and hot list say the same of the inclusive time of a method."""
import base64
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from runtimes import compiler
from umbra_runner import UMBRA, output_of, report, run_well

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from protobuf import stacks_of  # noqa: E402

TOLERANCE = 0.01  # of a method's inclusive time
SUM_TOLERANCE = 0.001  # of the same with what the probes took, and of its own time
LEAST = 0.001  # of all time: what has less is rounded too often


def by_method(rows):
    """Inclusive times and all of the time. `rows`: (row of the parent or -1, name, own time), parents first."""
    total = [own for _, _, own in rows]
    for row in range(len(rows) - 1, -1, -1):
        if rows[row][0] >= 0:
            total[rows[row][0]] += total[row]
    above, sums, whole = [], Counter(), 0
    for row, (parent, name, _) in enumerate(rows):
        names = above[parent] if parent >= 0 else frozenset()
        whole += total[row] if parent < 0 else 0
        if name not in names:  # else it is part of a call of the same method
            sums[name] += total[row]
        above.append(names | {name})
    return sums, whole


def shown_tree(file):
    """Rows of `umbra report --tree`."""
    return report(file, "--tree", "--min", 0, "--depth", 65536)["tree"]


def above(file, names):
    """Methods that have one of these somewhere below them."""
    found, path = set(), []
    for row in shown_tree(file):
        del path[row["depth"]:]
        if row["name"] in names:
            found.update(path)
        path.append(row["name"])
    return found - names


def by_tree(file):
    """As `umbra report --tree` shows it; then inclusive times with what the probes took, and own times."""
    shown = shown_tree(file)
    rows, raw_rows, path, own = [], [], [], Counter()
    for row in shown:
        del path[row["depth"]:]
        parent = path[-1] if path else -1
        rows.append((parent, row["name"], row["wall_self_ns"]))
        raw_rows.append((parent, row["name"], row["wall_self_raw_ns"]))
        path.append(len(rows) - 1)
        own[row["name"]] += row["wall_self_ns"]
    sums, whole = by_method(rows)
    raw_sums, _ = by_method(raw_rows)
    outermost = sum(row["wall_total_ns"] for row in shown if row["depth"] == 0)
    assert outermost == pytest.approx(whole, rel=TOLERANCE)
    return sums, whole, raw_sums, own


def by_page(file):
    page = file.with_suffix(".html")
    output_of(UMBRA, "export", "--html", page, file)
    data = re.search(r'<script[^>]*id="profile">([^<]*)</script>', page.read_text())[1]
    tables = json.loads(gzip.decompress(base64.b64decode(data)))["tables"]
    tree, names = tables["calltree"], tables["functions"]["name"]
    return by_method([(parent, names[function], own) for parent, function, own in
                      zip(tree["parent"], tree["function"], tree["wall_self_ns"])])


def by_pprof(file):
    out = file.with_suffix(".pprof")
    output_of(UMBRA, "export", "--pprof", out, file)
    sums, whole = Counter(), 0
    for stack, ns in stacks_of(gzip.decompress(out.read_bytes()), "wall"):
        whole += ns
        for name in set(stack):
            sums[name] += ns
    return sums, whole


def by_callgrind(file):
    """Inclusive times, all of the time, and the methods that call themselves, directly or through others: of
    these it tells no inclusive time."""
    out = file.with_suffix(".callgrind")
    output_of(UMBRA, "export", "--callgrind", out, file)
    names, function, callee = {}, None, None
    sums, callees, whole = Counter(), defaultdict(set), 0
    for line in out.read_text().splitlines():
        kind, _, text = line.partition("=")
        if kind in ("fn", "cfn"):
            number, _, name = text.partition(" ")
            name = names.setdefault(number, name)
            function, callee = (name, None) if kind == "fn" else (function, name)
        elif re.match(r"\d+ \d", line):
            ns = int(line.split()[1])
            sums[function] += ns
            if callee:
                callees[function].add(callee)
            else:
                whole += ns
            callee = None
    recursive = set()
    for method in sums:
        seen, waiting = set(), [method]
        while waiting and method not in seen:
            new = callees[waiting.pop()] - seen
            seen |= new
            waiting.extend(new)
        if method in seen:
            recursive.add(method)
    return sums, whole, recursive


def managed(name):
    return lambda folder, runtime: (runtime.command(name), [])


def async_shapes(folder, runtime):
    return runtime.command("async_shapes", 20), []


PROGRAMS = {**{name: managed(name) for name in ("fib", "shapes", "fsharp", "tells")},
            "async_shapes": async_shapes,
            "compiler": lambda folder, runtime: (compiler(folder / "out.dll"),
                                                 ["--include", "Microsoft.CodeAnalysis.CSharp!*Parser*"])}


@pytest.mark.parametrize("program", PROGRAMS)
def test_views_agree_on_inclusive_times(tmp_path, file, net10, program):
    command, options = PROGRAMS[program](tmp_path, net10)
    done = run_well(file, command, *options)
    functions = report(file)["functions"]
    whole_calls = report(file, "--async")
    is_async = {row["name"] for row in whole_calls["async"]}
    callers = above(file, is_async)
    hot, hot_raw, hot_own, doubt = Counter(), Counter(), Counter(), Counter()
    for function in functions:
        # Of async methods lists have calls from begin to result, and paths the time on threads, which
        # may be others than those of a method that is not async and calls them.
        if function["name"] not in is_async | callers:
            hot[function["name"]] += function["wall_total_ns"]
            hot_raw[function["name"]] += function["wall_total_raw_ns"]
            hot_own[function["name"]] += function["wall_self_ns"]
        # What the probes took is known of all calls of a function together, and how it is divided among
        # them moves a part of it from path to path.
        doubt[function["name"]] += (function["wall_total_raw_ns"] - function["wall_total_ns"]) / 2

    expected, whole, raw, own = by_tree(file)
    truncated = int(done.profile.truncated_ns)
    of_callgrind, of_view, recursive = by_callgrind(file)
    assert of_view == pytest.approx(whole, rel=TOLERANCE)
    for name, ns in hot.items():  # some calls of a method may be on paths without a row
        if ns >= LEAST * whole:
            assert expected[name] <= ns * (1 + TOLERANCE) + doubt[name], name
            # Where calls are too short to bear their probes, the long ones of the same methods do, and the
            # paths that these are on lose more than the methods on them do.
            divided = max(doubt[name], (raw[name] - expected[name]) / 2)
            # Of recursion that goes back to a caller of the method the tree tells at that caller.
            assert name in recursive or expected[name] >= ns * (1 - TOLERANCE) - divided - truncated, name
            assert truncated or own[name] == pytest.approx(hot_own[name], rel=SUM_TOLERANCE), name
            # What was measured is in doubt of nothing.
            assert raw[name] <= hot_raw[name] * (1 + SUM_TOLERANCE), name
            assert name in recursive or truncated or raw[name] >= hot_raw[name] * (1 - SUM_TOLERANCE), name
    worth = {name: ns for name, ns in expected.items() if ns >= LEAST * whole}
    assert len(worth) > 2
    for view in (by_page, by_pprof):
        found, of_view = view(file)
        assert of_view == pytest.approx(whole, rel=TOLERANCE)
        assert {name: found[name] for name in worth} == pytest.approx(worth, rel=TOLERANCE), view.__name__

    of_tree = {name: expected[name] for name in callers}
    worth = {name: ns for name, ns in (hot | of_tree).items()
             if name not in recursive and ns >= LEAST * whole}
    assert worth
    for name, ns in worth.items():
        assert of_callgrind[name] == pytest.approx(ns, rel=TOLERANCE, abs=doubt[name]), name
