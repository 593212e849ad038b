# SPDX-License-Identifier: MIT
"""Ten shapes of async code as services have them (tests/managed/async_shapes): what the report says of each
method's calls is what these have measured themselves."""
import json

import pytest

from async_tables import TOLERANCE_NS
from measured import until_measured
from profile_file import Profile
from running_program import Program, Capture
from targets import umbra
from umbra_runner import FULL, check_sound, report, run_well

ROUNDS = 50 if FULL else 20
WARM_ROUNDS = 5
SHARE = 0.02
ITEMS, TRIES = 6, 3
# How often each method is called in a round.
CALLS = {"Orders.PlaceAsync": 1, "Orders.AskAsync": 1, "Db.QueryAsync": 2,
         "Quotes.QuoteAsync": 1, "Quotes.SupplierAsync": 3,
         "Prices.PriceAsync": 1, "Prices.CachedAsync": 1,
         "Exports.ExportAsync": 1, "Exports.StreamAsync": ITEMS + 1,
         "Reports.RenderAsync": 1,
         "Shipping.ShipAsync": 1, "Shipping.CarrierAsync": TRIES,
         "Packing.PackAsync": 1, "Legacy.Load": 1,
         "Baskets.ShowAsync": 1, "Baskets.ReadAsync": 1, "Baskets.PartAsync": 2}
# What they awaited, and whose it was. Others may have been there already when they were looked at.
AWAITED = {"Orders.PlaceAsync": {("child", "Db.QueryAsync"), ("child", "Orders.AskAsync")},
           "Orders.AskAsync": {("outside", "Task.Delay")},
           "Db.QueryAsync": {("outside", "Task.Delay")},
           "Prices.PriceAsync": {("child", "Prices.CachedAsync")},
           "Exports.ExportAsync": {("child", "Exports.StreamAsync")},
           "Shipping.ShipAsync": {("child", "Shipping.CarrierAsync"), ("outside", "Task.Delay")},
           "Packing.PackAsync": {("outside", "SemaphoreSlim.WaitAsync"), ("outside", "Task.Delay")},
           "Baskets.PartAsync": {("other", "Baskets.ReadAsync")}}


def plain(name):
    """"Orders.PlaceAsync" of "AsyncShapes.Orders.PlaceAsync(int)"."""
    return name.removeprefix("AsyncShapes.").partition("(")[0]


def listed(file, table, *options):
    """Rows of a report by method."""
    return {plain(row["name"]): row for row in report(file, "--top", 1000, *options)[table]}


class Report:
    """Whole calls of async methods, and the list of all methods."""

    def __init__(self, file):
        self.asynchronous = listed(file, "async", "--async")
        self.all = listed(file, "functions")

    def figures(self, method):
        """Calls, their time, and the longest, from the list that has calls of the method."""
        if row := self.asynchronous.get(method):
            return row["calls"], row["wall_ns"], row["wall_max_ns"]
        row = self.all[method]
        return row["calls"], row["wall_total_ns"], row["wall_max_ns"]


def from_the_start(runtime, file):
    done = run_well(file, runtime.command("async_shapes", ROUNDS))
    check_sound(done.profile)
    return Report(file), done.expected


def of_a_hot_program(runtime, file, work="work"):
    """Nobody has prepared it."""
    with Program(runtime, program="async_shapes", prepared=False) as running:
        running.do(f"work {WARM_ROUNDS}")
        capture = Capture(running.pid, file)
        truth = running.do(f"{work} {ROUNDS}")
        check_sound(capture.stop())
        running.end()
    return Report(file), truth


WAYS = {"from the start": from_the_start, "hot": of_a_hot_program}


def check_calls(report, truth):
    """Every call is there, and what it awaited."""
    assert {method: row["calls"] for method, row in truth.items() if method in CALLS} == \
        {method: calls * ROUNDS for method, calls in CALLS.items()}
    assert {method: report.figures(method)[0] for method in truth} == \
        {method: row["calls"] for method, row in truth.items()}
    for method in CALLS.keys() - {"Legacy.Load"}:
        row = report.asynchronous[method]
        cancelled = (TRIES - 1) * ROUNDS if method == "Shipping.CarrierAsync" else 0
        assert (row["cancelled"], row["faults"], row["open"], row["before"], row["unknown"]) == \
            (cancelled, 0, 0, 0, 0), method
        assert row["results"] == row["calls"] - cancelled, method
    awaited = {method: {(one["how"], plain(one["name"])) for one in report.asynchronous[method]["awaits"]}
               for method in AWAITED}
    assert awaited == AWAITED
    # Nine of ten prices are there at once.
    assert report.asynchronous["Prices.CachedAsync"]["never_suspended"] == ROUNDS * 9 // 10


def differences(report, truth, outliers):
    """Methods whose time or mean is not the program's, as text. `outliers`: of each the longest call may have
    been longer than the program saw: what has probes was compiled anew after it had looked at its stopwatch."""
    found = []
    for method, known in truth.items():
        calls, told_ns, longest_ns = report.figures(method)
        more_ns = told_ns - known["total_ns"]
        share = more_ns / known["total_ns"]
        print(f"{method:24}{calls:5}{known['total_ns'] / 1e6:12.3f} ms{told_ns / 1e6:12.3f} ms{share:9.2%}")
        tolerance_ns = max(SHARE * known["total_ns"], TOLERANCE_NS * known["calls"])
        most_ns = tolerance_ns + (longest_ns if outliers else 0)
        if not -tolerance_ns <= more_ns <= most_ns:
            found.append(f"{method}: {told_ns} ns instead of {known['total_ns']} in {calls} calls")
        # The list of all methods has the same calls; of an iterator one for all its items.
        row = report.all[method]
        if method != "Exports.StreamAsync" and row["calls"] != calls:
            found.append(f"{method}: {row['calls']} calls instead of {calls} in the list of all methods")
        if abs(row["wall_total_ns"] - told_ns) > tolerance_ns:
            found.append(f"{method}: {row['wall_total_ns']} ns instead of {told_ns} in the list of all methods")
    return found


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_each_row_is_what_the_program_has_measured(way, file, runtime):
    def run():
        report, truth = way(runtime, file)
        check_calls(report, truth)
        return report, truth

    def compare(made):
        found = differences(*made, outliers=way is of_a_hot_program)
        assert not found, "\n".join(["", *found])

    until_measured(run, compare)


def test_a_step_that_has_its_result_is_not_open(file, net10):
    """Who awaits it goes on inside its MoveNext, here for as long as the program."""
    report, truth = of_a_hot_program(net10, file, "inside")
    row = report.asynchronous["Exports.StreamAsync"]
    assert (row["calls"], row["open"]) == (truth["Exports.StreamAsync"]["calls"], 0)


def test_a_method_that_blocks_takes_what_its_calls_take(file, net10):
    report, truth = of_a_hot_program(net10, file, "blocks")
    row, known = report.all["Legacy.Sum"], truth["Legacy.Sum"]
    assert row["calls"] == known["calls"]
    assert known["total_ns"] < row["wall_total_ns"] < 1.2 * known["total_ns"]
    assert row["wall_total_ns"] / row["calls"] <= row["wall_max_ns"]
    told = umbra("report", file, "--json", "--callers", "AsyncShapes.Legacy.Sum(int)")
    callers = json.loads(told.stdout)["methods"][0]["callers"]
    # Inclusive times are rounded row by row: of each caller here, of each thread in the list.
    more_ns = sum(caller["wall_total_ns"] for caller in callers) - row["wall_total_ns"]
    assert abs(more_ns) <= len(callers) + len(Profile(file)["threads"])


def test_what_goes_on_stands_where_it_was_called(file, net10):
    """Steps of few milliseconds: threads tell of the end of a call before others tell that it has gone on."""
    of_a_hot_program(net10, file, "inside")
    profile = Profile(file)
    methods = profile.methods()
    roots = {methods[row["function"]] for row in profile["calltree"] if row["parent"] < 0}
    assert not [method for method in roots if method.startswith("Exports.")]
