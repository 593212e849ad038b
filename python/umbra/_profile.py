# SPDX-License-Identifier: MIT
"""A profile as pandas frames, and the questions asked of it most."""

from __future__ import annotations

import fnmatch
import functools
import os
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import pandas as pd

from . import _entries, _hot, _schema
from ._diff import diff
from ._file import File
from ._page import Page

_HOT_COLUMNS = [
    "name",
    "calls",
    "wall_self_ns",
    "rough",
    "wall_total_ns",
    "cpu_self_ns",
    "wall_mean_ns",
    "wall_min_ns",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "wall_max_ns",
    "logical",
    "module_name",
]

_METHOD_NAMES = {
    "function_name": "name",
    "function_module": "module_name",
    "wall_p50_ns": "p50_ns",
    "wall_p90_ns": "p90_ns",
    "wall_p99_ns": "p99_ns",
}

# Columns that hold row numbers, and the frame whose names are put beside them.
_NAMED = {
    "runtimes": "version",
    "functions": "name",
    "modules": "name",
    "threads": "name",
    "arguments": "name",
}


def open(path: "str | os.PathLike[str]") -> "Profile":  # noqa: A001  (umbra.open is its name)
    """Opens a profile file. Cheap: tables are read when they are first asked for.

    Raises ProfileError, in one line, where the file is missing, damaged, cut short, no profile, or
    of a newer schema than this package reads.
    """
    return Profile(path)


def _frame(table: str, doc: str) -> functools.cached_property[pd.DataFrame]:
    """A property: the table, read when first asked for."""

    def read(self: Profile) -> pd.DataFrame:
        return self._joined(table)

    read.__doc__ = doc
    return functools.cached_property(read)


class Profile:
    """One profile file: frames, joined by name; the hot list, the page, comparison.

    Frames are read when first asked for and kept; change a copy, not the frame. Times are in
    nanoseconds (columns ending in _ns) and without the probes' cost, except raw ones and those of
    single calls (min, max, histograms). The index of a frame is the row number in the file, which
    is what columns such as `function` and `parent` hold; -1 stands for none. Beside each lies the
    name: `function_name`, `function_module`, `thread_name`.

    Any access may raise ProfileError: the file is checked as it is read. Close it, or use it in a
    `with` statement; not for use by several threads at once.
    """

    def __init__(self, path: "str | os.PathLike[str]"):
        self._file = File(path)

    def __enter__(self) -> "Profile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file. Frames that were read stay as they are."""
        self._file.close()

    def __repr__(self) -> str:
        session = self.session
        state = "" if session["complete"] else ", incomplete"
        return (
            f"<umbra.Profile {session['program']}, pid {session['pid']}, "
            f"{session['wall_ns'] / 1e9:.3f} s, {session['events']} events, "
            f"{session['lost_events']} lost{state}>"
        )

    @property
    def path(self) -> str:
        """The file, as it was given."""
        return self._file.path

    def __fspath__(self) -> str:
        """The file, wherever the process has gone since it was opened."""
        return self._file.full_path

    @property
    def session(self) -> Mapping[str, Any]:
        """What was profiled and how: the attributes of the file, such as program, host, wall_ns,
        complete, lost_events, cpu_source."""
        return self._file.attributes

    @property
    def has_cpu_times(self) -> bool:
        """False where the kernel told nothing of processors: CPU times are 0 then."""
        return self.session.get("cpu_source", "none") not in ("", "none")

    # Tables.

    def rows(self, table: str) -> int:
        """Rows of a table, without reading it."""
        return self._file.rows(table)

    def table(
        self,
        name: str,
        columns: Optional[Iterable[str]] = None,
        start: int = 0,
        stop: Optional[int] = None,
    ) -> pd.DataFrame:
        """Some columns of rows [start, stop) of a table as it is in the file, without names beside
        row numbers. For tables too large to be read whole. Not kept."""
        if name not in _schema.TABLES:
            raise KeyError(f"there is no table {name}; there are {', '.join(_schema.TABLES)}")
        values = self._file.read(name, columns, start, stop)
        first = slice(start, stop).indices(self.rows(name))[0]
        count = len(next(iter(values.values()), ()))
        return pd.DataFrame(values, index=pd.RangeIndex(first, first + count))

    def _joined(self, name: str) -> pd.DataFrame:
        """A whole table with names beside row numbers."""
        columns: Dict[str, Any] = {}
        known = _schema.TABLES[name]
        for column, values in self._file.read(name).items():
            columns[column] = values
            of = known[column].refers_to
            if of in _NAMED and of != name:
                columns[f"{column}_name"] = _at(self._names(of), values)
                if of == "functions":
                    columns[f"{column}_module"] = _at(self._function_modules, values)
        return pd.DataFrame(columns)

    def _names(self, table: str) -> np.ndarray:
        if table == "threads":
            return self._thread_names
        return getattr(self, table)[_NAMED[table]].to_numpy(dtype=object)

    @functools.cached_property
    def _function_modules(self) -> np.ndarray:
        return self.functions["module_name"].to_numpy(dtype=object)

    @functools.cached_property
    def _thread_names(self) -> np.ndarray:
        """A thread without a name is named by its id, many in sum with their number."""
        names = self.threads["name"].to_numpy(dtype=object).copy()
        for row, tid in enumerate(self.threads["os_tid"].tolist()):
            many = int(self.threads["threads"].iloc[row])
            if many == 1:
                names[row] = names[row] or f"thread {tid}"
            else:
                names[row] = f"{names[row] or 'thread'} ({many} threads)"
        return names

    runtimes = _frame("runtimes", """The runtimes of the process that were profiled, in the order of
        their starts; seldom more than one. Empty in files of umbra before it told them.""")
    modules = _frame("modules", """Assemblies: name, path, framework, the runtime that has loaded
        them.""")
    functions = _frame("functions", """One row for each method: names, module and module_name,
        calls, times.""")
    threads = _frame("threads", """Threads that ran timed code: those alive, the last and the
        heaviest that have ended; of the others sums by name (`threads`: of how many).""")
    calltree = _frame("calltree", """One row for each path of calls, parents before children. Thread
        -1: of all threads together. Can have millions of rows: `table` reads a part.""")
    edges = _frame("edges", """One row for each pair of caller and callee; times are the callee's.
        Caller -1, without a name: called from outside timed code.""")
    thread_functions = _frame("thread_functions", "Functions by thread.")
    histograms = _frame("histograms", """Buckets [lower_ns, upper_ns) of the calls' wall times with
        callees.""")
    compilations = _frame("compilations", """The longest compilations, all unless there were very
        many; start_ns counts from the start of the session.""")
    compilation_sums = _frame("compilation_sums", """All compilations, by function. Empty in files
        of umbra before it told them.""")
    pauses = _frame("pauses", """The longest times that the runtime stopped its threads, all unless
        there were very many; start_ns counts from the start of the session.""")
    pause_sums = _frame("pause_sums", """All times that the runtime stopped its threads, by reason
        and generations collected. Empty in files of umbra before it told them.""")
    time_slices = _frame("time_slices", """What the runtime did in each of up to 1,024 parts of the
        session of equal length. Empty in files of umbra before it told them.""")
    exceptions = _frame("exceptions", """Exceptions by type, place of the throw and place of the
        catch.""")
    timeline = _frame("timeline", """One row for each call, if the profile was recorded with
        --events: its path (`node`, a row of `calltree`), start_ns from the start of the session and
        duration_ns, both as measured. Each thread's callees come before their caller. `table` reads
        a part.""")
    arguments = _frame("arguments", """One row for each argument that `--args` was asked for, of
        each function; `refusal` says why one was not recorded, and is empty for the others.""")

    @functools.cached_property
    def argument_values(self) -> pd.DataFrame:
        """Calls by the value of an argument: those with the longest total, the other values of the
        argument in one row with `rest`. wall_mean_ns is of the calls that have ended, NaN without
        any; recursive calls count each."""
        frame = self._joined("argument_values")
        of = frame["argument"].to_numpy()
        for column in ("function_module", "function_name", "function"):
            known = self.arguments[column].to_numpy()
            frame.insert(0, column, known[of] if len(of) else known[:0])
        ended = frame["calls"] - frame["unfinished"]
        mean_ns = (frame["wall_total_ns"] / ended.where(ended > 0)).round(1)
        frame.insert(frame.columns.get_loc("wall_min_ns"), "wall_mean_ns", mean_ns)
        return frame

    @functools.cached_property
    def async_methods(self) -> pd.DataFrame:
        """Logical calls of async methods, from begin to result over all awaits: `wall_ns` is the
        sum of `running_ns`, `children_ns`, `others_ns`, `outside_ns` and `queued_ns`. The function
        is MoveNext of the method's state machine. wall_mean_ns is NaN without calls."""
        frame = self._joined("async_methods")
        mean_ns = (frame["wall_ns"] / frame["calls"].where(frame["calls"] > 0)).round(1)
        frame.insert(frame.columns.get_loc("wall_min_ns"), "wall_mean_ns", mean_ns)
        return frame

    async_tree = _frame("async_tree", """Who called whom over all awaits, parents before children.
        Of `wall_ns` the `children_ns` are in the rows below as well; the other parts are a row's
        own.""")
    async_waits = _frame("async_waits", """What logical calls of each function waited for:
        `awaited_function` (with its name) or `awaited`.""")
    blocked_waits = _frame("blocked_waits", """Threads that were blocked until a task had ended
        (`Task.Wait()`, `Task.Result`): in which function, until `awaited_function` (with its name)
        or `awaited` had, how often, how long.""")
    slow_methods = _frame("slow_methods", """One row for each function whose slowest calls were kept
        (`umbra run --slowest`), and for each request that no method met (function -1).""")

    @functools.cached_property
    def slow_calls(self) -> pd.DataFrame:
        """The slowest calls, by method, the slowest first: `function` and its name, thread, times
        of the call, and what of them was spent off the processors, paused or compiling."""
        frame = self._joined("slow_calls")
        of = frame["method"].to_numpy()
        for column in ("function_module", "function_name", "function"):
            known = self.slow_methods[column].to_numpy()
            frame.insert(1, column, known[of] if len(of) else known[:0])
        return frame

    slow_slices = _frame("slow_slices", """What happened in each slow call (`call`), parents before
        children: calls by function, and by `kind` the intervals in which the thread did not run its
        code.""")

    def slow_call(self, call: int) -> pd.DataFrame:
        """The slices of one row of `slow_calls`, each behind its parent and in the order of time,
        with their `depth` and `self_ns`: the time that no other slice of the call accounts for
        (0 for intervals; suspensions and compilations are not taken out). An async call that has
        suspended has what it ran on threads (`running`) as self time."""
        frame = self.slow_slices[self.slow_slices["call"] == call].copy()
        first = frame.index[0] if len(frame) else 0
        parents = frame["parent"].to_numpy()
        beside = frame["kind"].isin(["paused", "compiling"]).to_numpy()
        inner = np.bincount(
            np.maximum(parents - first, 0),
            np.where((parents < 0) | beside, 0, frame["duration_ns"].to_numpy()),
            minlength=len(frame),
        ).astype(np.int64)[: len(frame)]
        own = (frame["duration_ns"].to_numpy() - inner).clip(min=0)
        stretch = ((frame["kind"] == "running") & (parents >= 0)).to_numpy()
        above = parents[stretch] - first
        ran = np.zeros(len(frame), dtype=np.int64)
        np.add.at(ran, above, own[stretch])
        own[above] = ran[above]
        frame["self_ns"] = np.where(frame["kind"] == "call", own, 0)
        children: Dict[int, list] = {}
        starts = frame["start_ns"].to_numpy()
        for row in np.argsort(starts, kind="stable"):
            if parents[row] >= 0:
                children.setdefault(int(parents[row]) - first, []).append(int(row))
        order, depths, waiting = [], [], [(0, 0)] if len(frame) else []
        while waiting:
            row, depth = waiting.pop()
            order.append(row)
            depths.append(depth)
            waiting.extend((child, depth + 1) for child in reversed(children.get(row, [])))
        frame = frame.iloc[order]
        frame.insert(0, "depth", depths)
        return frame

    def tests(self, below: bool = False) -> pd.DataFrame:
        """The test methods that were called, as `umbra report --by test` has them, the longest
        first: calls, times, share_percent of the time of all tests, framework. truncated_ns of the
        time is on paths that the file has not kept apart.

        below: instead the methods below each test (`test`, `test_name`), by their own time there;
        share_percent is of the time of the test. An async test or method has all its pieces.
        The program umbra finds them: see `umbra.diff`.
        """
        return _entries.entries(self, self.functions, _entries.TESTS, below)

    def endpoints(self, below: bool = False) -> pd.DataFrame:
        """The methods that answered requests in ASP.NET Core, as `umbra report --by endpoint` has
        them: as tests(), with `endpoint` ("GET /orders/{id}") instead of the framework.

        below: instead the methods below each (`method`, `endpoint`).
        """
        return _entries.entries(self, self.functions, _entries.ENDPOINTS, below)

    # Questions.

    def select(self, pattern: str) -> pd.DataFrame:
        """Rows of `functions` whose name matches: a pattern with * and ?, or else any part of the
        name. Upper and lower case differ."""
        names = self.functions["name"]
        if "*" in pattern or "?" in pattern:
            escaped = pattern.replace("[", "[[]")
            return self.functions[[fnmatch.fnmatchcase(name, escaped) for name in names]]
        return self.functions[[pattern in name for name in names]]

    def hot(self, n: Optional[int] = 20, by: Optional[str] = None) -> pd.DataFrame:
        """The `n` methods that lead by `by`: self, total, cpu (self time on a processor), calls,
        mean, max, or a column of `methods`. n None: all that were called. by None: as `umbra
        report` does, self, or cpu of a sampled profile (`mode`). Of such a one calls are samples,
        and whatever was seen on a stack is listed.

        An async method or an iterator is one row with all its pieces; where `logical` is true,
        calls and wall times of calls are those from begin to result, over all awaits.
        inlined_into is there if it is not empty in all rows: the calls of these are missing there.
        share_percent is of the self time of all methods (by cpu: of their CPU self time). Of a
        capture, what threads did outside of timed calls is not among them.
        rough: the self time is less than ten times what the probes took in it, of which about a half is
        in doubt. wall_mean_ns is the mean time of a call with its callees, recursive calls counted each.
        p50_ns, p90_ns and p99_ns: NaN where no call has finished.
        """
        if by is None:
            sampled = self.session.get("mode") == "sampled"
            by = "cpu" if sampled and self.has_cpu_times else "self"
        methods = self.methods.set_index("function").rename(columns=_METHOD_NAMES)
        methods.index.name = None
        for part in ("p50_ns", "p90_ns", "p99_ns"):
            methods[part] = methods[part].where(methods[part] > 0)
        column = _hot.column_of(by, methods.columns)
        frame = methods[[*_HOT_COLUMNS, *([] if column in _HOT_COLUMNS else [column])]].copy()
        inlined = self.functions.loc[frame.index, "inlined_into"]
        if (inlined != "").any():
            frame["inlined_into"] = inlined
        return _hot.top(frame, n, column, share_of=_hot.share_column(column))

    methods = _frame("methods", """One row for each method that was called, with all its pieces:
        what hot() sorts.""")

    def percentiles(
        self, q: Sequence[float] = (50, 90, 99), functions: Optional[Iterable[int]] = None
    ) -> pd.DataFrame:
        """Percentiles of the functions' call times with callees, in ns: one column for each of
        `q`. NaN where no call has finished.

        Found in logarithmic buckets, evenly spread within one; off by at most the bucket's width
        (upper_ns - lower_ns in `histograms`).
        """
        rows = self.functions.index if functions is None else pd.Index(functions)
        return _hot.percentiles(self.histograms, rows, q, self.functions)

    def callers(self, function: Union[int, str]) -> pd.DataFrame:
        """Who called the functions (a row number, or a pattern as for `select`); the most time
        first. Times are those of the callee when called from there."""
        rows = self.edges[self.edges["callee"].isin(self._rows_of(function))].copy()
        outside = rows["caller"] < 0
        rows.loc[outside, "caller_name"] = "(outside timed code)"
        return _edge_columns(rows, "caller", "callee")

    def callees(self, function: Union[int, str]) -> pd.DataFrame:
        """Whom the functions called; the most time first."""
        rows = self.edges[self.edges["caller"].isin(self._rows_of(function))]
        return _edge_columns(rows, "callee", "caller")

    def _rows_of(self, function: Union[int, str]) -> Sequence[int]:
        if isinstance(function, str):
            return list(self.select(function).index)
        return [int(function)]

    def flame(self, height: int = 700) -> Page:
        """The page of `umbra view`: flame graph by wall time or time on a processor, of all threads
        or one, of a method or a test, beside the hot list. A notebook shows it inline, `height`
        pixels high; `save` writes it to a file. The program umbra makes it: see `umbra.diff`."""
        return Page(self, height)

    def diff(self, other: "Profile", by: str = "self", **options: float) -> pd.DataFrame:
        """What changed from this profile (old) to `other` (new); see `umbra.diff`, which also takes
        several runs of each and finds much more with them."""
        return diff(self, other, by, **options)


def _at(names: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """names[rows], and an empty text for -1."""
    return np.append(names, "")[rows] if len(rows) else np.empty(0, dtype=object)


def _edge_columns(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """The columns of an edge that answer a question, the other end of it first."""
    columns = [f"{first}_name", f"{second}_name", "calls", "wall_total_ns", "wall_self_ns"]
    columns += ["cpu_total_ns", "cpu_self_ns", f"{first}_module", first, second]
    return rows.sort_values("wall_total_ns", ascending=False, kind="stable")[columns]
