# SPDX-License-Identifier: MIT
"""The statistics of a comparison; src/profile/diff/statistics.h names the source of each."""

from __future__ import annotations

from typing import Tuple

import numpy as np
from scipy import special, stats

_MOST_FREEDOM = 200.0
_LEAST_VARIANCE = 1e-6


def median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else 0.0


def quantile(values: np.ndarray, part: float) -> float:
    """The value of rank floor(part (n - 1)), from 0."""
    return float(np.sort(values)[int(part * (len(values) - 1))]) if len(values) else 0.0


def _inverse_trigamma(value: float) -> float:
    x = 0.5 + 1 / value
    for _ in range(50):
        at = special.polygamma(1, x)
        move = at * (1 - at / value) / special.polygamma(2, x)
        x += move
        if -move / x < 1e-10:
            break
    return float(x)


def fit_variance_prior(variances: np.ndarray, freedom: float) -> Tuple[float, float]:
    """Variance and degrees of freedom of what is known of a variance from others alike."""
    logs = (
        np.log(np.maximum(variances, _LEAST_VARIANCE))
        - special.digamma(freedom / 2)
        + np.log(freedom / 2)
    )
    excess = float(np.var(logs, ddof=1) - special.polygamma(1, freedom / 2))
    of_prior = 2 * _inverse_trigamma(excess) if excess > 0 else _MOST_FREEDOM
    if of_prior >= _MOST_FREEDOM:
        return float(np.exp(logs.mean())), _MOST_FREEDOM
    centre = logs.mean() + special.digamma(of_prior / 2) - np.log(of_prior / 2)
    return float(np.exp(centre)), of_prior


def chance_of(
    distance: np.ndarray, margin: float, error: np.ndarray, freedom: np.ndarray
) -> np.ndarray:
    """The probability of such differences where the true ones are `margin` at most."""
    freedom = np.minimum(freedom, _MOST_FREEDOM)
    size = np.abs(distance)
    beyond = stats.t.sf((size - margin) / error, freedom) + stats.t.sf(
        (size + margin) / error, freedom
    )
    return np.minimum(1.0, beyond)


def rejected(probabilities: np.ndarray, rate: float) -> np.ndarray:
    """Which of them the rule of Benjamini and Hochberg rejects."""
    ordered = np.sort(probabilities)
    below = np.flatnonzero(ordered * len(ordered) <= rate * np.arange(1, len(ordered) + 1))
    return probabilities <= (ordered[below[-1]] if len(below) else -1.0)


def mean_square_95(freedom: float) -> float:
    return float(stats.chi2.ppf(0.95, freedom) / freedom)
