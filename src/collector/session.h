// SPDX-License-Identifier: MIT
// Session: one profiled process, from its first message to its profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/collector/session_loop.h"
#include "src/collector/shared_segment.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// Owns a drain thread. Everything but events(), threads() and figures() is called from one other
/// thread, the one that reads the socket.
class Session {
  public:
    using Options = SessionOptions;

    [[nodiscard]] static Result<std::unique_ptr<Session>> start(const protocol::Hello& hello,
                                                                UniqueFd segment, Options options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Hands what the agent tells of the process to the drain thread. `bytes`: see FactQueue.
    void post(protocol::ProcessFact fact, size_t bytes) {
        exchange_.facts.push(std::move(fact), bytes);
    }
    /// A runtime shuts down in order; after the last one what is still to come will come now. The
    /// process tells what it has used, since it may be gone before it can be asked.
    void note_shutdown(const protocol::Shutdown& shutdown);
    /// Of a process that was running already: the agent's hooks are gone.
    void note_capture_end() { exchange_.capture_ended.store(true); }
    /// The process is about to be gone: what it has used is read while the kernel still tells.
    void read_process_cpu() { process_cpu_.read(); }

    /// No more will come. `complete`: the process has ended, so that what is there is everything;
    /// `ended` says how. Reads everything out and delivers the last checkpoint before it returns.
    void finish(std::string ended, bool complete);

    /// Records decoded so far.
    [[nodiscard]] uint64_t events() const {
        return exchange_.events.load(std::memory_order_relaxed);
    }
    /// Threads that have not ended.
    [[nodiscard]] uint32_t threads() const {
        return exchange_.threads.load(std::memory_order_relaxed);
    }
    /// Whether figures are wanted: keeping them takes up to 1 % of the drain thread. Any thread.
    void watch(bool wanted) const { exchange_.watched.store(wanted, std::memory_order_relaxed); }
    /// While they are wanted, about a second old, of a large program some seconds; the last ones
    /// with finish(). Null: there are none yet.
    [[nodiscard]] std::shared_ptr<const protocol::LiveFigures> figures() const;
    [[nodiscard]] uint32_t pid() const { return facts_.pid; }
    [[nodiscard]] const std::string& program() const { return facts_.program; }
    [[nodiscard]] bool shut_down() const { return exchange_.shut_down; }
    [[nodiscard]] bool capture_ended() const { return exchange_.capture_ended; }
    /// The agent has given up what it recorded before the end of the process: the program has
    /// closed the agent's socket, or umbra did not read from it for too long.
    [[nodiscard]] bool cut_off() const;

  private:
    Session(SharedSegment segment, profile::Session facts, SessionOptions options);

    SharedSegment segment_;
    profile::Session facts_;  // written while the drain thread does not run
    const SessionOptions options_;
    mutable SessionExchange exchange_;
    ProcessCpu process_cpu_;
    SessionLoop loop_;
    std::thread thread_;
};

}  // namespace umbra::collector
