// SPDX-License-Identifier: MIT
#include "tests/support/hostile_process.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <thread>

#include "hotpath/record.h"
#include "src/protocol/messages.h"

namespace umbra::testing {
namespace {

using hotpath::Kind;
using Random = std::mt19937_64;
using std::chrono::steady_clock;

constexpr uint32_t kThreads = 6;  // of the segment, that get most of it

bool one_in(Random& random, uint64_t count) {
    return random() % count == 0;
}

/// Mostly near, now and then anywhere.
uint64_t some_ticks(Random& random, uint64_t& now) {
    if (one_in(random, 50)) {
        return random();
    }
    now += random() % 500;
    return one_in(random, 20) ? now - random() % 10'000 : now;
}

/// Slots of the kinds that records have, in an order that makes no sense for long.
void fill(std::span<uint64_t> slots, Random& random, uint64_t& now) {
    uint32_t caller_sp = 0x7000'0000;
    for (size_t at = 0; at < slots.size(); ++at) {
        if (one_in(random, 200)) {
            __atomic_store_n(&slots[at], random(), __ATOMIC_RELEASE);
            continue;
        }
        const auto kind = static_cast<Kind>(one_in(random, 30) ? 3 : random() % 3);
        const uint64_t indexes = kind == Kind::kControl ? hotpath::kControlTypes + 2 : 400;
        const auto index =
            static_cast<uint32_t>(one_in(random, 500) ? random() : random() % indexes);
        caller_sp += kind == Kind::kEnter ? -64U : 64U;
        const uint64_t slot =
            hotpath::make_slot(kind, index & hotpath::kMaxIndex,
                               one_in(random, 100) ? static_cast<uint32_t>(random()) : caller_sp);
        if (at + 1 < slots.size()) {
            __atomic_store_n(&slots[at + 1], some_ticks(random, now), __ATOMIC_RELAXED);
        }
        __atomic_store_n(&slots[at], slot, __ATOMIC_RELEASE);
        ++at;
    }
}

class Scribbler {
  public:
    Scribbler(hotpath::SegmentHeader& header, uint64_t seed)
        : header_(header),
          base_(reinterpret_cast<std::byte*>(&header)),
          random_(seed),
          now_(header.start_ticks) {}

    void run(steady_clock::time_point end, const std::atomic<bool>& over) {
        while (!over.load() && steady_clock::now() < end) {
            switch (random_() % 9) {
                case 0:
                    scribble_block(thread());
                    break;
                case 1:
                    scribble_header();
                    break;
                case 2:
                    scribble_pause();
                    break;
                case 3:
                    hotpath::watched_functions(&header_)[random_() % hotpath::kMaxFunctions] =
                        static_cast<uint8_t>(random_());
                    break;
                case 4:
                    hand_over(thread());
                    break;
                case 5:
                    scribble_registered();
                    scribble_thread_name();
                    break;
                default:
                    fill_chunk(thread());
            }
        }
    }

  private:
    uint32_t thread() {
        return static_cast<uint32_t>(random_() %
                                     (one_in(random_, 100) ? hotpath::kMaxThreads : kThreads));
    }
    hotpath::ThreadBlock& block(uint32_t thread) {
        return reinterpret_cast<hotpath::ThreadBlock*>(base_ + hotpath::kThreadsOffset)[thread];
    }
    void fill_chunk(uint32_t thread) {
        std::byte* ring = base_ + hotpath::ring_offset(thread);
        const size_t chunk = random_() % (one_in(random_, 4) ? hotpath::kChunksPerRing : 2);
        auto* slots = reinterpret_cast<uint64_t*>(ring + chunk * hotpath::kChunkBytes);
        const size_t most = hotpath::kChunkBytes / hotpath::kSlotBytes;
        const size_t from = one_in(random_, 3) ? random_() % most : 0;
        fill({slots + from, random_() % (most - from) + 1}, random_, now_);
    }
    /// As a thread does that begins, has filled chunks, or ends.
    void hand_over(uint32_t thread) {
        hotpath::ThreadBlock& its = block(thread);
        its.os_tid = static_cast<uint32_t>(one_in(random_, 3) ? random_() : random_() % 40);
        its.start_ticks = some_ticks(random_, now_);
        its.end_ticks = some_ticks(random_, now_);
        its.ring.fetch_add(uint64_t{1} << 32);
        its.state.store(one_in(random_, 6) ? hotpath::SlotState::kEnded
                                           : hotpath::SlotState::kLive);
        header_.threads_seen.store(kThreads);
    }
    void scribble_block(uint32_t thread) {
        hotpath::ThreadBlock& its = block(thread);
        its.ring.store(random_());
        its.waiting.store(static_cast<uint32_t>(random_()));
        its.lost.store(random_());
        its.start_cpu_ns = random_();
        its.end_cpu_ns = random_();
        its.state.store(static_cast<hotpath::SlotState>(random_() % 6));
    }
    void scribble_header() {
        header_.threads_seen.store(static_cast<uint32_t>(random_()));
        header_.collector_asleep.store(static_cast<uint32_t>(random_()));
        header_.lost_no_slot.store(random_());
        header_.functions_refused.store(random_());
        header_.missed_hooks.store(random_());
        header_.cut_off.store(static_cast<uint32_t>(random_() % 2));
        header_.pauses.store(one_in(random_, 2) ? random_() : random_() % 5'000);
        header_.probe_costs.inside = static_cast<float>(random_());
        header_.start_ticks = random_();
        header_.clock = static_cast<hotpath::ClockSource>(random_());
        header_.magic = random_();
    }
    void scribble_registered() {
        hotpath::registered_methods(&header_)[random_() % 64].word.store(
            one_in(random_, 2)
                ? random_()
                : hotpath::RegisteredMethod::pack(static_cast<uint32_t>(random_() % 8),
                                                  static_cast<uint32_t>(random_())));
        hotpath::RegisteredModule& module = hotpath::registered_modules(&header_)[random_() % 8];
        module.runtime = static_cast<uint32_t>(random_());
        module.framework = static_cast<uint32_t>(random_());
        module.path[random_() % module.path.size()] = static_cast<char>(random_());
        module.path_bytes.store(static_cast<uint32_t>(random_() % (2 * module.path.size())));
    }
    void scribble_thread_name() {
        const auto tid = static_cast<uint32_t>(random_() % 40);
        hotpath::RegisteredThread& thread =
            hotpath::registered_threads(&header_)[hotpath::registered_place(tid)];
        thread.name[random_() % thread.name.size()] = static_cast<char>(random_());
        thread.os_tid.store(tid);
    }
    void scribble_pause() {
        auto* pauses = reinterpret_cast<hotpath::PauseEntry*>(base_ + hotpath::kPausesOffset);
        hotpath::PauseEntry& pause = pauses[random_() % 64];
        pause.suspend_ticks = some_ticks(random_, now_);
        pause.suspended_ticks = some_ticks(random_, now_);
        pause.resume_ticks = some_ticks(random_, now_);
        pause.os_tid = static_cast<uint32_t>(random_());
        pause.reason = static_cast<uint32_t>(random_());
        pause.generations = static_cast<uint32_t>(random_());
        pause.number.store(random_() % 64);
        header_.pauses.fetch_add(1);
    }

    hotpath::SegmentHeader& header_;
    std::byte* base_;
    Random random_;
    uint64_t now_;
};

std::string some_text(Random& random) {
    std::string text(random() % 60, ' ');
    std::ranges::generate(text, [&] { return static_cast<char>(random()); });
    return text;
}

/// Something that a session keeps.
protocol::Message some_fact(Random& random) {
    const auto number = static_cast<uint32_t>(one_in(random, 10) ? random() : random() % 500);
    switch (random() % 10) {
        case 5:
            return protocol::RuntimeStarted{number, some_text(random)};
        case 4:
            return protocol::ArgumentNamed{
                .index = static_cast<uint32_t>(random() % 20),
                .function = number,
                .kind = static_cast<uint8_t>(random() % 9),
                .name = some_text(random),
                .type = some_text(random),
                .reason = some_text(random),
                .constants = {{random() % 4, some_text(random)}, {random(), "x"}}};
        case 0:
            return protocol::ModuleLoaded{number, some_text(random), one_in(random, 2),
                                          static_cast<uint32_t>(random() % 50)};
        case 1:
            return protocol::TypeNamed{number, some_text(random)};
        case 2:
            return protocol::ThreadNamed{number, some_text(random)};
        case 3:
            return protocol::HooksRemoved{number};
        default:
            return protocol::FunctionNamed{.index = number,
                                           .module = static_cast<uint32_t>(random() % 50),
                                           .token = number,
                                           .instrumented = one_in(random, 2),
                                           .namespace_ = some_text(random),
                                           .type = some_text(random),
                                           .method = some_text(random),
                                           .method_args = some_text(random),
                                           .parameters = some_text(random),
                                           .user_parameters = some_text(random),
                                           .return_type = some_text(random),
                                           .runtime = static_cast<uint32_t>(random() % 50)};
    }
}

/// Something about the recording as a whole.
protocol::Message some_word(Random& random) {
    const auto number = static_cast<uint32_t>(one_in(random, 10) ? random() : random() % 500);
    switch (random() % 4) {
        case 0:
            return protocol::CaptureBegan{number};
        case 1:
            return protocol::Notice{some_text(random)};
        case 2:
            return protocol::Shutdown{random(), number % 3};
        default:
            return protocol::CaptureEnded{};
    }
}

}  // namespace

void do_harm(agent::Channel& channel, hotpath::SegmentHeader& header, uint64_t seed,
             steady_clock::time_point end, Talk talk) {
    std::atomic<bool> over{false};
    std::thread first([&] { Scribbler(header, 2 * seed).run(end, over); });
    std::thread second([&] { Scribbler(header, 2 * seed + 1).run(end, over); });
    Random random(seed);
    const auto message = [&] {
        const bool word = talk == Talk::kAnything && random() % 14 < 4;
        return word ? some_word(random) : some_fact(random);
    };
    while (steady_clock::now() < end && channel.send(message())) {
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    }
    over.store(talk == Talk::kFactsAlone);
    first.join();
    second.join();
}

}  // namespace umbra::testing
