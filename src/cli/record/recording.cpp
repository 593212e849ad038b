// SPDX-License-Identifier: MIT
#include "src/cli/record/recording.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "src/base/after.h"
#include "src/base/runtime_choice.h"
#include "src/cli/record/end_signals.h"
#include "src/cli/record/live_feed.h"
#include "src/cli/record/outputs.h"
#include "src/cli/record/target_process.h"
#include "src/cli/terminal/console.h"
#include "src/collector/server.h"
#include "src/diagnostics/c_library.h"
#include "src/protocol/environment.h"

namespace umbra::cli {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using collector::Server;

namespace {

// What the program started may outlive it; this long its profile waits for an orderly end, and
// umbra for the first connection.
constexpr auto kGrace = std::chrono::milliseconds(500);

/// What most likely kept the agent out of a program that has ended so.
std::string obstacle(const std::vector<std::string>& arguments, const ExitStatus& status) {
    for (const char* name : {"DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_Profiler",
                             "COMPlus_EnableDiagnostics"}) {
        // Nothing in this program changes the environment.
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
        if (value != nullptr && std::string(value) == "0") {
            return fmt::format("{}=0 is set, which keeps every profiler out", name);
        }
    }
    if (fs::path(arguments.front()).filename() == "env" &&
        std::ranges::find(arguments, "-i") != arguments.end()) {
        return "'env -i' takes away the variables by which the runtime finds umbra";
    }
    return (status.shell_code() == 0 ? "" : "it ended with " + status.text() + "; ") +
           "NativeAOT and Mono have none; one that another user runs, as behind su and sudo, "
           "cannot reach umbra: start umbra as that user";
}

/// One `umbra run`, on one io_context and its thread.
class Run {
  public:
    explicit Run(const RecordingOptions& options)
        : options_(options),
          signals_(io_, [this](const signalfd_siginfo& info) { on_signal(info); }),
          grace_(io_),
          feed_(io_, "umbra run", options.quiet, feed_of(server_)) {}

    Result<int> run() {
        if (Status writable = outputs_.check(); !writable) {
            return tl::unexpected<Error>(writable.error());
        }
        Result<std::unique_ptr<Server>> server = Server::listen(io_, options_.spec, handlers());
        if (!server) {
            return tl::unexpected<Error>(server.error());
        }
        server_ = std::move(*server);
        feed_.start();
        Result<pid_t> pid = start_process(options_.arguments, environment());
        if (!pid) {
            return tl::unexpected<Error>(pid.error());
        }
        pid_ = *pid;
        io_.run();
        feed_.clear();
        const bool saved = conclude();
        const int code = status_->shell_code();
        return code == 0 && !saved ? kFailed : code;
    }

  private:
    std::vector<std::string> environment() const {
        std::vector<std::string> variables = {
            "CORECLR_ENABLE_PROFILING=1",
            std::string("CORECLR_PROFILER=") + protocol::kProfilerClsid,
            "CORECLR_PROFILER_PATH=" + options_.agent,
            // The one for the architecture would win.
            "CORECLR_PROFILER_PATH_64=" + options_.agent,
            std::string(protocol::kSocketVariable) + '=' + server_->socket_path(),
            std::string(protocol::kRuntimesVariable) + '=' + options_.spec.agent.runtimes,
            std::string(protocol::kClockVariable) + '=' +
                (options_.os_clock ? protocol::kOsClock : ""),
        };
        if (!options_.spec.agent.il_probes) {
            variables.push_back(std::string(protocol::kTailLoopsVariable) + '=' +
                                protocol::kKeepsTailCalls);
        }
        return variables;
    }

    Server::Handlers handlers() {
        return {
            .admit = [this](const protocol::Hello& hello) -> std::string {
                if (takes_one_ && is_profiled(hello.pid)) {
                    return "another copy of the agent profiles a runtime of the process "
                           "(--runtimes)";
                }
                if (!options_.follow && !outputs_.empty()) {
                    return "only the first process is profiled (--no-follow)";
                }
                return concluding_ ? "umbra is about to end" : "";
            },
            .options =
                [this](const protocol::Hello& hello) {
                    return session_options(options_, outputs_, hello, feed_.wanted());
                },
            .ended =
                [this](std::unique_ptr<collector::Session> session) {
                    on_end(std::move(session));
                    stop_if_done();
                },
            .notice =
                [this](const std::string& text) {
                    told_why_ = true;
                    say(text);
                },
        };
    }

    /// A process that has been replaced by another program (exec) has lost its connection before.
    [[nodiscard]] bool is_profiled(uint32_t pid) const {
        return std::ranges::any_of(server_->sessions(), [pid](const collector::Session* session) {
            return session->pid() == pid;
        });
    }

    void on_signal(const signalfd_siginfo& info) {
        if (info.ssi_signo == SIGCHLD) {
            on_child();
        } else if (pid_ > 0 && !status_ && info.ssi_code <= 0) {
            // Sent to us alone (kill): the program should hear of it. What the terminal sends goes
            // to the whole foreground group, the program included.
            kill(pid_, static_cast<int>(info.ssi_signo));
        }
    }

    void on_child() {
        if (pid_ <= 0 || status_) {
            return;
        }
        server_->read_cpu_of(pid_);
        status_ = try_wait(pid_);
        if (!status_) {
            return;
        }
        for (const std::unique_ptr<collector::Session>& session : waiting_) {
            finish(*session);
        }
        waiting_.clear();
        after(grace_, kGrace, [this] {
            concluding_ = true;
            stop_if_done();
        });
        stop_if_done();
    }

    void on_end(std::unique_ptr<collector::Session> session) {
        const auto pid = static_cast<pid_t>(session->pid());
        const bool waited_for = pid == pid_ && status_;
        const auto ended = [&] { return waited_for || session->shut_down() || has_ended(pid); };
        if (!concluding_ && (session->cut_off() || !ended())) {
            say(lost_connection(pid));
            session->finish(kDisconnected, false);
            feed_.end(session->figures());
        } else if (pid == pid_ && !status_) {
            waiting_.push_back(std::move(session));  // for its exit status
            on_child();                              // which may have come first
        } else {
            finish(*session);
        }
    }

    void finish(collector::Session& session) {
        std::string ended = session.shut_down() ? "shutdown" : "ended without shutdown";
        bool complete = true;
        if (session.pid() == static_cast<uint32_t>(pid_) && status_) {
            ended = status_->text();
        } else if (concluding_) {
            ended = "running";
            complete = false;
        }
        session.finish(std::move(ended), complete);
        feed_.end(session.figures());
    }

    /// What the program has left in the background may not have come so far as to connect.
    void stop_if_done() {
        const bool all_have_ended = server_->sessions().empty() && !outputs_.empty();
        if (status_ && (concluding_ || all_have_ended)) {
            io_.stop();
        }
    }

    void say(const std::string& text) {
        feed_.clear();
        report_error(text);
    }

    // Writes what is left and shows the outcome. False: a profile could not be written.
    bool conclude() {
        concluding_ = true;
        server_->close();
        if (outputs_.empty()) {
            if (told_why_) {
                report_error(fmt::format("nothing was profiled of '{}', for what is said above",
                                         options_.arguments.front()));
                return true;
            }
            report_error(fmt::format(
                "nothing was profiled: no .NET runtime that umbra can time started in '{}' "
                "({}{}; of another, UMBRA_LOG=FILE tells why)",
                options_.arguments.front(), obstacle(options_.arguments, *status_),
                options_.spec.agent.runtimes == "all"
                    ? ""
                    : fmt::format("; --runtimes={} leaves others out",
                                  options_.spec.agent.runtimes)));
            return true;
        }
        return cli::conclude(outputs_, asked_);
    }

    const RecordingOptions& options_;
    /// Each copy of the agent knows of its own runtimes only.
    const bool takes_one_ =
        RuntimeChoice::parse(options_.spec.agent.runtimes).value_or(RuntimeChoice()).takes_one();
    asio::io_context io_{1};
    SignalSource signals_;
    asio::steady_timer grace_;
    LiveFeed feed_;
    AskedOutcome asked_{options_.spec.agent, options_.arguments};
    Outputs outputs_{options_, [this](const auto& profile) { asked_.look_at(profile); }};
    std::unique_ptr<Server> server_;
    pid_t pid_ = -1;
    std::optional<ExitStatus> status_;
    std::vector<std::unique_ptr<collector::Session>> waiting_;
    bool concluding_ = false;
    bool told_why_ = false;  ///< why a process is not profiled
};

}  // namespace

collector::Session::Options session_options(const RecordingOptions& options, Outputs& outputs,
                                            const protocol::Hello& hello, bool watch) {
    collector::Session::Options made{
        .spec = options.spec, .watch = watch, .sink = options.sink ? options.sink(hello) : nullptr};
    if (std::function<void(Draft)> receive = outputs.add(hello)) {
        made.deliver = [receive = std::move(receive)](collector::Checkpoint checkpoint) {
            receive(draft_of(std::move(checkpoint)));
        };
    }
    return made;
}

bool conclude(Outputs& outputs, const AskedOutcome& asked) {
    const bool written = outputs.conclude();
    return asked.tell() && written;
}

Result<int> record(const RecordingOptions& options) {
    return Run(options).run();
}

Result<std::string> find_agent(diagnostics::CLibrary library) {
    const bool for_musl = library == diagnostics::CLibrary::kMusl;
    const fs::path name = fs::path(for_musl ? "musl" : "") / "libumbra_agent.so";
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const fs::path& place : {folder, folder / ".." / "lib" / "umbra"}) {
        const fs::path agent = place / name;
        if (fs::exists(agent, error)) {
            return fs::canonical(agent, error).string();
        }
    }
    if (for_musl) {
        return fail(ErrorCode::kUnsupported,
                    "the program is linked against musl, and this umbra has no agent for that: " +
                        (folder / name).string() +
                        " is missing (musl-tools has to be there when umbra is built)");
    }
    return fail(ErrorCode::kNotFound, "libumbra_agent.so is not beside this program (" +
                                          folder.string() + "): the installation is incomplete");
}

}  // namespace umbra::cli
