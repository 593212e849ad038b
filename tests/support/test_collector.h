// SPDX-License-Identifier: MIT
// TestCollector: the other end of an agent in this process, which drains rings only when told.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hotpath/ring.h"
#include "src/base/unique_fd.h"
#include "src/collector/shared_segment.h"
#include "src/protocol/messages.h"
#include "tests/support/temporary_folder.h"

namespace umbra::testing {

/// Listens in a folder of its own, or connects to the agent of a dormant process, answers the first
/// Hello with `welcome` and keeps all messages that follow. One agent; methods below belong to one
/// thread unless they say otherwise.
class TestCollector {
  public:
    struct Record {
        uint64_t slot = 0;  ///< as make_slot() makes it
        uint64_t ticks = 0;
        std::vector<uint64_t> payload{};
    };

    explicit TestCollector(protocol::Welcome welcome);
    /// Opens a capture in the process whose agent listens at `agent_path`.
    TestCollector(protocol::Welcome welcome, const std::string& agent_path);
    ~TestCollector();
    TestCollector(const TestCollector&) = delete;
    TestCollector& operator=(const TestCollector&) = delete;

    /// For UMBRA_SOCKET.
    [[nodiscard]] const std::string& socket_path() const { return path_; }

    /// Everything published in the ring of an OS thread since the last call; whole chunks are given
    /// back, so that a writer that waits goes on. Empty for a thread without a ring.
    std::vector<Record> drain(uint32_t os_tid);
    /// The newest block of an OS thread; null before its first event. Any thread.
    [[nodiscard]] hotpath::ThreadBlock* block(uint32_t os_tid);
    /// Chunks the thread has begun, the one it fills included. Any thread.
    [[nodiscard]] uint32_t chunks_begun(uint32_t os_tid);

    /// The agent's segment; null before its Hello.
    [[nodiscard]] hotpath::SegmentHeader* header() {
        return segment_ ? &segment_->header() : nullptr;
    }

    /// Threads that have had a ring, by their numbers in the system, those that have ended too.
    [[nodiscard]] std::vector<uint32_t> threads();

    /// What the agent has sent by now. Any thread.
    [[nodiscard]] std::vector<protocol::Message> messages();

    /// Sends the agent a message, once it is connected.
    void say(const protocol::Message& message);

    /// The agent has closed its end, and all it has sent is here. Any thread.
    [[nodiscard]] bool is_over() const { return over_.load(); }

    /// Closes the connection as a collector that dies does. Any thread.
    void hang_up();

  private:
    struct Ring {
        uint64_t start_ticks = 0;  ///< tells the slot's threads apart
        hotpath::RingReader reader;
        size_t slots_read = 0;
    };

    void serve();
    void serve_connection();
    bool receive();

    template <typename Visit>
    void for_each_thread(Visit visit);
    [[nodiscard]] std::optional<uint32_t> slot_of(uint32_t os_tid);

    const protocol::Welcome welcome_;
    std::optional<test::TemporaryFolder> folder_;
    std::string path_;
    UniqueFd listener_;
    std::mutex mutex_;
    UniqueFd connection_;                              // guarded by mutex_
    std::optional<collector::SharedSegment> segment_;  // set once, before Welcome is sent
    std::vector<protocol::Message> messages_;          // guarded by mutex_
    protocol::Decoder decoder_;                        // the thread's
    std::atomic<bool> over_{false};
    std::vector<std::optional<Ring>> rings_;  // by slot
    std::thread thread_;
};

}  // namespace umbra::testing
