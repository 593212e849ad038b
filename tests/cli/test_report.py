# SPDX-License-Identifier: MIT
"""umbra report and umbra info, by their whole output.

UMBRA_UPDATE_GOLDEN=1 writes the expected files anew; look at the difference before committing it.
"""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from conftest import UMBRA

EXPECTED = Path(__file__).parent / "expected"
WHOLE = "report/summary.json"


def expect_golden(name, actual):
    golden = EXPECTED / name
    if os.environ.get("UMBRA_UPDATE_GOLDEN"):
        golden.write_text(actual)
    assert actual == golden.read_text()


def expect_golden_report(name, actual):
    """A report as JSON. Of the summary, which comes with every one, the file has what is not as in WHOLE."""
    golden = EXPECTED / name
    summary = json.loads((EXPECTED / WHOLE).read_text())["summary"]
    if os.environ.get("UMBRA_UPDATE_GOLDEN"):
        report = json.loads(actual)
        report["summary"] = dict(item for item in report["summary"].items() if item not in summary.items())
        golden.write_text(as_umbra_writes(report))
    report = json.loads(golden.read_text())
    report["summary"] = summary | report["summary"]
    assert actual == as_umbra_writes(report)


def as_umbra_writes(report):
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("golden", "variant", "arguments"),
    [
        (WHOLE, "plain", ["--json", "--thread", "nobody"]),  # before the files that leave out what is in it
        ("report/first_plain.txt", "plain", []),
        ("report/functions.txt", "plain", ["--details"]),
        ("report/total_top_1.txt", "plain", ["--sort", "total", "--top", "1"]),
        ("report/calls.txt", "plain", ["--sort=calls"]),
        ("report/cpu.txt", "plain", ["--sort", "cpu"]),
        ("report/exclude_pauses.txt", "plain", ["--exclude-pauses"]),
        ("report/no_compensation.txt", "plain", ["--no-compensation"]),
        ("report/first_wall.txt", "wall", []),
        ("report/wall.txt", "wall", ["--details"]),
        ("report/first_losses.txt", "losses", []),
        ("report/losses.txt", "losses", ["--details"]),
        ("report/first_dear.txt", "dear", []),
        ("report/dear.txt", "dear", ["--details"]),
        ("report/first_sampled.txt", "sampled", []),
        ("report/sampled.txt", "sampled", ["--details"]),
        ("report/sampled_tree.txt", "sampled", ["--tree"]),
        ("report/first_empty.txt", "empty", []),
        ("report/empty.txt", "empty", ["--details"]),
        ("report/first_long.txt", "long", []),
        ("report/long.txt", "long", ["--details"]),
        ("report/percentiles.txt", "plain", ["--percentiles"]),
        ("report/max.txt", "plain", ["--sort", "max"]),
        ("report/by_type.txt", "plain", ["--by", "type"]),
        ("report/by_module.txt", "plain", ["--by", "module", "--top", "1"]),
        ("report/by_thread.txt", "plain", ["--by", "thread"]),
        ("report/thread.txt", "plain", ["--thread", ".NET*"]),
        ("report/callers.txt", "plain", ["--callers", "Fib"]),
        ("report/first_copies.txt", "copies", []),
        ("report/copies.txt", "copies", ["--details"]),
        ("report/copies_callers.txt", "copies", ["--callers", "Acme.Pricing.Fib(int)"]),
        ("report/copies_callers.csv", "copies", ["--csv", "--callers", "Fib"]),
        ("report/callees.txt", "plain", ["--callees", "Shop.Program.Main"]),
        ("report/tree.txt", "plain", ["--tree", "--min", "16"]),
        ("report/first_async.txt", "async", []),
        ("report/async.txt", "async", ["--details"]),
        ("report/async_calls.txt", "async", ["--async"]),
        ("report/async_calls.csv", "async", ["--async", "--csv"]),
        ("report/async_calls.json", "async", ["--async", "--json"]),
        ("report/async_calls_none.txt", "plain", ["--async"]),
        ("report/async_calls_filtered.txt", "async", ["--async", "--exclude", "*"]),
        ("report/async_pieces.txt", "async", ["--pieces"]),
        ("report/async_tree.txt", "async", ["--tree"]),
        ("report/async_callers.txt", "async", ["--callers", "FetchAsync", "--sort", "calls"]),
        ("report/by_arg.txt", "plain", ["--by-arg"]),
        (
            "report/by_arg_top_1.txt",
            "plain",
            ["--by-arg", "--top=1", "--sort=calls", "--include=*.Fib"],
        ),
        ("report/by_arg_none.txt", "async", ["--by-arg"]),
        ("report/by_arg_filtered.txt", "plain", ["--by-arg", "--exclude", "*"]),
        ("report/by_arg_hostile.txt", "hostile", ["--by-arg"]),
        ("report/by_arg.csv", "plain", ["--csv", "--by-arg"]),
        ("report/by_arg.json", "plain", ["--json", "--by-arg", "--top", "1", "--sort", "max"]),
        ("report/by_test.txt", "tests", ["--by", "test"]),
        ("report/by_test_filtered.txt", "tests", ["--by=test", "--exclude=*"]),
        ("report/by_test_none.txt", "empty", ["--by", "test"]),
        ("report/by_test.csv", "tests", ["--by", "test", "--csv", "--sort", "calls"]),
        ("report/by_test.json", "tests", ["--by", "test", "--json", "--top", "1"]),
        ("report/by_endpoint.txt", "tests", ["--by", "endpoint"]),
        ("report/by_endpoint_filtered.txt", "tests", ["--by=endpoint", "--exclude=*"]),
        ("report/by_endpoint_none.txt", "empty", ["--by", "endpoint"]),
        ("report/by_endpoint.csv", "tests", ["--by", "endpoint", "--csv"]),
        ("report/slowest.txt", "slow", ["--slowest"]),
        ("report/slowest_top_1.txt", "slow", ["--slowest", "--top=1", "--include=*.Add"]),
        ("report/slowest_none.txt", "plain", ["--slowest"]),
        ("report/slowest_hostile.txt", "hostile", ["--slowest"]),
        ("report/slowest.json", "slow", ["--json", "--slowest"]),
        ("report/slowest_async.txt", "slow_async", ["--slowest"]),
        ("report/slowest_async.json", "slow_async", ["--json", "--slowest"]),
        ("report/functions.csv", "plain", ["--csv"]),
        ("report/tree.csv", "plain", ["--csv", "--tree", "--depth", "2"]),
        ("report/by_namespace.csv", "plain", ["--csv", "--by", "namespace", "--top", "1"]),
        ("report/callees.csv", "plain", ["--csv", "--callees", "Main"]),
        ("report/losses_top_1.json", "losses", ["--json", "--top", "1", "--sort", "calls"]),
    ],
)
def test_report(umbra, sample, golden, variant, arguments):
    ran = umbra("report", sample(variant).name, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    short = golden.endswith(".json") and golden != WHOLE
    (expect_golden_report if short else expect_golden)(golden, ran.stdout)


@pytest.mark.parametrize(
    ("variant", "arguments", "rows_of"),
    [
        ("plain", [], lambda report: report["functions"]),
        ("plain", ["--tree", "--depth", "2"], lambda report: report["tree"]),
        ("plain", ["--by", "namespace", "--top", "1"], lambda report: report["namespaces"]),
        ("plain", ["--callees", "Main"], lambda report: [
            {"method": one["method"]["name"], **row} for one in report["methods"] for row in one["callees"]]),
        ("tests", ["--by", "endpoint"], lambda report: [
            {"endpoint": one["endpoint"], **{column: row[column] for column in one["below"][0]}}
            for one in report["endpoints"] for row in (one, *one["below"])]),
    ],
)
def test_json_has_the_rows_of_csv(umbra, sample, variant, arguments, rows_of):
    """Which has its expected files above."""
    path = sample(variant)
    rows = rows_of(json.loads(umbra("report", path, "--json", *arguments).stdout))
    heading, *lines = csv.reader(umbra("report", path, "--csv", *arguments).stdout.splitlines())
    assert [list(row) for row in rows] == [heading] * len(lines)
    assert [[str(int(cell)) if isinstance(cell, bool) else str(cell) for cell in row.values()] for row in rows] == lines


def test_a_method_in_json_is_a_row_of_the_functions(umbra, sample):
    (main,) = json.loads(umbra("report", sample(), "--json", "--callees", "Main").stdout)["methods"]
    functions = json.loads(umbra("report", sample(), "--json").stdout)["functions"]
    assert main["method"] == next(row for row in functions if row["name"] == "Shop.Program.Main(string[])")


def test_an_endpoint_in_json_tells_more_than_in_csv(umbra, sample):
    (one,) = json.loads(umbra("report", sample("tests"), "--json", "--by", "endpoint").stdout)["endpoints"]
    assert list(one)[-3:] == ["endpoint", "truncated_ns", "below"] and one["truncated_ns"] == 0


def test_sorting_by_cpu_needs_cpu_times(umbra, sample):
    assert "has no CPU times to sort by" in umbra.fails(1, "report", sample("wall"), "--sort=cpu")


@pytest.mark.parametrize("order", ["awaiting", "queued"])
def test_orders_of_async_calls_go_with_them(umbra, sample, order):
    assert umbra("report", sample("async"), "--async", "--sort", order).returncode == 0
    told = umbra.fails(1, "report", sample("async"), "--sort", order)
    assert f"'umbra report FILE --async --sort {order}'" in told


def test_options_change_no_time_in_json(umbra, sample):
    plain = json.loads(umbra("report", sample(), "--json").stdout)
    other = umbra("report", sample(), "--json", "--exclude-pauses", "--no-compensation").stdout
    assert json.loads(other) == plain


def names(umbra, path, *arguments):
    """The names of the hot list."""
    report = json.loads(umbra("report", path, "--json", *arguments).stdout)
    return [function["name"] for function in report["functions"]]


@pytest.mark.parametrize("variant", ["plain", "shared"])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--include", "Acme.*"], ["Add", "Fib", "Receive"]),
        (["--include", "shop.dll"], ["Main"]),
        (["--include", "*!Acme.Cart.Add", "--include", "*.Main"], ["Add", "Main"]),
        (["--exclude", "Acme.Core.dll!*.Fib"], ["Add", "Receive", "Main"]),
        (["--include", "Acme.*", "--exclude", "*.R?ceive"], ["Add", "Fib"]),
        (["--thread", "4720"], ["Fib"]),
        (["--thread", ".NET TP*", "--thread", "Main"], ["Add", "Fib", "Receive", "Main"]),
        (["--thread", "nobody"], []),
    ],
)
def test_filters_take_what_they_say(umbra, sample, variant, arguments, expected):
    shown = names(umbra, sample(variant), *arguments)
    assert [re.search(r"(\w+)\(", name)[1] for name in shown] == expected


@pytest.mark.parametrize("arguments", [[], ["--by", "thread"], ["--thread", ".NET*"]])
def test_a_thread_is_told_alike_where_threads_share_paths(umbra, sample, arguments):
    alone, shared = (json.loads(umbra("report", sample(variant), "--json", *arguments).stdout)
                     for variant in ("plain", "shared"))
    rows = "threads" if "thread" in arguments else "functions"
    assert len(alone[rows]) > 0
    for one, other in zip(alone[rows], shared[rows], strict=True):
        for column in ("name", "calls", "wall_self_ns", "wall_total_ns", "cpu_self_ns", "wall_max_ns"):
            assert one[column] == other[column], column


@pytest.mark.parametrize("view", [["--tree"], ["--callers", "Fib"], ["--by", "type"], ["--by", "test"]])
def test_paths_of_one_thread_are_not_made_up(umbra, sample, view):
    done = umbra("report", sample("shared"), "--thread", "Main", *view)
    assert done.returncode == 1
    assert "--tree=full" in done.stderr
    assert umbra("report", sample("shared"), *view).returncode == 0


def test_groups_count_time_inside_of_them_once(umbra, sample):
    report = json.loads(umbra("report", sample(), "--json", "--by", "namespace").stdout)
    total_ns = {row["name"]: row["wall_total_ns"] for row in report["namespaces"]}
    # Add calls Fib, both of Acme: 1.8 s with Fib in it, 0.4 s of Fib in a thread, 0.5 s of Receive.
    assert total_ns == {"Acme": 2_700_000_000, "Shop": 2_400_000_000}


def test_an_async_method_is_one_row_with_its_calls(umbra, sample):
    path = sample("async")
    report = json.loads(umbra("report", path, "--json").stdout)
    fetch = next(row for row in report["functions"] if "FetchAsync" in row["name"])
    # 10 calls that last 4 s, in which they run 340 ms.
    assert fetch["calls"] == 10
    assert fetch["wall_total_ns"] == 4_000_000_000
    assert fetch["wall_self_ns"] == 340_000_000
    assert fetch["wall_mean_ns"] == 400_000_000
    pieces = json.loads(umbra("report", path, "--json", "--pieces").stdout)["functions"]
    assert sum(row["wall_self_ns"] for row in pieces) == sum(
        row["wall_self_ns"] for row in report["functions"]
    )
    assert [row["calls"] for row in pieces if "FetchAsync" in row["name"]] == [40, 10]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("A", "'A' fits more than one method: Acme.Cart<Item>.Add(Item, int); Acme.Orders.Rec"),
        ("Concat", "no call of 'Concat' was timed in this profile"),
        ("shop.dll!Fib", "no method that was called has 'shop.dll!Fib' in its name"),
    ],
)
@pytest.mark.parametrize("option", ["--callers", "--callees"])
def test_a_method_that_is_not_one_is_said_so(umbra, sample, option, method, message):
    assert message in umbra.fails(1, "report", sample(), option, method)


@pytest.mark.parametrize("method", ["Fib", "Acme.Pricing.Fib", "Acme.Pricing.Fib(int)",
                                    "Acme.Core.dll!Fib", "Pricing.F*", "Acme.*.Fib"])
def test_a_method_is_found_by_name_or_part(umbra, sample, method):
    report = json.loads(umbra("report", sample(), "--json", "--callers", method).stdout)
    (fib,) = report["methods"]
    assert fib["method"]["name"] == "Acme.Pricing.Fib(int)"
    assert sum(row["calls"] for row in fib["callers"]) == fib["method"]["calls"]


def test_methods_of_one_name_are_told_apart_in_every_view(umbra, sample):
    path = sample("copies")
    names = ["Acme.Pricing.Fib(int) [copy 1]", "Acme.Pricing.Fib(int) [returns int] [copy 2]",
             "Acme.Pricing.Fib(int) [returns long] [copy 2]"]
    for view, of in ([], "functions"), (["--tree", "--min", "0"], "tree"):
        rows = json.loads(umbra("report", path, "--json", *view).stdout)[of]
        assert {row["name"] for row in rows} >= set(names)
    for name in names:
        for option in ("--callers", "--callees"):
            found = json.loads(umbra("report", path, "--json", option, name).stdout)["methods"]
            assert [one["method"]["name"] for one in found] == [name]
        rows = json.loads(umbra("report", path, "--json", "--include", name).stdout)["functions"]
        assert [row["name"] for row in rows] == [name]
    # A page, and tools that know nothing of modules.
    for export in ("--folded=-", "--speedscope=-", "--csv=-", "--callgrind=-"):
        text = umbra("export", export, path).stdout
        assert all(name.replace(";", ",") in text for name in names), export


def test_copies_are_compared_as_one(umbra, sample):
    rows = json.loads(umbra("diff", "--json", sample(), sample("copies")).stdout)["functions"]
    named = [row["name"] for row in rows if "Fib" in row["name"]]
    assert sorted(named) == ["Acme.Pricing.Fib(int)", "Acme.Pricing.Fib(int) [returns int]",
                             "Acme.Pricing.Fib(int) [returns long]"]


def test_info(umbra, sample):
    ran = umbra("info", sample())
    assert (ran.returncode, ran.stderr) == (0, "")
    expect_golden("info.txt", ran.stdout)


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["info", "--help"]])
def test_help_names_an_example_that_exists(umbra, arguments):
    ran = umbra(*arguments)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert re.search(r"Examples?:\n  umbra \w+[ \n]", ran.stdout)


def test_the_help_of_run_has_every_option_in_a_group_and_fits_a_page(umbra):
    page = umbra("run", "--help").stdout
    assert max(map(len, page.splitlines())) <= 100
    ungrouped = re.search(r"\nOptions:\n(.*?)\n\n", page, re.DOTALL)[1]
    assert ungrouped.split()[0] == "-h,--help" and ungrouped.count("\n") == 0
    assert page.count("\n") < 60


def test_json_holds_every_called_function_in_the_order_asked_for(umbra, sample):
    report = json.loads(umbra("report", sample(), "--json", "--sort", "calls").stdout)
    calls = [function["calls"] for function in report["functions"]]
    assert calls == [635621, 5000, 400, 1]
    assert report["summary"]["lost_events"] == 0


def on_a_terminal(path, columns, *arguments, **environment):
    """The report as a terminal of so many columns receives it."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [UMBRA, "report", str(path), *arguments],
        stdout=slave,
        env={**inherited, "TERM": "xterm", **environment},
    )
    os.close(slave)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(master)
    assert process.wait() == 0
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("columns", [60, 72, 80, 100, 120, 200])
def test_report_fits_the_terminal(sample, columns):
    output = on_a_terminal(sample("long"), columns, "--details", NO_COLOR="1")
    assert "\x1b" not in output
    table = output.split("\n\n")[1].splitlines()
    assert len(table) == 5
    assert max(map(len, table)) <= columns
    assert "Add(" in output and "Receive()" in output
    heading, *rows = table
    assert {"calls", "total", "self", "cpu", "share", "name"} <= set(heading.split())
    assert " 500 ms " in rows[2] and " 1.20 ms " in rows[2], "it waited; any width shows it"


@pytest.mark.parametrize("columns", [60, 72, 80, 100, 120, 200])
@pytest.mark.parametrize("variant", ["plain", "losses", "dear", "long", "sampled", "async"])
def test_the_first_screen_fits_the_terminal(sample, variant, columns):
    """Twenty lines, none longer than the terminal; but commands, which are as long as the file's name, stand
    alone there."""
    output = on_a_terminal(sample(variant), columns, NO_COLOR="1")
    told, commands = output.split("\nnext ")
    assert len(output.splitlines()) <= 20 and len(commands.splitlines()) in (3, 4)
    assert max(map(len, told.splitlines())) <= columns, output
    for line in ("next " + commands).splitlines():
        assert len(line) <= columns or "  " not in line.removeprefix("next").strip(), line
    heading, *rows = told.split("\n\n")[1].splitlines()
    assert {"CPU", "self", "total", "method"} <= set(heading.split()) and re.search(r"(Add|FetchAsync)\(", rows[0])


@pytest.mark.parametrize("columns", [80, 100])
def test_what_is_awaited_keeps_type_and_method_where_room_is_short(sample, columns):
    h5py = pytest.importorskip("h5py")
    path = sample("async")
    with h5py.File(path, "r+") as f:
        narrow = f["functions"][...]
        room = {"name": h5py.string_dtype("utf-8", 120), "namespace": h5py.string_dtype("utf-8", 60)}
        functions = narrow.astype([(name, room.get(name, narrow.dtype[name])) for name in narrow.dtype.names])
        for row in functions:
            if row["method"] == b"FetchAsync":
                row["namespace"] = b"Acme.Warehouses.Shipping.Contracts.Implementation.Internal"
                row["name"] = row["namespace"] + b".Client.FetchAsync(string, CancellationToken, Options)"
        del f["functions"]
        f.create_dataset("functions", data=functions, chunks=functions.shape, maxshape=(None,))
    output = on_a_terminal(path, columns, "--async", NO_COLOR="1").split("\nalso")[0]
    assert max(map(len, output.splitlines())) <= columns, output
    named = [line for line in output.splitlines() if "Acme" in line or ".." in line]
    assert len(named) == 6 and all("Client.FetchAsync(" in line for line in named), output
    piped = subprocess.run([UMBRA, "report", str(path), "--async"], check=True, capture_output=True, text=True)
    whole = "Acme.Warehouses.Shipping.Contracts.Implementation.Internal.Client.FetchAsync(string, CancellationToken, Options)"
    assert f"  on {whole}\n" in piped.stdout and f"{whole} 800 ms in 8" in piped.stdout, "names are whole in a pipe"
    assert re.search(rf"^ *\d.*  {re.escape(whole)}$", piped.stdout, re.MULTILINE), "those of rows as well"


def test_report_is_coloured_on_a_terminal_only(umbra, sample):
    path = sample()
    assert "\x1b[1m" in on_a_terminal(path, 120)
    table = on_a_terminal(path, 120, "--details").split("\n\n")[1]
    assert re.findall(r"\x1b\[33m *(\S+ \S+) *\x1b", table) == [
        "1.20 ms"
    ], "the one function that mostly waited"
    assert re.findall(r"\x1b\[1;31m(.*)\x1b", on_a_terminal(sample("losses"), 200)) == [
        "the file is not complete: signal 9 (SIGKILL)",
        "128 events lost, 3 functions had no room, calls and times are missing: --details says why",
        "2 runtime-async methods timed, calls there are pieces, from wait to wait",
    ]
    assert "\x1b" not in on_a_terminal(path, 120, TERM="dumb")
    assert "\x1b" not in umbra("report", path).stdout


def test_a_closed_pipe_ends_the_report_quietly(sample):
    process = subprocess.Popen(
        [UMBRA, "report", str(sample())], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        restore_signals=False,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_output_that_cannot_be_written_is_a_failure(umbra, sample):
    with open("/dev/full", "w") as full:
        ran = umbra("report", sample(), stdout=full)
    assert ran.returncode == 1
    assert ran.stderr == "umbra: cannot write the output: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reprot"], "there is no command 'reprot'; did you mean 'report'?; see 'umbra --help'"),
        (["frobnicate"], "there is no command 'frobnicate'; see 'umbra --help'"),
        (["--wat"], "there is no option '--wat'"),
        (["report", "a.h5", "--wat"], "'report' has no option '--wat'; see"),
        (["report", "a.h5", "--slowst"], "has no option '--slowst'; did you mean '--slowest'?"),
        (["report", "a.h5", "b.h5"], "report shows one profile, 2 were given"),
        (["report", "a.h5", "--slowest", "Shop.Load"], "'Shop.Load' is no file; --include 'Shop.Load' chooses methods"),
        (["report", "a.h5", "--include", ""], "an empty pattern would match everything"),
        (["report", "a.h5", "--exclude="], "--exclude: 1 required PATTERN missing"),
        (["run", "--include", "", "--", "true"], "an empty pattern would match everything"),
        (["start", "1", "--exclude", ""], "an empty pattern would match everything"),
        (["run", "--max-overhead", "abc", "--", "true"],
         "'abc' is no number of percent from 0.1 to 1000, as in --max-overhead 20"),
        (["report", "a.h5", "--sort", "name"], "name not in {self,total,cpu,calls,mean,max,awaiting,queued}"),
        (["report", "a.h5", "--top", "0"], "'0' is not a number of functions"),
        (["report", "a.h5", "--top", "-1"], "'-1' is not a number of functions"),
        (["report", "a.h5", "--top", "ten"], "'ten' is not a number of functions"),
        (["report", "a.h5", "--by", "name"], "--by"),
        (["report", "a.h5", "--callers", "x", "--tree"], "--tree"),
        (["report", "a.h5", "--depth", "3"], "--tree"),
        (["report", "a.h5", "--tree", "--min", "101"], "--min"),
        (["report", "a.h5", "--csv", "--json"], "--json"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_status_2(umbra, arguments, message):
    assert message in umbra.fails(2, *arguments)
