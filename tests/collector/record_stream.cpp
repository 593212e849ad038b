// SPDX-License-Identifier: MIT
// Records from their text, and a replayed session as text.
#include "tests/collector/record_stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <variant>

#include "src/collector/tables/profile_builder.h"

namespace umbra::collector::testing {
namespace {

template <class... Operands>
using Writes = RecordStream& (RecordStream::*)(Operands...);
using Verb =
    std::variant<Writes<uint64_t>, Writes<char, uint64_t>, Writes<uint32_t, uint64_t>,
                 Writes<uint64_t, uint64_t>, Writes<char, uint32_t, uint64_t>,
                 Writes<uint32_t, uint32_t, uint64_t>, Writes<uint32_t, uint64_t, uint64_t>,
                 Writes<uint32_t, std::string_view, uint64_t>>;

const std::map<std::string, Verb>& verbs() {
    using Stream = RecordStream;
    static const std::map<std::string, Verb> all = {
        {"enter", &Stream::enter},
        {"leave", &Stream::leave},
        {"tailcall", &Stream::tailcall},
        {"waited", &Stream::waited},
        {"lost", &Stream::lost},
        {"argument", &Stream::argument},
        {"text", static_cast<Writes<uint32_t, std::string_view, uint64_t>>(&Stream::text)},
        {"arguments_end", &Stream::arguments_end},
        {"compile_started", &Stream::compile_started},
        {"compile_finished", &Stream::compile_finished},
        {"thrown", &Stream::thrown},
        {"unwound", &Stream::unwound},
        {"unwind_enter", &Stream::unwind_enter},
        {"unwind_leave", &Stream::unwind_leave},
        {"finally_enter", &Stream::finally_enter},
        {"finally_leave", &Stream::finally_leave},
        {"caught", &Stream::caught},
        {"catcher_at", &Stream::catcher_at},
        {"catcher_leave", &Stream::catcher_leave},
        {"filter_enter", &Stream::filter_enter},
        {"filter_at", &Stream::filter_at},
        {"filter_leave", &Stream::filter_leave},
        {"filter_leave_at", &Stream::filter_leave_at},
        {"suspended", &Stream::suspended},
        {"stack_suspended", &Stream::stack_suspended},
        {"resumed", &Stream::resumed},
        {"resume_ends", &Stream::resume_ends},
        {"completed", &Stream::completed}};
    return all;
}

template <class Operand>
Operand operand(const std::string& word) {
    if constexpr (std::is_same_v<Operand, std::string_view>) {
        return word;
    } else if constexpr (std::is_same_v<Operand, char>) {
        if (word.size() != 1 || (word != "-" && (word < "A" || word > "Z"))) {
            throw std::invalid_argument("not a function");
        }
        return word == "-" ? '\0' : word[0];
    } else {
        size_t read = 0;
        const unsigned long long value = std::stoull(word, &read, 0);
        if (read != word.size() || value != static_cast<Operand>(value)) {
            throw std::invalid_argument("not a number, or too large");
        }
        return static_cast<Operand>(value);
    }
}

template <class... Operands>
void write(RecordStream& stream, Writes<Operands...> verb, const std::vector<std::string>& words) {
    if (words.size() != sizeof...(Operands)) {
        throw std::invalid_argument("too few or too many operands");
    }
    auto word = words.begin();
    const std::tuple<Operands...> operands{operand<Operands>(*word++)...};  // from the left
    std::apply([&](auto... values) { (stream.*verb)(values...); }, operands);
}

char letter(uint32_t index) {
    return static_cast<char>('A' + index - 1);
}

void print(const profile::Profile& p, profile::Row thread, profile::Row parent, size_t depth,
           std::ostringstream& out) {
    for (profile::Row row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        if (node.thread != thread || node.parent != parent) {
            continue;
        }
        out << std::string(2 * depth, ' ') << Replayed::name(p, node.function) << ' '
            << node.times.calls << ' ' << node.times.total_ns << '/' << node.times.self_ns;
        if (node.times.unfinished != 0) {
            out << " +" << node.times.unfinished;
        }
        out << '\n';
        print(p, thread, row, depth + 1, out);
    }
}

}  // namespace

RecordStream& RecordStream::tell(const std::string& records) {
    static const std::regex remarks(R"(\([^)]*\))");
    std::istringstream rest(std::regex_replace(records, remarks, ""));
    for (std::string record; std::getline(rest, record, ',');) {
        std::istringstream words(record);
        std::string ticks;
        std::string verb;
        words >> ticks >> verb;
        std::vector<std::string> operands{std::istream_iterator<std::string>(words), {}};
        operands.push_back(ticks);
        try {
            std::visit([&](const auto& writes) { write(*this, writes, operands); },
                       verbs().at(verb));
        } catch (const std::exception&) {
            throw std::invalid_argument("no record: '" + record + "'");
        }
    }
    return *this;
}

RecordStream& RecordStream::text(uint32_t number, std::string_view kept, uint32_t code_units,
                                 uint64_t ticks) {
    control(ControlType::kArgumentText, number, ticks);
    slots_.push_back(hotpath::make_text_length(code_units, static_cast<uint32_t>(kept.size())));
    std::array<uint64_t, hotpath::kMaxTextBytes / hotpath::kSlotBytes> bytes{};
    std::memcpy(bytes.data(), kept.data(), std::min(kept.size(), hotpath::kMaxTextBytes));
    slots_.insert(slots_.end(), bytes.begin(), bytes.end());
    return *this;
}

replay::Limits folded_tree(uint64_t seed) {
    replay::Limits limits;
    if (seed % 3 == 0) {
        limits.written_paths = seed / 3 % 32;
    }
    switch (seed % 4) {
        case 0:
            break;  // every path that is not recursive is kept
        case 1:
            limits.folded_arcs = static_cast<uint32_t>(seed / 4 % 8);
            limits.least_share = 0.02;
            break;
        case 2:
            limits.folded_arcs = 1;
            limits.least_share = 10;  // nothing has taken so much
            break;
        default:
            limits.folded_arcs = 50 + static_cast<uint32_t>(seed / 4 % 100);
            break;
    }
    return limits;
}

Replayed::Replayed(const replay::Limits& limits, bool one_shard) : state_(limits, one_shard) {
    for (uint32_t index = 1; index <= 26; ++index) {
        state_.note(protocol::FunctionNamed{.index = index,
                                            .module = 0,
                                            .token = 0,
                                            .instrumented = true,
                                            .namespace_ = "",
                                            .type = "T",
                                            .method = std::string(1, letter(index)),
                                            .method_args = "",
                                            .parameters = "()",
                                            .user_parameters = "",
                                            .return_type = ""});
        state_.note(protocol::TypeNamed{.index = index, .name = "E" + std::to_string(index)});
    }
}

profile::Profile Replayed::profile(uint64_t now) const {
    return build(state_.copy_out(now), replay::LinearClock(0, 1e9), {});
}

std::string Replayed::tree(uint64_t now) const {
    const profile::Profile p = profile(now);
    std::ostringstream out;
    if (profile::threads_share_paths(p)) {
        print(p, profile::kNone, profile::kNone, 0, out);
        return out.str();
    }
    for (profile::Row thread = 0; thread < p.threads.size(); ++thread) {
        out << (thread == 0 ? "" : "--\n");
        print(p, thread, profile::kNone, 0, out);
    }
    return out.str();
}

std::string Replayed::exceptions() const {
    const profile::Profile p = profile();
    std::ostringstream out;
    for (const profile::ExceptionCount& row : p.exceptions) {
        out << row.type << ' ' << name(p, row.thrown_in) << '>' << name(p, row.caught_in) << " x"
            << row.count << '\n';
    }
    return out.str();
}

}  // namespace umbra::collector::testing
