// SPDX-License-Identifier: MIT
#include "src/cli/record/capture.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "src/base/after.h"
#include "src/base/runtime_choice.h"
#include "src/base/utf8.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/attach_link.h"
#include "src/cli/record/end_signals.h"
#include "src/cli/record/live_feed.h"
#include "src/cli/record/outputs.h"
#include "src/cli/record/target_process.h"
#include "src/cli/terminal/console.h"
#include "src/collector/server.h"
#include "src/diagnostics/c_library.h"
#include "src/diagnostics/exchange.h"

namespace umbra::cli {

namespace asio = boost::asio;
using collector::Server;

namespace {

constexpr auto kListenTimeout = std::chrono::seconds(2);
constexpr auto kListenStep = std::chrono::milliseconds(10);

/// One `umbra start`, on one io_context and its thread.
class CaptureRun {
  public:
    CaptureRun(pid_t pid, std::optional<std::chrono::milliseconds> duration, bool needs_hooks,
               const RecordingOptions& options)
        : pid_(pid),
          duration_(duration),
          needs_hooks_(needs_hooks),
          options_(options),
          signals_(io_, [this](const signalfd_siginfo& info) { on_signal(info); }),
          timer_(io_),
          answer_(io_),
          feed_(io_, "umbra start", options.quiet, feed_of(server_)),
          server_(Server::make(io_, options.spec, handlers())) {}

    Result<int> run() {
        if (Status writable = outputs_.check(); !writable) {
            return tl::unexpected<Error>(writable.error());
        }
        Result<UniqueFd> socket = call_loaded_agent();
        if (!socket && socket.error().code == ErrorCode::kUnprepared && !needs_hooks_) {
            socket = bring_and_call_agent();
        }
        if (!socket) {
            return tl::unexpected<Error>(socket.error());
        }
        server_->adopt(std::move(*socket));
        feed_.start();
        io_.run();
        feed_.clear();
        server_->close();
        if (outputs_.empty()) {
            return refused_ ? Result<int>(kFailed)
                            : fail(ErrorCode::kRefused,
                                   fmt::format("process {} was not timed: its agent has closed the "
                                               "connection",
                                               pid_));
        }
        const bool written = conclude(outputs_, asked_);
        if (died_) {
            report_alarm(died(pid_, status_));
        }
        return !written ? kFailed : died_ ? kTargetDied : kOk;
    }

  private:
    /// One that another umbra brings this moment is loaded before it listens: that is waited for.
    [[nodiscard]] Result<UniqueFd> call_loaded_agent() const {
        const diagnostics::Deadline deadline(kListenTimeout, end_signal_pending);
        for (;;) {
            Result<UniqueFd> socket = call_agent(pid_, protocol::Ask::kRecord);
            if (socket || socket.error().code != ErrorCode::kNotListening || deadline.passed() ||
                deadline.interrupted()) {
                return socket;
            }
            std::this_thread::sleep_for(kListenStep);
        }
    }

    Result<UniqueFd> bring_and_call_agent() {
        Result<std::string> library = find_agent(diagnostics::c_library_of_process(pid_));
        if (!library) {
            return tl::unexpected<Error>(library.error());
        }
        if (Status brought = bring_agent(pid_, *std::move(library)); !brought) {
            // Another umbra may have brought it at the same moment.
            Result<UniqueFd> there = call_loaded_agent();
            return there ? std::move(there) : tl::unexpected<Error>(brought.error());
        }
        if (!options_.quiet) {
            print_error(
                fmt::format("umbra: the agent is now in process {} and stays there, idle "
                            "between captures, until the process ends\n",
                            pid_));
        }
        return call_agent(pid_, protocol::Ask::kRecord);
    }

    Server::Handlers handlers() {
        return {
            .admit = [this](const protocol::Hello& hello) -> std::string {
                std::string reason = why_not(hello);
                if (!reason.empty()) {
                    refuse(reason);
                }
                return reason;
            },
            .options =
                [this](const protocol::Hello& hello) {
                    collector::Session::Options options =
                        session_options(options_, outputs_, hello, feed_.wanted());
                    options.pid = static_cast<uint32_t>(pid_);
                    return options;
                },
            .ended = [this](std::unique_ptr<collector::Session> session) { finish(*session); },
            .notice = [this](const std::string& text) { refuse(text); },
            .capture_began = [this](uint32_t methods) { began(methods); },
            .left = [this] { io_.stop(); },
        };
    }

    /// Empty: it can have what was asked for.
    [[nodiscard]] std::string why_not(const protocol::Hello& hello) const {
        if (needs_hooks_ && hello.il_probes) {
            return fmt::format(
                "process {} was started without the variables of 'umbra env': its runtime takes no "
                "hooks; leave out --probe=hooks",
                pid_);
        }
        const Result<RuntimeChoice> choice = RuntimeChoice::parse(options_.spec.agent.runtimes);
        std::string there;
        for (uint32_t place = 1; place <= hello.runtimes.size(); ++place) {
            const std::string& version = hello.runtimes[place - 1];
            if (!version.empty() && choice &&
                choice->takes(place, version.substr(version.rfind(' ') + 1))) {
                return "";
            }
            there += fmt::format("{}{}: {}", there.empty() ? "" : ", ", place,
                                 version.empty() ? "has ended" : printable_utf8(version));
        }
        return fmt::format("--runtimes={} chooses none of the runtimes of process {} ({})",
                           options_.spec.agent.runtimes, pid_, there);
    }

    void refuse(const std::string& why) {
        refused_ = true;
        feed_.clear();
        report_error(why);
    }

    void began(uint32_t methods) {
        if (!options_.quiet) {
            feed_.clear();
            print_error(
                fmt::format("umbra: timing process {}: {} methods when they are next called{}\n",
                            pid_, methods, duration_ ? "" : "; Ctrl-C ends it"));
        }
        if (duration_) {
            after(timer_, *duration_, [this] { end(); });
        }
    }

    void on_signal(const signalfd_siginfo& info) {
        if (info.ssi_signo == SIGCHLD) {
            return;
        }
        end();
        after(answer_, kEndAnswer, [this] {
            feed_.clear();
            print_error(still_waiting(pid_));
        });
    }

    // A second time: as the process does not answer, what is there is the profile.
    void end() {
        if (std::exchange(ending_, true) || server_->sessions().empty()) {
            io_.stop();
            return;
        }
        server_->end_windows();
        // A process that hangs keeps its profile from nobody.
        after(timer_, kCaptureEndTimeout, [this] {
            feed_.clear();
            report_error(
                fmt::format("process {} does not answer: its hooks may still be there", pid_));
            io_.stop();
        });
    }

    void finish(collector::Session& session) {
        const bool ended = session.capture_ended();
        const bool gone = !ended && has_ended(pid_);
        const bool whole = ended || ((session.shut_down() || gone) && !session.cut_off());
        if (!whole && !ending_) {
            feed_.clear();
            report_error(lost_connection(pid_));
        }
        died_ = gone && !session.shut_down();
        status_ = died_ ? status_of_ended(pid_) : std::nullopt;
        session.finish(ended                 ? "stopped"
                       : !whole              ? (ending_ ? "running" : kDisconnected)
                       : session.shut_down() ? "shutdown"
                       : status_             ? status_->text()
                                             : "ended without shutdown",
                       whole);
        feed_.end(session.figures());
        io_.stop();
    }

    const pid_t pid_;
    const std::optional<std::chrono::milliseconds> duration_;
    const bool needs_hooks_;
    const RecordingOptions& options_;
    asio::io_context io_{1};
    SignalSource signals_;
    asio::steady_timer timer_;   // of the end, then of the answer to it
    asio::steady_timer answer_;  // to a signal
    LiveFeed feed_;
    AskedOutcome asked_{options_.spec.agent, options_.arguments};
    Outputs outputs_{options_, [this](const auto& profile) { asked_.look_at(profile); }};
    std::unique_ptr<Server> server_;
    bool ending_ = false;
    bool refused_ = false;
    bool died_ = false;
    std::optional<ExitStatus> status_;  ///< of the process that has died, if it is known
};

}  // namespace

Result<int> record_capture(pid_t pid, std::optional<std::chrono::milliseconds> duration,
                           bool needs_hooks, const RecordingOptions& options) {
    return CaptureRun(pid, duration, needs_hooks, options).run();
}

}  // namespace umbra::cli
