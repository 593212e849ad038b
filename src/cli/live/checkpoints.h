// SPDX-License-Identifier: MIT
// Follows a profile that is written anew while the program runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <sys/stat.h>

#include "src/base/result.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::cli {

/// A profile as it was at one moment. Its call tree is gone once the list is made of it.
struct Checkpoint {
    profile::Profile profile;
    profile::HotList list;  ///< all rows
    std::chrono::system_clock::time_point written;
};

/// `pid`: of the process it must be of, else there is none yet (kNotFound); 0: of any.
[[nodiscard]] Result<std::unique_ptr<const Checkpoint>> read_checkpoint(const std::string& path,
                                                                        pid_t pid);

/// Watches the file and reads it, on another thread, whenever another one has taken its place. One
/// thread.
class CheckpointReader {
  public:
    using Read = Result<std::unique_ptr<const Checkpoint>>;

    /// See read_checkpoint().
    CheckpointReader(std::string path, pid_t pid) : path_(std::move(path)), pid_(pid) {}

    /// To be called a few times a second; does not wait. What was read, once; an absent file is
    /// kNotFound, again and again.
    std::optional<Read> poll();
    /// The destructor would wait for the other thread.
    [[nodiscard]] bool busy() const { return reading_.valid(); }

  private:
    const std::string path_;
    const pid_t pid_;
    struct stat seen_ = {};
    std::future<Read> reading_;
};

/// What has happened between the last two checkpoints of a process.
class RecentActivity {
  public:
    struct Rate {
        double calls_per_second = 0;
        double share = 0;  ///< of the self time of all rows in between, 0 to 1
    };

    /// The next checkpoint. One of another process begins anew; one that is as old as the last one
    /// changes nothing.
    void add(const Checkpoint& checkpoint);
    /// Time between them; 0: there is one only.
    [[nodiscard]] std::chrono::nanoseconds length() const { return length_; }
    [[nodiscard]] Rate of(const profile::HotFunction& row) const;
    [[nodiscard]] double calls_per_second() const;

  private:
    struct Sums {
        uint64_t calls = 0;
        uint64_t self_ns = 0;
    };
    using ByRow = std::unordered_map<std::string, Sums>;

    static std::string key(const profile::HotFunction& row);

    ByRow last_;   ///< at the last checkpoint
    ByRow grown_;  ///< since the one before
    Sums all_;     ///< of grown_
    std::string process_;
    uint64_t wall_ns_ = 0;
    std::chrono::nanoseconds length_{0};
};

}  // namespace umbra::cli
