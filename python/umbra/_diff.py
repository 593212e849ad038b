# SPDX-License-Identifier: MIT
"""What changed between runs of two versions, by the rule of `umbra diff`: docs/diff_reference.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Sequence, Union

import numpy as np
import pandas as pd

from . import _hot
from ._methods import DOUBTS, KEY, SUMS, is_rough, methods

if TYPE_CHECKING:
    from ._measure import Difference, Sides
    from ._profile import Profile

    Runs = Union[Profile, Sequence[Profile]]

_CALLS = ["calls_old", "calls_new"]
_TIMES = ["wall_self_ns", "wall_total_ns", "cpu_self_ns", "cpu_total_ns"]
_FALSE_DISCOVERIES = 0.01
_WEIGHT_OF_WAITS = 0.1
_TELLING_CALLS = 0.01
_LEAST_WALL_NS, _LEAST_CPU_NS = 4e6, 1e6
_RANKS = {
    "slower": 0,
    "faster": 0,
    "more calls": 1,
    "fewer calls": 1,
    "new": 2,
    "gone": 2,
    "slower below": 3,
    "faster below": 3,
    "same": 4,
}


def diff(
    old: "Runs",
    new: "Runs",
    by: str = "self",
    *,
    min_percent: float = 0.1,
    absolute: bool = False,
    pauses: bool = False,
) -> pd.DataFrame:
    """Methods of two versions side by side, matched by module and full name; changes first.

    old, new: a profile each, or better several runs of each version: how much these differ among
    themselves decides what is a change. With one run each nothing tells how much of a change is the
    machine's, and only large ones are named.

    verdict is that of `umbra diff`: slower or faster (own time), more calls or fewer calls (each
    takes as long as before), new or gone, slower below or faster below (inclusive time), same.
    Of what is named 1 % at most is by chance; docs/diff_reference.md of umbra has the rule. `chance` is the
    probability of such a change of the own time, or of the inclusive time if the verdict is one
    below, where there is none. NaN: it was not judged. error_ns is its standard error.

    by: self, total, cpu, or one of wall_self_ns, wall_total_ns, cpu_self_ns, cpu_total_ns: the time
    shown as old_ns, new_ns and change_ns, means of the runs. It has no say in the verdict.

    rough: the own time of OLD or NEW is less than ten times what the probes took in it, of which
    about a half is in doubt. What that means for a change of it is part of its error.

    min_percent: smallest change, in percent of the self time of all methods. absolute: judge what
    all methods have in common, too. pauses: leave the time in that the runtime stopped or used
    threads.

    Needs scipy.
    """
    column = _hot.column_of(by, _TIMES)
    if column not in _TIMES:
        raise ValueError(f"by is a time: self, total, cpu, {', '.join(_TIMES)}; not {by!r}")
    runs = [_runs(old), _runs(new)]
    has_cpu = all(p.has_cpu_times for side in runs for p in side)
    if column.startswith("cpu_") and not has_cpu:
        raise ValueError("a profile has no times on a processor (cpu_source is none)")
    from ._measure import Sides

    profiles = [*runs[0], *runs[1]]
    frames = [methods(profile, pauses) for profile in profiles]
    judging = _Judging(frames, Sides(len(runs[0]), len(runs[1])), has_cpu, min_percent, absolute)
    counted = all(profile.session.get("mode") != "sampled" for profile in profiles)
    return judging.result(counted, column)


def _runs(side: "Runs") -> "List[Profile]":
    runs = list(side) if isinstance(side, (list, tuple)) else [side]
    if not runs:
        raise ValueError("there is no profile to compare")
    return runs


class _Judging:
    """The verdicts on all methods of any run. Arrays by run and method, or by method."""

    def __init__(
        self,
        frames: List[pd.DataFrame],
        sides: "Sides",
        has_cpu: bool,
        min_percent: float,
        absolute: bool,
    ):
        from ._measure import Machine

        self.sides, self.has_cpu = sides, has_cpu
        keys = sorted({(name, module) for frame in frames for module, name in frame.index})
        self.index = pd.MultiIndex.from_tuples(
            [(module, name) for name, module in keys], names=KEY
        )
        aligned = [frame.reindex(self.index, fill_value=0) for frame in frames]
        self.values: Dict[str, np.ndarray] = {
            name: np.array([frame[name].to_numpy(dtype=float) for frame in aligned]).reshape(
                len(frames), len(keys)
            )
            for name in [*SUMS, *DOUBTS]
        }
        seen = np.array([self.index.isin(frame.index) for frame in frames]).reshape(
            len(frames), len(keys)
        )
        self.seen_old = seen[: sides.before].sum(axis=0)
        self.seen_new = seen[sides.before :].sum(axis=0)
        self.everywhere = seen.all(axis=0)
        self.least_wall_ns = self._whole("wall_self_ns") * min_percent / 100
        self.least_cpu_ns = self._whole("cpu_self_ns") * min_percent / 100
        self.machine = Machine(
            self.values["wall_self_ns"],
            self.values["cpu_self_ns"],
            self.values["calls"],
            self.everywhere,
            sides,
            has_cpu,
            absolute,
        )
        # Shown and compared as whole numbers, as umbra has them.
        self.old = {name: np.round(sides.old(self.values[name])) for name in SUMS}
        self.new = {name: np.round(sides.new(self.values[name])) for name in SUMS}

    def _whole(self, column: str) -> float:
        return float(self.sides.old(self.values[column]).sum())

    def _tested(self, ns: np.ndarray, least_ns: float) -> np.ndarray:
        sizes = self.sides.means(ns)
        return self.everywhere & (sizes > 0) & (sizes >= least_ns / 2)

    def _computed(self, part: str) -> "Difference":
        """Of CPU times, or of wall times without them."""
        from ._measure import compare

        ns = self.machine.scaled(self.values[f"{'cpu' if self.has_cpu else 'wall'}_{part}_ns"])
        events = np.full(len(self.index), (self.sides.event_ns / 2) ** 2)
        least_ns = self.least_cpu_ns if self.has_cpu else self.least_wall_ns
        doubts = self.values[f"wall_{part}_doubt_ns"]
        tested = self._tested(ns, least_ns)
        return compare(ns, doubts, events, tested, self.machine.seldom, self.sides)

    def _waited(self) -> "Difference":
        from ._measure import compare

        ns = self.machine.with_waits
        doubts = self.values["wall_self_doubt_ns"]
        tested = self._tested(ns, self.least_wall_ns)
        return compare(
            ns, doubts, self.machine.wait_variance, tested, self.machine.seldom, self.sides
        )

    def result(self, counted: bool, column: str) -> pd.DataFrame:
        verdict, own, below = self._verdicts(counted)
        is_below = np.char.endswith(verdict.astype(str), " below")
        shown = {name: np.where(is_below, below[name], own[name]) for name in own}
        change = self.new[column] - self.old[column]
        with np.errstate(divide="ignore", invalid="ignore"):
            percent = np.where(self.old[column] > 0, 100 * change / self.old[column], np.nan)
        columns = {
            "verdict": verdict,
            "change_ns": change,
            "change_percent": percent,
            "error_ns": shown["error_ns"],
            "chance": shown["chance"],
            "old_ns": self.old[column],
            "new_ns": self.new[column],
            "rough": self._rough(),
            "calls_old": self.old["calls"].astype("int64"),
            "calls_new": self.new["calls"].astype("int64"),
        }
        size = np.abs(self.new["wall_self_ns"] - self.old["wall_self_ns"])
        size = np.where(shown["real"] & self.everywhere, np.abs(shown["size_ns"]), size)
        ranks = np.array([_RANKS[name] for name in verdict], dtype=int)
        frame = pd.DataFrame(columns, index=self.index).reset_index()
        frame = frame.iloc[np.lexsort((-size, ranks))]
        return frame[["name", *columns, "module_name"]].reset_index(drop=True)

    def _rough(self) -> np.ndarray:
        """Whether the own time of either side is."""
        own, doubts = self.values["wall_self_ns"], self.values["wall_self_doubt_ns"]
        old = is_rough(self.sides.old(own), self.sides.old(doubts))
        return old | is_rough(self.sides.new(own), self.sides.new(doubts))

    def _judged(self, time: "Difference", waits: "Difference | None") -> Dict[str, np.ndarray]:
        """What counts of the tests of a time: `real` says that it is a change."""
        from . import _statistics

        chance, tested = time.chance, time.tested
        by_waits = np.zeros(len(chance), dtype=bool)
        if waits is not None:
            tested = tested | waits.tested
            by_waits = waits.chance < time.chance
            chance = np.minimum(time.chance / (1 - _WEIGHT_OF_WAITS), waits.chance / _WEIGHT_OF_WAITS)
            chance = np.minimum(1.0, chance)
        real = np.zeros(len(chance), dtype=bool)
        real[tested] = _statistics.rejected(chance[tested], _FALSE_DISCOVERIES)
        pick = {
            name: np.where(by_waits, getattr(waits, name), getattr(time, name))
            if waits is not None
            else getattr(time, name)
            for name in ("tested", "log_change", "log_error", "before_ns", "after_ns")
        }
        from ._measure import OFFSET_NS

        difference = pick["after_ns"] - pick["before_ns"]
        by_cpu = ~by_waits if self.has_cpu else np.zeros(len(chance), dtype=bool)
        real &= pick["tested"]
        real &= np.abs(difference) >= np.where(by_cpu, self.least_cpu_ns, self.least_wall_ns)
        scale = (pick["before_ns"] + pick["after_ns"]) / 2 + OFFSET_NS
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(pick["before_ns"] > 0, difference / pick["before_ns"], 0.0)
        return {
            "real": real,
            "by_cpu": by_cpu,
            "chance": np.where(pick["tested"], chance, np.nan),
            "longer": pick["log_change"] > 0,
            "relative": np.where(pick["tested"], relative, 0.0),
            "error_ns": np.where(pick["tested"], pick["log_error"] * scale, np.nan),
            "size_ns": pick["log_change"] * scale,
        }

    def _verdicts(self, counted: bool):  # type: ignore[no-untyped-def]
        own = self._judged(self._computed("self"), self._waited() if self.has_cpu else None)
        below = self._judged(self._computed("total"), None)
        calls = self.new["calls"] / np.maximum(self.old["calls"], 1) - 1
        verdict = np.full(len(self.index), "same", dtype=object)
        if counted and self._calls_are_certain(calls):
            differ = self.everywhere & self._calls_differ() & self._computes()
            verdict[differ & (calls > 0)] = "more calls"
            verdict[differ & (calls <= 0)] = "fewer calls"
        self._by_own_time(verdict, own, calls)
        matters = np.maximum(self.old["wall_self_ns"], self.new["wall_self_ns"]) >= max(
            self.least_wall_ns, _LEAST_WALL_NS
        )
        verdict[matters & (self.seen_old == 0) & (self.seen_new == self.sides.after)] = "new"
        verdict[matters & (self.seen_new == 0) & (self.seen_old == self.sides.before)] = "gone"
        same = (verdict == "same") & self.everywhere & below["real"]
        named = set(verdict)
        if named & {"slower", "more calls", "new"}:
            verdict[same & below["longer"]] = "slower below"
        if named & {"faster", "fewer calls", "gone"}:
            verdict[same & ~below["longer"]] = "faster below"
        return verdict, own, below

    def _by_own_time(
        self, verdict: np.ndarray, own: Dict[str, np.ndarray], calls: np.ndarray
    ) -> None:
        """More time by more calls alone is no slower method."""
        from ._measure import MARGIN

        wall = (self.old["wall_self_ns"] + self.new["wall_self_ns"]) / 2
        cpu = (self.old["cpu_self_ns"] + self.new["cpu_self_ns"]) / 2
        error = own["error_ns"] / np.maximum(1.0, np.where(own["by_cpu"], cpu, wall))
        of_a_call = np.log1p(np.maximum(own["relative"], -0.999)) - np.log1p(
            np.maximum(calls, -0.999)
        )
        by_calls = (
            (np.abs(calls) > _TELLING_CALLS)
            & (calls * own["relative"] > 0)
            & (np.abs(of_a_call) < 3 * error + MARGIN)
        )
        real = own["real"]
        verdict[real & own["longer"]] = "slower"
        verdict[real & ~own["longer"]] = "faster"
        verdict[real & by_calls & (calls > 0)] = "more calls"
        verdict[real & by_calls & (calls <= 0)] = "fewer calls"

    def _ranges(self):  # type: ignore[no-untyped-def]
        calls = self.values["calls"]
        old, new = calls[: self.sides.before], calls[self.sides.before :]
        return old.min(axis=0), old.max(axis=0), new.min(axis=0), new.max(axis=0)

    def _calls_differ(self) -> np.ndarray:
        least_old, most_old, least_new, most_new = self._ranges()
        gap = np.maximum(least_new - most_old, least_old - most_new)
        widest = np.maximum(most_old - least_old, most_new - least_new)
        return (gap > _TELLING_CALLS * most_old) & (gap > 3 * widest)

    def _calls_are_certain(self, calls: np.ndarray) -> bool:
        from ._measure import OFTEN
        from ._statistics import quantile

        chosen = self.everywhere & self._computes()
        chosen &= np.minimum(self.old["calls"], self.new["calls"]) >= OFTEN
        if self.sides.freedom == 0:
            return quantile(np.abs(calls[chosen]), 0.95) <= _TELLING_CALLS
        least_old, most_old, least_new, most_new = self._ranges()
        widest = np.maximum(
            (most_old - least_old) / np.maximum(1.0, least_old),
            (most_new - least_new) / np.maximum(1.0, least_new),
        )
        return quantile(widest[chosen], 0.95) <= _TELLING_CALLS

    def _computes(self) -> np.ndarray:
        if not self.has_cpu:
            return np.maximum(self.old["wall_self_ns"], self.new["wall_self_ns"]) >= max(
                self.least_wall_ns, _LEAST_WALL_NS
            )
        return np.maximum(self.old["cpu_self_ns"], self.new["cpu_self_ns"]) >= max(
            self.least_cpu_ns, _LEAST_CPU_NS
        )
