// SPDX-License-Identifier: MIT
// https://www.speedscope.app/file-format-schema.json
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "export/formats.h"
#include "export/paths.h"
#include "src/profile/methods.h"

namespace umbra::formats {
namespace {

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class SpeedscopeWriter {
  public:
    SpeedscopeWriter(const profile::Profile& profile, const Notes& notes, Sink& out)
        : profile_(profile),
          name_(notes.empty()
                    ? profile.session.program
                    : fmt::format("{} ({})", profile.session.program, fmt::join(notes, "; "))),
          out_(out),
          links_(profile.calltree),
          roots_(roots_by_thread(profile, links_)) {}

    void run() {
        put_frames();
        out_.put("\"profiles\":[");
        for (const Measure measure : {Measure::kWall, Measure::kCpu}) {
            if (has_measure(profile_, measure)) {
                put_threads(measure);
            }
        }
        if (profiles_ == 0) {
            put_profile("nothing was timed", 0, [] {});
        }
        out_.put("]}\n");
    }

  private:
    void put_frames() {
        out_.put(
            fmt::format("{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                        "\"exporter\":\"umbra {}\",\"name\":{},\"activeProfileIndex\":0,"
                        "\"shared\":{{\"frames\":[",
                        UMBRA_VERSION, json_text(one_line(name_))));
        std::string_view separator;
        for (const profile::Function& function : profile_.functions) {
            out_.put(separator);
            out_.put(fmt::format("{{\"name\":{}", json_text(function.name)));
            const profile::SourcePlace place = profile::source_place(profile_, function);
            if (!place.file.empty()) {
                out_.put(fmt::format(",\"file\":{}", json_text(place.file)));
            }
            if (place.line != 0) {
                out_.put(fmt::format(",\"line\":{}", place.line));
            }
            out_.put("}");
            separator = ",\n";
        }
        out_.put("]},\n");
    }

    void put_threads(Measure measure) {
        const std::vector<uint64_t> inclusive = inclusive_ns(profile_, measure);
        for (profile::Row thread = 0; thread < roots_.size(); ++thread) {
            uint64_t total = 0;
            for (const profile::Row root : roots_[thread]) {
                total += inclusive[root];
            }
            if (total == 0) {
                continue;
            }
            const std::string name =
                fmt::format("{} ({}{})", thread_label(profile_, thread), lost(),
                            measure == Measure::kWall ? "wall" : "cpu");
            put_profile(name, total, [&] { put_events(roots_[thread], inclusive, measure); });
        }
    }

    /// In the name of each thread: speedscope shows that, and the file's name as the page's title.
    [[nodiscard]] std::string lost() const {
        const uint64_t events = profile_.session.losses.events();
        return events == 0 ? "" : fmt::format("{} events lost, ", events);
    }

    void put_profile(std::string_view name, uint64_t end_ns, auto put_all_events) {
        out_.put(
            fmt::format("{}{{\"type\":\"evented\",\"name\":{},\"unit\":\"nanoseconds\","
                        "\"startValue\":0,\"endValue\":{},\"events\":[",
                        profiles_++ == 0 ? "" : ",\n", json_text(name), end_ns));
        put_all_events();
        out_.put("]}");
    }

    /// A path's callees stand first, its own time behind them.
    void put_events(const std::vector<profile::Row>& roots, const std::vector<uint64_t>& inclusive,
                    Measure measure) {
        uint64_t now = 0;
        std::string_view separator;
        const auto event = [&](char type, profile::Row row) {
            out_.put(fmt::format("{}{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}", separator, type,
                                 profile_.calltree[row].function, now));
            separator = ",";
        };
        for (const profile::Row root : roots) {
            profile::walk_below(
                profile_.calltree, links_, root,
                [&](profile::Row row) {
                    if (inclusive[row] == 0) {
                        return false;
                    }
                    event('O', row);
                    return true;
                },
                [&](profile::Row row) {
                    now += self_ns(profile_.calltree[row], measure);
                    event('C', row);
                });
        }
    }

    const profile::Profile& profile_;
    const std::string name_;
    Sink& out_;
    profile::TreeLinks links_;
    std::vector<std::vector<profile::Row>> roots_;
    size_t profiles_ = 0;
};

}  // namespace

void write_speedscope(const profile::Profile& profile, const Notes& notes, Sink& out) {
    SpeedscopeWriter(profile, notes, out).run();
}

}  // namespace umbra::formats
