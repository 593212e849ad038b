// SPDX-License-Identifier: MIT
// https://valgrind.org/docs/manual/cl-format.html, with compressed names: the first mention of a
// number says what it stands for.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "export/formats.h"
#include "export/paths.h"
#include "src/profile/call_sums.h"
#include "src/profile/derive.h"
#include "src/profile/methods.h"

namespace umbra::formats {
namespace {

using profile::kNone;
using profile::Row;

class CallgrindWriter {
  public:
    CallgrindWriter(const profile::Profile& profile, Sink& out)
        : profile_(profile),
          out_(out),
          has_cpu_(has_measure(profile, Measure::kCpu)),
          named_(profile.functions.size()),
          named_modules_(profile.modules.size() + 1) {}

    void run(const Notes& notes) {
        out_.put(
            fmt::format("# callgrind format\nversion: 1\ncreator: umbra {}\npid: {}\ncmd: {}\n{}"
                        "positions: line\nevent: Wall : wall time in ns\n{}events: Wall{}\n",
                        UMBRA_VERSION, profile_.session.pid,
                        one_line(profile_.session.command_line), descriptions(notes),
                        has_cpu_ ? "event: Cpu : CPU time in ns\n" : "", has_cpu_ ? " Cpu" : ""));
        sort_edges();
        size_t edge = 0;
        for (Row row = 0; row < profile_.functions.size(); ++row) {
            const profile::CallTimes& times = profile_.functions[row].times;
            if (!profile::was_seen(times)) {
                continue;
            }
            out_.put(fmt::format("\nob={}\nfl={}\nfn={}\n", module_name(row), file_name(row),
                                 function_name(row)));
            put_costs(row, times.self_ns, times.cpu.self_ns);
            total_wall_ns_ += times.self_ns;
            total_cpu_ns_ += times.cpu.self_ns;
            for (; edge < edges_.size() && edges_[edge].caller <= row; ++edge) {
                put_edge(edges_[edge]);
            }
        }
        out_.put(has_cpu_ ? fmt::format("\ntotals: {} {}\n", total_wall_ns_, total_cpu_ns_)
                          : fmt::format("\ntotals: {}\n", total_wall_ns_));
    }

  private:
    static std::string descriptions(const Notes& notes) {
        std::string text;
        for (const std::string& note : notes) {
            text += fmt::format("desc: {}\n", one_line(note));
        }
        return text;
    }

    /// Viewers take an inclusive time to be what is own and what the calls have. Below a method
    /// that is not async the tree has more of async calls than the table of edges; of paths without
    /// rows it has less.
    void sort_edges() {
        std::map<std::pair<Row, Row>, profile::CallTimes> in_tree;
        for (const profile::Edge& edge : profile::edges_of_tree(profile_)) {
            in_tree.emplace(std::pair(edge.caller, edge.callee), edge.times);
        }
        for (profile::Edge edge : profile_.edges) {
            if (edge.caller == kNone) {
                continue;
            }
            if (const auto found = in_tree.find({edge.caller, edge.callee});
                found != in_tree.end()) {
                const auto raise = [](uint64_t& time, uint64_t more) {
                    time = std::max(time, more);
                };
                raise(edge.times.total_ns, found->second.total_ns);
                raise(edge.times.cpu.total_ns, found->second.cpu.total_ns);
            }
            edges_.push_back(edge);
        }
        std::ranges::sort(edges_, {}, &profile::Edge::caller);
    }

    void put_edge(const profile::Edge& edge) {
        out_.put(fmt::format("cob={}\ncfl={}\ncfn={}\ncalls={} {}\n", module_name(edge.callee),
                             file_name(edge.callee), function_name(edge.callee),
                             std::max<uint64_t>(edge.times.calls, 1), line(edge.callee)));
        put_costs(edge.caller, edge.times.total_ns, edge.times.cpu.total_ns);
    }

    /// Where a function begins stands for all of its lines.
    [[nodiscard]] uint32_t line(Row function) const { return profile_.functions[function].line; }

    void put_costs(Row function, uint64_t wall_ns, uint64_t cpu_ns) {
        out_.put(has_cpu_ ? fmt::format("{} {} {}\n", line(function), wall_ns, cpu_ns)
                          : fmt::format("{} {}\n", line(function), wall_ns));
    }

    std::string function_name(Row row) {
        if (named_[row]) {
            return fmt::format("({})", row + 1);
        }
        named_[row] = true;
        return fmt::format("({}) {}", row + 1, one_line(profile_.functions[row].name));
    }

    /// Without source files the modules stand in their place: they are what people look for.
    std::string file_name(Row function) {
        // The object tells runtimes apart.
        const std::string& known = profile_.functions[function].file;
        const std::string file =
            known.empty() ? profile::source_place(profile_, profile_.functions[function]).file
                          : known;
        const auto [place, is_new] =
            files_.try_emplace(file.empty() ? "???" : one_line(file), files_.size() + 1);
        return is_new ? fmt::format("({}) {}", place->second, place->first)
                      : fmt::format("({})", place->second);
    }

    std::string module_name(Row function) {
        const Row module = profile_.functions[function].module;
        const size_t number = module == kNone ? profile_.modules.size() : module;
        if (named_modules_[number]) {
            return fmt::format("({})", number + 1);
        }
        named_modules_[number] = true;
        return fmt::format(
            "({}) {}", number + 1,
            module == kNone ? "???" : one_line(profile::module_label(profile_, module)));
    }

    const profile::Profile& profile_;
    Sink& out_;
    bool has_cpu_;
    std::vector<bool> named_;
    std::vector<bool> named_modules_;
    std::unordered_map<std::string, size_t> files_;
    std::vector<profile::Edge> edges_;
    uint64_t total_wall_ns_ = 0;
    uint64_t total_cpu_ns_ = 0;
};

}  // namespace

void write_callgrind(const profile::Profile& profile, const Notes& notes, Sink& out) {
    CallgrindWriter(profile, out).run(notes);
}

}  // namespace umbra::formats
