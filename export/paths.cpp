// SPDX-License-Identifier: MIT
#include "export/paths.h"

#include <algorithm>

#include "src/profile/filter.h"
#include "src/profile/names/seen_text.h"
#include "src/profile/report.h"

namespace umbra::formats {

using profile::kNone;
using profile::Profile;
using profile::Row;

uint64_t self_ns(const profile::CallNode& node, Measure measure) {
    return measure == Measure::kWall ? node.times.self_ns : node.times.cpu.self_ns;
}

bool has_measure(const Profile& profile, Measure measure) {
    return measure == Measure::kWall || profile::has_cpu_times(profile.session);
}

std::vector<uint64_t> inclusive_ns(const Profile& profile, Measure measure) {
    return profile::inclusive_of(
        profile.calltree, [&](const profile::CallNode& node) { return self_ns(node, measure); });
}

std::vector<std::vector<Row>> roots_by_thread(const Profile& profile,
                                              const profile::TreeLinks& links) {
    std::vector<std::vector<Row>> roots(profile.threads.size() + 1);
    for (Row root = links.first_root(); root != kNone; root = links.next_sibling(root)) {
        const size_t thread = profile.calltree[root].thread;
        roots[std::min(thread, profile.threads.size())].push_back(root);
    }
    return roots;
}

std::string one_line(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return profile::seen_text(name);
}

std::string thread_label(const Profile& profile, Row row) {
    if (row >= profile.threads.size()) {
        return "all threads";
    }
    const profile::Thread& thread = profile.threads[row];
    if (thread.threads != 1) {
        return profile::thread_label(thread);
    }
    return thread.name.empty() ? "thread " + std::to_string(thread.os_tid) : thread.name;
}

}  // namespace umbra::formats
