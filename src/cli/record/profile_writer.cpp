// SPDX-License-Identifier: MIT
#include "src/cli/record/profile_writer.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "export/hdf5/writer.h"
#include "hotpath/clock.h"
#include "src/base/folders.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/by_entry.h"
#include "src/profile/names/tell_apart.h"

namespace umbra::cli {
namespace {

/// Empty: there is none.
std::string second_folder() {
    std::string folder = std::string(folder_named_by({"TMPDIR"})) + "/umbra-profile-XXXXXX";
    return mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

constexpr std::size_t kMostThreads = 4;

/// Writes to `path`, or, where that fails, to a new folder (mode 0700) below TMPDIR or /tmp, and
/// says in `path` where it is; empty: nowhere. Error: it is not where it was to be; the context is
/// a sentence that says why and where it is instead, if anywhere.
///
/// The program has ended and somebody waits: all processors may help. A checkpoint takes one from
/// the program, and is as seldom as its thread's time says.
Status write_last(const profile::Profile& profile, std::string& path) {
    const std::size_t threads =
        std::min<std::size_t>(std::thread::hardware_concurrency(), kMostThreads);
    Status written = hdf5::write_profile(profile, path, threads);
    if (written) {
        return written;
    }
    std::string sentence =
        fmt::format("the profile {} was not written: {}", path, written.error().context);
    const std::string name = std::filesystem::path(path).filename().string();
    path.clear();
    if (const std::string folder = second_folder(); !folder.empty()) {
        const std::string second = folder + "/" + name;
        if (hdf5::write_profile(profile, second)) {
            sentence += "; it is in " + second;
            path = second;
        } else {
            rmdir(folder.c_str());
        }
    }
    return fail(written.error().code, std::move(sentence), written.error().os_error);
}

}  // namespace

Draft draft_of(collector::Checkpoint checkpoint) {
    const bool final = checkpoint.final;
    std::shared_ptr<collector::CheckpointCost> cost = std::move(checkpoint.cost);
    return {.build =
                [held = std::make_shared<collector::Checkpoint>(std::move(checkpoint))] {
                    return collector::build(std::move(held->snapshot), held->clock,
                                            std::move(held->facts));
                },
            .final = final,
            .cost = std::move(cost)};
}

Draft draft_of(profile::Profile profile, bool final) {
    return {.build = [held = std::make_shared<profile::Profile>(
                          std::move(profile))] { return std::move(*held); },
            .final = final};
}

ProfileWriter::ProfileWriter(std::vector<std::string> symbol_folders,
                             std::function<void(const profile::Profile&)> last_seen,
                             Prefers prefers)
    : source_lines_(std::move(symbol_folders)),
      last_seen_(std::move(last_seen)),
      prefers_(prefers),
      thread_([this] { run(); }) {
}

ProfileWriter::~ProfileWriter() {
    finish();
}

void ProfileWriter::write(const std::string& path, Draft draft) {
    const std::lock_guard lock(mutex_);
    const auto waiting =
        std::ranges::find_if(jobs_, [&](const Job& job) { return job.path == path; });
    if (waiting != jobs_.end()) {
        waiting->draft = std::move(draft);
    } else {
        jobs_.push_back({path, std::move(draft)});
    }
    wake_.notify_one();
}

void ProfileWriter::run() {
    for (;;) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
        if (jobs_.empty()) {
            return;
        }
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        write_now(std::move(job));
    }
}

void ProfileWriter::write_now(Job job) {
    const uint64_t begun_ns = hotpath::read_thread_cpu_ns();
    const Draft draft = std::move(job.draft);
    profile::Profile profile = draft.build();
    source_lines_.add_to(profile);
    profile::settle_names(profile);
    if (draft.final && last_seen_) {
        last_seen_(profile);
    }
    std::string path = job.path;
    const Status written =
        draft.final ? write_last(profile, path) : hdf5::write_profile(profile, path);
    if (written) {
        failures_.erase(job.path);
    } else {
        failures_[job.path] = written.error().context;
    }
    if (draft.cost != nullptr) {
        draft.cost->took(std::chrono::nanoseconds(hotpath::read_thread_cpu_ns() - begun_ns));
    }
    if (draft.final) {
        source_lines_.forget(profile.session.pid);
        finals_.insert(job.path);
        if (profile::has_entries(profile, profile::kTests)) {
            tested_.insert(job.path);
        }
        if (prefers_ != nullptr && (!kept_ || prefers_(kept_->profile, profile))) {
            kept_ = {std::move(path), std::move(profile)};
        }
    }
}

std::map<std::string, std::string> ProfileWriter::finish() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        wake_.notify_one();
    }
    if (thread_.joinable()) {
        thread_.join();
    }
    return failures_;
}

}  // namespace umbra::cli
