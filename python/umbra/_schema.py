# SPDX-License-Identifier: MIT
"""The tables of schema 1: their columns, types and links. A test compares this with umbra's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional

FORMAT = "umbra profile"
MAJOR = 1
MINOR = 11

# Attributes of the root that this package works with; every version has them. The others are
# passed on as they are.
ATTRIBUTES = {
    "format": str,
    "schema_version": str,
    "created_utc": str,
    "host": str,
    "program": str,
    "runtime": str,
    "pid": int,
    "complete": int,
    "wall_ns": int,
    "events": int,
    "lost_events": int,
}


@dataclass(frozen=True)
class Column:
    """One column. `kind` is "text" or the name of a numpy type."""

    kind: str
    refers_to: Optional[str] = None  # the table whose rows the numbers are
    or_none: bool = False  # -1 stands for no row
    since_minor: int = 0
    before: Optional[str] = None  # in older files: the column that has the value, else 0 or -1


def _numbers(names: str, since_minor: int = 0) -> Dict[str, Column]:
    return {name: Column("int64", since_minor=since_minor) for name in names.split()}


def _texts(names: str, since_minor: int = 0) -> Dict[str, Column]:
    return {name: Column("text", since_minor=since_minor) for name in names.split()}


def _row_of(table: str) -> Column:
    return Column("int32", refers_to=table)


def _row_or_none(table: str, since_minor: int = 0) -> Column:
    return Column("int32", refers_to=table, or_none=True, since_minor=since_minor)


_CALLS = {
    **_numbers("calls unfinished wall_total_ns wall_self_ns wall_min_ns wall_max_ns"),
    "wall_total_raw_ns": Column("int64", since_minor=1, before="wall_total_ns"),
    "wall_self_raw_ns": Column("int64", since_minor=1, before="wall_self_ns"),
    **_numbers("cpu_total_ns cpu_self_ns paused_total_ns paused_self_ns", since_minor=1),
}

_ASYNC_COUNTS = {
    **_numbers("calls results faults cancelled open unknown never_suspended before", 11),
    **_numbers("suspensions wall_ns running_ns children_ns others_ns outside_ns queued_ns", 11),
}

TABLES: Dict[str, Dict[str, Column]] = {
    "runtimes": {"version": Column("text", since_minor=7)},
    "modules": {
        **_texts("name path"),
        "framework": Column("bool"),
        "runtime": _row_or_none("runtimes", since_minor=7),
        **_texts("symbols symbols_missing", since_minor=8),
    },
    "functions": {
        **_texts("name namespace type method signature raw_name"),
        "module": _row_or_none("modules"),
        "token": Column("uint32"),
        "instrumented": Column("bool"),
        **_CALLS,
        "trivial": Column("bool", since_minor=10),
        "inlined_into": Column("text", since_minor=10),
        "limited": Column("bool", since_minor=1),
        "runtime": _row_or_none("runtimes", since_minor=7),
        "file": Column("text", since_minor=8),
        "line": Column("uint32", since_minor=8),
        **_texts("test module_mark", since_minor=9),
        "synchronized": Column("bool", since_minor=9),
    },
    "methods": {
        "function": _row_of("functions"),
        **_CALLS,
        **_numbers("wall_mean_ns wall_p50_ns wall_p90_ns wall_p99_ns"),
        "rough": Column("bool"),
        "logical": Column("bool"),
    },
    "threads": {
        "name": Column("text"),
        "os_tid": Column("uint32"),
        **_numbers("start_ns end_ns covered_ns events calls lost_events waits wait_ns"),
        **_numbers("repairs unmatched_leaves decode_errors"),
        **_numbers("cpu_ns kernel_cpu_ns paused_ns", since_minor=1),
        "threads": Column("int64", since_minor=10, before="one"),
        **_numbers("compilations compiling_ns", since_minor=10),
        "runtime": _row_or_none("runtimes", since_minor=7),
    },
    "calltree": {
        "parent": _row_or_none("calltree"),
        "function": _row_of("functions"),
        "thread": _row_or_none("threads"),
        **_CALLS,
        "truncated": Column("bool", since_minor=4),
    },
    "edges": {"caller": _row_or_none("functions"), "callee": _row_of("functions"), **_CALLS},
    "thread_functions": {
        "thread": _row_of("threads"),
        "function": _row_of("functions"),
        **_CALLS,
    },
    "histograms": {"function": _row_of("functions"), **_numbers("lower_ns upper_ns calls")},
    "compilations": {
        "function": _row_or_none("functions"),
        "thread": _row_or_none("threads"),
        **_numbers("start_ns duration_ns"),
        "version": Column("uint32", since_minor=1),
    },
    "compilation_sums": {
        "function": _row_or_none("functions", since_minor=10),
        **_numbers("count duration_ns longest_ns", since_minor=10),
    },
    "pauses": {
        "reason": Column("text", since_minor=1),
        "generations": Column("uint32", since_minor=1),
        "thread": _row_or_none("threads", since_minor=1),
        "os_tid": Column("uint32", since_minor=1),
        **_numbers("start_ns duration_ns stopping_ns", since_minor=1),
        "threads": Column("uint32", since_minor=1),
    },
    "pause_sums": {
        "reason": Column("text", since_minor=10),
        "generations": Column("uint32", since_minor=10),
        **_numbers("count duration_ns stopping_ns longest_ns", since_minor=10),
    },
    "time_slices": _numbers(
        "start_ns duration_ns pauses paused_ns longest_pause_ns compilations compiling_ns "
        "threads_begun threads_ended",
        since_minor=10,
    ),
    "exceptions": {
        "type": Column("text"),
        "thrown_in": _row_or_none("functions"),
        "caught_in": _row_or_none("functions"),
        "count": Column("int64"),
    },
    "timeline": {
        "node": Column("int32", refers_to="calltree", since_minor=2),
        **_numbers("start_ns duration_ns", since_minor=2),
    },
    "arguments": {
        "function": _row_or_none("functions", since_minor=6),
        "name": Column("text", since_minor=6),
        "type": Column("text", since_minor=6),
        "refusal": Column("text", since_minor=6),
        **_numbers("values calls", since_minor=6),
    },
    "argument_values": {
        "argument": Column("int32", refers_to="arguments", since_minor=6),
        "value": Column("text", since_minor=6),
        "rest": Column("bool", since_minor=6),
        **_numbers(
            "calls unfinished wall_total_ns wall_min_ns wall_max_ns wall_p50_ns wall_p99_ns",
            since_minor=6,
        ),
    },
    "slow_methods": {
        "function": _row_or_none("functions", since_minor=9),
        "request": Column("text", since_minor=9),
        **_numbers("calls kept lost", since_minor=9),
    },
    "slow_calls": {
        "method": Column("int32", refers_to="slow_methods", since_minor=9),
        "thread": Column("int32", refers_to="threads", since_minor=9),
        "caller": _row_or_none("functions", since_minor=9),
        "unfinished": Column("bool", since_minor=9),
        **_numbers(
            "start_ns duration_ns probes_ns waited_ns wall_ns off_cpu_ns cpu_ns paused_ns "
            "compiling_ns calls merged_calls",
            since_minor=9,
        ),
    },
    "slow_slices": {
        "call": Column("int32", refers_to="slow_calls", since_minor=9),
        "parent": _row_or_none("slow_slices", since_minor=9),
        "function": _row_or_none("functions", since_minor=9),
        "kind": Column("text", since_minor=9),
        **_numbers("start_ns duration_ns calls", since_minor=9),
    },
    "async_methods": {
        "function": Column("int32", refers_to="functions", since_minor=11),
        **_ASYNC_COUNTS,
        **_numbers(
            "wall_min_ns wall_max_ns wall_p50_ns wall_p90_ns wall_p99_ns", since_minor=11
        ),
    },
    "async_tree": {
        "parent": _row_or_none("async_tree", since_minor=11),
        "function": _row_or_none("functions", since_minor=11),
        "how": Column("text", since_minor=11),
        "caller": _row_or_none("functions", since_minor=11),
        **_ASYNC_COUNTS,
    },
    "async_waits": {
        "function": _row_or_none("functions", since_minor=11),
        "how": Column("text", since_minor=11),
        "awaited_function": _row_or_none("functions", since_minor=11),
        "awaited": Column("text", since_minor=11),
        **_numbers("times total_ns", since_minor=11),
    },
    "long_strings": {**_texts("table column"), "row": Column("int64"), "text": Column("text")},
}

# Tables that came after 1.0: older files have none, which is the same as no rows.
SINCE_MINOR = {
    "pauses": 1,
    "timeline": 2,
    "arguments": 6,
    "argument_values": 6,
    "runtimes": 7,
    "slow_methods": 9,
    "slow_calls": 9,
    "slow_slices": 9,
    "methods": 11,
    "async_methods": 11,
    "async_tree": 11,
    "async_waits": 11,
    "compilation_sums": 10,
    "pause_sums": 10,
    "time_slices": 10,
}
