// SPDX-License-Identifier: MIT
// Counts what an agent says of async calls, as it says it: without the collector's reading of it.
//
//     async_records AGENT PROGRAM ARGUMENT...     starts the program with the agent
//     async_records --agent-socket PATH           opens a capture in a dormant process, until the
//                                                 end of standard input
//
// UMBRA_TEST_INCLUDE in the environment is a pattern of methods. Writes one line for each record
// and type, and for each notice:
//
//     record NUMBER COUNT TYPE
//     traits BITS FUNCTIONS
//     unresolved TYPES       types of records that nobody has named
//     unbalanced FRAMES      ends without their begin
//     notice TEXT
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/protocol/environment.h"
#include "src/protocol/messages.h"
#include "tests/support/test_collector.h"

namespace umbra::testing {
namespace {

using hotpath::ControlType;

constexpr auto kPause = std::chrono::milliseconds(2);

class Counts {
  public:
    void take(uint32_t thread, const TestCollector::Record& record) {
        const auto type = static_cast<ControlType>(hotpath::slot_index(record.slot));
        if (hotpath::slot_kind(record.slot) != hotpath::Kind::kControl ||
            !hotpath::tells_of_async(type)) {
            return;
        }
        const uint64_t of = record.payload.size() == 2 ? record.payload[1] : 0;
        ++records_[{type, of}];
        const uint32_t frame = hotpath::slot_operand(record.slot);
        switch (type) {
            case ControlType::kAsyncResumed:
            case ControlType::kWorkRuns:
            case ControlType::kTaskRuns:
            case ControlType::kTaskWaits:
                frames_[thread].push_back(frame);
                break;
            case ControlType::kAsyncResumeEnds:
            case ControlType::kWorkEnds:
            case ControlType::kTaskEnds:
            case ControlType::kTaskWaitEnds:
                end(frames_[thread], frame);
                break;
            default:
                break;
        }
    }

    void write(const std::vector<protocol::Message>& messages, const uint8_t* traits) const {
        std::map<uint64_t, std::string> names;
        std::map<uint32_t, size_t> functions;
        std::set<uint64_t> timed;
        for (const protocol::Message& message : messages) {
            if (const auto* function = std::get_if<protocol::FunctionNamed>(&message);
                function != nullptr && function->instrumented) {
                timed.insert(hotpath::RegisteredMethod::pack(function->module, function->token));
            }
        }
        for (const protocol::Message& message : messages) {
            if (const auto* type = std::get_if<protocol::AsyncTypeNamed>(&message)) {
                names[type->address] = (timed.contains(type->method) ? "timed " : "") +
                                       std::string(type->cancelled ? "cancelled " : "") +
                                       type->name;
            } else if (const auto* notice = std::get_if<protocol::Notice>(&message)) {
                std::cout << "notice " << notice->text << '\n';
            } else if (const auto* function = std::get_if<protocol::FunctionNamed>(&message)) {
                if (traits != nullptr && function->instrumented) {
                    ++functions[traits[function->index]];
                }
            }
        }
        std::map<std::pair<ControlType, std::string>, size_t> by_name;
        std::set<uint64_t> unresolved;
        for (const auto& [key, count] : records_) {
            const auto name = names.find(key.second);
            if (key.second != 0 && name == names.end()) {
                unresolved.insert(key.second);
            }
            by_name[{key.first, name == names.end() ? "" : name->second}] += count;
        }
        for (const auto& [key, count] : by_name) {
            std::cout << "record " << static_cast<uint32_t>(key.first) << ' ' << count << ' '
                      << key.second << '\n';
        }
        for (const auto& [bits, count] : functions) {
            std::cout << "traits " << bits << ' ' << count << '\n';
        }
        std::cout << "unresolved " << unresolved.size() << '\n'
                  << "unbalanced " << unbalanced_ << '\n';
    }

  private:
    void end(std::vector<uint32_t>& frames, uint32_t frame) {
        if (!frames.empty() && frames.back() == frame) {
            frames.pop_back();
        } else {
            ++unbalanced_;
        }
    }

    std::map<std::pair<ControlType, uint64_t>, size_t> records_;  ///< by type of record, of object
    std::map<uint32_t, std::vector<uint32_t>> frames_;            ///< open, by thread
    size_t unbalanced_ = 0;
};

void drain(TestCollector& collector, Counts& counts) {
    for (const uint32_t thread : collector.threads()) {
        for (const TestCollector::Record& record : collector.drain(thread)) {
            counts.take(thread, record);
        }
    }
}

void write(TestCollector& collector, const Counts& counts) {
    const uint8_t* traits =
        collector.header() == nullptr ? nullptr : hotpath::function_traits(collector.header());
    counts.write(collector.messages(), traits);
}

int run(protocol::Welcome welcome, char** arguments) {
    TestCollector collector(std::move(welcome));
    const pid_t child = fork();
    if (child == 0) {
        setenv("CORECLR_ENABLE_PROFILING", "1", 1);
        setenv("CORECLR_PROFILER", protocol::kProfilerClsid, 1);
        setenv("CORECLR_PROFILER_PATH", arguments[0], 1);
        setenv(protocol::kSocketVariable, collector.socket_path().c_str(), 1);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    Counts counts;
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        drain(collector, counts);
        std::this_thread::sleep_for(kPause);
    }
    while (!collector.is_over()) {
        std::this_thread::sleep_for(kPause);
    }
    drain(collector, counts);
    write(collector, counts);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

template <typename Wanted>
bool has_come(TestCollector& collector) {
    const std::vector<protocol::Message> messages = collector.messages();
    return std::ranges::any_of(messages, [](const protocol::Message& message) {
        return std::holds_alternative<Wanted>(message);
    });
}

int record(protocol::Welcome welcome, const std::string& agent_socket) {
    TestCollector collector(std::move(welcome), agent_socket);
    Counts counts;
    pollfd input{STDIN_FILENO, POLLIN | POLLHUP, 0};
    bool told = false;
    bool told_end = false;
    while (!collector.is_over()) {
        drain(collector, counts);
        if (!told && has_come<protocol::CaptureBegan>(collector)) {
            told = true;
            std::cout << "recording" << std::endl;
        }
        if (poll(told_end ? nullptr : &input, told_end ? 0 : 1, 2) != 0) {
            told_end = true;
            try {
                collector.say(protocol::EndCapture{});
            } catch (const std::runtime_error&) {
                // The program has ended meanwhile.
            }
        }
    }
    drain(collector, counts);
    write(collector, counts);
    return 0;
}

int main(int count, char** arguments) {
    if (count < 3) {
        std::cerr << "usage: async_records AGENT PROGRAM ARGUMENT... | --agent-socket PATH\n";
        return 2;
    }
    protocol::Welcome welcome;
    welcome.async_calls = std::getenv("UMBRA_TEST_NO_ASYNC") == nullptr;
    welcome.runtimes = "all";
    if (const char* pattern = std::getenv("UMBRA_TEST_INCLUDE")) {
        welcome.include = {pattern};
    }
    return std::string(arguments[1]) == "--agent-socket" ? record(std::move(welcome), arguments[2])
                                                         : run(std::move(welcome), arguments + 1);
}

}  // namespace
}  // namespace umbra::testing

int main(int count, char** arguments) {
    return umbra::testing::main(count, arguments);
}
