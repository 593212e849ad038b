// SPDX-License-Identifier: MIT
// Folded stacks, as flamegraph.pl and its kin read them: semicolons between frames, a number behind
// the last blank.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "export/formats.h"
#include "export/paths.h"

namespace umbra::formats {
namespace {

/// A frame may contain blanks, but neither the separator nor the end of a line.
std::string frame_name(std::string name) {
    std::ranges::replace(name, ';', ',');
    return one_line(std::move(name));
}

}  // namespace

void write_folded(const profile::Profile& profile, Measure measure, Sink& out) {
    std::vector<std::string> names;
    names.reserve(profile.functions.size());
    for (const profile::Function& function : profile.functions) {
        names.push_back(";" + frame_name(function.name));
    }
    std::string path;
    std::vector<size_t> lengths;  // of the paths around
    const auto enter = [&](profile::Row row) {
        const profile::CallNode& node = profile.calltree[row];
        if (node.parent == profile::kNone) {
            path = frame_name(thread_label(profile, node.thread));
        }
        lengths.push_back(path.size());
        path += names[node.function];
        if (const uint64_t ns = self_ns(node, measure); ns > 0) {
            out.put(path);
            out.put(fmt::format(" {}\n", ns));
        }
        return true;
    };
    const auto leave = [&](profile::Row) {
        path.resize(lengths.back());
        lengths.pop_back();
    };
    profile::walk(profile.calltree, profile::TreeLinks(profile.calltree), enter, leave);
}

}  // namespace umbra::formats
