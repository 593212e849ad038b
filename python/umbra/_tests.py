# SPDX-License-Identifier: MIT
"""Test methods and what was called below each, as `umbra report --by test` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Tuple

import numpy as np
import pandas as pd

from ._methods import KEY, SUMS, ByMethod, by_method

if TYPE_CHECKING:
    from ._profile import Profile


def tests(profile: "Profile", below: bool) -> pd.DataFrame:
    """See Profile.tests."""
    methods = by_method(profile)
    functions = profile.functions
    frameworks = functions["test"].to_numpy(dtype=object)
    is_test = frameworks[methods.times.index.to_numpy(dtype=np.int64)] != ""
    chosen = _sorted(_whole(methods.times.loc[is_test, [*KEY, *SUMS]]), "wall_total_ns")
    tree = _Tree(profile, methods, chosen.index.to_numpy(dtype=np.int64))
    found = [tree.below(test) for test in chosen.index]
    total_ns = chosen["wall_total_ns"]
    if not below:
        kept_ns = np.array([kept for kept, _ in found], dtype=np.int64)
        return chosen.rename_axis("function").assign(
            share_percent=100 * total_ns / max(total_ns.sum(), 1),
            framework=frameworks[chosen.index.to_numpy(dtype=np.int64)],
            truncated_ns=(total_ns - kept_ns).clip(lower=0),
        )
    parts = [chosen.iloc[:0].assign(share_percent=0.0, test=0, test_name="")]
    for test, (_, sums) in zip(chosen.index, found):
        part = _sorted(_whole(functions[KEY].join(sums, how="inner")), "wall_self_ns")
        share = 100 * part["wall_self_ns"] / max(total_ns[test], 1)
        named = {"test": test, "test_name": chosen.at[test, "name"]}
        parts.append(part.assign(share_percent=share, **named))
    frame = pd.concat(parts).rename_axis("function").reset_index()
    return frame[["test", "test_name", "function", *KEY, *SUMS, "share_percent"]]


def _whole(rows: pd.DataFrame) -> pd.DataFrame:
    """Sums of many rows, each of which was rounded: no time is less than its part."""
    return rows.assign(
        **{
            f"{kind}_total_ns": rows[[f"{kind}_total_ns", f"{kind}_self_ns"]].max(axis=1)
            for kind in ("wall", "cpu")
        }
    )


def _sorted(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """The longest first; equals as the report has them."""
    order = [by, "wall_total_ns"] if by != "wall_total_ns" else [by]
    return rows.sort_values(
        [*order, "name"], ascending=[*[False] * len(order), True], kind="stable"
    )


class _Tree:
    """The call tree, its rows numbered so that those below a row follow it."""

    def __init__(self, profile: "Profile", methods: ByMethod, tests: np.ndarray):
        columns = ["parent", "function", "truncated", *SUMS]
        self._rows = profile.table("calltree", columns, stop=None if len(tests) else 0)
        self._parent = self._rows["parent"].to_numpy()
        self._truncated = self._rows["truncated"].to_numpy(dtype=bool)
        function = self._rows["function"].to_numpy()
        self._method = methods.method_of[function]
        self._counts = methods.counts_calls[function]
        self._place, self._size = _depth_first(self._parent)
        self._row_at = np.argsort(self._place)
        calls = np.flatnonzero(np.isin(self._method, tests))
        self._calls: Dict[int, List[int]] = {test: [] for test in tests.tolist()}
        for row in calls[self._same_above(calls) < 0].tolist():
            self._calls[int(self._method[row])].append(row)

    def below(self, test: int) -> Tuple[int, pd.DataFrame]:
        """The self time of a test and all below it, and the sums of each method below it."""
        parts = [self._rows.iloc[:0].assign(method=0)]
        kept_ns = 0
        for call in self._calls[test]:
            first = self._place[call]
            rows = self._row_at[first : first + self._size[call]]
            rows = rows[~self._truncated[rows]]
            kept_ns += int(self._rows["wall_self_ns"].to_numpy()[rows].sum())
            rows = rows[self._method[rows] != test]
            part = self._rows.iloc[rows].assign(method=self._method[rows])
            part.loc[~self._counts[rows], "calls"] = 0
            above = self._same_above(rows)
            inside = (above >= 0) & (self._place[above] >= first)
            part.loc[inside, ["wall_total_ns", "cpu_total_ns"]] = 0
            parts.append(part)
        return kept_ns, pd.concat(parts).groupby("method", sort=False)[SUMS].sum()

    def _same_above(self, rows: np.ndarray) -> np.ndarray:
        """By row: the nearest call above it of the same method; -1: none."""
        above = self._parent[rows].copy()
        going = np.flatnonzero(above >= 0)
        while len(going):
            going = going[self._method[above[going]] != self._method[rows[going]]]
            above[going] = self._parent[above[going]]
            going = going[above[going] >= 0]
        return above


def _depth_first(parent: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """By row: its place in the order in which all that is below a row follows it, and how many rows
    that are, itself among them. Parents stand before their children."""
    count = len(parent)
    size = np.ones(count, dtype=np.int64)
    levels = []
    level = np.flatnonzero(parent < 0)
    children = np.argsort(parent, kind="stable")
    first = np.searchsorted(parent[children], np.arange(count + 1))
    while len(level):
        levels.append(level)
        number = first[level + 1] - first[level]
        at = np.repeat(first[level] - np.cumsum(number) + number, number) + np.arange(number.sum())
        level = children[at]
    for level in reversed(levels[1:]):
        np.add.at(size, parent[level], size[level])
    place = np.zeros(count, dtype=np.int64)
    for level in levels:  # brothers stand beside each other
        before = np.cumsum(size[level]) - size[level]
        above = parent[level]
        begins = np.flatnonzero(np.append(True, above[1:] != above[:-1]))
        offset = np.repeat(before[begins], np.diff(np.append(begins, len(level))))
        roots = above < 0
        place[level] = np.where(roots, before, place[above] + 1 + before - offset)
    return place, size
