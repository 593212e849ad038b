// SPDX-License-Identifier: MIT
// Encoding of the control messages: one list of fields per message serves both directions.

#include "src/protocol/messages.h"

#include <algorithm>
#include <concepts>
#include <tuple>
#include <utility>

#include "src/base/utf8.h"

namespace umbra::protocol {
namespace {

// ---- what a message consists of, in the order of the wire ----------------------------------

template <typename M>
constexpr auto kFields = std::tuple<>();
template <>
constexpr auto kFields<Hello> = std::tuple(&Hello::magic, &Hello::version, &Hello::tool_version,
                                           &Hello::pid, &Hello::runtime, &Hello::command_line,
                                           &Hello::segment_bytes, &Hello::running,
                                           &Hello::il_probes, &Hello::runtimes);
template <>
constexpr auto kFields<ModuleLoaded> = std::tuple(&ModuleLoaded::index, &ModuleLoaded::path,
                                                  &ModuleLoaded::framework, &ModuleLoaded::runtime);
template <>
constexpr auto kFields<RuntimeStarted> = std::tuple(&RuntimeStarted::index,
                                                    &RuntimeStarted::version);
template <>
constexpr auto kFields<FunctionNamed> =
    std::tuple(&FunctionNamed::index, &FunctionNamed::module, &FunctionNamed::token,
               &FunctionNamed::instrumented, &FunctionNamed::trivial, &FunctionNamed::namespace_,
               &FunctionNamed::type, &FunctionNamed::method, &FunctionNamed::method_args,
               &FunctionNamed::parameters, &FunctionNamed::user_parameters,
               &FunctionNamed::return_type, &FunctionNamed::is_static, &FunctionNamed::runtime,
               &FunctionNamed::runtime_async, &FunctionNamed::suspended);
template <>
constexpr auto kFields<TypeNamed> = std::tuple(&TypeNamed::index, &TypeNamed::name,
                                               &TypeNamed::cancelled);
template <>
constexpr auto kFields<EnumConstant> = std::tuple(&EnumConstant::value, &EnumConstant::name);
template <>
constexpr auto kFields<AsyncTypeNamed> = std::tuple(&AsyncTypeNamed::address,
                                                    &AsyncTypeNamed::method,
                                                    &AsyncTypeNamed::cancelled,
                                                    &AsyncTypeNamed::name);
template <>
constexpr auto kFields<ArgumentNamed> = std::tuple(&ArgumentNamed::index, &ArgumentNamed::function,
                                                   &ArgumentNamed::kind, &ArgumentNamed::name,
                                                   &ArgumentNamed::type, &ArgumentNamed::reason,
                                                   &ArgumentNamed::constants);
template <>
constexpr auto kFields<ThreadNamed> = std::tuple(&ThreadNamed::os_tid, &ThreadNamed::name);
template <>
constexpr auto kFields<Notice> = std::tuple(&Notice::text);
template <>
constexpr auto kFields<Welcome> = std::tuple(&Welcome::framework, &Welcome::inlining,
                                             &Welcome::trivial, &Welcome::drop, &Welcome::il_probes,
                                             &Welcome::async_calls, &Welcome::include,
                                             &Welcome::also, &Welcome::exclude, &Welcome::arguments,
                                             &Welcome::slowest, &Welcome::runtimes);
template <>
constexpr auto kFields<Refuse> = std::tuple(&Refuse::reason);
template <>
constexpr auto kFields<HooksRemoved> = std::tuple(&HooksRemoved::function);
template <>
constexpr auto kFields<Inlined> = std::tuple(&Inlined::function, &Inlined::into);
template <>
constexpr auto kFields<RemoveHooks> = std::tuple(&RemoveHooks::functions);
template <>
constexpr auto kFields<SampleOrder> = std::tuple(&SampleOrder::rate_millihertz,
                                                 &SampleOrder::most_suspended_ppm);
template <>
constexpr auto kFields<StackNode> = std::tuple(&StackNode::parent, &StackNode::function);
template <>
constexpr auto kFields<StackNodes> = std::tuple(&StackNodes::nodes);
template <>
constexpr auto kFields<ThreadSample> = std::tuple(&ThreadSample::os_tid, &ThreadSample::node,
                                                  &ThreadSample::wall_ns, &ThreadSample::cpu_ns);
template <>
constexpr auto kFields<SampleRound> = std::tuple(&SampleRound::continued, &SampleRound::time_ns,
                                                 &SampleRound::suspended_ns,
                                                 &SampleRound::process_cpu_ns,
                                                 &SampleRound::sampler_cpu_ns,
                                                 &SampleRound::unattributed_cpu_ns,
                                                 &SampleRound::samples);
template <>
constexpr auto kFields<SamplingEnded> = std::tuple(&SamplingEnded::detach_status,
                                                   &SamplingEnded::lost_nodes,
                                                   &SamplingEnded::missed_rounds);
template <>
constexpr auto kFields<Shutdown> = std::tuple(&Shutdown::process_cpu_ns, &Shutdown::runtimes_left);
template <>
constexpr auto kFields<CaptureBegan> = std::tuple(&CaptureBegan::methods);
template <>
constexpr auto kFields<Ask> = std::tuple(&Ask::magic, &Ask::version, &Ask::what);
template <>
constexpr auto kFields<AgentState> = std::tuple(&AgentState::state, &AgentState::version,
                                                &AgentState::collector_pid, &AgentState::text);
template <>
constexpr auto kFields<Watch> = std::tuple(&Watch::magic, &Watch::version, &Watch::pid);
template <>
constexpr auto kFields<RecordedProcess> = std::tuple(&RecordedProcess::pid,
                                                     &RecordedProcess::program);
template <>
constexpr auto kFields<Recorder> = std::tuple(&Recorder::pid, &Recorder::command,
                                              &Recorder::processes);
template <>
constexpr auto kFields<LiveRow> = std::tuple(&LiveRow::name, &LiveRow::module, &LiveRow::calls,
                                             &LiveRow::total_ns, &LiveRow::self_ns,
                                             &LiveRow::cpu_ns, &LiveRow::recent_calls,
                                             &LiveRow::recent_busy_ns, &LiveRow::deinstrumented);
template <>
constexpr auto kFields<LiveFigures> = std::tuple(
    &LiveFigures::pid, &LiveFigures::program, &LiveFigures::runtime, &LiveFigures::ended,
    &LiveFigures::kind, &LiveFigures::has_cpu, &LiveFigures::has_total, &LiveFigures::time_ns,
    &LiveFigures::window_ns, &LiveFigures::events, &LiveFigures::recent_events, &LiveFigures::calls,
    &LiveFigures::recent_calls, &LiveFigures::self_ns, &LiveFigures::cpu_ns,
    &LiveFigures::recent_busy_ns, &LiveFigures::probe_ns, &LiveFigures::waits,
    &LiveFigures::wait_ns, &LiveFigures::lost_ring_full, &LiveFigures::lost_no_thread_slot,
    &LiveFigures::lost_depth, &LiveFigures::lost_nodes, &LiveFigures::lost_decode_errors,
    &LiveFigures::threads, &LiveFigures::functions, &LiveFigures::rows);

/// What stands in lists of rows.
template <typename R>
concept IsRow = std::same_as<R, StackNode> || std::same_as<R, ThreadSample> ||
    std::same_as<R, EnumConstant> || std::same_as<R, RecordedProcess> || std::same_as<R, LiveRow>;

/// Most of them in one list.
template <IsRow Row>
constexpr size_t kMaxRows = kMaxRowsAtOnce;
template <>
constexpr size_t kMaxRows<EnumConstant> = kMaxEnumConstants;
template <>
constexpr size_t kMaxRows<RecordedProcess> = kMaxRecordedProcesses;
template <>
constexpr size_t kMaxRows<LiveRow> = kMaxLiveRows;

// ---- writing -------------------------------------------------------------------------------

template <std::unsigned_integral T>
void put(std::string& out, T value) {
    for (size_t i = 0; i < sizeof(T); ++i) {
        out.push_back(static_cast<char>((uint64_t{value} >> (8 * i)) & 0xffU));
    }
}
void put(std::string& out, bool value) {
    put(out, static_cast<uint8_t>(value ? 1 : 0));
}
void put(std::string& out, const std::string& text) {
    const std::string_view cut = cut_utf8(text, kMaxStringBytes);
    put(out, static_cast<uint32_t>(cut.size()));
    out.append(cut);
}
void put(std::string& out, const std::vector<std::string>& list) {
    put(out, static_cast<uint32_t>(list.size()));
    for (const std::string& text : list) {
        put(out, text);
    }
}
void put(std::string& out, const std::vector<uint32_t>& list) {
    const size_t count = std::min(list.size(), kMaxDeinstrumentedAtOnce);
    put(out, static_cast<uint32_t>(count));
    for (size_t i = 0; i < count; ++i) {
        put(out, list[i]);
    }
}
template <IsRow Row>
void put(std::string& out, const std::vector<Row>& rows) {
    const size_t count = std::min(rows.size(), kMaxRows<Row>);
    put(out, static_cast<uint32_t>(count));
    for (size_t i = 0; i < count; ++i) {
        std::apply([&](auto... field) { (put(out, rows[i].*field), ...); }, kFields<Row>);
    }
}

// ---- reading -------------------------------------------------------------------------------

/// Takes fields off one payload; after the first that does not fit, all fail.
class Reader {
  public:
    explicit Reader(std::string_view payload) : rest_(payload) {}

    [[nodiscard]] bool finished() const { return rest_.empty(); }

    template <std::unsigned_integral T>
    bool take(T& value) {
        if (rest_.size() < sizeof(T)) {
            return false;
        }
        uint64_t bits = 0;
        for (size_t i = 0; i < sizeof(T); ++i) {
            bits |= uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
        }
        rest_.remove_prefix(sizeof(T));
        value = static_cast<T>(bits);
        return true;
    }
    bool take(bool& value) {
        uint8_t byte = 0;
        if (!take(byte) || byte > 1) {
            return false;
        }
        value = byte == 1;
        return true;
    }
    bool take(std::string& text) {
        uint32_t length = 0;
        if (!take(length) || length > kMaxStringBytes || length > rest_.size()) {
            return false;
        }
        text = printable_utf8(rest_.substr(0, length));
        rest_.remove_prefix(length);
        return true;
    }
    bool take(std::vector<std::string>& list) {
        uint32_t count = 0;
        // Each string takes its length field at least, so a count is bounded by the payload.
        if (!take(count) || count > rest_.size() / sizeof(uint32_t)) {
            return false;
        }
        list.clear();
        list.reserve(count);
        for (uint32_t i = 0; i < count; ++i) {
            if (!take(list.emplace_back())) {
                return false;
            }
        }
        return true;
    }
    bool take(std::vector<uint32_t>& list) {
        uint32_t count = 0;
        if (!take(count) || count > kMaxDeinstrumentedAtOnce) {
            return false;
        }
        list.assign(count, 0);
        for (uint32_t& value : list) {
            if (!take(value)) {
                return false;
            }
        }
        return true;
    }
    template <IsRow Row>
    bool take(std::vector<Row>& rows) {
        uint32_t count = 0;
        if (!take(count) || count > kMaxRows<Row>) {
            return false;
        }
        rows.assign(count, Row());
        return std::ranges::all_of(rows, [this](Row& row) {
            return std::apply([&](auto... field) { return (take(row.*field) && ...); },
                              kFields<Row>);
        });
    }

  private:
    std::string_view rest_;
};

template <typename M>
bool read_fields(Reader& reader, M& message) {
    return std::apply([&](auto... field) { return (reader.take(message.*field) && ...); },
                      kFields<M>);
}

template <typename M>
bool read_message(std::string_view payload, Message& out) {
    Reader reader(payload);
    M message;
    if (!read_fields(reader, message) || !reader.finished()) {
        return false;
    }
    out = std::move(message);
    return true;
}

/// Hello, Ask and Watch of another version: only their first two fields are the same for ever, and
/// they are enough to refuse it politely.
template <typename M>
bool read_greeting(std::string_view payload, Message& out) {
    Reader start(payload);
    M greeting;
    if (!start.take(greeting.magic) || !start.take(greeting.version) || greeting.magic != kMagic) {
        return false;
    }
    if (greeting.version == kProtocolVersion) {
        Reader reader(payload);
        if (!read_fields(reader, greeting) || !reader.finished()) {
            return false;
        }
    }
    out = std::move(greeting);
    return true;
}
template <>
bool read_message<Hello>(std::string_view payload, Message& out) {
    return read_greeting<Hello>(payload, out);
}
template <>
bool read_message<Ask>(std::string_view payload, Message& out) {
    return read_greeting<Ask>(payload, out);
}
template <>
bool read_message<Watch>(std::string_view payload, Message& out) {
    return read_greeting<Watch>(payload, out);
}

/// The type on the wire is the position in Message, from 1.
template <size_t... I>
bool read_by_type(uint16_t type, std::string_view payload, Message& out,
                  std::index_sequence<I...>) {
    bool read = false;
    ((type == I + 1 && (read = read_message<std::variant_alternative_t<I, Message>>(payload, out))),
     ...);
    return read;
}

constexpr size_t kMessageTypes = std::variant_size_v<Message>;

uint32_t read_u32(const char* bytes) {
    uint32_t value = 0;
    Reader(std::string_view(bytes, sizeof value)).take(value);
    return value;
}

}  // namespace

std::string encode(const Message& message) {
    std::string payload;
    std::visit(
        [&]<typename M>(const M& m) {
            std::apply([&](auto... field) { (put(payload, m.*field), ...); }, kFields<M>);
        },
        message);
    std::string frame;
    frame.reserve(kFrameHeaderBytes + payload.size());
    put(frame, static_cast<uint32_t>(payload.size()));
    put(frame, static_cast<uint16_t>(message.index() + 1));
    put(frame, uint16_t{0});
    frame += payload;
    return frame;
}

void Decoder::append(std::span<const std::byte> bytes) {
    if (broken_) {
        return;
    }
    buffer_.erase(0, consumed_);
    consumed_ = 0;
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Decoder::Outcome Decoder::next(Message& out) {
    if (broken_) {
        return Outcome::kBroken;
    }
    const std::string_view held = std::string_view(buffer_).substr(consumed_);
    if (held.size() < kFrameHeaderBytes) {
        return Outcome::kNeedMore;
    }
    const uint32_t length = read_u32(held.data());
    const uint32_t type = read_u32(held.data() + sizeof(uint32_t));
    const bool sound = length <= kMaxMessageBytes && type >= 1 && type <= kMessageTypes;
    if (sound && held.size() - kFrameHeaderBytes < length) {
        return Outcome::kNeedMore;
    }
    if (!sound || !read_by_type(static_cast<uint16_t>(type), held.substr(kFrameHeaderBytes, length),
                                out, std::make_index_sequence<kMessageTypes>())) {
        broken_ = true;
        buffer_ = std::string();
        consumed_ = 0;
        return Outcome::kBroken;
    }
    message_bytes_ = kFrameHeaderBytes + length;
    consumed_ += message_bytes_;
    return Outcome::kMessage;
}

}  // namespace umbra::protocol
