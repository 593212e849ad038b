// SPDX-License-Identifier: MIT
#include "src/cli/record/profile_writer.h"

#include <algorithm>
#include <utility>

#include "export/hdf5/writer.h"
#include "hotpath/clock.h"
#include "src/cli/record/last_write.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/names/tell_apart.h"

namespace umbra::cli {

ProfileWriter::ProfileWriter(std::vector<std::string> symbol_folders,
                             std::function<void(const profile::Profile&)> last_seen)
    : source_lines_(std::move(symbol_folders)),
      last_seen_(std::move(last_seen)),
      thread_([this] { run(); }) {
}

ProfileWriter::~ProfileWriter() {
    finish();
}

void ProfileWriter::write(const std::string& path, collector::Checkpoint checkpoint, Keep keep) {
    const std::lock_guard lock(mutex_);
    const auto waiting =
        std::ranges::find_if(jobs_, [&](const Job& job) { return job.path == path; });
    if (waiting != jobs_.end()) {
        waiting->checkpoint = std::move(checkpoint);
    } else {
        jobs_.push_back({path, std::move(checkpoint), keep});
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
    collector::Checkpoint& checkpoint = job.checkpoint;
    profile::Profile profile = collector::build(std::move(checkpoint.snapshot), checkpoint.clock,
                                                std::move(checkpoint.facts));
    source_lines_.add_to(profile);
    profile::settle_names(profile);
    if (checkpoint.final && last_seen_) {
        last_seen_(profile);
    }
    const Status written =
        checkpoint.final ? write_last(profile, job.path) : hdf5::write_profile(profile, job.path);
    if (written) {
        failures_.erase(job.path);
    } else {
        failures_[job.path] = written.error().context;
    }
    if (checkpoint.cost != nullptr) {
        checkpoint.cost->took(std::chrono::nanoseconds(hotpath::read_thread_cpu_ns() - begun_ns));
    }
    if (checkpoint.final) {
        source_lines_.forget(profile.session.pid);
        finals_.insert(job.path);
        if (job.keep == Keep::kFinal) {
            kept_ = {job.path, std::move(profile)};
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
