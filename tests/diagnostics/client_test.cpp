// SPDX-License-Identifier: MIT
#include "src/diagnostics/client.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/diagnostics/error_messages.h"
#include "tests/diagnostics/fake_diagnostics.h"
#include "tests/support/temporary_folder.h"

namespace umbra::diagnostics::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kClsid = "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}";
constexpr size_t kSet = 16;
constexpr size_t kCommand = 17;
constexpr uint32_t kUnknown = 0x80131385;

/// A file that every process sees.
std::string this_program() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

/// Runtimes of all ages: those that know ProcessInfo2, only the first.
std::string info_answer(const std::string& request, unsigned newest) {
    const auto command = static_cast<unsigned char>(request.at(kCommand));
    if (command > newest) {
        return error_answer(kUnknown);
    }
    std::string payload = little_endian(4711, 8) + std::string(16, 'c');
    payload += ipc_string("dotnet app.dll") + ipc_string("Linux") + ipc_string("x64");
    if (command >= 0x04) {
        payload += ipc_string("app") + ipc_string("10.0.12");
    }
    return answer(payload);
}

class Client : public ::testing::Test {
  protected:
    Result<RuntimeInfo> info(const FakeDiagnostics::Handler& handler, bool keep_open = false,
                             milliseconds timeout = milliseconds(3000)) {
        FakeDiagnostics server(folder_.path(), "socket", handler);
        if (keep_open) {
            server.keep_open();
        }
        return runtime_info(server.endpoint(), timeout);
    }

    Status attach(const FakeDiagnostics::Handler& handler,
                  milliseconds timeout = milliseconds(3000)) {
        const FakeDiagnostics server(folder_.path(), "socket", handler);
        return attach_profiler(server.endpoint(), {.timeout = timeout,
                                                   .clsid = kClsid,
                                                   .library = this_program(),
                                                   .data = {std::byte{'d'}, std::byte{'a'}}});
    }

    test::TemporaryFolder folder_;
};

TEST_F(Client, AsksWithTheNewestCommandTheRuntimeKnows) {
    for (const unsigned newest : {0x00U, 0x04U}) {
        const auto found =
            info([newest](const std::string& request) { return info_answer(request, newest); });
        ASSERT_TRUE(found) << found.error().context;
        EXPECT_EQ(found->architecture, "x64");
        EXPECT_EQ(found->version, newest >= 4 ? "10.0.12" : "");
    }
}

TEST_F(Client, SaysWhenTheRuntimeKnowsNoCommandAtAll) {
    const auto found = info([](const std::string&) { return error_answer(kUnknown); });
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kUnsupported);
}

TEST_F(Client, StopsWaitingForOneThatNeverAnswers) {
    const auto start = std::chrono::steady_clock::now();
    const auto found =
        info([](const std::string&) { return std::string(); }, true, milliseconds(150));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kTimedOut);
    EXPECT_THAT(found.error().context, HasSubstr("did not answer within 150 ms"));
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(150));
}

TEST_F(Client, StopsWaitingForHalfAMessage) {
    for (const size_t kept : {size_t{7}, size_t{20}, size_t{30}}) {
        const auto found = info(
            [kept](const std::string& request) { return info_answer(request, 4).substr(0, kept); },
            true, milliseconds(150));
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, ErrorCode::kTimedOut) << kept;
    }
}

TEST_F(Client, SaysWhenTheConnectionIsClosedEarly) {
    for (const size_t kept : {size_t{0}, size_t{7}, size_t{20}, size_t{30}}) {
        const auto found = info(
            [kept](const std::string& request) { return info_answer(request, 4).substr(0, kept); });
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, ErrorCode::kCorrupt) << kept;
        EXPECT_THAT(found.error().context, HasSubstr("without an answer"));
    }
}

TEST_F(Client, SaysWhenNobodyTakesConnections) {
    // Nobody accepts; once the queue is full not even connecting succeeds.
    const FakeDiagnostics server(folder_.path(), "socket", nullptr);
    for (int i = 0; i < 4; ++i) {
        const auto found = runtime_info(server.endpoint(), milliseconds(60));
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().code, ErrorCode::kTimedOut) << found.error().context;
    }
}

TEST_F(Client, SaysThatAProcessIsStopped) {
    const std::string path = folder_.path();
    const pid_t child = fork();
    if (child == 0) {
        const FakeDiagnostics server(path, "socket", nullptr);
        raise(SIGSTOP);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, WUNTRACED);
    const auto found = runtime_info(
        {.pid = child, .uid = geteuid(), .folder = path, .name = "socket"}, milliseconds(100));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kTimedOut);
    EXPECT_THAT(found.error().context, HasSubstr("it is stopped"));
}

TEST_F(Client, SaysThatNobodyListens) {
    const auto found =
        runtime_info({.pid = getpid(), .uid = geteuid(), .folder = folder_.path(), .name = "none"},
                     milliseconds(100));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(found.error().context, HasSubstr("does not listen"));
}

TEST_F(Client, NonsenseIsAnErrorInOneLine) {
    std::mt19937 random(7);
    const std::string sound = info_answer(std::string(20, '\x04'), 4);
    std::atomic<int> round = 0;
    FakeDiagnostics server(folder_.path(), "socket", [&](const std::string& request) {
        std::string reply = info_answer(request, 4);
        switch (round % 3) {
            case 0:  // any bytes at all
                reply.resize(random() % 200);
                for (char& c : reply) {
                    c = static_cast<char>(random());
                }
                break;
            case 1:  // a sound reply with one byte changed
                reply[random() % reply.size()] = static_cast<char>(random());
                break;
            default:  // cut short, its header true to that
                reply = answer(reply.substr(20, random() % (sound.size() - 20)));
        }
        return reply;
    });
    int refused = 0;
    for (; round < 600; ++round) {
        const auto found = runtime_info(server.endpoint(), milliseconds(2000));
        if (!found) {
            ++refused;
            EXPECT_EQ(found.error().context.find('\n'), std::string::npos);
            EXPECT_NE(found.error().code, ErrorCode::kTimedOut) << found.error().context;
        }
    }
    EXPECT_GT(refused, 300);
}

TEST_F(Client, ASizeOfSixtyFourKilobytesIsTheMost) {
    const auto found = info([](const std::string&) { return answer(std::string(65515, 'x')); });
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::kCorrupt);
}

TEST_F(Client, AttachSendsWhatTheRuntimeExpects) {
    std::string request;
    const auto attached = attach([&](const std::string& got) {
        request = got;
        return answer(little_endian(0, 4));
    });
    ASSERT_TRUE(attached) << attached.error().context;
    EXPECT_EQ(request.substr(kSet, 2), "\x03\x01");
    EXPECT_EQ(request.substr(20), little_endian(3000, 4) + "\x5e\x1f\x7a\x8c\x0d\x3b\x7e\x4c" +
                                      "\x9a\x21umbra\x01" + ipc_string(this_program()) +
                                      little_endian(2, 4) + "da");
}

TEST_F(Client, AttachSaysWhyItWasRefused) {
    const auto attached = attach([](const std::string&) { return error_answer(0x8013136a); });
    ASSERT_FALSE(attached);
    EXPECT_EQ(attached.error().code, ErrorCode::kRefused);
    EXPECT_THAT(attached.error().context, HasSubstr("ALREADY_ACTIVE"));
}

TEST_F(Client, AttachAsksARuntimeThatIsStartingAgain) {
    std::atomic<int> asked = 0;
    const auto attached = attach([&](const std::string&) {
        return ++asked < 3 ? error_answer(0x8013135b) : answer(little_endian(0, 4));
    });
    EXPECT_TRUE(attached);
    EXPECT_EQ(asked, 3);
}

TEST_F(Client, AttachDoesNotAskForever) {
    const auto attached =
        attach([](const std::string&) { return error_answer(0x80131371); }, milliseconds(250));
    ASSERT_FALSE(attached);
    EXPECT_THAT(attached.error().context, HasSubstr("still starting"));
}

TEST_F(Client, AttachWantsALibraryAndAClassId) {
    const FakeDiagnostics server(folder_.path(), "socket",
                                 [](const std::string&) { return answer(""); });
    AttachRequest request{.clsid = "umbra", .library = this_program(), .data = {}};
    EXPECT_EQ(attach_profiler(server.endpoint(), request).error().code, ErrorCode::kInvalid);
    request = {.clsid = kClsid, .library = "/no/agent.so", .data = {}};
    EXPECT_EQ(attach_profiler(server.endpoint(), request).error().code, ErrorCode::kNotFound);
    request = {.clsid = kClsid, .library = this_program(), .data = Bytes(70000)};
    EXPECT_EQ(attach_profiler(server.endpoint(), request).error().code, ErrorCode::kInvalid);
}

}  // namespace
}  // namespace umbra::diagnostics::testing
