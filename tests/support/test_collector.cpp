// SPDX-License-Identifier: MIT
#include "tests/support/test_collector.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

#include <linux/futex.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/local_socket.h"
#include "src/collector/receive.h"

namespace umbra::testing {
namespace {

constexpr size_t kSlotsPerChunk = hotpath::kChunkBytes / hotpath::kSlotBytes;

/// Slots of the record at `at`, 0 where none is published yet.
size_t record_slots(const uint64_t* at) {
    const uint64_t first =
        std::atomic_ref<uint64_t>(*const_cast<uint64_t*>(at)).load(std::memory_order_acquire);
    if (!hotpath::slot_written(first)) {
        return 0;
    }
    return hotpath::record_slots(first);
}

void must(bool done, const char* what) {
    if (!done) {
        throw std::runtime_error(std::string("test collector: ") + what + ": " +
                                 std::strerror(errno));
    }
}

}  // namespace

TestCollector::TestCollector(protocol::Welcome welcome) : welcome_(std::move(welcome)) {
    path_ = folder_.emplace().file("collector");
    const std::optional<LocalAddress> address = local_address(path_);
    listener_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(address && bind(listener_.get(), address->get(), address->size) == 0,
         "binding the socket");
    must(listen(listener_.get(), 1) == 0, "listening");
    thread_ = std::thread([this] { serve(); });
}

TestCollector::TestCollector(protocol::Welcome welcome, const std::string& agent_path)
    : welcome_(std::move(welcome)) {
    const std::optional<LocalAddress> address = local_address(agent_path);
    connection_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(address && connect(connection_.get(), address->get(), address->size) == 0,
         "connecting to the agent");
    protocol::Ask ask;
    ask.what = protocol::Ask::kRecord;
    say(ask);
    thread_ = std::thread([this] { serve_connection(); });
}

TestCollector::~TestCollector() {
    if (listener_) {
        shutdown(listener_.get(), SHUT_RDWR);
    }
    hang_up();
    thread_.join();
}

void TestCollector::hang_up() {
    const std::lock_guard lock(mutex_);
    if (connection_) {
        shutdown(connection_.get(), SHUT_RDWR);
    }
}

void TestCollector::serve() {
    const int accepted = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) {
        return;  // no agent came
    }
    {
        const std::lock_guard lock(mutex_);
        connection_.reset(accepted);
    }
    serve_connection();
}

void TestCollector::serve_connection() {
    while (receive()) {
    }
    over_.store(true);
}

void TestCollector::say(const protocol::Message& message) {
    const std::string bytes = protocol::encode(message);
    must(send(connection_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
             static_cast<ssize_t>(bytes.size()),
         "speaking to the agent");
}

template <typename Visit>
void TestCollector::for_each_thread(Visit visit) {
    for (uint32_t slot = 0; segment_ && slot < segment_->threads_seen(); ++slot) {
        const hotpath::ThreadBlock& block = segment_->threads()[slot];
        const auto state = block.state.load(std::memory_order_acquire);
        if (state == hotpath::SlotState::kLive || state == hotpath::SlotState::kEnded) {
            visit(slot, block);
        }
    }
}

std::vector<uint32_t> TestCollector::threads() {
    std::vector<uint32_t> found;
    for_each_thread([&](uint32_t, const auto& block) { found.push_back(block.os_tid); });
    return found;
}

bool TestCollector::receive() {
    std::array<std::byte, 4096> bytes;
    Received received = umbra::receive(connection_.get(), bytes);
    if (received.bytes <= 0) {
        return false;
    }
    for (UniqueFd& descriptor : received.descriptors) {
        auto segment = collector::SharedSegment::open(std::move(descriptor));
        if (segment) {
            segment_.emplace(std::move(*segment));
        }
    }
    decoder_.append(std::span(bytes).first(static_cast<size_t>(received.bytes)));
    protocol::Message message;
    while (decoder_.next(message) == protocol::Decoder::Outcome::kMessage) {
        if (std::holds_alternative<protocol::Hello>(message)) {
            say(welcome_);
        }
        const std::lock_guard lock(mutex_);
        messages_.push_back(std::move(message));
    }
    return true;
}

std::vector<protocol::Message> TestCollector::messages() {
    const std::lock_guard lock(mutex_);
    return messages_;
}

std::optional<uint32_t> TestCollector::slot_of(uint32_t os_tid) {
    std::optional<uint32_t> newest;
    for_each_thread([&](uint32_t slot, const auto& block) {
        if (block.os_tid == os_tid &&
            (!newest || block.start_ticks > segment_->threads()[*newest].start_ticks)) {
            newest = slot;
        }
    });
    return newest;
}

hotpath::ThreadBlock* TestCollector::block(uint32_t os_tid) {
    const auto slot = slot_of(os_tid);
    return slot ? &segment_->threads()[*slot] : nullptr;
}

uint32_t TestCollector::chunks_begun(uint32_t os_tid) {
    const hotpath::ThreadBlock* found = block(os_tid);
    return found == nullptr ? 0 : hotpath::RingWord::unpack(found->ring.load()).taken;
}

std::vector<TestCollector::Record> TestCollector::drain(uint32_t os_tid) {
    const auto slot = slot_of(os_tid);
    if (!slot) {
        return {};
    }
    hotpath::ThreadBlock& thread_block = segment_->threads()[*slot];
    rings_.resize(std::max<size_t>(rings_.size(), *slot + 1));
    std::optional<Ring>& ring = rings_[*slot];
    if (!ring || ring->start_ticks != thread_block.start_ticks) {
        ring.emplace(Ring{thread_block.start_ticks,
                          hotpath::RingReader(thread_block, segment_->ring(*slot)), 0});
    }
    std::vector<Record> records;
    for (;;) {
        const auto view = ring->reader.front(false);
        if (view.slots == nullptr) {
            return records;
        }
        size_t& at = ring->slots_read;
        while (at < kSlotsPerChunk) {
            const uint64_t* record = view.slots + at;
            const size_t size = record_slots(record);
            if (size == 0) {
                break;
            }
            records.push_back({.slot = record[0],
                               .ticks = size > 1 ? record[1] : 0,
                               .payload = {record + std::min<size_t>(size, 2), record + size}});
            at += size;
        }
        if (!view.complete) {
            return records;
        }
        std::memset(view.slots, 0, hotpath::kChunkBytes);
        at = 0;
        if (ring->reader.recycle()) {
            syscall(SYS_futex, ring->reader.grant_word(), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
        }
    }
}

}  // namespace umbra::testing
