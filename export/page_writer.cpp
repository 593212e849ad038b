// SPDX-License-Identifier: MIT
#include "export/page_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/base64.h"
#include "export/schema.h"

// NOLINTBEGIN(readability-identifier-naming): symbols of assembly are named so.
extern "C" const char umbra_page_begin[];
extern "C" const char umbra_page_end[];
// NOLINTEND(readability-identifier-naming)

namespace umbra::html {
namespace {

/// Where the profile goes; web/index.html has it once.
constexpr std::string_view kPlace = "@PROFILE@";

std::string_view page() {
    return {umbra_page_begin, static_cast<std::size_t>(umbra_page_end - umbra_page_begin)};
}

struct JsonValue {
    const schema::Column& column;

    std::string operator()(uint64_t number) const { return std::to_string(number); }
    std::string operator()(uint32_t number) const {
        return !column.refers_to.empty() && number == profile::kNone ? "-1"
                                                                     : std::to_string(number);
    }
    std::string operator()(double number) const { return PageWriter::number(number); }
    std::string operator()(bool flag) const { return flag ? "1" : "0"; }
    std::string operator()(const std::string& text) const { return PageWriter::text(text); }
};

/// A table, and the columns of it that the page shows, a blank between them.
struct Shown {
    std::string_view table;
    std::string_view columns;

    [[nodiscard]] bool has(std::string_view column) const {
        return fmt::format(" {} ", columns).find(fmt::format(" {} ", column)) != std::string::npos;
    }
};

#define UMBRA_ASYNC_TIMES " wall_ns running_ns children_ns others_ns outside_ns queued_ns"
#define UMBRA_SUMS " calls wall_total_ns wall_self_ns cpu_total_ns cpu_self_ns"
constexpr std::array<Shown, 20> kShown = {{
    {"modules", "name framework"},
    {"functions",
     "name namespace type raw_name module file line deinstrumented inlined_into unfinished "
     "wall_min_ns "
     "wall_max_ns "
     "wall_self_raw_ns wall_total_raw_ns paused_self_ns" UMBRA_SUMS},
    {"threads",
     "name os_tid start_ns end_ns covered_ns calls lost_events waits wait_ns cpu_ns paused_ns "
     "compiling_ns threads"},
    {"calltree", "parent function thread calls wall_self_ns cpu_self_ns"},
    {"edges", "caller callee" UMBRA_SUMS},
    {"thread_functions", "thread function" UMBRA_SUMS},
    {"histograms", "function lower_ns upper_ns calls"},
    {"compilations", "function thread start_ns duration_ns version"},
    {"compilation_sums", "function count duration_ns"},
    {"pauses", "reason generations thread start_ns duration_ns stopping_ns threads"},
    {"pause_sums", "reason generations count duration_ns longest_ns"},
    {"time_slices", "start_ns duration_ns paused_ns compiling_ns"},
    {"exceptions", "type thrown_in caught_in count"},
    {"slow_methods", "function calls"},
    {"slow_calls",
     "method thread caller unfinished start_ns duration_ns probes_ns waited_ns wall_ns off_cpu_ns "
     "cpu_ns paused_ns compiling_ns calls merged_calls outcome running_ns awaiting_ns queued_ns"},
    {"slow_slices", "call parent function kind start_ns duration_ns calls thread awaited"},
    {"async_methods",
     "function calls results faults cancelled open unknown never_suspended before wall_max_ns "
     "wall_p50_ns wall_p99_ns" UMBRA_ASYNC_TIMES},
    {"async_tree", "parent function how calls" UMBRA_ASYNC_TIMES},
    {"async_waits", "function how awaited_function awaited times total_ns"},
    {"blocked_waits", "function awaited_function awaited times total_ns"},
}};
#undef UMBRA_SUMS
#undef UMBRA_ASYNC_TIMES

}  // namespace

std::string PageWriter::text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string PageWriter::number(double number) {
    return std::isfinite(number) ? fmt::format("{:.6g}", number) : "0";
}

std::string PageWriter::facts(const std::vector<Fact>& facts) {
    std::string json = "[";
    for (const Fact& fact : facts) {
        json += json.size() > 1 ? "," : "";
        json += fmt::format("{{\"name\":{},\"warns\":{},\"parts\":[", text(fact.name), fact.warns);
        for (std::size_t i = 0; i < fact.parts.size(); ++i) {
            json += (i > 0 ? "," : "") + text(fact.parts[i]);
        }
        json += "]}";
    }
    return json + "]";
}

void PageWriter::comma() {
    out_.put(first_ ? "" : ",");
    first_ = false;
}

void PageWriter::member(std::string_view name) {
    comma();
    out_.put(fmt::format("\"{}\":", name));
}

void PageWriter::array(std::size_t count, const std::function<std::string(std::size_t)>& value) {
    out_.put("[");
    for (std::size_t i = 0; i < count; ++i) {
        out_.put(i > 0 ? "," : "");
        out_.put(value(i));
    }
    out_.put("]");
}

void PageWriter::put_value(std::string_view name, std::string_view json) {
    member(name);
    out_.put(json);
}

void PageWriter::put_array(std::string_view name, std::size_t count,
                           const std::function<std::string(std::size_t)>& value) {
    member(name);
    array(count, value);
}

void PageWriter::put_object(std::string_view name, const std::function<void()>& members) {
    member(name);
    out_.put("{");
    first_ = true;
    members();
    out_.put("}");
    first_ = false;
}

void PageWriter::put_session() {
    out_.put("{");
    put_object("session", [this] {
        for (const schema::Column& attribute : schema::session_attributes()) {
            put_value(attribute.name,
                      schema::visit(attribute, &profile_.session, JsonValue{attribute}));
        }
        put_value("lost_events", std::to_string(profile_.session.losses.events()));
    });
}

void PageWriter::put_facts(const std::vector<Fact>& facts) {
    put_value("facts", PageWriter::facts(facts));
}

void PageWriter::put_whole(std::initializer_list<std::pair<std::string_view, std::size_t>> whole) {
    put_object("whole", [&] {
        for (const auto& [table, rows] : whole) {
            put_value(table, std::to_string(rows));
        }
    });
}

void PageWriter::put_editor(std::string_view editor) {
    put_value("editor", text(editor));
}

void PageWriter::put_tables(const std::vector<OneCall>& calls) {
    put_object("tables", [&] {
        for (const Shown& shown : kShown) {
            put_object(shown.table, [&] {
                if (shown.table == "functions") {
                    put_calls(calls);
                }
                put_table(shown.table, shown.columns);
            });
            out_.put("\n");
        }
    });
}

void PageWriter::end() {
    out_.put("}\n");
}

void PageWriter::put_calls(const std::vector<OneCall>& calls) {
    const auto column = [&](std::string_view name, auto value) {
        put_array(name, calls.size(),
                  [&](std::size_t row) { return std::to_string(value(calls[row])); });
    };
    column("mean_ns", [](const OneCall& call) { return call.mean_ns; });
    column("p50_ns", [](const OneCall& call) { return call.percentiles.p50_ns; });
    column("p90_ns", [](const OneCall& call) { return call.percentiles.p90_ns; });
    column("p99_ns", [](const OneCall& call) { return call.percentiles.p99_ns; });
}

void PageWriter::put_table(std::string_view name, std::string_view columns) {
    const auto table = std::ranges::find(schema::tables(), name, &schema::Table::name);
    const schema::Rows rows = table->rows(profile_);
    for (const schema::Column& column : table->columns) {
        if (Shown{name, columns}.has(column.name)) {
            put_array(column.name, rows.count, [&](std::size_t row) {
                return schema::visit(column, rows.row(row), JsonValue{column});
            });
        }
    }
}

bool has_page() {
    return !page().empty();
}

Status put_page(const profile::Profile& profile, Sink& out,
                const std::function<void(PageWriter&)>& write) {
    const std::size_t place = page().find(kPlace);
    if (place == std::string_view::npos) {
        return fail(ErrorCode::kUnsupported, "this umbra was built without the page for profiles");
    }
    out.put(page().substr(0, place));
    const std::unique_ptr<Sink> packed = gzip_sink(std::make_unique<Base64Sink>(out));
    PageWriter writer(profile, *packed);
    write(writer);
    if (Status done = packed->finish(); !done) {
        return done;
    }
    out.put(page().substr(place + kPlace.size()));
    return {};
}

}  // namespace umbra::html
