// SPDX-License-Identifier: MIT

#include "src/cli/record/sampling.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>

#include "src/base/after.h"
#include "src/base/unique_fd.h"
#include "src/base/utf8.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/attach_link.h"
#include "src/cli/record/end_signals.h"
#include "src/cli/record/live_feed.h"
#include "src/cli/record/output_name.h"
#include "src/cli/record/target_process.h"
#include "src/cli/terminal/console.h"
#include "src/collector/sampling/sample_figures.h"
#include "src/collector/sampling/sample_link.h"
#include "src/collector/sampling/sample_session.h"
#include "src/diagnostics/process_facts.h"
#include "src/diagnostics/target_check.h"
#include "src/protocol/environment.h"

namespace umbra::cli {

using collector::SampleFigures;
using collector::SampleLink;
using collector::SampleSession;
namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

namespace {

// An agent that has been told to stop has a round and a message left to do, and the runtime looks
// 300 ms after the request whether its callbacks have left the library, then at most every 5 s.
constexpr auto kDetachTimeout = std::chrono::milliseconds(20'000);
constexpr auto kCheckpoint = std::chrono::seconds(10);

/// One `umbra attach`, on one io_context and its thread.
// Fields: what it waits for, each a descriptor or a timer of the io_context, and how it stands.
class Sampling {
  public:
    Sampling(const SamplingOptions& options, AttachLink attach)
        : options_(options),
          attach_(std::move(attach)),
          link_(attach_.socket()),
          signals_(io_, [this](const signalfd_siginfo& info) { on_signal(info); }),
          readable_(io_),
          attach_ended_(io_),
          deadline_(io_),
          stop_(io_),
          checkpoint_(io_),
          answer_(io_),
          feed_(io_, "umbra attach", options.quiet,
                {.recorded = [this] { return recorded(); },
                 .wanted = [this](bool wanted) { watch(wanted); }}) {}

    Result<int> run() {
        after(deadline_, kAttachTimeout, [this] { io_.stop(); });
        const auto ended = std::make_shared<const UniqueFd>(eventfd(0, EFD_CLOEXEC));
        attach_ended_.assign(fcntl(ended->get(), F_DUPFD_CLOEXEC, 0));
        attaching_ = attach_.attach(ended);
        attach_ended_.async_wait(Descriptor::wait_read,
                                 [this](const boost::system::error_code&) { attached(); });
        wait();
        io_.run();
        feed_.clear();
        if (failed_) {
            return tl::unexpected<Error>(*failed_);
        }
        if (const std::optional<Error> why = why_not_sampled()) {
            return tl::unexpected<Error>(*why);
        }
        return conclude();
    }

  private:
    /// Why nothing was sampled; what agent and runtime have answered says it best. None: something
    /// was.
    [[nodiscard]] std::optional<Error> why_not_sampled() {
        if (session_ && (stopping_ || session_->ended() != nullptr)) {
            return std::nullopt;
        }
        const Status attached = attaching_.valid() && !interrupted_ ? attaching_.get() : Status();
        if (refusal_ || !attached) {
            return refusal_ ? *refusal_ : attached.error();
        }
        if (session_) {
            return std::nullopt;
        }
        return Error{ErrorCode::kRefused, 0,
                     fmt::format("process {} {}", options_.pid,
                                 interrupted_ ? "was not sampled: interrupted"
                                              : "ended before it was sampled")};
    }

    /// Of the socket; when the agent connects, its descriptor is another one.
    void wait() {
        if (watched_descriptor_ != link_.descriptor()) {
            boost::system::error_code ignored;  // closed it is in any case
            readable_.close(ignored);
            watched_descriptor_ = link_.descriptor();
            readable_.assign(fcntl(watched_descriptor_, F_DUPFD_CLOEXEC, 0));
        }
        readable_.async_wait(Descriptor::wait_read, [this](const boost::system::error_code& error) {
            if (error == asio::error::operation_aborted) {
                return;
            }
            if (link_.receive(
                    [this](const protocol::Message& message) { return handle(message); })) {
                wait();
            } else {
                io_.stop();
            }
        });
    }

    /// The runtime has answered.
    void attached() {
        Status answer = attaching_.get();
        if (!answer) {
            link_.receive_rest([this](const auto& message) { return handle(message); });
            failed_ = refusal_.value_or(answer.error());
            io_.stop();
        }
    }

    void on_signal(const signalfd_siginfo& info) {
        if (info.ssi_signo == SIGCHLD) {
            return;
        }
        if (std::exchange(interrupted_, true) || !session_) {
            io_.stop();
            return;
        }
        after(answer_, kEndAnswer, [this] {
            feed_.clear();
            print_error(still_waiting(options_.pid));
        });
        stop();
    }

    void stop() {
        if (std::exchange(stopping_, true)) {
            return;
        }
        checkpoint_.cancel();
        stop_.cancel();
        after(deadline_, kDetachTimeout, [this] { io_.stop(); });
        link_.send(protocol::SampleStop{});
    }

    void write_checkpoints() {
        after(checkpoint_, kCheckpoint, [this] {
            receive_(draft_of(session_->build("running", false), false));
            write_checkpoints();
        });
    }

    /// For who watches, here or elsewhere.
    [[nodiscard]] std::vector<collector::Recorded> recorded() {
        if (!session_) {
            return {};
        }
        return {{.pid = static_cast<uint32_t>(options_.pid),
                 .program = session_->program(),
                 .events = session_->samples(),
                 .threads = static_cast<uint32_t>(session_->threads()),
                 .sampled = true,
                 .figures = figures_ ? figures_->newest() : nullptr}};
    }

    void watch(bool wanted) {
        if (!wanted || !session_) {
            figures_.reset();
        } else if (!figures_) {
            figures_.emplace(*session_);
            keep_figures();
        }
    }

    void keep_figures() {
        figures_->step("");
        after(look_, SampleFigures::kPeriod, [this] {
            if (figures_) {
                keep_figures();
            }
        });
    }

    bool handle(const protocol::Message& message) {
        if (const auto* notice = std::get_if<protocol::Notice>(&message)) {
            refusal_ = Error{ErrorCode::kRefused, 0,
                             fmt::format("process {}: {}", options_.pid, notice->text)};
            return true;
        }
        if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
            return !session_ && welcome(*hello);
        }
        const std::optional<protocol::SamplingReport> report =
            protocol::narrow<protocol::SamplingReport>(message);
        return session_ && report && session_->note(*report);
    }

    bool welcome(const protocol::Hello& hello) {
        if (const std::string refusal = version_refusal(options_.pid, hello); !refusal.empty()) {
            refusal_ = Error{ErrorCode::kVersion, 0, refusal};
            link_.send(protocol::Refuse{refusal_->context});
            return false;
        }
        const protocol::SampleOrder order{
            .rate_millihertz = static_cast<uint32_t>(std::lround(options_.rate_hz * 1000)),
            .most_suspended_ppm =
                static_cast<uint32_t>(std::lround(options_.most_suspended_percent * 10'000))};
        protocol::Hello known = hello;
        known.pid = static_cast<uint32_t>(options_.pid);  // as it is called on this side
        session_.emplace(known, order);
        receive_ = outputs_.add(known);
        say_which(hello);
        say_began();
        deadline_.cancel();
        write_checkpoints();
        if (options_.duration) {
            after(stop_, *options_.duration, [this] { stop(); });
        }
        feed_.start();
        watch(feed_.wanted());
        return link_.send(order);
    }

    /// Of a process with several runtimes: which one has let the agent in.
    void say_which(const protocol::Hello& hello) const {
        const std::size_t runtimes = diagnostics::runtime_libraries(options_.pid).size();
        if (runtimes > 1 && !options_.quiet) {
            print_error(
                fmt::format("umbra: process {} has {} runtimes; {} has answered and is sampled\n",
                            options_.pid, runtimes, printable_utf8(hello.runtime)));
        }
    }

    void say_began() const {
        if (options_.quiet) {
            return;
        }
        const std::string until =
            options_.duration
                ? fmt::format("for {:g} s", static_cast<double>(options_.duration->count()) / 1000)
                : "until Ctrl-C";
        print_error(fmt::format("umbra: sampling process {}, {:g} times a second, {}\n",
                                options_.pid, options_.rate_hz, until));
    }

    /// How it came to its end, for the file.
    [[nodiscard]] std::string outcome() const {
        if (const protocol::SamplingEnded* ended = session_->ended()) {
            return ended->detach_status == 0 ? "detached" : "the runtime keeps the agent";
        }
        return session_->shut_down() ? "shutdown"
               : stopping_           ? "stopped without an answer"
               : !died_              ? kDisconnected
               : status_             ? status_->text()
                                     : "the process ended";
    }

    /// The agent has gone without a word: with its process, or that has lost its connection.
    void find_why_it_went() {
        if (session_->ended() != nullptr || session_->shut_down() || stopping_) {
            return;
        }
        died_ = has_ended(options_.pid);
        if (died_) {
            status_ = status_of_ended(options_.pid);
        } else {
            report_error(lost_connection(options_.pid));
        }
    }

    int conclude() {
        find_why_it_went();
        const std::string ended = outcome();
        if (figures_) {
            figures_->step(ended);
            feed_.end(figures_->newest());
        }
        const bool complete = session_->ended() != nullptr || session_->shut_down();
        receive_(draft_of(session_->build(ended, complete), true));
        if (const protocol::SamplingEnded* end = session_->ended();
            end != nullptr && end->detach_status != 0) {
            report_error(
                fmt::format("the runtime of process {} does not let the agent go: HRESULT "
                            "0x{:08x}; it stays there and does nothing",
                            options_.pid, end->detach_status));
        }
        if (stopping_ && session_->ended() == nullptr) {
            report_error(
                fmt::format("the agent in process {} has not answered; it leaves by itself as soon "
                            "as the runtime lets it",
                            options_.pid));
        }
        const bool written = outputs_.conclude();
        if (died_) {
            report_alarm(died(options_.pid, status_));
        }
        return !written ? kFailed : died_ ? kTargetDied : kOk;
    }

    const SamplingOptions& options_;
    AttachLink attach_;
    SampleLink& link_;
    asio::io_context io_{1};
    SignalSource signals_;
    Descriptor readable_;  // of the link
    int watched_descriptor_ = -1;
    Descriptor attach_ended_;
    asio::steady_timer deadline_;
    asio::steady_timer stop_;
    asio::steady_timer checkpoint_;
    asio::steady_timer answer_;  // to a signal
    asio::steady_timer look_{io_};
    LiveFeed feed_;
    std::future<Status> attaching_;
    std::optional<SampleSession> session_;
    std::optional<SampleFigures> figures_;  // while somebody watches
    std::optional<Error> refusal_;
    std::optional<Error> failed_;
    Outputs outputs_{options_};
    std::function<void(Draft)> receive_;  // of the session's profiles
    bool died_ = false;
    std::optional<ExitStatus> status_;  // of the process that has died, if it is known
    bool interrupted_ = false;
    bool stopping_ = false;
};

}  // namespace

Result<int> sample(const SamplingOptions& options) {
    if (Status writable = check_output(options.output); !writable) {
        return tl::unexpected<Error>(writable.error());
    }
    Result<AttachLink> attach =
        AttachLink::open(options.pid, options.agent, protocol::kSamplerClsid);
    if (!attach) {
        return tl::unexpected<Error>(attach.error());
    }
    return Sampling(options, *std::move(attach)).run();
}

}  // namespace umbra::cli
