// SPDX-License-Identifier: MIT
// Fuzzes the client of the runtime's diagnostics socket: a process of this user answers anything,
// and closes the connection. An input is what it answers to the first, second and third question,
// each behind the number of its bytes; with the first byte's lowest bit set the question is to load
// a profiler. Covers header and payload, every command, refusals. Does not cover: answers that come
// late or never (tests/diagnostics/client_test.cpp), what /proc tells.
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/guid.h"
#include "src/base/utf8.h"
#include "src/diagnostics/client.h"
#include "src/diagnostics/error_messages.h"
#include "src/diagnostics/wire.h"
#include "tests/diagnostics/fake_diagnostics.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"

namespace umbra::fuzz {
namespace {

using diagnostics::testing::answer;
using diagnostics::testing::error_answer;
using diagnostics::testing::ipc_string;
using diagnostics::testing::little_endian;

/// So short that a runtime that says it is just starting is not asked again.
constexpr std::chrono::milliseconds kTimeout{100};
constexpr uint32_t kAttach = 1;
constexpr size_t kQuestions = 3;

/// One socket for all inputs.
class Runtime {
  public:
    void say(std::deque<std::string> answers) {
        const std::lock_guard lock(mutex_);
        answers_ = std::move(answers);
    }
    [[nodiscard]] diagnostics::Endpoint endpoint() const { return server_.endpoint(); }

  private:
    std::string next() {
        const std::lock_guard lock(mutex_);
        if (answers_.empty()) {
            return {};
        }
        const std::string said = std::move(answers_.front());
        answers_.pop_front();
        return said;
    }

    std::mutex mutex_;
    std::deque<std::string> answers_;
    test::TemporaryFolder folder_;
    diagnostics::testing::FakeDiagnostics server_{folder_.path(), "socket",
                                                  [this](const std::string&) { return next(); }};
};

void check_line(const std::string& text) {
    require(!text.empty(), "an error says something");
    require(text.find('\n') == std::string::npos, "an error is one line");
    require(printable_utf8(text) == text, "an error can be shown");
}

void check_info(const diagnostics::RuntimeInfo& info) {
    for (const std::string& text : {info.architecture, info.version}) {
        require(printable_utf8(text) == text, "what a runtime says can be shown");
    }
}

/// The parts that read bytes, without a socket between.
void check_wire(std::string_view bytes) {
    const auto raw = std::as_bytes(std::span(bytes));
    if (const auto header = diagnostics::parse_reply_header(raw)) {
        require(
            header->payload_bytes + diagnostics::kHeaderBytes <= diagnostics::kMaxIpcMessageBytes,
            "an answer has its limit");
    }
    diagnostics::PayloadReader reader(raw);
    while (reader.u32() && reader.string() && reader.u64()) {
    }
    require(!reader.skip(1), "once something is missing all is");
    if (bytes.size() >= 4) {
        check_line(
            diagnostics::sentence_of(static_cast<int32_t>(*diagnostics::PayloadReader(raw).u32())));
    }
    (void)parse_guid(bytes);
}

}  // namespace

void run(std::string_view input) {
    static Runtime runtime;
    Input in(input);
    const bool attach = (in.byte() & kAttach) != 0;
    std::deque<std::string> answers;
    while (answers.size() < kQuestions && !in.empty()) {
        const std::string_view said =
            in.bytes(in.number() % (diagnostics::kMaxIpcMessageBytes + 2));
        check_wire(said);
        answers.emplace_back(said);
    }
    runtime.say(std::move(answers));
    if (attach) {
        const Status attached =
            attach_profiler(runtime.endpoint(), {.timeout = kTimeout,
                                                 .clsid = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}",
                                                 .library = "/proc/self/exe",
                                                 .data = {}});
        if (!attached) {
            check_line(attached.error().context);
        }
        return;
    }
    const auto info = runtime_info(runtime.endpoint(), kTimeout);
    if (info) {
        check_info(*info);
    } else {
        check_line(info.error().context);
    }
}

std::vector<std::string> seeds() {
    const std::string first = little_endian(4711, 8) + std::string(16, 'c') +
                              ipc_string("dotnet app.dll") + ipc_string("Linux") +
                              ipc_string("x64");
    const std::string second = first + ipc_string("app") + ipc_string("10.0.12");
    const std::string unknown = error_answer(static_cast<uint32_t>(diagnostics::kUnknownCommand));
    const auto answers = [](uint32_t settings, const std::vector<std::string>& said) {
        Output out;
        out.byte(settings);
        std::string made = out.bytes();
        for (const std::string& one : said) {
            made += Output().number(one.size()).bytes() + one;
        }
        return made;
    };
    return {answers(0, {answer(second)}),
            answers(0, {unknown, answer(first)}),
            answers(0, {unknown, unknown}),
            answers(kAttach, {answer(little_endian(0, 4))}),
            answers(kAttach, {error_answer(static_cast<uint32_t>(diagnostics::kNotYetAvailable))}),
            answers(kAttach,
                    {error_answer(static_cast<uint32_t>(diagnostics::kProfilerAlreadyActive))})};
}

}  // namespace umbra::fuzz
