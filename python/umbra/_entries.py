# SPDX-License-Identifier: MIT
"""Tests and endpoints, and what was called below each, as `umbra report --by` says it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Dict, List

import pandas as pd

from ._program import ask_json

_TEXT = {"module_name": "object", "name": "object"}
_SUMS = dict.fromkeys(
    ["calls", "wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"], "int64"
)


@dataclass(frozen=True)
class Kind:
    """Methods that a framework calls from outside."""

    by: str  # of `umbra report --by`
    label: str  # a column that these rows have and others have not
    number: str  # the column with the row of such a method, beside what is below it
    title: str  # the column that says which it is there
    title_of: str  # from which of its own columns


TESTS = Kind("test", "framework", "test", "test_name", "name")
ENDPOINTS = Kind("endpoint", "endpoint", "method", "endpoint", "endpoint")


def entries(
    path: "str | os.PathLike[str]", functions: pd.DataFrame, kind: Kind, below: bool
) -> pd.DataFrame:
    """See Profile.tests. functions: the profile's, for the numbers of their rows."""
    told = ask_json("report", "--by", kind.by, "--json", os.path.abspath(path))[f"{kind.by}s"]
    names = list(zip(functions["module_name"], functions["name"]))
    rows = {key: row for row, key in reversed(list(enumerate(names)))}

    def named(one: Dict[str, Any]) -> Dict[str, Any]:
        row = rows.get((one["module"], one["name"]), -1)
        return {**one, "module_name": one["module"], "function": row}

    whole_ns = max(sum(one["wall_total_ns"] for one in told), 1)
    listed = [
        {**named(one), "share_percent": 100 * one["wall_total_ns"] / whole_ns} for one in told
    ]
    if not below:
        columns = {"function": "int64", **_TEXT, **_SUMS, "share_percent": "float64"}
        columns |= {kind.label: "object", "truncated_ns": "int64"}
        return _frame(listed, columns).set_index("function")
    parts = [
        {
            **named(part),
            kind.number: entry["function"],
            kind.title: entry[kind.title_of],
            "share_percent": 100 * part["wall_self_ns"] / max(entry["wall_total_ns"], 1),
        }
        for entry in listed
        for part in entry["below"]
    ]
    columns = {kind.number: "int64", kind.title: "object", "function": "int64", **_TEXT, **_SUMS}
    return _frame(parts, {**columns, "share_percent": "float64"})


def _frame(rows: List[Dict[str, Any]], columns: Dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)
