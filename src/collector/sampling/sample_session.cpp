// SPDX-License-Identifier: MIT
#include "src/collector/sampling/sample_session.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "src/base/utf8.h"
#include "src/collector/state/host_info.h"
#include "src/profile/call_sums.h"
#include "src/profile/derive.h"
#include "src/profile/names/display_name.h"
#include "src/profile/report.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;

constexpr size_t kMaxStackNodes = size_t{1} << 22;
constexpr size_t kMostUnknown = 256;  // callers looked at when there is no room for paths
constexpr size_t kMaxSuspensions = size_t{1} << 20;

uint64_t median(std::vector<uint64_t> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

SampleSession::SampleSession(const protocol::Hello& hello, const protocol::SampleOrder& order,
                             const replay::Limits& limits)
    : facts_(session_of(hello)), limits_(limits), names_(limits) {
    facts_.settings.mode = "sampled";
    facts_.capture = true;
    facts_.clock.source = "os";
    facts_.cpu.source = "thread clocks";
    facts_.sampling.rate_hz = order.rate_millihertz / 1000.0;
}

bool SampleSession::note(const protocol::SamplingReport& report) {
    return !over_ && std::visit([this](const auto& kind) { return take(kind); }, report);
}

bool SampleSession::take(const protocol::ModuleLoaded& message) {
    names_.note(message);
    return true;
}

bool SampleSession::take(const protocol::FunctionNamed& message) {
    names_.note(message);
    return true;
}

bool SampleSession::take(const protocol::Shutdown& /*message*/) {
    shut_down_ = true;
    return true;
}

bool SampleSession::take(const protocol::SamplingEnded& message) {
    ended_ = message;
    over_ = true;
    return true;
}

bool SampleSession::take(const protocol::ThreadNamed& message) {
    if (const auto known = by_os_tid_.find(message.os_tid); known != by_os_tid_.end()) {
        threads_[known->second].name = NamesAhead::shortened(message.name);
    } else {
        names_ahead_.note(message.os_tid, message.name);
    }
    return true;
}

bool SampleSession::take(const protocol::StackNodes& message) {
    for (const protocol::StackNode& node : message.nodes) {
        if (node.parent > nodes_.size() || nodes_.size() >= kMaxStackNodes) {
            return false;
        }
        const uint32_t depth = node.parent == 0 ? 1 : nodes_[node.parent - 1].depth + 1;
        if (depth > limits_.max_stack) {
            nodes_.push_back(Node(nodes_[node.parent - 1]));
            ++lost_nodes_;
        } else {
            nodes_.push_back({.parent = node.parent,
                              .function = node.function,
                              .depth = depth,
                              .kept = static_cast<uint32_t>(nodes_.size() + 1)});
        }
    }
    return true;
}

bool SampleSession::take(const protocol::SampleRound& round) {
    if (!round.continued) {
        if (round.time_ns < last_.time_ns) {
            return false;
        }
        const uint64_t total_ns = last_.suspended_ns + round.suspended_ns;
        last_ = round;
        last_.samples.clear();
        last_.suspended_ns = total_ns;
        ++facts_.sampling.rounds;
        facts_.sampling.worst_suspension_ns =
            std::max(facts_.sampling.worst_suspension_ns, round.suspended_ns);
        if (suspensions_ns_.size() == kMaxSuspensions) {
            // Every other one tells as much of their median.
            size_t kept = 0;
            std::erase_if(suspensions_ns_, [&](uint64_t) { return kept++ % 2 == 1; });
        }
        suspensions_ns_.push_back(round.suspended_ns);
    }
    return std::ranges::all_of(
        round.samples, [this](const protocol::ThreadSample& sample) { return add_sample(sample); });
}

bool SampleSession::add_sample(const protocol::ThreadSample& sample) {
    if (sample.node > nodes_.size()) {
        return false;
    }
    const uint32_t thread = thread_of(sample.os_tid);
    if (thread == kNone) {
        ++lost_samples_;
        return true;
    }
    threads_[thread].last_ns = last_.time_ns;
    if (sample.node == 0 && sample.cpu_ns == 0) {
        ++facts_.sampling.outside;
        return true;
    }
    const Row path =
        sample.node == 0 ? native_path(thread) : path_of(thread, nodes_[sample.node - 1].kept);
    if (path == kNone) {
        ++lost_samples_;
        return true;
    }
    ++samples_;
    ++threads_[thread].samples;
    Sums& own = paths_[path].own;
    ++own.samples;
    own.wall_ns += sample.wall_ns;
    own.cpu_ns += sample.cpu_ns;
    return true;
}

uint32_t SampleSession::thread_of(uint32_t os_tid) {
    if (const auto known = by_os_tid_.find(os_tid); known != by_os_tid_.end()) {
        return known->second;
    }
    if (threads_.size() >= limits_.max_sampled_threads) {
        return kNone;
    }
    const auto row = static_cast<uint32_t>(threads_.size());
    by_os_tid_[os_tid] = row;
    Thread& thread = threads_.emplace_back();
    thread.os_tid = os_tid;
    thread.first_ns = last_.time_ns;
    thread.name = names_ahead_.take(os_tid);
    return row;
}

/// A thread that runs, and has no managed frame.
Row SampleSession::native_path(uint32_t thread) {
    return add_path(uint64_t{thread} << 32U,
                    {.function = protocol::kNativeFrames, .thread = thread, .own = {}});
}

/// The row of a stack in a thread, and of all its callers; of the deepest of them for which there
/// is room.
Row SampleSession::path_of(uint32_t thread, uint32_t node) {
    std::vector<uint32_t>& missing = missing_;
    missing.clear();
    Row parent = kNone;
    const bool full = paths_.size() >= limits_.max_arcs;
    for (uint32_t at = node; at != 0; at = nodes_[at - 1].parent) {
        const auto known = path_rows_.find(uint64_t{thread} << 32U | at);
        if (known != path_rows_.end()) {
            parent = known->second;
            break;
        }
        missing.push_back(at);
        if (full && missing.size() == kMostUnknown) {
            break;  // what cannot be kept must not cost a walk for each sample
        }
    }
    while (!missing.empty()) {
        const uint32_t at = missing.back();
        missing.pop_back();
        const Row made = add_path(
            uint64_t{thread} << 32U | at,
            {.parent = parent, .function = nodes_[at - 1].function, .thread = thread, .own = {}});
        if (made == kNone) {
            break;
        }
        parent = made;
    }
    return parent;
}

Row SampleSession::add_path(uint64_t key, const Path& path) {
    const auto known = path_rows_.find(key);
    if (known != path_rows_.end()) {
        return known->second;
    }
    if (paths_.size() >= limits_.max_arcs) {
        ++lost_nodes_;
        return kNone;
    }
    const auto row = static_cast<Row>(paths_.size());
    paths_.push_back(path);
    path_rows_[key] = row;
    return row;
}

std::vector<SampleSession::FunctionSums> SampleSession::function_sums() const {
    std::unordered_map<uint32_t, FunctionSums> by_function;
    for (const Path& path : paths_) {
        FunctionSums& sums = by_function[path.function];
        sums.samples += path.own.samples;
        sums.wall_ns += path.own.wall_ns;
        sums.cpu_ns += path.own.cpu_ns;
    }
    std::vector<FunctionSums> all;
    all.reserve(by_function.size());
    for (auto& [function, sums] : by_function) {
        sums.function = function;
        all.push_back(sums);
    }
    return all;
}

protocol::LiveFigures SampleSession::facts() const {
    protocol::LiveFigures figures;
    figures.pid = facts_.pid;
    figures.program = cut_utf8(facts_.program, protocol::kMaxRecordedNameBytes);
    figures.runtime = cut_utf8(facts_.runtime, protocol::kMaxRecordedNameBytes);
    figures.kind = protocol::LiveFigures::kSamples;
    figures.has_cpu = true;
    figures.time_ns = last_.time_ns;
    figures.events = samples_;
    figures.probe_ns = last_.suspended_ns;
    figures.lost_no_thread_slot = lost_samples_;
    figures.lost_nodes = lost_nodes_ + ended_.lost_nodes;
    figures.threads = static_cast<uint32_t>(threads_.size());
    return figures;
}

// ---- the profile ----------------------------------------------------------------------------

namespace {

/// Rows of modules and functions by the agent's numbers.
class Names {
  public:
    Names(const NameTables& names, profile::Profile& profile) : names_(names), profile_(profile) {
        profile.runtimes = {{profile.session.runtime}};  // one has let the agent in
        modules_.assign(names.module_end(), kNone);
        for (uint32_t index = 0; index < modules_.size(); ++index) {
            if (const protocol::ModuleLoaded* module = names.module(index)) {
                modules_[index] = static_cast<Row>(profile.modules.size());
                profile.modules.push_back({.name = module->path.substr(module->path.rfind('/') + 1),
                                           .path = module->path,
                                           .framework = module->framework,
                                           .runtime = 0});
            }
        }
    }

    Row function(uint32_t index) {
        const auto [place, added] =
            rows_.try_emplace(index, static_cast<Row>(profile_.functions.size()));
        if (added) {
            profile_.functions.push_back(describe(index));
        }
        return place->second;
    }

  private:
    [[nodiscard]] profile::Function describe(uint32_t index) const {
        profile::Function function;
        const protocol::FunctionNamed* named = names_.function(index);
        if (named != nullptr) {
            set_display_name(*named, function);
            function.module = named->module < modules_.size() ? modules_[named->module] : kNone;
            function.token = named->token;
            function.runtime = 0;
            return function;
        }
        function.name = index == protocol::kNativeFrames ? "(native)"
                        : index == protocol::kCutFrames
                            ? "(cut)"
                            : "function " + std::to_string(index) + " (name unknown)";
        function.method = function.name;
        function.raw_name = function.name;
        return function;
    }

    const NameTables& names_;
    profile::Profile& profile_;
    std::vector<Row> modules_;
    std::unordered_map<uint32_t, Row> rows_;
};

}  // namespace

profile::Profile SampleSession::build(const std::string& ended, bool complete) const {
    profile::Profile profile;
    profile.session = facts_;
    profile.session.ended = ended;
    profile.session.complete = complete;
    const std::vector<Row> thread_rows = add_threads(profile);
    Names names(names_, profile);
    profile.calltree.reserve(paths_.size());
    for (const Path& path : paths_) {
        const profile::Span wall{.total_ns = path.own.wall_ns, .self_ns = path.own.wall_ns};
        profile.calltree.push_back(
            {.parent = path.parent,
             .function = names.function(path.function),
             .thread = thread_rows[path.thread],
             .times = {.calls = path.own.samples,
                       .total_ns = wall.total_ns,
                       .self_ns = wall.self_ns,
                       .raw = wall,
                       .cpu = {.total_ns = path.own.cpu_ns, .self_ns = path.own.cpu_ns},
                       .paused = {}}});
    }
    for (size_t row = profile.calltree.size(); row-- > 0;) {
        const profile::CallNode& node = profile.calltree[row];
        if (node.parent != kNone) {
            profile::add_inclusive(profile.calltree[node.parent].times, node.times);
        }
    }
    add_facts(profile);
    profile::derive(profile);
    profile.methods = profile::method_rows(profile);
    return profile;
}

/// Answers the row of each thread; only those that were seen at work have one.
std::vector<Row> SampleSession::add_threads(profile::Profile& profile) const {
    std::vector<Row> rows(threads_.size(), kNone);
    for (size_t index = 0; index < threads_.size(); ++index) {
        const Thread& thread = threads_[index];
        if (thread.samples == 0) {
            ++profile.session.sampling.threads_without_frames;
            continue;
        }
        rows[index] = static_cast<Row>(profile.threads.size());
        profile::Thread& row = profile.threads.emplace_back();
        row.name = thread.name;
        row.os_tid = thread.os_tid;
        row.start_ns = thread.first_ns;
        row.end_ns = thread.last_ns;
        row.events = thread.samples;
        row.runtime = 0;
    }
    return rows;
}

void SampleSession::add_facts(profile::Profile& profile) const {
    profile::Session& session = profile.session;
    session.wall_ns = last_.time_ns;
    session.counts.events = samples_;
    session.cpu.process_ns = last_.process_cpu_ns;
    session.sampling.missed_rounds = ended_.missed_rounds;
    session.sampling.suspended_ns = last_.suspended_ns;
    session.sampling.median_suspension_ns = median(suspensions_ns_);
    session.sampling.sampler_cpu_ns = last_.sampler_cpu_ns;
    session.sampling.unattributed_cpu_ns = last_.unattributed_cpu_ns;
    session.losses.no_thread_slot = lost_samples_;
    session.losses.nodes = lost_nodes_ + ended_.lost_nodes;
    session.losses.rows = names_.dropped();
    uint64_t wall_ns = 0;
    for (const profile::CallNode& node : profile.calltree) {
        if (node.parent == kNone) {
            profile.threads[node.thread].cpu_ns += node.times.cpu.total_ns;
            session.cpu.on_ns += node.times.cpu.total_ns;
            wall_ns += node.times.total_ns;
        }
    }
    session.cpu.off_ns = wall_ns - std::min(wall_ns, session.cpu.on_ns);
}

}  // namespace umbra::collector
