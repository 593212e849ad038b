// SPDX-License-Identifier: MIT
// ProfileWriter: builds profiles and writes their files on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "src/collector/session.h"
#include "src/profile/profile.h"
#include "src/symbols/source_lines.h"

namespace umbra::cli {

/// A checkpoint that finds an older one of its file still waiting takes its place: what counts is
/// the newest. A failed write is remembered by file and tried again with the next checkpoint.
class ProfileWriter {
  public:
    /// `symbol_folders`: see symbols::SourceLines.
    explicit ProfileWriter(std::vector<std::string> symbol_folders);
    ProfileWriter(const ProfileWriter&) = delete;
    ProfileWriter& operator=(const ProfileWriter&) = delete;
    ~ProfileWriter();

    /// Any thread; does not wait for the disk.
    void write(const std::string& path, collector::Checkpoint checkpoint);

    /// Waits until all is written. Then: files whose last write failed, and a sentence that says
    /// why (see write_last()).
    std::map<std::string, std::string> finish();
    /// The final profile of a file, as written; empty if there was none. After finish().
    [[nodiscard]] const profile::Profile* final_profile(const std::string& path) const;

  private:
    struct Job {
        std::string path;
        collector::Checkpoint checkpoint;
    };
    void run();
    void write_now(Job job);

    symbols::SourceLines source_lines_;  // the thread's
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;                            // guarded by mutex_
    bool stop_ = false;                               // guarded by mutex_
    std::map<std::string, std::string> failures_;     // the thread's, then finish()'s
    std::map<std::string, profile::Profile> finals_;  // likewise
    std::thread thread_;
};

}  // namespace umbra::cli
