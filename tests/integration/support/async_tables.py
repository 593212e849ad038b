# SPDX-License-Identifier: MIT
"""The tables of logical async calls, and what a program knows about its own (tests/managed/async_record)."""
import math
import re
from collections import Counter

PARTS = ("running_ns", "children_ns", "others_ns", "outside_ns", "queued_ns")
COUNTS = ("calls", "results", "faults", "cancelled", "open", "before")
BOUNDED = ("suspensions", "never_suspended")  # a program knows from where to where they lie
TOLERANCE_NS = 60_000  # between what umbra and the program read at the begin and at the end of a call
BUCKET = 0.125  # how wrong a percentile may be: the width of a bucket of the histogram
QUEUE_TOLERANCE_NS = 300_000


def plain(name):
    """A method's name without type arguments, those of instantiations are one."""
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return name


class AsyncTables:
    """Rows of a profile by path ("root Orders.All/called Orders.Load"), and by method."""

    def __init__(self, profile):
        self.profile = profile
        self.names = [plain(name) for name in profile.methods()]
        self.paths, self.methods, self.waits = {}, {}, {}
        at_row = []
        for row, how in zip(profile["async_tree"], profile.column("async_tree", "how")):
            above = at_row[row["parent"]] + "/" if row["parent"] >= 0 else ""
            at_row.append(f"{above}{how} {self.name(row['function'])}")
            self.paths.setdefault(at_row[-1], []).append(row)
        for row in profile["async_methods"]:
            self.methods.setdefault(self.name(row["function"]), []).append(row)
        for row, how, awaited in zip(profile["async_waits"], profile.column("async_waits", "how"),
                                     profile.column("async_waits", "awaited")):
            what = self.name(row["awaited_function"]) if how in ("child", "other") else awaited
            rows = self.waits.setdefault(self.name(row["function"]), Counter())
            rows[f"{how} {what}"] += int(row["times"])

    def name(self, function):
        return self.names[function] if function >= 0 else "(no room)"

    def sum(self, rows, column):
        return sum(int(row[column]) for row in rows)


def differences_within(profile):
    """What holds in every profile, whatever the program has done."""
    wrong = []
    for table in ("async_methods", "async_tree"):
        for row in profile[table]:
            if int(row["wall_ns"]) != sum(int(row[part]) for part in PARTS):
                wrong.append(f"{table}: wall is not the sum of its parts: {shown(row)}")
            if row["calls"] != sum(int(row[one]) for one in (*COUNTS[1:5], "unknown")):
                wrong.append(f"{table}: calls are not the sum of how they ended: {shown(row)}")
            if row["never_suspended"] > row["calls"]:
                wrong.append(f"{table}: more calls never suspended than there are: {shown(row)}")
    for row in profile["async_tree"]:
        if (row["parent"] < 0) == (row_text(profile, row) in ("called", "spawned")):
            wrong.append(f"async_tree: a root that was called, or a root below another: {shown(row)}")
    columns = [name for name in profile["async_methods"].dtype.names
               if name in profile["async_tree"].dtype.names and name != "function"]
    for row in profile["async_methods"]:
        same = profile["async_tree"]["function"] == row["function"]
        for column in columns:
            in_tree = sum(int(value) for value in profile["async_tree"][column][same])
            # Each row's time is in whole nanoseconds.
            slack = 0 if not column.endswith("_ns") else len(PARTS) * (1 + int(same.sum()))
            if abs(in_tree - int(row[column])) > slack:
                wrong.append(f"the tree has {in_tree} {column} of {shown(row)}")
        waited = profile["async_waits"]["times"][profile["async_waits"]["function"] == row["function"]]
        if int(waited.sum()) != int(row["suspensions"]):
            wrong.append(f"async_waits has {waited.sum()} suspensions of {shown(row)}")
    return wrong


def row_text(profile, row):
    how = row["how"]
    return how.decode() if isinstance(how, bytes) else str(how)


def shown(row):
    return str({name: value for name, value in zip(row.dtype.names, row.tolist()) if value})


def differences_of_calls(tables, truth):
    """Every path's calls, how they ended, how often they were suspended, and by what: as text."""
    found = []
    for path in sorted(set(truth["paths"]) | set(tables.paths)):
        if path not in tables.paths or path not in truth["paths"]:
            whose = "umbra" if path in tables.paths else "the program"
            calls = (tables.sum(tables.paths[path], "calls") if path in tables.paths
                     else truth["paths"][path]["calls"])
            found.append(f"{path}: {calls} calls, of which only {whose} knows")
            continue
        rows, known = tables.paths[path], truth["paths"][path]
        for column in (*COUNTS, "unknown"):
            if (told := tables.sum(rows, column)) != known.get(column, 0):
                found.append(f"{path}: {told} {column} instead of {known.get(column, 0)}")
        for column in BOUNDED:
            least, most = known[column]
            if not least <= (told := tables.sum(rows, column)) <= most:
                found.append(f"{path}: {told} {column} instead of {least} to {most}")
    return found


def differences_of_waits(tables, truth):
    """What was waited for, and how often. "outside *" of the program's is any text, "*" anything."""
    found = []
    for method, known in sorted(truth["methods"].items()):
        told = Counter(tables.waits.get(method, {}))
        open_names = {what: bounds for what, bounds in known["waits"].items() if what.endswith("*")}
        for what, (least, most) in sorted(known["waits"].items()):
            if what not in open_names and not least <= (times := told.pop(what, 0)) <= most:
                found.append(f"{method} waited {times} times for {what!r} instead of {least} to {most}")
        fitting = {what: times for what, times in told.items()
                   if any(what.startswith(name[:-1]) for name in open_names)}
        least, most = (sum(bounds[i] for bounds in open_names.values()) for i in range(2))
        if not least <= sum(fitting.values()) <= most:
            found.append(f"{method} waited {fitting} instead of {least} to {most} times")
        found += [f"{method} waited {times} times for {what!r}" for what, times in told.items()
                  if times and what not in fitting]
    return found


def differences_of_times(tables, truth):
    """How long the calls of each method took, against the program's own stopwatch.

    What umbra reads lies around what the program reads, and between the two a thread may lose its
    processor, or a probed method be compiled. So of all calls one in a hundred may be longer."""
    found, longer, calls = [], [], 0
    outliers = 0
    for method, known in sorted(truth["methods"].items()):
        rows = tables.methods.get(method, [])
        if not rows or not known["timed"] or tables.sum(rows, "open") or tables.sum(rows, "before"):
            continue
        calls += known["timed"]
        told, ran, longest = (tables.sum(rows, column) for column in ("wall_ns", "running_ns", "wall_max_ns"))
        tolerance = max(known["sum"] / 100, TOLERANCE_NS * known["timed"])
        if told < known["sum"] - tolerance:
            found.append(f"{method}: wall {told} ns instead of {known['sum']}")
        if ran < known["ran"] - tolerance:
            found.append(f"{method}: ran {ran} ns instead of {known['ran']} and more")
        too_long = told - max(known["sum"], known["seen"]) - tolerance
        if too_long > 0:
            outliers += math.ceil(too_long / longest)
            longer.append(f"{method}: wall {told} ns in {known['timed']} calls, the longest {longest}, "
                          f"instead of {known['sum']}, the longest {known['max']}")
        if len(rows) == 1 and not known["seen"]:
            found += differences_of_lengths(method, rows[0], known)
    if outliers > max(calls / 100, 1):
        found += [f"at least {outliers} of {calls} calls are too long", *longer]
    return found


def differences_of_lengths(method, row, known):
    """Of a method without instantiations, where a few calls do not decide."""
    found = []
    columns = (["min"] if known["timed"] >= 5 else []) + \
        (["p50"] if known["timed"] >= 20 else []) + (["p90"] if known["timed"] >= 100 else [])
    for column in columns:
        told = int(row[f"wall_{column}_ns"])
        share = 0.01 if column == "min" else 0.01 + BUCKET
        if abs(told - known[column]) > max(known[column] * share, TOLERANCE_NS):
            found.append(f"{method}: {column} {told} ns instead of {known[column]}")
    return found


def differences_of_parts(tables, truth):
    """What a call's time was spent in, of methods that have measured it: as much as that in each part, with the
    time that a call was ready and had no thread, in which its stopwatch runs on. As all parts together are the
    wall time, none can be much longer."""
    found = []
    for method, known in sorted(truth["methods"].items()):
        for column, spent in known["spent"].items():
            told = sum(tables.sum(tables.methods[method], part) for part in (column, "queued_ns"))
            if told < spent - max(spent / 100, TOLERANCE_NS * known["timed"]):
                found.append(f"{method}: {column} {told}, what was queued included, instead of {spent} and more")
    return found


def differences_of_queues(tables, truth):
    """How long calls were ready and had no thread."""
    found = []
    for method, known in sorted(truth["methods"].items()):
        least, most = known["queued"]
        if most:
            rows = tables.methods[method]
            told, tolerance = tables.sum(rows, "queued_ns"), QUEUE_TOLERANCE_NS * tables.sum(rows, "calls")
            if not least - tolerance <= told <= most + tolerance:
                found.append(f"{method}: queued {told} ns instead of {least} to {most}")
    return found


def check_same(*differences):
    found = [line for some in differences for line in some]
    assert not found, "\n".join(["", *found])
