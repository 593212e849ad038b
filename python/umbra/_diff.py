# SPDX-License-Identifier: MIT
"""What changed between profiles, and which changes exceed what may be wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, NamedTuple, Sequence, Union

import numpy as np
import pandas as pd

from . import _hot

if TYPE_CHECKING:
    from ._profile import Profile

    Runs = Union[Profile, Sequence[Profile]]

_KEY = ["module_name", "name"]
_CALLS = ["calls_old", "calls_new"]
# Which stated error a time has. Time on a processor is wall time less what was measured as off.
_ERROR_OF = {
    "wall_self_ns": "wall_self_error_ns",
    "cpu_self_ns": "wall_self_error_ns",
    "wall_total_ns": "wall_total_error_ns",
    "cpu_total_ns": "wall_total_error_ns",
}


def diff(
    old: "Runs",
    new: "Runs",
    by: str = "self",
    *,
    sigmas: float = 3.0,
    percent: float = 5.0,
    share: float = 0.5,
) -> pd.DataFrame:
    """Functions of two profiles side by side, matched by module and full name; changes first.

    old, new: a profile each, or several runs of the same. Of several, times and calls are means
    (calls rounded), and how much the runs differ among themselves is part of the error: with one
    run each nothing tells how much of a change is the machine's.

    by: self, total, cpu, or one of wall_self_ns, wall_total_ns, cpu_self_ns, cpu_total_ns.
    old_ns, new_ns and change_ns are that time. error_ns is the standard error of the change: the
    root of the sum of squares of the stated errors of both sides and, with several runs, of the
    standard errors of their means. verdict is

    - new, gone: called on one side only;
    - slower, faster: the change exceeds `sigmas` standard errors, and `percent` % of the old time,
      and `share` % of the old side's self time of all functions (CPU self time where `by` is CPU);
    - same: it does not.
    """
    column = _hot.column_of(by, _ERROR_OF)
    if column not in _ERROR_OF:
        raise ValueError(f"by is a time: self, total, cpu, {', '.join(_ERROR_OF)}; not {by!r}")
    runs = [_runs(old), _runs(new)]
    if column.startswith("cpu_") and not all(p.has_cpu_times for side in runs for p in side):
        raise ValueError("a profile has no times on a processor (cpu_source is none)")
    frames = [[_by_name(profile) for profile in side] for side in runs]
    index = pd.MultiIndex.from_tuples(
        sorted({key for side in frames for frame in side for key in frame.index}), names=_KEY
    )
    before, after = (_side(side, index, column) for side in frames)
    result = _compared(before, after, index)
    whole = float(_side(frames[0], index, _hot.share_column(column)).mean_ns.sum())
    result["verdict"] = _verdicts(result, sigmas, percent, share / 100 * whole)
    return _ordered(result.reset_index())


class _Side(NamedTuple):
    """One side of a comparison, by function."""

    calls: np.ndarray  # mean of the runs
    mean_ns: np.ndarray
    error_ns: np.ndarray  # standard error of the mean: stated, and from the spread of the runs


def _runs(side: "Runs") -> "List[Profile]":
    runs = list(side) if isinstance(side, (list, tuple)) else [side]
    if not runs:
        raise ValueError("there is no profile to compare")
    return runs


def _by_name(profile: "Profile") -> pd.DataFrame:
    """Sums by module and name: a file can have several functions that are called the same."""
    functions = profile.functions
    called = functions[(functions["calls"] > 0) & _hot.of_methods(functions["name"])]
    columns = ["calls", *_ERROR_OF]
    squares = {name: called[name] ** 2 for name in dict.fromkeys(_ERROR_OF.values())}
    grouped = called[[*_KEY, *columns]].assign(**squares).groupby(_KEY, sort=False).sum()
    return grouped.assign(**{name: np.sqrt(grouped[name]) for name in squares})


def _side(frames: List[pd.DataFrame], index: pd.MultiIndex, column: str) -> _Side:
    """A run that never called a function took no time in it."""

    def values(name: str) -> np.ndarray:
        return np.array([frame[name].reindex(index, fill_value=0).to_numpy() for frame in frames])

    times, count = values(column), len(frames)
    spread = times.std(axis=0, ddof=1) / count**0.5 if count > 1 else np.zeros(len(index))
    # Part of a stated error is common to all runs, so their mean is no more certain than each.
    stated = values(_ERROR_OF[column]).mean(axis=0)
    mean = times[0] if count == 1 else times.mean(axis=0)
    return _Side(values("calls").mean(axis=0), mean, np.hypot(stated, spread))


def _compared(before: _Side, after: _Side, index: pd.MultiIndex) -> pd.DataFrame:
    change = after.mean_ns - before.mean_ns
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = np.where(before.mean_ns > 0, 100 * change / before.mean_ns, np.nan)
    columns = {
        "verdict": "",
        "change_ns": change,
        "change_percent": percent,
        "error_ns": np.hypot(before.error_ns, after.error_ns),
        "old_ns": before.mean_ns,
        "new_ns": after.mean_ns,
        "calls_old": before.calls,
        "calls_new": after.calls,
    }
    return pd.DataFrame(columns, index=index)


def _verdicts(result: pd.DataFrame, sigmas: float, percent: float, least_ns: float) -> np.ndarray:
    size = result["change_ns"].abs()
    real = (
        (size > sigmas * result["error_ns"])
        & (size > percent / 100 * result["old_ns"])
        & (size > least_ns)
    )
    conditions = [
        result["calls_old"] == 0,
        result["calls_new"] == 0,
        real & (result["change_ns"] > 0),
        real & (result["change_ns"] < 0),
    ]
    return np.select(conditions, ["new", "gone", "slower", "faster"], default="same")


def _ordered(result: pd.DataFrame) -> pd.DataFrame:
    """What changed first, the greatest change first; names in front, calls as whole numbers."""
    result = result.assign(**{name: result[name].round().astype("int64") for name in _CALLS})
    unchanged = (result["verdict"] == "same").to_numpy()
    order = np.lexsort((-result["change_ns"].abs().to_numpy(), unchanged))
    columns = ["name", *(name for name in result.columns if name not in _KEY), "module_name"]
    return result.iloc[order][columns].reset_index(drop=True)
