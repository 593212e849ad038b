# SPDX-License-Identifier: MIT
"""What changed between two profiles, and which changes exceed their stated errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from . import _hot

if TYPE_CHECKING:
    from ._profile import Profile

_KEY = ["module_name", "name"]
_SUMS = ["calls", "wall_self_ns", "wall_total_ns", "cpu_self_ns", "cpu_total_ns"]
_ERRORS = ["wall_self_error_ns", "wall_total_error_ns"]
# Which stated error a time has. Time on a processor is wall time less what was measured as off.
_ERROR_OF = {
    "wall_self_ns": "wall_self_error_ns",
    "cpu_self_ns": "wall_self_error_ns",
    "wall_total_ns": "wall_total_error_ns",
    "cpu_total_ns": "wall_total_error_ns",
}


def diff(
    old: "Profile",
    new: "Profile",
    by: str = "self",
    *,
    sigmas: float = 2.0,
    percent: float = 5.0,
    share: float = 0.5,
) -> pd.DataFrame:
    """Functions of two profiles side by side, matched by module and full name; changes first.

    by: self, total, cpu, or one of wall_self_ns, wall_total_ns, cpu_self_ns, cpu_total_ns.
    old_ns, new_ns and change_ns are that time, error_ns the standard error of the change: the root
    of the sum of squares of both stated errors. verdict is

    - new, gone: called in one of the two only;
    - slower, faster: the change exceeds `sigmas` standard errors, and `percent` % of the old time,
      and `share` % of all the old profile's self time (of CPU time where `by` is that);
    - same: it does not.

    Stated errors are those of measuring. How much two runs differ by themselves they do not tell:
    for that are `percent` and `share`. Calls are exact, whatever the verdict says of the time.
    """
    column = _hot.column_of(by, _ERROR_OF)
    if column not in _ERROR_OF:
        raise ValueError(f"by is a time: self, total, cpu, {', '.join(_ERROR_OF)}; not {by!r}")
    if column.startswith("cpu_") and not (old.has_cpu_times and new.has_cpu_times):
        raise ValueError("one of the profiles has no times on a processor (cpu_source is none)")
    both = _side_by_side(old, new)
    before, after = both[f"{column}_old"], both[f"{column}_new"]
    error = _ERROR_OF[column]
    result = pd.DataFrame(
        {
            "calls_old": both["calls_old"],
            "calls_new": both["calls_new"],
            "old_ns": before,
            "new_ns": after,
            "change_ns": after - before,
            "error_ns": np.hypot(both[f"{error}_old"], both[f"{error}_new"]),
            "change_percent": 100 * (after - before) / before.where(before > 0),
        }
    )
    whole = float(both[f"{_hot.share_column(column)}_old"].sum())
    result["verdict"] = _verdicts(result, sigmas, percent, share / 100 * whole)
    result = result.reset_index()
    order = ["name", "verdict", "change_ns", "change_percent", "error_ns", "old_ns", "new_ns"]
    result = result[[*order, "calls_old", "calls_new", "module_name"]]
    changed = (result["verdict"] != "same").to_numpy()
    size = result["change_ns"].abs().to_numpy()
    return result.iloc[np.lexsort((-size, ~changed))].reset_index(drop=True)


def _side_by_side(old: "Profile", new: "Profile") -> pd.DataFrame:
    """Both, one row for each function called in either, _old and _new behind the columns."""
    joined = _by_name(old).join(_by_name(new), how="outer", lsuffix="_old", rsuffix="_new")
    joined = joined.fillna(0)
    whole = [f"{name}_{side}" for name in _SUMS for side in ("old", "new")]
    return joined.astype({name: "int64" for name in whole})


def _by_name(profile: "Profile") -> pd.DataFrame:
    """Sums by module and name: a file can have several functions that are called the same."""
    called = profile.functions[profile.functions["calls"] > 0]
    grouped = called.groupby(_KEY, sort=False)
    errors = grouped[_ERRORS].agg(lambda values: float(np.sqrt((values**2).sum())))
    return grouped[_SUMS].sum().join(errors)


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
