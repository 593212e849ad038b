// SPDX-License-Identifier: MIT
// What all tests of a method's own time, or of its inclusive time, say together.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/profile/diff/measure.h"

namespace umbra::profile {

/// Of the methods that are named, a part of that at most is named by chance, on average; it is also
/// the greatest probability that any is where nothing has changed.
inline constexpr double kFalseDiscoveries = 0.01;

/// A time that was tested. kAsyncWall is of a call of an async method from begin to result: as own
/// time what it awaited that was no timed call of its own making, as inclusive time all of it.
enum class JudgedBy { kWall, kCpu, kWaiting, kAsyncWall };

/// "wall", "cpu", "waiting", "async wall": as JSON and the page say it.
[[nodiscard]] std::string_view judged_by_name(JudgedBy by);

/// Tests of one kind of time by several measures, the same methods in all of them.
class Judged {
  public:
    /// `weight`: of the tests of a method; those of all measures but kAsyncWall sum to 1 at most.
    /// kAsyncWall has as much as all others together where a method has it, and they half of what
    /// they have without. Weights do not depend on what the tests say: C. R. Genovese, K. Roeder
    /// and L. Wasserman, False discovery control with p-value weighting, Biometrika 93 (2006).
    void add(JudgedBy by, double weight, Comparison found);
    /// Which are changes, at a rate of kFalseDiscoveries. After the last add().
    void decide();

    /// The measure that tells most of a method: the first one where none tells anything.
    [[nodiscard]] JudgedBy by(std::size_t method) const { return telling(method).by; }
    /// What it says; freedom is 0 where the method was not tested.
    [[nodiscard]] const Difference& difference(std::size_t method) const {
        return telling(method).found.methods[method];
    }
    /// The probability of such differences where there are none, all tests taken together.
    [[nodiscard]] double chance(std::size_t method) const;
    [[nodiscard]] bool real(std::size_t method) const { return real_[method]; }

    /// Of a measure that was added; null: it was not.
    [[nodiscard]] const Comparison* found(JudgedBy by) const;
    /// The weight of a measure's test of a method.
    [[nodiscard]] double weight(JudgedBy by, std::size_t method) const;

  private:
    struct Test {
        JudgedBy by;
        double weight;
        Comparison found;
    };
    [[nodiscard]] const Test& telling(std::size_t method) const;
    [[nodiscard]] double weight(const Test& test, std::size_t method) const;
    [[nodiscard]] bool tested(std::size_t method) const;

    std::vector<Test> tests_;
    std::vector<bool> real_;
};

}  // namespace umbra::profile
