// SPDX-License-Identifier: MIT
// How far estimated times may be from the truth.
#pragma once

#include <span>
#include <vector>

#include "src/replay/estimate/interval_model.h"

namespace umbra::replay {

/// How far untimed runs were from what was expected of them, summed up.
struct ResidualSums {
    double squares = 0;    ///< (D - W)^2, in the terms of IntervalEstimator
    double variances = 0;  ///< V

    /// How many times more than the model thinks its expectations miss: the estimate of the
    /// dispersion in quasi-likelihood models (P. McCullagh, J. A. Nelder, Generalized Linear
    /// Models, 2nd ed., section 9.2). 1 at least.
    [[nodiscard]] double dispersion() const;
};

/// Variance, in ticks^2, of the sum of the estimated intervals in each function's own time, by
/// function. With e such intervals (`intervals`), and N measured ones of variance v to know their
/// mean from, it is
///
///     e * v * (dispersion + e / N)
///
/// The first term is the chance in the intervals themselves, the second that in their mean, which
/// is the same for all of them and so grows with e. A function never measured counts as if it had
/// one measured interval as wide as the mean of all.
[[nodiscard]] std::vector<double> estimation_variances(std::span<const double> intervals,
                                                       std::span<const IntervalSpread> spreads,
                                                       double dispersion);

/// Of a part of all estimated intervals, when the sum of all is known: part * (1 - part / whole),
/// as the errors of the part and of the rest cancel.
[[nodiscard]] double bridged_variance(double part, double whole);

}  // namespace umbra::replay
