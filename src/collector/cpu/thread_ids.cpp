// SPDX-License-Identifier: MIT
#include "src/collector/cpu/thread_ids.h"

#include <optional>
#include <string>
#include <vector>

#include "src/base/proc_text.h"
#include "src/base/read_file.h"
#include "src/collector/cpu/switch_trace.h"

namespace umbra::collector {
namespace {

std::string read_status(const std::string& path) {
    constexpr size_t kMaxBytes = 64U << 10;
    return read_file(path, kMaxBytes).value_or("");
}

}  // namespace

NamespacePids namespace_pids(std::string_view status) {
    const std::vector<std::string_view> pids = status_field(status, "NSpid");
    const auto innermost = pids.empty() ? std::nullopt : number_of<uint32_t>(pids.back());
    return innermost ? NamespacePids{.innermost = *innermost,
                                     .levels = static_cast<uint32_t>(pids.size())}
                     : NamespacePids{};
}

ThreadIds::ThreadIds(uint32_t pid)
    : pid_(pid),
      differ_(namespace_pids(read_status("/proc/" + std::to_string(pid) + "/status")).levels > 1) {
}

uint32_t ThreadIds::here(uint32_t inner) {
    const std::lock_guard lock(mutex_);
    return find(inner);
}

uint32_t ThreadIds::begun_here(uint32_t inner) {
    const std::lock_guard lock(mutex_);
    by_inner_.erase(inner);
    return find(inner);
}

uint32_t ThreadIds::find(uint32_t inner) {
    if (!differ_) {
        return inner;
    }
    auto known = by_inner_.find(inner);
    if (known == by_inner_.end()) {
        look();
        known = by_inner_.find(inner);
    }
    return known == by_inner_.end() ? inner : known->second;
}

void ThreadIds::look() {
    by_inner_.clear();
    const std::string folder = "/proc/" + std::to_string(pid_) + "/task/";
    for (const uint32_t tid : threads_of(pid_)) {
        const NamespacePids pids =
            namespace_pids(read_status(folder + std::to_string(tid) + "/status"));
        if (pids.innermost != 0) {
            by_inner_[pids.innermost] = tid;
        }
    }
}

}  // namespace umbra::collector
