// SPDX-License-Identifier: MIT
// ProfileWriter: builds profiles and writes their files on a thread of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "src/collector/session_loop.h"
#include "src/profile/profile.h"
#include "src/symbols/source_lines.h"

namespace umbra::cli {

/// What is to be written.
struct Draft {
    /// Called once, on the writer's thread.
    std::function<profile::Profile()> build;
    bool final = false;                                 ///< nothing comes behind it
    std::shared_ptr<collector::CheckpointCost> cost{};  ///< to be told; null: nobody asks
};
[[nodiscard]] Draft draft_of(collector::Checkpoint checkpoint);
[[nodiscard]] Draft draft_of(profile::Profile profile, bool final);

/// A draft that finds an older one of its file still waiting takes its place: what counts is
/// the newest. A failed write is remembered by file and tried again with the next draft.
class ProfileWriter {
  public:
    /// Of all final profiles one stays in memory: whether another one takes its place.
    using Prefers = bool (*)(const profile::Profile& kept, const profile::Profile& other);

    /// `symbol_folders`: see symbols::SourceLines.
    /// `last_seen`: called with each final profile, on the writer's thread, before its file is
    /// written. `prefers`: see Prefers; null: none is kept.
    explicit ProfileWriter(std::vector<std::string> symbol_folders,
                           std::function<void(const profile::Profile&)> last_seen = {},
                           Prefers prefers = nullptr);
    ProfileWriter(const ProfileWriter&) = delete;
    ProfileWriter& operator=(const ProfileWriter&) = delete;
    ~ProfileWriter();

    /// Any thread; does not wait for the disk.
    void write(const std::string& path, Draft draft);

    /// Waits until all is written. Then: files whose last write failed, and a sentence that says
    /// why and where the profile is instead, if it was the final one.
    std::map<std::string, std::string> finish();
    /// Whether there was a final profile of a file, be its write failed or not. After finish().
    [[nodiscard]] bool had_final(const std::string& path) const { return finals_.contains(path); }
    /// Whether it had tests that ran.
    [[nodiscard]] bool had_tests(const std::string& path) const { return tested_.contains(path); }
    struct Kept {
        std::string path;          ///< where it is; empty: it could be written nowhere
        profile::Profile profile;  ///< as written
    };
    /// Null if there was no final profile, or none was to be kept. After finish().
    [[nodiscard]] const Kept* kept() const { return kept_ ? &*kept_ : nullptr; }

  private:
    struct Job {
        std::string path;
        Draft draft;
    };
    void run();
    void write_now(Job job);

    symbols::SourceLines source_lines_;  // the thread's
    const std::function<void(const profile::Profile&)> last_seen_;
    const Prefers prefers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;                         // guarded by mutex_
    bool stop_ = false;                            // guarded by mutex_
    std::map<std::string, std::string> failures_;  // the thread's, then finish()'s
    std::set<std::string> finals_;                 // the thread's until finish()
    std::set<std::string> tested_;                 // the thread's until finish()
    std::optional<Kept> kept_;                     // the thread's until finish()
    std::thread thread_;
};

}  // namespace umbra::cli
