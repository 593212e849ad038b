// SPDX-License-Identifier: MIT
// The page of one profile.
#include "export/html.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/page_writer.h"
#include "src/profile/async/fold.h"
#include "src/profile/by_entry.h"
#include "src/profile/methods.h"
#include "src/profile/prune.h"
#include "src/profile/report.h"

namespace umbra::html {
namespace {

using profile::Profile;

/// By row of functions, of methods at the first; 0 without calls.
std::vector<OneCall> one_calls(const Profile& profile) {
    std::vector<OneCall> calls(profile.functions.size());
    const profile::Methods methods = profile::methods(profile, true);
    profile::View view;
    view.top = std::numeric_limits<std::size_t>::max();
    view.before_start = true;
    for (const profile::HotFunction& hot : profile::hot_list(profile, view).functions) {
        if (hot.function != nullptr) {
            const auto row = static_cast<std::size_t>(hot.function - profile.functions.data());
            calls[methods.method_of[row]] = {hot.mean_ns, hot.percentiles};
        }
    }
    return calls;
}

/// By method: "3,17", the functions that it is.
std::vector<std::string> functions_by_method(const profile::Methods& methods) {
    std::vector<std::string> lists(methods.method_of.size());
    for (profile::Row row = 0; row < methods.method_of.size(); ++row) {
        std::string& list = lists[methods.method_of[row]];
        list += (list.empty() ? "" : ",") + std::to_string(row);
    }
    return lists;
}

/// Tests and endpoints, as `umbra report --by test` and `--by endpoint` have them.
struct Entry {
    std::string_view kind;
    profile::EntryRow row;
};

std::vector<Entry> entries_of(const Profile& profile) {
    profile::View view;
    view.top = std::numeric_limits<std::size_t>::max();
    view.sort = profile::SortBy::kTotal;
    std::vector<Entry> entries;
    for (const auto& [kind, label] :
         {std::pair("test", profile::kTests), std::pair("endpoint", profile::kEndpoints)}) {
        for (profile::EntryRow& row : profile::by_entry(profile, view, label).rows) {
            entries.push_back({kind, std::move(row)});
        }
    }
    return entries;
}

/// With which functions each of them is.
void put_entries(PageWriter& writer, const Profile& profile, const std::vector<Entry>& entries) {
    const profile::Methods methods = profile::methods(profile, true);
    const std::vector<std::string> lists = functions_by_method(methods);
    const auto method_of = [&](const Entry& entry) {
        const profile::Function* function = entry.row.method.function;
        return methods.method_of[static_cast<std::size_t>(function - profile.functions.data())];
    };
    const auto put = [&](std::string_view name, const auto& text_of) {
        writer.put_array(name, entries.size(),
                         [&](std::size_t entry) { return text_of(entries[entry]); });
    };
    const auto numbers = [&](std::string_view name, const auto& number_of) {
        put(name,
            [&](const Entry& entry) { return std::to_string(number_of(entry.row.method.times)); });
    };
    writer.put_object("entries", [&] {
        put("kind", [&](const Entry& entry) { return PageWriter::text(entry.kind); });
        put("function", [&](const Entry& entry) { return std::to_string(method_of(entry)); });
        put("functions", [&](const Entry& entry) { return '[' + lists[method_of(entry)] + ']'; });
        put("label", [&](const Entry& entry) { return PageWriter::text(entry.row.label); });
        put("truncated_ns",
            [&](const Entry& entry) { return std::to_string(entry.row.truncated_ns); });
        numbers("calls", [](const profile::CallTimes& times) { return times.calls; });
        numbers("wall_total_ns", [](const profile::CallTimes& times) { return times.total_ns; });
        numbers("wall_self_ns", [](const profile::CallTimes& times) { return times.self_ns; });
        numbers("cpu_total_ns", [](const profile::CallTimes& times) { return times.cpu.total_ns; });
        numbers("cpu_self_ns", [](const profile::CallTimes& times) { return times.cpu.self_ns; });
    });
}

/// Async calls are of methods, as all else in the page, and not of their state machines.
void name_async_calls_by_method(Profile& profile) {
    const profile::Methods methods = profile::methods(profile, true);
    const auto to_method = [&](profile::Row& function) {
        function = function == profile::kNone ? profile::kNone : methods.method_of[function];
    };
    for (profile::AsyncMethod& method : profile.async_methods) {
        to_method(method.function);
    }
    for (profile::AsyncNode& node : profile.async_tree) {
        to_method(node.function);
    }
    for (profile::AsyncWait& wait : profile.async_waits) {
        to_method(wait.function);
        to_method(wait.awaited_function);
    }
    for (profile::BlockedWait& wait : profile.blocked_waits) {
        to_method(wait.function);
        to_method(wait.awaited_function);
    }
    for (profile::SlowCall& call : profile.slow_calls) {
        if (call.is_async()) {
            to_method(profile.slow_methods[call.method].function);
            to_method(call.caller);
        }
    }
    for (profile::SlowSlice& slice : profile.slow_slices) {
        if (profile.slow_calls[slice.call].is_async()) {
            to_method(slice.function);
        }
    }
}

/// Keeps the longest, in their order.
void keep_longest(auto& rows) {
    if (rows.size() <= kMaxListed) {
        return;
    }
    auto longer = [](const auto& a, const auto& b) { return a.duration_ns > b.duration_ns; };
    std::ranges::nth_element(rows, rows.begin() + kMaxListed, longer);
    rows.resize(kMaxListed);
    std::ranges::sort(rows, {}, [](const auto& row) { return row.start_ns; });
}

/// Keeps the longest slices, each with what it happened in; calls left out were part of others.
void keep_longest_slices(Profile& profile) {
    std::vector<profile::SlowSlice>& slices = profile.slow_slices;
    if (slices.size() <= kMaxSlices) {
        return;
    }
    std::vector<uint64_t> lengths;
    lengths.reserve(slices.size());
    for (const profile::SlowSlice& slice : slices) {
        lengths.push_back(slice.duration_ns);
    }
    std::ranges::nth_element(lengths, lengths.begin() + kMaxSlices, std::greater<>());
    const uint64_t least_ns = lengths[kMaxSlices] + 1;
    std::vector<profile::Row> moved(slices.size(), profile::kNone);
    std::vector<profile::SlowSlice> kept;
    for (std::size_t row = 0; row < slices.size(); ++row) {
        profile::SlowSlice& slice = slices[row];
        const bool first = slice.parent == profile::kNone;
        if (first || (slice.duration_ns >= least_ns && moved[slice.parent] != profile::kNone)) {
            slice.parent = first ? profile::kNone : moved[slice.parent];
            moved[row] = static_cast<profile::Row>(kept.size());
            kept.push_back(std::move(slice));
        }
    }
    slices = std::move(kept);
}

}  // namespace

Status write_page(Profile profile, const Extras& extras, Sink& out) {
    const std::vector<OneCall> calls = one_calls(profile);
    const std::vector<Entry> entries = entries_of(profile);
    profile::fold_pieces(profile);
    profile::set_whole_calls(profile.edges, profile);
    name_async_calls_by_method(profile);
    for (profile::Row row = 0; row < profile.modules.size(); ++row) {
        profile.modules[row].name = profile::module_label(profile, row);
    }
    const std::size_t paths = profile.calltree.size();
    const uint64_t pauses = profile::all_pauses(profile).count;
    const uint64_t compilations = profile::compilation_sums(profile).count;
    const std::size_t slices = profile.slow_slices.size();
    profile::keep_largest(profile, kMaxPaths);
    keep_longest(profile.pauses);
    keep_longest(profile.compilations);
    keep_longest_slices(profile);
    return put_page(profile, out, [&](PageWriter& writer) {
        writer.put_session();
        writer.put_facts(extras.facts);
        writer.put_editor(extras.editor);
        writer.put_whole({{"calltree", paths},
                          {"pauses", pauses},
                          {"compilations", compilations},
                          {"slow_slices", slices}});
        writer.put_tables(calls);
        put_entries(writer, profile, entries);
        writer.end();
    });
}

}  // namespace umbra::html
