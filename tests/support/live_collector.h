// SPDX-License-Identifier: MIT
// LiveCollector: the real server and its sessions inside a test, which can stop them at will.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "src/collector/recording_spec.h"
#include "src/collector/server.h"
#include "src/collector/state/event_sink.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"
#include "src/replay/tree/limits.h"

namespace umbra::testing {

/// Listens from its construction on. All calls from the test's thread; waits end after a minute
/// with a failure.
class LiveCollector {
  public:
    struct Options {
        std::chrono::milliseconds checkpoint = std::chrono::seconds(10);
        double max_overhead_percent = 0;  ///< 0: no budget
        replay::TreeShape tree = replay::TreeShape::kFull;
        std::shared_ptr<collector::EventSink> sink{};  ///< of every session; may be null
    };
    /// Throws std::runtime_error if it cannot listen.
    LiveCollector(protocol::Welcome settings, Options options);
    LiveCollector(const LiveCollector&) = delete;
    LiveCollector& operator=(const LiveCollector&) = delete;
    ~LiveCollector();

    [[nodiscard]] const std::string& socket_path() const { return server_->socket_path(); }

    /// Stops all draining at the next checkpoint of each session; returns when one has stopped.
    [[nodiscard]] bool pause();
    void resume();
    /// From now on each checkpoint takes this long: a collector too slow for its target.
    void slow_down(std::chrono::milliseconds nap);

    /// Waits until the sessions still connected have decoded this many records in sum.
    [[nodiscard]] bool wait_for_events(uint64_t events);
    /// The whole profile of the next process that has ended.
    [[nodiscard]] std::optional<profile::Profile> wait_for_profile();
    /// Hangs up on every process.
    void hang_up();
    [[nodiscard]] std::vector<std::string> notices() const;

  private:
    void deliver(collector::Checkpoint checkpoint);
    uint64_t count_events();

    collector::RecordingSpec spec_;
    const std::shared_ptr<collector::EventSink> sink_;
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::unique_ptr<collector::Server> server_;

    mutable std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::deque<profile::Profile> profiles_;
    std::vector<std::string> notices_;
    std::chrono::milliseconds nap_{0};
    bool paused_ = false;
    bool standing_ = false;  // a session stands at a checkpoint

    std::thread thread_;
};

}  // namespace umbra::testing
