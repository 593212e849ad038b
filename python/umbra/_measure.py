# SPDX-License-Identifier: MIT
"""One time of many methods in the runs of two sides. The same as src/profile/diff/measure.cpp and
machine.cpp, line for line where that helps; docs/diff_reference.md explains it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import _statistics

OFFSET_NS = 4e6
MARGIN = 0.01
ENOUGH = 5
OFTEN = 16
_ASSUMED_NOISE = 0.03
_ASSUMED_FREEDOM = 4.0
_LONGEST_EVENT_NS = 12e6
_UNIT, _UNIT_SELDOM = 0.01, 0.1
_ENOUGH_FOR_MEDIAN = 20
_MEDIAN_OF_NORMAL = 0.6745
_WIDENING = 4.0
_AS_OFTEN = 0.01
_LEAST_COMPUTED_NS = 5e6
_LEAST_WAITED_NS = 1e6


class Sides(NamedTuple):
    """How many runs either side has; those of OLD are the first rows of all arrays."""

    before: int
    after: int

    @property
    def freedom(self) -> int:
        return self.before + self.after - 2

    @property
    def of_means(self) -> float:
        return 1 / self.before + 1 / self.after

    @property
    def event_ns(self) -> float:
        return _LONGEST_EVENT_NS / min(self.before, self.after)

    def old(self, values: np.ndarray) -> np.ndarray:
        return values[: self.before].mean(axis=0)

    def new(self, values: np.ndarray) -> np.ndarray:
        return values[self.before :].mean(axis=0)

    def means(self, values: np.ndarray) -> np.ndarray:
        return (self.old(values) + self.new(values)) / 2

    def variances(self, values: np.ndarray) -> np.ndarray:
        squares = ((values[: self.before] - self.old(values)) ** 2).sum(axis=0)
        squares += ((values[self.before :] - self.new(values)) ** 2).sum(axis=0)
        return squares / self.freedom


class Difference(NamedTuple):
    """By method; where `tested` is False the rest says nothing."""

    tested: np.ndarray
    log_change: np.ndarray
    log_error: np.ndarray
    chance: np.ndarray
    before_ns: np.ndarray
    after_ns: np.ndarray


def compare(
    ns: np.ndarray,
    doubt_ns: np.ndarray,
    event_variance: np.ndarray,
    tested: np.ndarray,
    seldom: np.ndarray,
    sides: Sides,
) -> Difference:
    """Times and doubts by run and method, the rest by method."""
    count = len(tested)
    result = Difference(
        tested, np.zeros(count), np.zeros(count), np.ones(count), np.zeros(count), np.zeros(count)
    )
    if not tested.any():
        return result
    times, logs = ns[:, tested], np.log(ns[:, tested] + OFFSET_NS)
    change = sides.new(logs) - sides.old(logs)
    events = event_variance[tested] / (sides.means(times) + OFFSET_NS) ** 2
    units = np.where(seldom[tested], _UNIT_SELDOM, _UNIT) ** 2 + events
    if sides.freedom > 0:
        error, freedom = _from_runs(sides.variances(logs), events, units, sides)
    else:
        error, freedom = _from_methods(change, events, units, sides)
    doubt = doubt_ns[:, tested] / (times + OFFSET_NS)
    error = np.maximum(error, np.abs(sides.new(doubt) - sides.old(doubt)))
    if len(change) >= _ENOUGH_FOR_MEDIAN:
        apart = np.abs(change - np.median(change)) / error
        error = error * max(1.0, _statistics.median(apart) / _MEDIAN_OF_NORMAL)
    result.log_change[tested] = change
    result.log_error[tested] = error
    result.chance[tested] = _statistics.chance_of(change, MARGIN, error, freedom)
    result.before_ns[tested] = sides.old(times)
    result.after_ns[tested] = sides.new(times)
    return result


def _from_runs(within, events, units, sides):  # type: ignore[no-untyped-def]
    freedom = float(sides.freedom)
    known, of_all = _ASSUMED_FREEDOM, np.full(len(units), _ASSUMED_NOISE**2)
    if len(units) >= ENOUGH:
        variance, known = _statistics.fit_variance_prior(within / units, freedom)
        of_all = variance * units
    moderated = (known * of_all + freedom * within) / (known + freedom)
    whole = moderated + events
    return np.sqrt(whole * sides.of_means), whole**2 / moderated**2 * (known + freedom)


def _from_methods(change, events, units, sides):  # type: ignore[no-untyped-def]
    variance = np.maximum(units, _ASSUMED_NOISE**2 + events)
    if len(units) >= ENOUGH:
        apart = np.abs(change - np.median(change)) / np.sqrt(units * sides.of_means)
        scale = max(1.0, _statistics.median(apart) / _MEDIAN_OF_NORMAL)
        variance = ((1 + _WIDENING / len(units)) * scale) ** 2 * units
    return np.sqrt(variance * sides.of_means), np.full(len(units), _ASSUMED_FREEDOM)


class Machine:
    """What the machine did to all methods of a run alike, by run. Arrays by run and method."""

    def __init__(
        self,
        wall: np.ndarray,
        cpu: np.ndarray,
        calls: np.ndarray,
        everywhere: np.ndarray,
        sides: Sides,
        has_cpu: bool,
        absolute: bool,
    ):
        self.sides, self.everywhere = sides, everywhere
        self.seldom = (calls < OFTEN).any(axis=0)
        self.factors = self._factors(cpu if has_cpu else wall, calls, 2e6 if has_cpu else 8e6)
        if absolute:
            self.factors[: sides.before] /= np.exp(np.log(self.factors[: sides.before]).mean())
            self.factors[sides.before :] /= np.exp(np.log(self.factors[sides.before :]).mean())
        if has_cpu:
            self.with_waits = self._with_waits(wall, cpu)
            waited = sides.means(wall) - sides.means(cpu)
            slice_ns = self._slice_ns(waited)
            self.wait_variance = slice_ns * (np.maximum(0.0, waited) + slice_ns)

    def scaled(self, ns: np.ndarray) -> np.ndarray:
        return ns / self.factors[:, None]

    def _factors(self, ns: np.ndarray, calls: np.ndarray, least_ns: float) -> np.ndarray:
        large = self.everywhere & ~self.seldom & (self.sides.means(ns) >= least_ns)
        steady = large & (np.ptp(calls, axis=0) <= _AS_OFTEN * calls.max(axis=0))
        chosen = steady if steady.sum() >= ENOUGH else large
        if chosen.sum() < ENOUGH:
            return np.ones(len(ns))
        logs = np.log(ns[:, chosen] + OFFSET_NS)
        return np.exp(np.median(logs - logs.mean(axis=0), axis=1))

    def _with_waits(self, wall: np.ndarray, cpu: np.ndarray) -> np.ndarray:
        times = self.scaled(cpu)
        for run in range(len(wall)):
            computed = cpu[run] > _LEAST_COMPUTED_NS
            rates = np.maximum(0.0, wall[run] - cpu[run])[computed] / cpu[run][computed]
            rates = rates[rates <= 2 * _statistics.quantile(rates, 0.25)]
            lost = _statistics.median(rates) if len(rates) >= ENOUGH else 0.0
            times[run] += np.maximum(0.0, wall[run] - cpu[run] - lost * cpu[run])
        return times

    def _slice_ns(self, waited: np.ndarray) -> float:
        chosen = self.everywhere & (waited >= _LEAST_WAITED_NS)
        if chosen.sum() < ENOUGH:
            return self.sides.event_ns
        if self.sides.freedom > 0:
            variances = self.sides.variances(self.with_waits)
        else:
            variances = (self.with_waits[1] - self.with_waits[0]) ** 2 / 2
        found = _statistics.quantile(variances[chosen] / waited[chosen], 0.95)
        found /= _statistics.mean_square_95(max(1.0, float(self.sides.freedom)))
        return max(self.sides.event_ns, found)
