# SPDX-License-Identifier: MIT
"""Times of whole methods, as `umbra report` puts them together.

A compiler cuts an async method or an iterator into the function that starts it and pieces that run
from each await or yield to the next. Here they are one method: times are those of all its functions,
calls those of the function that starts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, NamedTuple, Tuple

import numpy as np
import pandas as pd

from . import _hot

if TYPE_CHECKING:
    from ._profile import Profile

KEY = ["module_name", "name"]
_INCLUSIVE = ["wall_total_ns", "cpu_total_ns"]
_OWN = ["wall_self_ns", "cpu_self_ns"]
SUMS = ["calls", "wall_total_ns", "wall_self_ns", "cpu_total_ns", "cpu_self_ns"]
_DOUBTFUL_PART, _ROUGH_PART = 0.5, 0.05
_BODIES = (".MoveNext", ".GenerateNext")


def probe_part(session: "Mapping[str, Any]") -> float:
    """Of what has been taken out of the times, the part that the probes took; the rest are waits."""
    pair_ns = session.get("probe_inside_ns", 0) + session.get("probe_outside_ns", 0)
    probes_ns = session["events"] / 2 * pair_ns
    all_ns = probes_ns + session["wait_ns"]
    return probes_ns / all_ns if all_ns > 0 else 0.0


def doubt_ns(raw: pd.Series, left: pd.Series, probes: float) -> pd.Series:
    """Of times, by the probes' cost: src/profile/probe_doubt.h of umbra has the reasons."""
    return _DOUBTFUL_PART * probes * (raw - left).clip(lower=0)


def is_rough(ns: pd.Series, doubt: pd.Series) -> pd.Series:
    """Times of less than ten times what the probes took in them."""
    return doubt > _ROUGH_PART * ns


def names_in_modules(names: Iterable[str], marks: Iterable[str]) -> List[str]:
    """Names without the mark that tells modules apart: what the same program has in another run."""
    pairs = zip(names, marks)
    return ["".join(name.rpartition(mark)[::2]) if mark else name for name, mark in pairs]


def _without_body(name: str) -> str:
    """Of a piece, the name of the function that starts it."""
    head, mark, tail = name.rpartition(" [body")
    return head + tail.partition("]")[2] if mark else name


class ByMethod(NamedTuple):
    """`times`: one row for each called method, named by the row of its first function: its module
    and name, calls, times with pauses. The others: see _folded."""

    times: pd.DataFrame
    method_of: np.ndarray
    counts_calls: np.ndarray


def by_method(profile: "Profile") -> ByMethod:
    """The functions of a profile as methods."""
    functions = profile.functions
    method_of, counts_calls = _folded(functions, profile.session.get("mode") == "sampled")
    table = functions[["calls", *_INCLUSIVE, *_OWN]].copy()
    table.loc[~counts_calls, "calls"] = 0
    seen = ((functions["calls"] > 0) | (functions["wall_total_ns"] > 0)).to_numpy()
    single = np.bincount(method_of[seen], minlength=len(table))[method_of] == 1
    # Of a method that is one function the file has the calls, whatever it is.
    table.loc[single, "calls"] = functions.loc[single, "calls"]
    cut = seen & ~single
    if cut.any():
        for name, values in _inclusive(profile, method_of, cut).items():
            table.loc[cut, name] = 0
            table.loc[method_of[np.flatnonzero(cut)], name] = values[method_of[cut]]
    listed = (_hot.of_methods(functions["name"]) | (functions["module"] >= 0)).to_numpy()
    times = table.assign(method=method_of)[listed & seen].groupby("method", sort=False).sum()
    return ByMethod(times.join(functions[KEY]), method_of, counts_calls)


def _is_piece(raw_name: str) -> bool:
    body = next((body for body in _BODIES if raw_name.endswith(body)), None)
    if body is None:
        return False
    made = raw_name[: -len(body)].rpartition("/")[2]
    return made.startswith(("<", "VB$StateMachine_")) or "@" in made


def _folded(functions: pd.DataFrame, sampled: bool) -> Tuple[np.ndarray, np.ndarray]:
    """By row of functions: the row of its method, and whether its calls are calls of the method."""
    pieces = np.array([_is_piece(raw) for raw in functions["raw_name"]], dtype=bool)
    method_of = np.arange(len(functions))
    counts_calls = np.ones(len(functions), dtype=bool)
    names = list(zip(functions["module"].tolist(), functions["name"].tolist()))
    seen = ((functions["calls"] > 0) | (functions["wall_total_ns"] > 0)).to_numpy()
    first: Dict[Tuple[int, str], int] = {}
    for row in [*np.flatnonzero(~pieces), *np.flatnonzero(pieces)]:
        module, name = names[row]
        method = first.setdefault((module, _without_body(name) if pieces[row] else name), row)
        if pieces[row] and method != row:
            method_of[row] = method
            counts_calls[row] = pieces[method] or not seen[method] or sampled
    return method_of, counts_calls


def _inclusive(profile: "Profile", method_of: np.ndarray, cut: np.ndarray) -> Dict[str, np.ndarray]:
    """By row of functions: inclusive times of the methods that several functions are, from the tree.
    What runs inside another function of its method is in that one's time."""
    tree = profile.table("calltree", ["parent", "function", *_INCLUSIVE])
    parent, function = tree["parent"].to_numpy(), tree["function"].to_numpy()
    rows = np.flatnonzero(cut[function])
    method = method_of[function]
    outermost = np.ones(len(rows), dtype=bool)
    at = parent[rows]
    going = np.flatnonzero(at >= 0)
    while len(going):
        above = at[going]
        inside = method[above] == method[rows[going]]
        outermost[going[inside]] = False
        at[going] = parent[above]
        going = going[~inside & (at[going] >= 0)]
    counted = rows[outermost]
    return {
        name: np.bincount(method[counted], tree[name].to_numpy()[counted], minlength=len(cut))
        for name in _INCLUSIVE
    }
