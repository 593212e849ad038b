# SPDX-License-Identifier: MIT
"""The tables of schema 2: their columns, types and links. A test compares this with umbra's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional

FORMAT = "umbra profile"
MAJOR = 2

# Attributes of the root that this package works with; every file has them. The others are
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


def _numbers(names: str) -> Dict[str, Column]:
    return {name: Column("int64") for name in names.split()}


def _texts(names: str) -> Dict[str, Column]:
    return {name: Column("text") for name in names.split()}


def _row_of(table: str) -> Column:
    return Column("int32", refers_to=table)


def _row_or_none(table: str) -> Column:
    return Column("int32", refers_to=table, or_none=True)


_CALLS = {
    **_numbers("calls unfinished wall_total_ns wall_self_ns wall_min_ns wall_max_ns"),
    **_numbers("wall_total_raw_ns wall_self_raw_ns cpu_total_ns cpu_self_ns"),
    **_numbers("paused_total_ns paused_self_ns"),
}

_ASYNC_COUNTS = {
    **_numbers("calls results faults cancelled open unknown never_suspended before"),
    **_numbers("suspensions wall_ns running_ns children_ns others_ns outside_ns queued_ns"),
}

TABLES: Dict[str, Dict[str, Column]] = {
    "runtimes": {"version": Column("text")},
    "modules": {
        **_texts("name path"),
        "framework": Column("bool"),
        "runtime": _row_or_none("runtimes"),
        **_texts("symbols symbols_missing"),
    },
    "functions": {
        **_texts("name namespace type method signature raw_name"),
        "module": _row_or_none("modules"),
        "token": Column("uint32"),
        "instrumented": Column("bool"),
        **_CALLS,
        "trivial": Column("bool"),
        "inlined_into": Column("text"),
        "deinstrumented": Column("bool"),
        "runtime": _row_or_none("runtimes"),
        "file": Column("text"),
        "line": Column("uint32"),
        **_texts("test endpoint module_mark"),
        "synchronized": Column("bool"),
        "runtime_async": Column("bool"),
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
        **_numbers("repairs unmatched_leaves decode_errors cpu_ns kernel_cpu_ns paused_ns"),
        **_numbers("threads compilations compiling_ns"),
        "runtime": _row_or_none("runtimes"),
    },
    "calltree": {
        "parent": _row_or_none("calltree"),
        "function": _row_of("functions"),
        "thread": _row_or_none("threads"),
        **_CALLS,
        "truncated": Column("bool"),
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
        "version": Column("uint32"),
    },
    "compilation_sums": {
        "function": _row_or_none("functions"),
        **_numbers("count duration_ns longest_ns"),
    },
    "pauses": {
        "reason": Column("text"),
        "generations": Column("uint32"),
        "thread": _row_or_none("threads"),
        "os_tid": Column("uint32"),
        **_numbers("start_ns duration_ns stopping_ns"),
        "threads": Column("uint32"),
    },
    "pause_sums": {
        "reason": Column("text"),
        "generations": Column("uint32"),
        **_numbers("count duration_ns stopping_ns longest_ns"),
    },
    "time_slices": _numbers(
        "start_ns duration_ns pauses paused_ns longest_pause_ns compilations compiling_ns "
        "threads_begun threads_ended"
    ),
    "exceptions": {
        "type": Column("text"),
        "thrown_in": _row_or_none("functions"),
        "caught_in": _row_or_none("functions"),
        "count": Column("int64"),
    },
    "timeline": {"node": _row_of("calltree"), **_numbers("start_ns duration_ns")},
    "arguments": {
        "function": _row_or_none("functions"),
        "name": Column("text"),
        "type": Column("text"),
        "refusal": Column("text"),
        **_numbers("values calls"),
    },
    "argument_values": {
        "argument": _row_of("arguments"),
        "value": Column("text"),
        "rest": Column("bool"),
        **_numbers("calls unfinished wall_total_ns wall_min_ns wall_max_ns wall_p50_ns wall_p99_ns"),
    },
    "slow_methods": {
        "function": _row_or_none("functions"),
        "request": Column("text"),
        **_numbers("calls kept lost"),
    },
    "slow_calls": {
        "method": _row_of("slow_methods"),
        "thread": _row_of("threads"),
        "caller": _row_or_none("functions"),
        "unfinished": Column("bool"),
        **_numbers(
            "start_ns duration_ns probes_ns waited_ns wall_ns off_cpu_ns cpu_ns paused_ns "
            "compiling_ns calls merged_calls running_ns awaiting_ns queued_ns"
        ),
        "outcome": Column("text"),
    },
    "slow_slices": {
        "call": _row_of("slow_calls"),
        "parent": _row_or_none("slow_slices"),
        "function": _row_or_none("functions"),
        "kind": Column("text"),
        **_numbers("start_ns duration_ns calls"),
        "thread": _row_or_none("threads"),
        "awaited": Column("text"),
    },
    "async_methods": {
        "function": _row_of("functions"),
        **_ASYNC_COUNTS,
        **_numbers("wall_min_ns wall_max_ns wall_p50_ns wall_p90_ns wall_p99_ns"),
        "iterator": Column("bool"),
    },
    "async_tree": {
        "parent": _row_or_none("async_tree"),
        "function": _row_or_none("functions"),
        "how": Column("text"),
        "caller": _row_or_none("functions"),
        **_ASYNC_COUNTS,
    },
    "async_waits": {
        "function": _row_or_none("functions"),
        "how": Column("text"),
        "awaited_function": _row_or_none("functions"),
        "awaited": Column("text"),
        **_numbers("times total_ns"),
    },
    "blocked_waits": {
        "function": _row_or_none("functions"),
        "awaited_function": _row_or_none("functions"),
        "awaited": Column("text"),
        **_numbers("times total_ns"),
    },
    "long_strings": {**_texts("table column"), "row": Column("int64"), "text": Column("text")},
}
