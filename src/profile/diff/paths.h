// SPDX-License-Identifier: MIT
// The paths of calls of runs of two versions as one tree, for who draws what changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/profile/diff/diff.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// Both times of a path in one row of a call tree, so that pruning it keeps both: the sum of OLD
/// and NEW as its wall time, OLD's as its raw one.
[[nodiscard]] inline uint64_t old_wall_ns(const CallTimes& times) {
    return times.raw.self_ns;
}
[[nodiscard]] inline uint64_t new_wall_ns(const CallTimes& times) {
    return times.self_ns - times.raw.self_ns;
}
/// Both CPU times of a path in one row of a call tree: NEW's as its time on a processor, OLD's as
/// its paused one.
[[nodiscard]] inline uint64_t old_cpu_ns(const CallTimes& times) {
    return times.paused.self_ns;
}
[[nodiscard]] inline uint64_t new_cpu_ns(const CallTimes& times) {
    return times.cpu.self_ns;
}
/// Calls of NEW are its calls, those of OLD its shortest time.
[[nodiscard]] inline uint64_t old_calls(const CallTimes& times) {
    return times.min_ns;
}

/// Adds up the call trees of runs, one profile after the other. One thread.
class PathMerger {
  public:
    /// `pauses`: see RunOptions.
    explicit PathMerger(bool pauses) : pauses_(pauses) {}

    /// `after`: a run of NEW.
    void add(const Profile& profile, bool after);

    /// A profile whose functions are those of `diff`, row by row, and whose call tree has the paths
    /// of all runs: means of the own times of each side, in the places named above. Nothing else is
    /// in it.
    [[nodiscard]] Profile take(const Diff& diff) &&;

  private:
    struct Node {
        std::size_t parent;
        std::size_t method;
        double wall_ns[2] = {0, 0};  ///< of OLD and NEW, all runs in sum
        double cpu_ns[2] = {0, 0};   ///< of OLD and NEW, all runs in sum
        double calls[2] = {0, 0};    ///< of OLD and NEW, all runs in sum
    };
    struct Method {
        Function function;  ///< of one of the runs: how its name is made up
        std::string module;
        bool framework = false;
    };

    [[nodiscard]] std::size_t method_of(const Profile& profile, Row function);
    [[nodiscard]] std::size_t node_of(std::size_t parent, std::size_t method);

    bool pauses_;
    std::size_t runs_[2] = {0, 0};
    std::vector<Node> nodes_;
    std::vector<Method> methods_;
    std::unordered_map<std::string, std::size_t> method_numbers_;  ///< by name and module
    std::unordered_map<uint64_t, std::size_t> node_numbers_;       ///< by parent and method
};

}  // namespace umbra::profile
