// SPDX-License-Identifier: MIT
#include "src/collector/cpu/thread_ids.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "src/collector/cpu/switch_trace.h"

namespace umbra::collector {
namespace {

std::string read_status(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

NamespacePids namespace_pids(std::string_view status) {
    constexpr std::string_view kField = "\nNSpid:";
    const size_t begin = status.find(kField);
    if (begin == std::string_view::npos) {
        return {};
    }
    std::string_view line = status.substr(begin + kField.size());
    line = line.substr(0, line.find('\n'));
    NamespacePids pids;
    while (!line.empty()) {
        uint32_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (error == std::errc()) {
            pids = {.innermost = number, .levels = pids.levels + 1};
            line.remove_prefix(static_cast<size_t>(end - line.data()));
        } else if (error == std::errc::result_out_of_range) {
            return {};
        } else {
            line.remove_prefix(1);
        }
    }
    return pids;
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
