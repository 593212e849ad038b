// SPDX-License-Identifier: MIT
#include "src/cli/live/checkpoints.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "export/hdf5/reader.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;

bool same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
           a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

Result<struct stat> status_of(const std::string& path) {
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                    fmt::format("cannot read '{}': {}", path, strerrordesc_np(errno)), errno);
    }
    return status;
}

uint64_t growth(uint64_t before, uint64_t after) {
    return after > before ? after - before : 0;
}

}  // namespace

Result<std::unique_ptr<const Checkpoint>> read_checkpoint(const std::string& path, pid_t pid) {
    const Result<struct stat> status = status_of(path);
    if (!status) {
        return tl::unexpected<Error>(status.error());
    }
    Result<profile::Profile> profile = hdf5::read_profile(path);
    if (!profile) {
        return tl::unexpected<Error>(profile.error());
    }
    if (pid != 0 && profile->session.pid != static_cast<uint32_t>(pid)) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("'{}' is of process {}", path, profile->session.pid));
    }
    auto checkpoint = std::make_unique<Checkpoint>();
    checkpoint->profile = std::move(*profile);
    checkpoint->list =
        profile::hot_list(checkpoint->profile, {.top = std::numeric_limits<std::size_t>::max()});
    checkpoint->profile.calltree = {};
    const auto written = std::chrono::seconds(status->st_mtim.tv_sec) +
                         std::chrono::nanoseconds(status->st_mtim.tv_nsec);
    checkpoint->written = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(written));
    return checkpoint;
}

std::optional<CheckpointReader::Read> CheckpointReader::poll() {
    if (reading_.valid()) {
        if (reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
            return std::nullopt;
        }
        return reading_.get();
    }
    const Result<struct stat> status = status_of(path_);
    if (!status) {
        seen_ = {};
        return Read(tl::unexpected<Error>(status.error()));
    }
    if (!same_file(*status, seen_)) {
        seen_ = *status;
        reading_ = std::async(std::launch::async, read_checkpoint, path_, pid_);
    }
    return std::nullopt;
}

void RecentActivity::add(const Checkpoint& checkpoint) {
    const profile::Session& session = checkpoint.profile.session;
    std::string process = fmt::format("{} {} {}", session.host, session.pid, session.created_utc);
    const bool same = process == process_;
    if (same && session.wall_ns <= wall_ns_) {
        return;
    }
    ByRow now;
    for (const HotFunction& row : checkpoint.list.functions) {
        Sums& sums = now[key(row)];
        sums.calls += row.times.calls;
        sums.self_ns += row.times.self_ns;
    }
    grown_.clear();
    all_ = {};
    length_ = std::chrono::nanoseconds(same ? session.wall_ns - wall_ns_ : 0);
    for (const auto& [row, sums] : now) {
        const auto before = last_.find(row);
        const Sums base = same && before != last_.end() ? before->second : Sums();
        const Sums grown = {growth(base.calls, sums.calls), growth(base.self_ns, sums.self_ns)};
        grown_[row] = grown;
        all_.calls += grown.calls;
        all_.self_ns += grown.self_ns;
    }
    last_ = std::move(now);
    process_ = std::move(process);
    wall_ns_ = session.wall_ns;
}

RecentActivity::Rate RecentActivity::of(const HotFunction& row) const {
    const auto found = grown_.find(key(row));
    if (found == grown_.end() || length_.count() == 0) {
        return {};
    }
    const double seconds = std::chrono::duration<double>(length_).count();
    return {.calls_per_second = static_cast<double>(found->second.calls) / seconds,
            .share = all_.self_ns == 0 ? 0
                                       : static_cast<double>(found->second.self_ns) /
                                             static_cast<double>(all_.self_ns)};
}

double RecentActivity::calls_per_second() const {
    return length_.count() == 0
               ? 0
               : static_cast<double>(all_.calls) / std::chrono::duration<double>(length_).count();
}

std::string RecentActivity::key(const HotFunction& row) {
    return row.module + '\n' + row.name;
}

}  // namespace umbra::cli
