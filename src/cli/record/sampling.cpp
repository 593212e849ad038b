// SPDX-License-Identifier: MIT

#include "src/cli/record/sampling.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "export/hdf5/writer.h"
#include "src/base/unique_fd.h"
#include "src/base/utf8.h"
#include "src/cli/record/agent_client.h"
#include "src/cli/record/attach_link.h"
#include "src/cli/record/end_signals.h"
#include "src/cli/record/last_write.h"
#include "src/cli/record/output_name.h"
#include "src/cli/terminal/console.h"
#include "src/cli/text/report_text.h"
#include "src/collector/sampling/sample_link.h"
#include "src/collector/sampling/sample_session.h"
#include "src/diagnostics/process_facts.h"
#include "src/diagnostics/target_check.h"
#include "src/profile/report.h"
#include "src/symbols/source_lines.h"

namespace umbra::cli {

using collector::SampleLink;
using collector::SampleSession;
using std::chrono::steady_clock;

namespace {

constexpr auto kAttachTimeout = std::chrono::milliseconds(10'000);
// An agent that has been told to stop has a round and a message left to do, and the runtime looks
// 300 ms after the request whether its callbacks have left the library, then at most every 5 s.
constexpr auto kDetachTimeout = std::chrono::milliseconds(20'000);
constexpr auto kCheckpoint = std::chrono::seconds(10);
constexpr size_t kHotListRows = 20;

/// One `umbra attach`.
class Sampling {
  public:
    Sampling(const SamplingOptions& options, AttachLink attach)
        : options_(options), attach_(std::move(attach)), link_(attach_.socket()) {}

    Result<int> run() {
        signals_ = end_signal_descriptor();
        attach_ended_ = std::make_shared<const UniqueFd>(eventfd(0, EFD_CLOEXEC));
        std::future<Status> attaching = attach_.attach(attach_ended_);
        while (!over_) {
            wait();
            if (attaching.valid() &&
                attaching.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
                if (Status attached = attaching.get(); !attached) {
                    link_.receive_rest([this](const auto& message) { return handle(message); });
                    return tl::unexpected<Error>(refusal_.value_or(attached.error()));
                }
                attach_ended_.reset();
            }
            keep_time();
        }
        if (const std::optional<Error> why = why_not_sampled(attaching)) {
            return tl::unexpected<Error>(*why);
        }
        return conclude();
    }

  private:
    /// Why nothing was sampled; what agent and runtime have answered says it best. None: something
    /// was.
    [[nodiscard]] std::optional<Error> why_not_sampled(std::future<Status>& attaching) const {
        if (session_ && (stopping_ || session_->ended() != nullptr)) {
            return std::nullopt;
        }
        const Status attached = attaching.valid() && !interrupted_ ? attaching.get() : Status();
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

    void wait() {
        std::array<pollfd, 3> waiting = {{{link_.descriptor(), POLLIN, 0},
                                          {signals_.get(), POLLIN, 0},
                                          {attach_ended_ ? attach_ended_->get() : -1, POLLIN, 0}}};
        poll(waiting.data(), waiting.size(), static_cast<int>(time_left().count()));
        signalfd_siginfo info{};
        while (read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
            interrupted_ ? over_ = true : interrupted_ = true;
            answer_at_ = steady_clock::now() + kEndAnswer;
        }
        if (waiting[0].revents != 0 &&
            !link_.receive([this](const protocol::Message& message) { return handle(message); })) {
            over_ = true;
        }
    }

    /// Until something has to be done without being told.
    [[nodiscard]] std::chrono::milliseconds time_left() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            std::min({deadline_, stop_at_, next_checkpoint_, answer_at_}) - steady_clock::now());
        return std::clamp(left, std::chrono::milliseconds(0), std::chrono::milliseconds(1000));
    }

    void keep_time() {
        const steady_clock::time_point now = steady_clock::now();
        if (session_ && !stopping_ && (interrupted_ || now >= stop_at_)) {
            stopping_ = true;
            deadline_ = now + kDetachTimeout;
            next_checkpoint_ = steady_clock::time_point::max();
            stop_at_ = steady_clock::time_point::max();
            link_.send(protocol::SampleStop{});
        }
        if (now >= next_checkpoint_) {
            next_checkpoint_ = now + kCheckpoint;
            [[maybe_unused]] const Status later =
                hdf5::write_profile(session_->build("running", false), path_);
        }
        if (now >= answer_at_) {
            answer_at_ = steady_clock::time_point::max();
            print_error(still_waiting(options_.pid));
        }
        over_ = over_ || now >= deadline_ || (interrupted_ && !session_);
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
        path_ = options_.output.empty()
                    ? fmt::format("umbra-{}.h5", output_name(session_->program(), options_.pid))
                    : options_.output;
        say_which(hello);
        const steady_clock::time_point now = steady_clock::now();
        deadline_ = steady_clock::time_point::max();
        next_checkpoint_ = now + kCheckpoint;
        if (options_.duration) {
            stop_at_ = now + *options_.duration;
        }
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

    /// How it came to its end, for the file.
    [[nodiscard]] std::string outcome() const {
        if (const protocol::SamplingEnded* ended = session_->ended()) {
            return ended->detach_status == 0 ? "detached" : "the runtime keeps the agent";
        }
        return session_->shut_down() ? "shutdown"
               : stopping_           ? "stopped without an answer"
                                     : "the process ended";
    }

    int conclude() {
        const std::string ended = outcome();
        profile::Profile profile = session_->build(ended, session_->ended() != nullptr);
        symbols::SourceLines(options_.symbol_folders).add_to(profile);
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
        if (const Status written = write_last(profile, path_); !written) {
            return report_error(written.error().context);
        }
        std::string text;
        if (!options_.quiet) {
            const profile::HotList list =
                profile::hot_list(profile, {.sort = profile::SortBy::kCpu, .top = kHotListRows});
            text = '\n' + report_text(profile, list, {error_columns(), error_has_colour()});
        }
        print_error(text + fmt::format("umbra: wrote {}\n", path_));
        return kOk;
    }

    const SamplingOptions& options_;
    AttachLink attach_;
    SampleLink& link_;
    UniqueFd signals_;
    std::shared_ptr<const UniqueFd> attach_ended_;
    std::optional<SampleSession> session_;
    std::optional<Error> refusal_;
    std::string path_;
    steady_clock::time_point deadline_ = steady_clock::now() + kAttachTimeout;
    steady_clock::time_point stop_at_ = steady_clock::time_point::max();
    steady_clock::time_point next_checkpoint_ = steady_clock::time_point::max();
    steady_clock::time_point answer_at_ = steady_clock::time_point::max();  // to a signal
    bool interrupted_ = false;
    bool stopping_ = false;
    bool over_ = false;
};

}  // namespace

Result<int> sample(const SamplingOptions& options) {
    if (Status writable = check_output(options.output); !writable) {
        return tl::unexpected<Error>(writable.error());
    }
    Result<AttachLink> attach = AttachLink::open(options.pid, options.agent);
    if (!attach) {
        return tl::unexpected<Error>(attach.error());
    }
    return Sampling(options, *std::move(attach)).run();
}

}  // namespace umbra::cli
