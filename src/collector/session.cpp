// SPDX-License-Identifier: MIT
#include "src/collector/session.h"

#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "hotpath/counter.h"
#include "src/base/time_namespace.h"
#include "src/collector/state/host_info.h"

namespace umbra::collector {
namespace {

std::string joined(const std::vector<std::string>& patterns) {
    std::string text;
    for (const std::string& pattern : patterns) {
        text += (text.empty() ? "" : ";") + pattern;
    }
    return text;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const protocol::Hello& hello, UniqueFd segment_fd,
                                                Options options) {
    const protocol::Welcome& welcome = options.spec.agent;
    Result<SharedSegment> segment = SharedSegment::open(std::move(segment_fd));
    if (!segment) {
        return tl::unexpected<Error>(segment.error());
    }
    const uint32_t pid = options.pid != 0 ? options.pid : hello.pid;
    if (segment->header().clock == hotpath::ClockSource::kOs &&
        clock_offsets(static_cast<pid_t>(pid)).monotonic_ns != clock_offsets(0).monotonic_ns) {
        return fail(
            ErrorCode::kUnsupported,
            "its clocks began at another time than umbra's (a time namespace): run umbra in "
            "there too, or let it read the processor's counter (--clock-source auto)");
    }
    profile::Session facts = session_of(hello);
    facts.pid = pid;
    facts.settings.mode = welcome.framework ? "whole" : "selective";
    facts.capture = hello.running;
    facts.probes.kind = hello.il_probes || welcome.il_probes ? "il" : "hooks";
    facts.settings.include = joined(welcome.include);
    facts.settings.also = joined(welcome.also);
    facts.settings.exclude = joined(welcome.exclude);
    facts.settings.inlining = welcome.inlining;
    facts.settings.trivial = welcome.trivial;
    facts.settings.overflow = welcome.drop ? "drop" : "wait";
    facts.clock.source =
        segment->header().clock == hotpath::ClockSource::kOs ? "os" : hotpath::kCounterName;
    facts.settings.max_overhead_percent = options.spec.max_overhead_percent;
    facts.ended = "running";
    try {
        return std::unique_ptr<Session>(
            new Session(std::move(*segment), std::move(facts), std::move(options)));
    } catch (const std::system_error& error) {
        return fail(ErrorCode::kSystem,
                    "a thread to read its events cannot be started (a limit of processes and "
                    "threads may be too small: ulimit -u, pids.max of the control group)",
                    error.code().value());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::kSystem, "memory for its call tree cannot be had");
    }
}

Session::Session(SharedSegment segment, profile::Session facts, SessionOptions options)
    : segment_(std::move(segment)),
      facts_(std::move(facts)),
      options_(std::move(options)),
      process_cpu_(facts_.pid, facts_.capture),
      loop_(segment_, options_, facts_, exchange_, process_cpu_),
      thread_([this] { loop_.run(); }) {
    watch(options_.watch);
}

Session::~Session() {
    if (thread_.joinable()) {
        finish("abandoned", false);
    }
}

void Session::note_shutdown(const protocol::Shutdown& shutdown) {
    process_cpu_.take(shutdown.process_cpu_ns);
    if (shutdown.runtimes_left != 0) {
        return;
    }
    exchange_.shut_down.store(true);
    ReplayWorkers::interrupt(segment_);
}

void Session::finish(std::string ended, bool complete) {
    exchange_.stop.store(true);
    ReplayWorkers::interrupt(segment_);
    thread_.join();
    loop_.last_figures(ended);
    facts_.ended = std::move(ended);
    facts_.complete = complete;
    loop_.checkpoint(facts_, true);
}

bool Session::cut_off() const {
    return segment_.header().cut_off.load(std::memory_order_relaxed) != 0;
}

std::shared_ptr<const protocol::LiveFigures> Session::figures() const {
    const std::lock_guard lock(exchange_.mutex);
    return exchange_.figures;
}

}  // namespace umbra::collector
