// SPDX-License-Identifier: MIT
// The statistics that a comparison of runs rests on, each with its source.
#pragma once

#include <cstddef>
#include <vector>

namespace umbra::profile {

/// The mean of the middle two where their number is even; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// The value that `part` (0 to 1) of them do not exceed: the one of rank floor(part (n - 1)), from
/// 0; 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double part);

/// What is known of a variance from many others alike: as much as from `freedom` more observations
/// with the variance `variance`.
struct VariancePrior {
    double variance = 0;
    double freedom = 0;
};

/// The scaled inverse chi-squared distribution that sample variances, of `freedom` degrees each,
/// come from, by the moments of their logarithms.
/// G. K. Smyth, Linear models and empirical Bayes methods for assessing differential expression in
/// microarray experiments, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2. Needs two or more.
[[nodiscard]] VariancePrior fit_variance_prior(const std::vector<double>& variances,
                                               double freedom);

/// The probability that a difference as far from 0 as `distance`, or further, comes about where the
/// true one is `margin` at most. `error`: its standard error, above 0, known with `freedom`
/// degrees. D. J. McCarthy and G. K. Smyth, Testing significance relative to a fold-change
/// threshold is a TREAT, Bioinformatics 25 (2009).
[[nodiscard]] double chance_of(double distance, double margin, double error, double freedom);

/// The distance of which chance_of() is `probability`, 0 to 0.5, at a margin of 0.
[[nodiscard]] double distance_of(double probability, double error, double freedom);

/// By value: rejected. Of the rejected ones a part of `rate` at most is so by chance, on average;
/// where all come about by chance, one or more is rejected with a probability of `rate` at most.
/// Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, J. R. Stat. Soc. B 57
/// (1995).
[[nodiscard]] std::vector<bool> rejected(const std::vector<double>& probabilities, double rate);

/// The value that the mean square of `freedom` standard normal values exceeds in a twentieth of all
/// cases.
[[nodiscard]] double mean_square_95(double freedom);

}  // namespace umbra::profile
