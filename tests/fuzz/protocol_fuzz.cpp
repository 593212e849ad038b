// SPDX-License-Identifier: MIT
// Fuzzes the decoder of control messages. First byte of an input: how the stream is cut into
// pieces; the rest is the stream. Covers every message in both directions, the narrowing to each
// conversation, and the data of an attach. Does not cover: what is done with the messages.
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/utf8.h"
#include "src/protocol/attach_data.h"
#include "src/protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {
namespace {

using protocol::Decoder;
using protocol::Message;

struct Decoded {
    std::vector<Message> messages;
    bool broken = false;
    bool operator==(const Decoded&) const = default;
};

/// `piece`: bytes of one append(); 0: all in one.
Decoded decode(std::string_view stream, size_t piece) {
    Decoded decoded;
    Decoder decoder;
    size_t bytes = 0;
    while (!stream.empty() && !decoded.broken) {
        const std::string_view part = stream.substr(0, piece == 0 ? stream.size() : piece);
        decoder.append(std::as_bytes(std::span(part)));
        stream.remove_prefix(part.size());
        for (;;) {
            Message message;
            const Decoder::Outcome outcome = decoder.next(message);
            if (outcome != Decoder::Outcome::kMessage) {
                decoded.broken = outcome == Decoder::Outcome::kBroken;
                break;
            }
            bytes += decoder.message_bytes();
            decoded.messages.push_back(std::move(message));
        }
    }
    Message message;
    require(decoder.next(message) ==
                (decoded.broken ? Decoder::Outcome::kBroken : Decoder::Outcome::kNeedMore),
            "a decoder stays where it is");
    require(bytes >= decoded.messages.size() * protocol::kFrameHeaderBytes,
            "each message has a length");
    return decoded;
}

/// What is encoded comes back.
void check_round_trip(const Message& message) {
    const std::string frame = encode(message);
    const Decoded again = decode(frame, 0);
    require(!again.broken && again.messages.size() == 1, "an encoded message can be decoded");
    require(again.messages[0] == message, "an encoded message is what it was");
}

void check_text(const std::string& text) {
    require(printable_utf8(text) == text, "texts come out printable");
}

void check_texts(const Message& message) {
    std::visit(
        []<typename M>(const M& kind) {
            if constexpr (std::is_same_v<M, protocol::FunctionNamed>) {
                check_text(kind.namespace_ + kind.type + kind.method + kind.parameters);
            } else if constexpr (std::is_same_v<M, protocol::ArgumentNamed>) {
                check_text(kind.name + kind.type + kind.reason);
                for (const protocol::EnumConstant& constant : kind.constants) {
                    check_text(constant.name);
                }
            } else if constexpr (std::is_same_v<M, protocol::Hello>) {
                check_text(kind.tool_version + kind.runtime + kind.command_line);
            } else if constexpr (std::is_same_v<M, protocol::LiveFigures>) {
                check_text(kind.program + kind.runtime + kind.ended);
                for (const protocol::LiveRow& row : kind.rows) {
                    check_text(row.name + row.module);
                }
                require(kind.rows.size() <= protocol::kMaxLiveRows, "rows are bounded");
            } else if constexpr (std::is_same_v<M, protocol::Recorder>) {
                check_text(kind.command);
                for (const protocol::RecordedProcess& process : kind.processes) {
                    check_text(process.program);
                }
                require(kind.processes.size() <= protocol::kMaxRecordedProcesses,
                        "processes are bounded");
            } else if constexpr (std::is_same_v<M, protocol::Welcome>) {
                for (const std::string& pattern : kind.include) {
                    check_text(pattern);
                }
            }
        },
        message);
}

void check_narrowing(const Message& message) {
    (void)protocol::narrow<protocol::HelloAnswer>(message);
    (void)protocol::narrow<protocol::ProcessFact>(message);
    (void)protocol::narrow<protocol::RecordingReport>(message);
    (void)protocol::narrow<protocol::RecordingOrder>(message);
    (void)protocol::narrow<protocol::SamplingReport>(message);
    (void)protocol::narrow<protocol::WatchAnswer>(message);
}

void check_attach_data(std::string_view bytes) {
    const auto data = protocol::decode_attach_data(bytes);
    require(!data || encode(*data) == bytes, "attach data is what it was");
}

}  // namespace

void run(std::string_view input) {
    // A malformed byte becomes three; so a string never reaches the length at which encode() cuts.
    input = input.substr(0, protocol::kMaxStringBytes / 3);
    check_attach_data(input);
    Input in(input);
    const size_t piece = in.byte();
    const Decoded decoded = decode(in.rest(), piece);
    require(decoded == decode(in.rest(), 0), "it does not matter how the stream is cut");
    for (const Message& message : decoded.messages) {
        check_round_trip(message);
        check_texts(message);
        check_narrowing(message);
    }
}

std::vector<std::string> seeds() {
    protocol::Hello hello;
    hello.tool_version = UMBRA_VERSION;
    hello.runtime = ".NET 10.0.12";
    hello.command_line = "dotnet /srv/app.dll";
    protocol::Welcome welcome;
    welcome.include = {"shop!*", "Acme.*"};
    welcome.arguments = {"Acme.Orders.Load(id, return)"};
    protocol::SampleRound round;
    round.samples = {{10, 1, 10, 9}, {11, 0, 10, 0}};
    protocol::LiveFigures figures;
    figures.program = "shop.dll";
    figures.rows = {{"Acme.Cart.Add(Item)", "shop.dll", 1, 2, 3, 4, 5, 6, true}};
    const std::vector<Message> messages = {
        protocol::Watch{.pid = 4711},
        protocol::Recorder{4800, "umbra run", {{4711, "shop.dll"}}},
        figures,
        hello,
        protocol::ModuleLoaded{1, "/srv/app.dll", false},
        protocol::FunctionNamed{.index = 2,
                                .module = 1,
                                .token = 0x06000001,
                                .instrumented = true,
                                .namespace_ = "Acme",
                                .type = "Cart<int>",
                                .method = "Add",
                                .method_args = "<T>",
                                .parameters = "(T, int)",
                                .user_parameters = "",
                                .return_type = "int",
                                .is_static = true},
        protocol::TypeNamed{1, "System.InvalidOperationException"},
        protocol::ArgumentNamed{.index = 3,
                                .function = 2,
                                .kind = protocol::ArgumentNamed::kSigned,
                                .name = "day",
                                .type = "System.DayOfWeek",
                                .reason = "",
                                .constants = {{0, "Sunday"}, {1, "Monday"}}},
        protocol::ArgumentNamed{.index = 0,
                                .function = 2,
                                .kind = protocol::ArgumentNamed::kRefused,
                                .name = "point",
                                .type = "Acme.Point",
                                .reason = "its type is a struct",
                                .constants = {}},
        protocol::ThreadNamed{4711, "J\xc3\xbcrgen"},
        protocol::Notice{"a sentence\n"},
        protocol::Shutdown{1},
        protocol::HooksRemoved{2},
        protocol::CaptureBegan{3},
        protocol::CaptureEnded{},
        welcome,
        protocol::Refuse{"another version"},
        protocol::RemoveHooks{{1, 2, 3}},
        protocol::SampleOrder{100'000, 10'000},
        protocol::SampleStop{},
        protocol::StackNodes{{{0, 1}, {1, 2}}},
        round,
        protocol::SamplingEnded{0, 1, 2},
        protocol::EndCapture{},
        protocol::Remain{},
        protocol::Ask{},
        protocol::AgentState{.text = "recording"},
    };
    std::vector<std::string> made;
    std::string all(1, '\7');
    for (const Message& message : messages) {
        made.push_back('\0' + encode(message));
        all += encode(message);
    }
    made.push_back(all);
    made.push_back(encode(protocol::AttachData{.socket_path = "/tmp/umbra-x/control"}));
    return made;
}

}  // namespace umbra::fuzz
