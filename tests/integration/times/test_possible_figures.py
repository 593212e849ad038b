# SPDX-License-Identifier: MIT
"""No row of a profile, and of no view of it, says what no program can have done."""
import numpy as np
import pytest

from sample_program import build_shop
from targets import umbra
from umbra_runner import FULL, report, run_umbra

RUNS = 50 if FULL else 3
TABLES = ("functions", "edges", "thread_functions", "calltree")
PROGRAMS = {
    "shop": None,
    "shapes": (),
    "threads": ("busy", 4),
    "stacks": ("deep", 200),
    "sleepy": (),
    "burn": (50,),
    "pauses": (2,),
}
VIEWS = (["--by", "type"], ["--by", "namespace"], ["--by", "module"], ["--by", "thread"], ["--tree"],
         ["--pieces"], [])
# A call that took so long on the mean, and no more of a processor than the least that is shown: whoever
# waits runs for a while before it does.
LONG_NS = 1_000_000


def command_of(program, runtime):
    if program != "shop":
        return runtime.command(program, *PROGRAMS[program])
    command, reason = build_shop()
    if command is None:
        pytest.skip(reason)
    return command


def rows_of(profile, table):
    """The rows that have calls, with a name for a message."""
    rows = profile[table]
    return rows[rows["calls"] > 0]


def shown(rows, wrong):
    return "\n".join(str(dict(zip(rows.dtype.names, row))) for row in rows[wrong][:5])


def check_tables(profile):
    knows_cpu = profile.cpu_source == "perf"
    for table in TABLES:
        rows = rows_of(profile, table)

        def never(wrong, what):
            assert not wrong.any(), f"{table}: {what}\n{shown(rows, wrong)}"

        never(rows["wall_self_ns"] > rows["wall_total_ns"], "self > total")
        for kind in ("wall_{}_raw_ns", "wall_{}_ns", "cpu_{}_ns", "paused_{}_ns"):
            own, total = (rows[kind.format(part)] for part in ("self", "total"))
            never(own > total, f"{kind}: self > total")
        for part in ("self", "total"):
            wall = rows[f"wall_{part}_ns"]
            # Rounded apart.
            never(wall > rows[f"wall_{part}_raw_ns"] + 1, f"{part}: more than was measured")
            never(rows[f"cpu_{part}_ns"] > wall, f"{part}: more CPU than wall time")
            never(rows[f"paused_{part}_ns"] > wall, f"{part}: paused longer than it lasted")
        never(rows["wall_self_ns"] < rows["calls"], "less than 1 ns a call")
        never(rows["wall_min_ns"] < 1, "min 0")
        never(rows["wall_min_ns"] > rows["wall_max_ns"], "min > max")
        never(rows["wall_max_ns"] * rows["calls"] < rows["wall_total_ns"], "max < mean")
        once = (rows["calls"] == 1) & (rows["wall_max_ns"] <= rows["wall_total_raw_ns"])
        never(once & (rows["wall_min_ns"] != rows["wall_total_ns"]), "min of one call is not it")
        never(once & (rows["wall_max_ns"] != rows["wall_total_ns"]), "max of one call is not it")
        if knows_cpu:
            never((rows["cpu_self_ns"] <= rows["calls"]) &
                  (rows["wall_self_ns"] > rows["calls"] * LONG_NS), "no time on a processor")
    threads = profile["threads"]
    assert (threads["cpu_ns"] <= threads["covered_ns"]).all()


def check_sums(profile):
    """What is left of a function is the same whatever table it is taken from."""
    own = np.zeros(len(profile["functions"]), dtype=np.int64)
    for table in ("calltree", "thread_functions"):
        own[:] = 0
        np.add.at(own, profile[table]["function"], profile[table]["wall_self_ns"])
        assert (own == profile["functions"]["wall_self_ns"]).all(), table


def check_row(row, view):
    calls, mean = row["calls"], row["wall_mean_ns"]
    low, high = row["wall_min_ns"], row["wall_max_ns"]
    where = f"{view}: {row}"
    if calls == 0:
        return
    assert row["wall_self_ns"] <= row["wall_total_ns"], where
    assert row["cpu_self_ns"] <= row["wall_self_ns"], where
    assert row["cpu_total_ns"] <= row["wall_total_ns"], where
    if high > 0:  # known
        assert (low if row["unfinished"] < calls else 1) >= 1, where
        assert low <= mean <= high, where
        for rank in ("p50", "p90", "p99"):
            assert row[f"wall_{rank}_ns"] == 0 or low <= row[f"wall_{rank}_ns"] <= high, where
    if row["wall_p50_ns"]:
        assert row["wall_p50_ns"] <= row["wall_p90_ns"] <= row["wall_p99_ns"], where


def rows_told(report):
    """All rows of a report in JSON, whatever they are about."""
    if isinstance(report, list):
        return [row for part in report for row in rows_told(part)]
    if not isinstance(report, dict):
        return []
    if "wall_mean_ns" in report:
        return [report]
    return [row for name, part in report.items() if name != "summary" for row in rows_told(part)]


def check_views(file):
    for view in VIEWS:
        told = rows_told(report(file, *view))
        assert told, view
        for row in told:
            check_row(row, view)
    for view in (["--callers", told[0]["name"]], ["--callees", told[0]["name"]]):
        for row in rows_told(report(file, *view)):
            check_row(row, view)


def check_text(file):
    for view in VIEWS:
        done = umbra("report", "--top", 1000, "--percentiles", *view, file)
        assert done.returncode == 0, done.stderr
        for line in done.stdout.splitlines():
            cells = line.split("  ")
            assert not any(cell.strip() == "0 ns" for cell in cells), f"{view}: {line}"
            for cell in cells:
                if cell.strip().endswith("%") and cell.strip()[:-1].replace(".", "").isdigit():
                    assert float(cell.strip()[:-1]) <= 100, f"{view}: {line}"


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_figure_is_impossible(file, net10, program):
    for _ in range(RUNS):
        done = run_umbra(file, command_of(program, net10))
        assert done.status == 0, done.stdout + done.stderr
        check_tables(done.profile)
        check_sums(done.profile)
        check_views(file)
        check_text(file)
