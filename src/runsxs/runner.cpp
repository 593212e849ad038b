// SPDX-License-Identifier: MIT
#include "src/runsxs/runner.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <new>
#include <span>
#include <sstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/unique_fd.h"
#include "src/base/write_all.h"

namespace umbra::runsxs {
namespace {

using std::chrono::steady_clock;
using What = Step::What;

constexpr size_t kMostOutput = 1U << 20;

fakeclr::RuntimeVersion parse_version(const std::string& text) {
    unsigned major = 0;
    unsigned minor = 0;
    unsigned build = 0;
    // The parser has looked at it.
    [[maybe_unused]] const int fields =
        std::sscanf(text.c_str(), "%u.%u.%u", &major, &minor, &build);
    return {static_cast<uint16_t>(major), static_cast<uint16_t>(minor),
            static_cast<uint16_t>(build)};
}

uint64_t resident_kib() {
    std::ifstream file("/proc/self/statm");
    uint64_t pages = 0;
    uint64_t resident = 0;
    file >> pages >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

/// What cannot be made is missed by who waits for it.
void make_file(const std::string& path) {
    const UniqueFd file(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

/// Without end: the script as a whole has a limit.
void wait_for_file(const std::string& path) {
    constexpr auto kPause = std::chrono::milliseconds(10);
    while (access(path.c_str(), F_OK) != 0) {
        std::this_thread::sleep_for(kPause);
    }
}

/// In the process under test.
class Playing {
  public:
    Playing(const std::vector<Step>& steps, ProfilerChoice profiler, FaultLog& log)
        : steps_(steps), profiler_(std::move(profiler)), log_(log) {}

    void play() {
        for (size_t at = 0; at < steps_.size(); ++at) {
            const Step& step = steps_[at];
            if (step.what == What::kRepeat) {
                repeat_at_ = at;
                left_ = std::stoul(step.words[0]);
                early_at_ = left_ - left_ / 10;
            } else if (step.what == What::kDone) {
                --left_;
                early_kib_ = left_ == early_at_ ? resident_kib() : early_kib_;
                late_kib_ = left_ == 0 ? resident_kib() : late_kib_;
                at = left_ != 0 ? repeat_at_ : at;
            } else {
                log_.begin_step("line " + std::to_string(step.line) + ": " + step.text);
                do_step(step);
            }
        }
    }

    /// A line for each: "memory EARLY LATE", "note TEXT", "calls NUMBER PATH".
    [[nodiscard]] std::string report() const {
        std::string out =
            "memory " + std::to_string(early_kib_) + ' ' + std::to_string(late_kib_) + '\n';
        for (const auto& [name, instance] : instances_) {
            if (!instance->failure().empty()) {
                out += "note " + name + ": " + instance->failure() + '\n';
            }
            for (const auto& [path, calls] : instance->calls()) {
                out += "calls " + std::to_string(calls) + ' ' + path + '\n';
            }
        }
        return out;
    }

  private:
    void do_step(const Step& step) {
        switch (step.what) {
            case What::kInstance:
                instances_[step.words[0]] = std::make_unique<Instance>(
                    step.words[0], parse_version(step.words[1]), step.ids, log_);
                instances_[step.words[0]]->set_profiler(profiler_);
                return;
            case What::kProfiler:
                return choose_profiler(step);
            case What::kBlind:
                return named(step.words[0]).make_blind();
            case What::kExpect:
                return expect(step);
            case What::kTell:
                return make_file(step.words[0]);
            case What::kWait:
                return wait_for_file(step.words[0]);
            case What::kThrough:
                return guarded([&] {
                    std::vector<Instance*> all;
                    for (const std::string& name : step.words) {
                        all.push_back(&named(name));
                    }
                    call_through(all, step.calls);
                });
            default:
                break;
        }
        std::vector<std::thread> threads;
        for (const std::string& name : step.words) {
            const auto work = [this, &step, &instance = named(name)] {
                guarded([&] { do_for(step, instance); });
            };
            if (step.together) {
                threads.emplace_back(work);
            } else {
                work();
            }
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }

    static void do_for(const Step& step, Instance& instance) {
        switch (step.what) {
            case What::kStart:
                return instance.start();
            case What::kAttach:
                return instance.attach(step.data);
            case What::kRun:
                return instance.run(step.calls, step.threads);
            case What::kCollect:
                return instance.collect();
            case What::kUnload:
                return instance.unload();
            case What::kDetach:
                return instance.detach();
            case What::kShutdown:
                return instance.shut_down();
            case What::kEnd:
                return instance.end();
            default:
                return;
        }
    }

    // The frames of the program that an exception has left are made-up ones: the next step begins
    // anew.
    void guarded(const auto& work) {
        try {
            work();
        } catch (const std::exception& error) {
            log_.add(Check::kExceptions, std::string(error.what()) + " [" + log_.step() + ']');
            Crossing::forget_callbacks();
        } catch (...) {
            log_.add(Check::kExceptions, "not a std::exception [" + log_.step() + ']');
            Crossing::forget_callbacks();
        }
    }

    void choose_profiler(const Step& step) {
        ProfilerChoice choice{step.words[1], profiler_.clsid};
        if (step.words.size() > 2) {
            if (const Result<Guid> clsid = fakeclr::class_id(step.words[2])) {
                choice.clsid = *clsid;
            }
        }
        named(step.words[0]).set_profiler(choice);
    }

    void expect(const Step& step) {
        const bool wanted = step.words.back() == "profiled";
        for (size_t i = 0; i + 1 < step.words.size(); ++i) {
            const Instance& instance = named(step.words[i]);
            if (instance.is_profiled() != wanted) {
                log_.add(Check::kExpected, instance.name() + " is " +
                                               (wanted ? "not profiled" : "profiled") + " [" +
                                               log_.step() + ']');
            }
        }
    }

    Instance& named(const std::string& name) { return *instances_.at(name); }

    const std::vector<Step>& steps_;
    const ProfilerChoice profiler_;
    FaultLog& log_;
    std::map<std::string, std::unique_ptr<Instance>> instances_;
    size_t repeat_at_ = 0;
    size_t left_ = 0;
    size_t early_at_ = 0;
    uint64_t early_kib_ = 0;
    uint64_t late_kib_ = 0;
};

struct Pipe {
    UniqueFd read;
    UniqueFd write;

    [[nodiscard]] bool open() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            return false;
        }
        read.reset(ends[0]);
        write.reset(ends[1]);
        return true;
    }
};

[[noreturn]] void play_and_exit(const std::vector<Step>& steps, const ProfilerChoice& profiler,
                                FaultLog& log, const Pipe& output, const Pipe& report) {
    dup2(output.write.get(), STDOUT_FILENO);
    dup2(output.write.get(), STDERR_FILENO);
    Playing playing(steps, profiler, log);
    playing.play();
    std::fflush(nullptr);
    const std::string text = playing.report();
    write_all(report.write.get(), std::as_bytes(std::span(text)));
    _exit(0);  // a runtime ends the process as well, without destructors
}

/// What comes through two pipes until both are closed. False: that took too long.
bool read_both(const Pipe& first, const Pipe& second, std::string& first_text,
               std::string& second_text, steady_clock::time_point end) {
    std::array<pollfd, 2> waiting{pollfd{first.read.get(), POLLIN, 0},
                                  pollfd{second.read.get(), POLLIN, 0}};
    const std::array<std::string*, 2> texts{&first_text, &second_text};
    while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now());
        const int ready = left.count() <= 0 ? 0
                                            : poll(waiting.data(), waiting.size(),
                                                   static_cast<int>(left.count()));
        if (ready == 0) {
            return false;
        }
        for (size_t i = 0; i < waiting.size(); ++i) {
            std::array<char, 4096> some{};
            if (waiting[i].fd < 0 || waiting[i].revents == 0) {
                continue;
            }
            const ssize_t got = read(waiting[i].fd, some.data(), some.size());
            if (got <= 0) {
                waiting[i].fd = -1;
            } else if (i == 1 || texts[i]->size() < kMostOutput) {
                texts[i]->append(some.data(), static_cast<size_t>(got));
            }
        }
    }
    return true;
}

/// The first that is not blank.
std::string first_line(const std::string& text) {
    const size_t begin = std::min(text.find_first_not_of(" \r\n\t"), text.size());
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

void judge_end(pid_t child, bool in_time, FaultLog& log) {
    if (!in_time) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!in_time) {
        log.add(Check::kHang, log.step());
    } else if (WIFSIGNALED(status)) {
        log.add(Check::kCrash, "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                   sigabbrev_np(WTERMSIG(status)) + ") [" + log.step() + ']');
    } else if (WEXITSTATUS(status) != 0) {
        log.add(Check::kCrash, "ended with status " + std::to_string(WEXITSTATUS(status)) + " [" +
                                   log.step() + ']');
    }
}

}  // namespace

void SharedLogDeleter::operator()(FaultLog* log) const {
    munmap(log, sizeof(FaultLog));
}

Result<Outcome> run_script(const std::vector<Step>& steps, const ProfilerChoice& profiler,
                           std::chrono::milliseconds timeout) {
    void* memory =
        mmap(nullptr, sizeof(FaultLog), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return fail(ErrorCode::kSystem, "no memory for the log", errno);
    }
    Outcome outcome;
    outcome.log.reset(new (memory) FaultLog);
    Pipe output;
    Pipe report;
    if (!output.open() || !report.open()) {
        return fail(ErrorCode::kSystem, "no pipes for the process under test", errno);
    }
    const steady_clock::time_point end = steady_clock::now() + timeout;
    const pid_t child = fork();
    if (child < 0) {
        return fail(ErrorCode::kSystem, "no process for the script", errno);
    }
    if (child == 0) {
        play_and_exit(steps, profiler, *outcome.log, output, report);
    }
    output.write.reset();
    report.write.reset();
    std::string printed;
    std::string reported;
    const bool in_time = read_both(output, report, printed, reported, end);
    judge_end(child, in_time, *outcome.log);
    if (!printed.empty()) {
        outcome.log->add(Check::kOutput, std::to_string(printed.size()) +
                                             " bytes were printed, first: " + first_line(printed));
    }
    std::istringstream lines(reported);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string word;
        uint64_t calls = 0;
        std::string path;
        if (line.starts_with("memory ")) {
            words >> word >> outcome.early_kib >> outcome.late_kib;
        } else if (line.starts_with("note ")) {
            outcome.notes.push_back(line.substr(5));
        } else if (words >> word >> calls >> path) {
            outcome.calls[path] += calls;
        }
    }
    return outcome;
}

}  // namespace umbra::runsxs
