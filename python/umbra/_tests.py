# SPDX-License-Identifier: MIT
"""Test methods and what was called below each, as `umbra report --by test` says it."""

from __future__ import annotations

import os
from typing import Any, Dict, List

import pandas as pd

from ._program import ask_json

_TEXT = {"module_name": "object", "name": "object"}
_SUMS = dict.fromkeys(
    ["calls", "wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"], "int64"
)
_TEST = {**_TEXT, **_SUMS, "share_percent": "float64", "framework": "object", "truncated_ns": "int64"}
_BELOW = {
    "test": "int64", "test_name": "object", "function": "int64", **_TEXT, **_SUMS, "share_percent": "float64"
}  # fmt: skip


def tests(path: "str | os.PathLike[str]", functions: pd.DataFrame, below: bool) -> pd.DataFrame:
    """See Profile.tests. functions: the profile's, for the numbers of their rows."""
    told = ask_json("report", "--by", "test", "--json", os.path.abspath(path))["tests"]
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
        return _frame(listed, {"function": "int64", **_TEST}).set_index("function")
    parts = [
        {
            **named(part),
            "test": test["function"],
            "test_name": test["name"],
            "share_percent": 100 * part["wall_self_ns"] / max(test["wall_total_ns"], 1),
        }
        for test in listed
        for part in test["below"]
    ]
    return _frame(parts, _BELOW)


def _frame(rows: List[Dict[str, Any]], columns: Dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(columns)).astype(columns)
