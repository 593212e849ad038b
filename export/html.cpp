// SPDX-License-Identifier: MIT
// The page is built from web/ and comes along inside the program (page.S). The profile goes into
// it as JSON, compressed, in base64.
#include "export/html.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/base64.h"
#include "export/schema.h"
#include "src/profile/methods.h"
#include "src/profile/prune.h"
#include "src/profile/report.h"

// NOLINTBEGIN(readability-identifier-naming): symbols of assembly are named so.
extern "C" const char umbra_page_begin[];
extern "C" const char umbra_page_end[];
// NOLINTEND(readability-identifier-naming)

namespace umbra::html {
namespace {

using profile::Profile;

/// Where the profile goes; web/index.html has it once.
constexpr std::string_view kPlace = "@PROFILE@";

std::string_view page() {
    return {umbra_page_begin, static_cast<std::size_t>(umbra_page_end - umbra_page_begin)};
}

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A number JSON can hold: it has neither infinities nor NaN.
std::string json_number(double number) {
    return std::isfinite(number) ? fmt::format("{:.6g}", number) : "0";
}

std::string json_value(const schema::Column& column, const void* row) {
    const void* member = column.get(row);
    switch (column.type) {
        case schema::Type::kInt64:
            return std::to_string(*static_cast<const uint64_t*>(member));
        case schema::Type::kUInt32:
            return std::to_string(*static_cast<const uint32_t*>(member));
        case schema::Type::kFloat64:
            return json_number(*static_cast<const double*>(member));
        case schema::Type::kBool:
        case schema::Type::kFlag:
            return *static_cast<const bool*>(member) ? "1" : "0";
        case schema::Type::kRow:
        case schema::Type::kRowOrNone: {
            const profile::Row to = *static_cast<const profile::Row*>(member);
            return to == profile::kNone ? "-1" : std::to_string(to);
        }
        case schema::Type::kString:
            return json_text(*static_cast<const std::string*>(member));
    }
    return "0";
}

/// A table, and the columns of it that the page shows, a blank between them.
struct Shown {
    std::string_view table;
    std::string_view columns;

    [[nodiscard]] bool has(std::string_view column) const {
        return fmt::format(" {} ", columns).find(fmt::format(" {} ", column)) != std::string::npos;
    }
};

#define UMBRA_SUMS " calls wall_total_ns wall_self_ns cpu_total_ns cpu_self_ns"
constexpr std::array<Shown, 13> kShown = {{
    {"modules", "name framework"},
    {"functions",
     "name namespace type raw_name module file line limited unfinished wall_min_ns wall_max_ns "
     "wall_self_raw_ns paused_self_ns wall_self_error_ns wall_total_error_ns" UMBRA_SUMS},
    {"threads",
     "name os_tid start_ns end_ns covered_ns calls lost_events waits wait_ns cpu_ns paused_ns"},
    {"calltree", "parent function thread calls wall_self_ns cpu_self_ns"},
    {"edges", "caller callee" UMBRA_SUMS},
    {"thread_functions", "thread function" UMBRA_SUMS},
    {"histograms", "function lower_ns upper_ns calls"},
    {"compilations", "function thread start_ns duration_ns version"},
    {"pauses", "reason generations thread start_ns duration_ns stopping_ns threads"},
    {"exceptions", "type thrown_in caught_in count"},
    {"slow_methods", "function calls"},
    {"slow_calls",
     "method thread caller unfinished start_ns duration_ns probes_ns waited_ns wall_ns off_cpu_ns "
     "cpu_ns paused_ns compiling_ns calls merged_calls"},
    {"slow_slices", "call parent function kind start_ns duration_ns calls"},
}};
#undef UMBRA_SUMS

/// What the page says of one call of a function, as the report does.
struct OneCall {
    uint64_t mean_ns = 0;
    profile::Percentiles percentiles;
};

class Writer {
  public:
    Writer(const Profile& profile, Sink& out) : profile_(profile), out_(out) {}

    void put_session() {
        out_.put("{\"session\":{");
        for (const schema::Column& attribute : schema::session_attributes()) {
            member(attribute.name);
            out_.put(json_value(attribute, &profile_.session));
        }
        member("lost_events");
        out_.put(std::to_string(profile_.session.losses.events()));
        out_.put("}");
    }

    void put_facts(const std::vector<Fact>& facts) {
        out_.put(",\"facts\":[");
        first_ = true;
        for (const Fact& fact : facts) {
            comma();
            out_.put(fmt::format("{{\"name\":{},\"warns\":{},\"parts\":[", json_text(fact.name),
                                 fact.warns));
            for (std::size_t i = 0; i < fact.parts.size(); ++i) {
                out_.put((i > 0 ? "," : "") + json_text(fact.parts[i]));
            }
            out_.put("]}");
        }
        out_.put("]");
    }

    /// `whole`: rows of a table in the file, where the page has fewer.
    void put_whole(std::initializer_list<std::pair<std::string_view, std::size_t>> whole) {
        out_.put(",\"whole\":{");
        first_ = true;
        for (const auto& [table, rows] : whole) {
            member(table);
            out_.put(std::to_string(rows));
        }
        out_.put("}");
    }

    void put_editor(std::string_view editor) { out_.put(",\"editor\":" + json_text(editor)); }

    /// Column by column, which compresses better than row by row.
    void put_tables(const std::vector<OneCall>& calls) {
        out_.put(",\"tables\":{");
        std::string_view separator;
        for (const Shown& shown : kShown) {
            out_.put(separator);
            out_.put(fmt::format("\"{}\":{{", shown.table));
            first_ = true;
            if (shown.table == "functions") {
                put_calls(calls);
            }
            put_table(shown);
            out_.put("}");
            separator = ",\n";
        }
        out_.put("}}\n");
    }

  private:
    void comma() {
        out_.put(first_ ? "" : ",");
        first_ = false;
    }

    void member(std::string_view name) {
        comma();
        out_.put(fmt::format("\"{}\":", name));
    }

    void array(std::size_t count, auto value) {
        out_.put("[");
        for (std::size_t i = 0; i < count; ++i) {
            out_.put(i > 0 ? "," : "");
            out_.put(value(i));
        }
        out_.put("]");
    }

    void put_calls(const std::vector<OneCall>& calls) {
        const auto column = [&](std::string_view name, auto value) {
            member(name);
            array(calls.size(), [&](std::size_t row) { return std::to_string(value(calls[row])); });
        };
        column("mean_ns", [](const OneCall& call) { return call.mean_ns; });
        column("p50_ns", [](const OneCall& call) { return call.percentiles.p50_ns; });
        column("p90_ns", [](const OneCall& call) { return call.percentiles.p90_ns; });
        column("p99_ns", [](const OneCall& call) { return call.percentiles.p99_ns; });
    }

    void put_table(const Shown& shown) {
        const auto table = std::ranges::find(schema::tables(), shown.table, &schema::Table::name);
        const schema::Rows rows = table->rows(profile_);
        for (const schema::Column& column : table->columns) {
            if (shown.has(column.name)) {
                member(column.name);
                array(rows.count,
                      [&](std::size_t row) { return json_value(column, rows.row(row)); });
            }
        }
    }

    const Profile& profile_;
    Sink& out_;
    bool first_ = true;
};

/// By row of functions; 0 without calls.
std::vector<OneCall> one_calls(const Profile& profile) {
    std::vector<OneCall> calls(profile.functions.size());
    profile::View view;
    view.top = std::numeric_limits<std::size_t>::max();
    view.fold = false;
    view.before_start = true;
    for (const profile::HotFunction& hot : profile::hot_list(profile, view).functions) {
        if (hot.function != nullptr) {
            calls[static_cast<std::size_t>(hot.function - profile.functions.data())] = {
                hot.mean_ns, hot.percentiles};
        }
    }
    return calls;
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

bool has_page() {
    return !page().empty();
}

Status write_page(Profile profile, const Extras& extras, Sink& out) {
    const std::size_t place = page().find(kPlace);
    if (place == std::string_view::npos) {
        return fail(ErrorCode::kUnsupported, "this umbra was built without the page for profiles");
    }
    const std::vector<OneCall> calls = one_calls(profile);
    for (profile::Row row = 0; row < profile.modules.size(); ++row) {
        profile.modules[row].name = profile::module_label(profile, row);
    }
    const std::size_t paths = profile.calltree.size();
    const std::size_t pauses = profile.pauses.size();
    const std::size_t compilations = profile.compilations.size();
    const std::size_t slices = profile.slow_slices.size();
    profile::keep_largest(profile, kMaxPaths);
    keep_longest(profile.pauses);
    keep_longest(profile.compilations);
    keep_longest_slices(profile);

    out.put(page().substr(0, place));
    const std::unique_ptr<Sink> packed = gzip_sink(std::make_unique<Base64Sink>(out));
    Writer writer(profile, *packed);
    writer.put_session();
    writer.put_facts(extras.facts);
    writer.put_editor(extras.editor);
    writer.put_whole({{"calltree", paths},
                      {"pauses", pauses},
                      {"compilations", compilations},
                      {"slow_slices", slices}});
    writer.put_tables(calls);
    if (Status done = packed->finish(); !done) {
        return done;
    }
    out.put(page().substr(place + kPlace.size()));
    return {};
}

}  // namespace umbra::html
