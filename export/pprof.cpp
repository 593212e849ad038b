// SPDX-License-Identifier: MIT
// https://github.com/google/pprof/blob/main/proto/profile.proto
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/formats.h"
#include "export/paths.h"
#include "export/protobuf.h"
#include "src/profile/methods.h"

namespace umbra::formats {
namespace {

using profile::kNone;
using profile::Row;

// Field numbers of the messages.
namespace pprof {
constexpr uint32_t kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kStrings = 6;
constexpr uint32_t kDurationNanos = 10, kComment = 13, kDefaultSampleType = 14;
namespace value_type {
constexpr uint32_t kType = 1, kUnit = 2;
}
namespace sample {
constexpr uint32_t kLocations = 1, kValues = 2, kLabel = 3;
}
namespace label {
constexpr uint32_t kKey = 1, kString = 2;
}
namespace location {
constexpr uint32_t kId = 1, kLine = 4;
}
namespace line {
constexpr uint32_t kFunction = 1, kLine = 2;
}
namespace function {
constexpr uint32_t kId = 1, kName = 2, kSystemName = 3, kFile = 4, kStartLine = 5;
}
}  // namespace pprof

class PprofWriter {
  public:
    PprofWriter(const profile::Profile& profile, Sink& out)
        : profile_(profile), out_(out), has_cpu_(has_measure(profile, Measure::kCpu)) {
        string("");  // number 0 has to be that
    }

    void run() {
        put_types();
        put_functions();
        for (Row thread = 0; thread < profile_.threads.size(); ++thread) {
            thread_labels_.push_back(
                ProtobufMessage()
                    .add(pprof::label::kKey, string("thread"))
                    .add(pprof::label::kString, string(thread_label(profile_, thread))));
        }
        for (Row row = 0; row < profile_.calltree.size(); ++row) {
            put_sample(row);
        }
        put(ProtobufMessage().add(pprof::kDurationNanos, profile_.session.wall_ns));
    }

    void put_notes(const Notes& notes) {
        for (const std::string& note : notes) {
            put(ProtobufMessage().add(pprof::kComment, string(one_line(note))));
        }
    }

  private:
    void put(const ProtobufMessage& fields) { out_.put(fields.bytes()); }

    /// The number of a text, which goes out when it is first asked for.
    uint64_t string(const std::string& text) {
        const auto [place, is_new] = strings_.try_emplace(text, strings_.size());
        if (is_new) {
            put(ProtobufMessage().add(pprof::kStrings, std::string_view(text)));
        }
        return place->second;
    }

    void put_types() {
        put_type(profile::is_sampled(profile_.session) ? "samples" : "calls", "count");
        put_type("wall", "nanoseconds");
        if (has_cpu_) {
            put_type("cpu", "nanoseconds");
        }
        put(ProtobufMessage().add(pprof::kDefaultSampleType, string("wall")));
    }

    void put_type(const std::string& type, const std::string& unit) {
        ProtobufMessage message;
        message.add(pprof::value_type::kType, string(type));
        message.add(pprof::value_type::kUnit, string(unit));
        put(ProtobufMessage().add(pprof::kSampleType, message));
    }

    /// One location each: where the function begins.
    void put_functions() {
        for (Row row = 0; row < profile_.functions.size(); ++row) {
            const profile::Function& function = profile_.functions[row];
            ProtobufMessage message;
            message.add(pprof::function::kId, uint64_t{row} + 1);
            message.add(pprof::function::kName, string(function.name));
            message.add(pprof::function::kSystemName, string(function.raw_name));
            const profile::SourcePlace place = profile::source_place(profile_, function);
            if (!place.file.empty()) {
                message.add(pprof::function::kFile, string(place.file));
            }
            if (place.line != 0) {
                message.add(pprof::function::kStartLine, place.line);
            }
            put(ProtobufMessage().add(pprof::kFunction, message));
            ProtobufMessage line;
            line.add(pprof::line::kFunction, uint64_t{row} + 1);
            if (place.line != 0) {
                line.add(pprof::line::kLine, place.line);
            }
            put(ProtobufMessage().add(pprof::kLocation,
                                      ProtobufMessage()
                                          .add(pprof::location::kId, uint64_t{row} + 1)
                                          .add(pprof::location::kLine, line)));
        }
    }

    /// The path from the inside out.
    void put_sample(Row row) {
        const profile::CallNode& node = profile_.calltree[row];
        path_.clear();
        for (Row at = row; at != kNone; at = profile_.calltree[at].parent) {
            path_.varint(uint64_t{profile_.calltree[at].function} + 1);
        }
        values_.clear();
        values_.varint(node.times.calls).varint(node.times.self_ns);
        if (has_cpu_) {
            values_.varint(node.times.cpu.self_ns);
        }
        sample_.clear();
        sample_.add(pprof::sample::kLocations, path_).add(pprof::sample::kValues, values_);
        if (node.thread != kNone) {
            sample_.add(pprof::sample::kLabel, thread_labels_[node.thread]);
        }
        field_.clear();
        field_.add(pprof::kSample, sample_);
        put(field_);
    }

    const profile::Profile& profile_;
    Sink& out_;
    bool has_cpu_;
    std::unordered_map<std::string, uint64_t> strings_;
    std::vector<ProtobufMessage> thread_labels_;
    // Kept for their memory.
    ProtobufMessage path_;
    ProtobufMessage values_;
    ProtobufMessage sample_;
    ProtobufMessage field_;
};

}  // namespace

void write_pprof(const profile::Profile& profile, const Notes& notes, Sink& out) {
    PprofWriter writer(profile, out);
    writer.put_notes(notes);
    writer.run();
}

}  // namespace umbra::formats
