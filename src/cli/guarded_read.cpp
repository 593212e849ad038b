// SPDX-License-Identifier: MIT
#include "src/cli/guarded_read.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/hdf5/reader.h"
#include "src/cli/record/target_process.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

constexpr rlim_t kMiB = rlim_t{1} << 20;
constexpr rlim_t kSeconds = 5;
constexpr rlim_t kMemory = 1024 * kMiB;
constexpr rlim_t kMemoryOfBytes = 64;

/// In memory that parent and child share.
std::atomic<bool>* all_read = nullptr;

/// In the child: what was allowed before it was limited.
std::vector<std::pair<__rlimit_resource, rlimit>> allowed_before;

rlim_t bytes_of(const std::vector<std::string>& files) {
    rlim_t bytes = 0;
    for (const std::string& file : files) {
        struct stat status {};
        bytes += stat(file.c_str(), &status) == 0 ? static_cast<rlim_t>(status.st_size) : 0;
    }
    return bytes;
}

/// Below what is set already; a hard limit is left alone, so that it can be raised again.
void limit(__rlimit_resource resource, rlim_t most) {
    rlimit now{};
    if (getrlimit(resource, &now) == 0 && most < now.rlim_cur) {
        allowed_before.emplace_back(resource, now);
        now.rlim_cur = most;
        setrlimit(resource, &now);
    }
}

[[noreturn]] void run_child(pid_t parent, const sigset_t& mask, rlim_t bytes,
                            const std::function<int()>& command) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(kFailed);
    }
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    limit(RLIMIT_CPU, kSeconds + bytes / kMiB);
    if (kLimitsMemory) {
        limit(RLIMIT_AS, kMemory + kMemoryOfBytes * bytes);
    }
    limit(RLIMIT_CORE, 0);
    int status = kFailed;
    try {
        status = command();
    } catch (const std::bad_alloc&) {
        report_error("there is not enough memory for this file; it may be damaged");
    } catch (const std::exception& error) {
        report_error(error.what());
    }
    std::exit(status);  // NOLINT(concurrency-mt-unsafe): what threads there were have ended
}

/// Hands on what asks to end until the child has ended.
ExitStatus wait_for(pid_t child, const sigset_t& signals) {
    for (;;) {
        if (const std::optional<ExitStatus> ended = try_wait(child)) {
            return *ended;
        }
        const int signal = sigwaitinfo(&signals, nullptr);
        if (signal > 0 && signal != SIGCHLD) {
            kill(child, signal);
        }
    }
}

int end_as(int signal, const std::vector<std::string>& files) {
    if (!all_read->load()) {
        const std::string names = fmt::format("'{}'", fmt::join(files, "' and '"));
        if (signal == SIGXCPU) {
            return report_error(
                fmt::format("reading {} takes longer than a profile of its size may: it is "
                            "damaged, or no profile",
                            names));
        }
        if (signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE ||
            signal == SIGILL) {
            return report_error(
                fmt::format("reading {} crashed (SIG{}): it is damaged, or no profile", names,
                            sigabbrev_np(signal)));
        }
    }
    // As if there were one process, whose memory the child has already told of.
    std::signal(signal, SIG_DFL);
    limit(RLIMIT_CORE, 0);
    raise(signal);
    return 128 + signal;
}

}  // namespace

int guarded(const std::vector<std::string>& files, const std::function<int()>& command) {
    void* shared =
        mmap(nullptr, sizeof *all_read, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return command();
    }
    all_read = new (shared) std::atomic<bool>(false);
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, no child can be waited for
    const rlim_t bytes = bytes_of(files);
    const pid_t parent = getpid();
    std::fflush(nullptr);  // else what is buffered would come twice
    const pid_t child = fork();
    if (child == 0) {
        run_child(parent, before, bytes, command);
    }
    if (child < 0) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return command();
    }
    const ExitStatus ended = wait_for(child, signals);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return ended.signal != 0 ? end_as(ended.signal, files) : ended.code;
}

void files_are_read() {
    if (all_read == nullptr) {
        return;
    }
    all_read->store(true);
    for (const auto& [resource, allowed] : allowed_before) {
        setrlimit(resource, &allowed);
    }
    allowed_before.clear();
}

int try_to_read(const std::string& file) {
    return guarded({file}, [&file] {
        const Result<profile::Profile> profile = hdf5::read_profile(file);
        return profile ? kOk : report_error(profile.error());
    });
}

}  // namespace umbra::cli
