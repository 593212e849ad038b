// SPDX-License-Identifier: MIT
// A dormant process: listens, and begins and ends captures in which calls are timed.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <poll.h>

#include "hotpath/recorder.h"
#include "hotpath/thread_registration.h"
#include "src/agent/process.h"
#include "src/agent/profiler.h"
#include "src/agent/support/log.h"
#include "src/agent/support/runtime_version.h"

namespace umbra::agent {

using protocol::AgentState;
using protocol::Ask;

std::vector<Profiler*> AgentProcess::runtimes_left() const {
    std::vector<Profiler*> left;
    std::ranges::copy_if(runtimes_.all, std::back_inserter(left),
                         [](const Profiler* runtime) { return !runtime->has_left(); });
    return left;
}

std::vector<std::string> AgentProcess::runtime_versions() {
    const std::lock_guard lock(runtimes_.mutex);
    std::vector<std::string> versions;
    for (const Profiler* runtime : runtimes_.all) {
        versions.push_back(runtime->has_left() ? "" : runtime_version(runtime->info()));
    }
    return versions;
}

// umbra has looked at the choice already: what does not fit has changed since.
Status AgentProcess::choose_runtimes() {
    const Result<RuntimeChoice> choice = RuntimeChoice::parse(settings_.runtimes);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    runtimes_.chosen = *choice;
    bool any = false;
    for (Profiler* runtime : runtimes_left()) {
        const std::string version = runtime_version(runtime->info());
        const bool takes = choice->takes(runtime->number(), version.substr(version.rfind(' ') + 1));
        if (takes && !(any && choice->takes_one())) {
            join_capture(*runtime);
            any = true;
        } else {
            runtime->sit_out();
        }
    }
    if (!any) {
        return fail(ErrorCode::kNotFound,
                    "--runtimes=" + settings_.runtimes + " chooses no runtime of the process");
    }
    return {};
}

void AgentProcess::run_dormant() noexcept {
    for (;;) {
        std::array<pollfd, 2> waiting{
            pollfd{control_->descriptor(), POLLIN, 0},
            pollfd{channel_ ? channel_->descriptor() : -1, POLLIN | POLLRDHUP, 0}};
        if (poll(waiting.data(), waiting.size(), -1) < 0) {
            continue;
        }
        try {
            if (waiting[1].revents != 0 && !take_messages()) {
                end_capture();
            }
            if (waiting[0].revents == 0) {
                continue;
            }
            if (!control_->is_ours()) {
                log_line("the program has closed the agent's socket: umbra cannot start any more");
                end_capture();
                return;
            }
            if (std::optional<ControlSocket::Request> request = control_->accept()) {
                serve(std::move(*request));
            }
        } catch (...) {
            log_line("out of memory: a request was not served");
        }
    }
}

void AgentProcess::serve(ControlSocket::Request request) {
    if (request.ask.version != protocol::kProtocolVersion) {
        answer(request.channel, "this agent speaks protocol " +
                                    std::to_string(protocol::kProtocolVersion) +
                                    ", the caller another: use agent and umbra of one "
                                    "installation, and restart the program with that agent");
        return;
    }
    switch (request.ask.what) {
        case Ask::kRecord:
            return begin_capture(std::move(request));
        case Ask::kStop: {
            const bool was_open = channel_ != nullptr;
            end_capture();
            return answer(request.channel, was_open ? "" : "there was nothing to stop");
        }
        case Ask::kDetach:
            end_capture();
            return answer(request.channel, detach_answer());
        default:
            return answer(request.channel, "");
    }
}

void AgentProcess::answer(Channel& channel, std::string text) const {
    AgentState state;
    state.state = channel_ ? AgentState::kRecording : AgentState::kDormant;
    state.collector_pid = static_cast<uint32_t>(channel_ ? collector_ : 0);
    state.text = std::move(text);
    [[maybe_unused]] const Status sent = channel.send(state);  // a client that has gone needs none
}

// The runtime lets nobody go who has set hooks: asked all the same, so that the reason is its own.
std::string AgentProcess::detach_answer() {
    const std::lock_guard lock(runtimes_.mutex);
    for (Profiler* runtime : runtimes_left()) {
        const clr::HRESULT status = runtime->request_detach();
        if (clr::failed(status)) {
            return "the runtime detaches no profiler that has " +
                   std::string(runtime->takes_hooks() ? "set enter and leave hooks"
                                                      : "had methods compiled anew") +
                   " (" + clr::hexadecimal(status) +
                   "); timing is off, and a dormant agent costs nothing";
        }
    }
    return "";
}

void AgentProcess::begin_capture(ControlSocket::Request request) {
    const auto refuse = [&](const std::string& why) {
        [[maybe_unused]] const Status sent = request.channel.send(protocol::Notice{why});
    };
    if (channel_) {
        return refuse("the process is being timed already" +
                      (collector_ != 0 ? " by process " + std::to_string(collector_) : "") +
                      ": end that with 'umbra stop' first");
    }
    if (spent_) {
        return refuse(
            "an earlier capture of this process could not be ended in order, so that none "
            "can follow: restart the program");
    }
    if (hotpath::threads_left_behind() != 0) {
        return refuse(
            "a thread of the process stands still in the middle of a record of an earlier capture: "
            "try again, or restart the program");
    }
    channel_ = std::make_unique<Channel>(std::move(request.channel));
    collector_ = request.client;
    worker_.connect(*channel_);
    if (Status open = open_capture(); !open) {
        log_line("no capture: " + open.error().context);
        [[maybe_unused]] const Status told =
            channel_->send(protocol::Notice{"no capture: " + open.error().context});
        worker_.disconnect();
        channel_.reset();
    }
}

Status AgentProcess::open_capture() {
    deinstrumented_.forget_all();
    notices_.forget();
    refused_.forget();
    worker_.forget_told();
    if (Status met = meet_collector(*channel_); !met) {
        return met;
    }
    const std::lock_guard lock(runtimes_.mutex);
    capture_.fetch_add(1, std::memory_order_acq_rel);
    if (Status chosen = choose_runtimes(); !chosen) {
        return chosen;
    }
    if (Status recording = begin_recording(); !recording) {
        return recording;
    }
    if (Status naming = worker_.start(true); !naming) {
        hotpath::end_recording();  // no hook has been compiled yet
        return naming;
    }
    runtimes_.capturing = true;
    uint32_t methods = 0;
    for (Profiler* runtime : runtimes_left()) {
        methods += runtime->is_in_capture() ? runtime->begin_capture() : 0;
    }
    worker_.post(protocol::CaptureBegan{methods});
    return {};
}

void AgentProcess::end_capture() {
    if (!channel_) {
        return;
    }
    const bool still = stop_threads();
    {
        const std::lock_guard lock(runtimes_.mutex);
        runtimes_.capturing = false;
        for (Profiler* runtime : runtimes_left()) {
            if (runtime->is_in_capture()) {
                runtime->end_capture();
            }
        }
    }
    tell_what_is_left();
    worker_.end();
    worker_.send(protocol::CaptureEnded{});
    worker_.disconnect();
    channel_.reset();
    collector_ = 0;
    if (still) {
        empty_segment(segment_.header);
    } else {
        spent_ = true;
        log_line("the runtime could not be suspended: no further capture");
    }
}

void AgentProcess::tell_what_is_left() {
    for (protocol::ArgumentNamed& unmet : arguments_.take_unmet()) {
        worker_.post(std::move(unmet));
    }
    for (std::string& sentence : refused_.take_rest()) {
        worker_.post(protocol::Notice{std::move(sentence)});
    }
}

// Ends the recording of all threads in one moment: while they stand, none is in a probe.
bool AgentProcess::stop_threads() {
    const std::lock_guard lock(runtimes_.mutex);
    std::vector<Profiler*> stopped;
    const bool all = std::ranges::all_of(runtimes_left(), [&](Profiler* runtime) {
        if (!runtime->suspend()) {
            return false;
        }
        stopped.push_back(runtime);
        return true;
    });
    uint32_t left_behind = 0;
    if (all) {
        left_behind = hotpath::end_recording();
    } else {
        hotpath::stop_recording();
    }
    for (Profiler* runtime : stopped) {
        runtime->resume();
    }
    if (left_behind != 0) {
        log_line(std::to_string(left_behind) +
                 " threads stood still in the middle of a record: their part in the capture has no "
                 "end, and no capture can begin before they go on");
    }
    return all;
}

bool AgentProcess::take_messages() {
    for (;;) {
        protocol::Message message;
        switch (channel_->try_next(message)) {
            case Channel::Got::kGone:
                // Nobody gives chunks any more: who waits for one is let go, or the end of the
                // capture, which stops all threads, would wait for him.
                hotpath::cut_off_recording();
                return false;
            case Channel::Got::kNothing:
                return true;
            case Channel::Got::kMessage:
                break;
        }
        if (!obey(std::move(message))) {
            return false;
        }
    }
}

}  // namespace umbra::agent
