# SPDX-License-Identifier: MIT
"""Sorting, shares and percentiles: what the hot lists of one file and of many have in common."""

from __future__ import annotations

from typing import Iterable, Optional, Sequence

import numpy as np
import pandas as pd

_SHORT = {
    "self": "wall_self_ns",
    "total": "wall_total_ns",
    "cpu": "cpu_self_ns",
    "calls": "calls",
    "mean": "wall_mean_ns",
    "max": "wall_max_ns",
}


def column_of(by: str, columns: Iterable[str]) -> str:
    """The column that a list is sorted by."""
    if by in _SHORT:
        return _SHORT[by]
    if by not in columns:
        raise ValueError(f"by is one of {', '.join(_SHORT)} or a column, not {by!r}")
    return by


def share_column(column: str) -> str:
    """The column that shares are of."""
    return "cpu_self_ns" if column.startswith("cpu_") else "wall_self_ns"


def top(frame: pd.DataFrame, n: Optional[int], column: str, share_of: str) -> pd.DataFrame:
    """The first `n` rows by `column`, with their share; equals in the order of their names."""
    whole = float(frame[share_of].sum())
    ordered = frame.sort_values([column, "name"], ascending=[False, True], kind="stable")
    listed = (ordered if n is None else ordered.head(n)).copy()
    share = 100 * listed[share_of] / whole if whole else 0.0
    listed.insert(listed.columns.get_loc("module_name"), "share_percent", share)
    return listed


def percentiles(
    histograms: pd.DataFrame, rows: pd.Index, q: Sequence[float], functions: pd.DataFrame
) -> pd.DataFrame:
    """One row for each of `rows`, one column pN_ns for each of `q` (0 to 100)."""
    names = [f"p{value:g}_ns" for value in q]
    found = np.full((len(rows), len(names)), np.nan)
    wanted = histograms[histograms["function"].isin(rows)]
    position = {row: i for i, row in enumerate(rows)}
    for row, buckets in wanted.groupby("function", sort=False):
        buckets = buckets.sort_values("lower_ns")
        of_function = _percentiles_of(buckets, np.asarray(q, dtype=float) / 100)
        low, high = functions.at[row, "wall_min_ns"], functions.at[row, "wall_max_ns"]
        found[position[row]] = np.clip(of_function, low, max(low, high))
    return pd.DataFrame(found.round(1), index=rows, columns=names)


def _percentiles_of(buckets: pd.DataFrame, parts: np.ndarray) -> np.ndarray:
    calls = buckets["calls"].to_numpy(dtype=float)
    until = np.cumsum(calls)
    if not len(until) or until[-1] <= 0:
        return np.full(len(parts), np.nan)
    # As in umbra's report: the middle of the place that the call of this rank has.
    rank = np.maximum(np.ceil(parts * until[-1]), 1)
    at = np.minimum(np.searchsorted(until, rank, side="left"), len(until) - 1)
    lower = buckets["lower_ns"].to_numpy(dtype=float)[at]
    upper = buckets["upper_ns"].to_numpy(dtype=float)[at]
    within = (rank - (until[at] - calls[at]) - 0.5) / np.maximum(calls[at], 1)
    return lower + (upper - lower) * np.clip(within, 0, 1)


_SIZES = {"us": 1e3, "ms": 1e6, "s": 1e9}


def in_unit(frame: pd.DataFrame, unit: str) -> pd.DataFrame:
    """The same frame with every column of nanoseconds (_ns) as one of `unit`: us, ms or s."""
    if unit not in _SIZES:
        raise ValueError(f"unit is one of {', '.join(_SIZES)}, not {unit!r}")
    scaled = {
        name: frame[name] / _SIZES[unit] for name in frame.columns if str(name).endswith("_ns")
    }
    renamed = {name: f"{name[:-3]}_{unit}" for name in scaled}
    return frame.assign(**scaled).rename(columns=renamed)
