// SPDX-License-Identifier: MIT
// Works the registration of threads under ThreadSanitizer: silent as it is, and a data race with
// any one order of its table (hotpath/thread_registration.h) gone.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "hotpath/thread_registration.h"

namespace umbra::hotpath {
namespace {

constexpr uint32_t kThreads = 3;
constexpr uint32_t kWords = 64;  // of each thread in a capture

/// Stands for a segment and the options that come with it: plain memory, so that whatever is
/// written or read without an order is a race.
struct Capture {
    uint64_t number = 0;
    std::array<std::array<uint64_t, kWords>, kThreads> words{};
};
Capture g_capture;

/// A thread of the program, with nothing but control records: those need no suspended runtime. Now
/// and then it ends, and begins anew.
class Worker {
  public:
    Worker(uint32_t number, const std::atomic<bool>& stop) : number_(number), stop_(stop) {}

    void run() {
        // Not all in step: short lives meet others' registrations, long ones the end of a capture.
        const uint32_t records = number_ == 0 ? 64 : 1 + number_;
        while (!stop_.load(std::memory_order_relaxed)) {
            for (uint32_t i = 0; i < records; ++i) {
                record();
            }
            end();
        }
    }

  private:
    // As record_control().
    void record() {
        const ControlWriter writer;
        if (!writer.may_write()) {
            return;
        }
        if (cursor_.next == nullptr) {
            if (!register_thread(cursor_)) {
                return;
            }
            cursor_.next = g_capture.words[number_].data();
            cursor_.end = cursor_.next + kWords;
        }
        if (cursor_.next != cursor_.end) {
            *cursor_.next++ = g_capture.number;
        }
    }

    // As end_thread().
    void end() {
        {
            const ControlWriter writer;
            if (writer.may_write()) {
                if (cursor_.next != nullptr && cursor_.next != cursor_.end) {
                    *cursor_.next = g_capture.number;
                }
                cursor_ = ThreadCursor{};
            }
        }
        deregister_thread();
        if (cursor_.discard != nullptr) {
            std::puts("a cursor has changed hands");
        }
        cursor_ = ThreadCursor{};
    }

    const uint32_t number_;
    const std::atomic<bool>& stop_;
    ThreadCursor cursor_{};
};

/// One capture after the other, as the recorder's start_recording() and end_recording(). False: a
/// thread wrote something else than its capture's number, or was left behind.
bool open_captures(uint32_t count) {
    bool sound = true;
    for (uint32_t capture = 1; capture <= count && sound; ++capture) {
        g_capture = Capture{.number = capture, .words = {}};
        switch_probes_on();
        for (uint32_t spin = 0; spin < capture % 64; ++spin) {
            sound &= !probes_off();  // a load is what passes the time
        }
        switch_probes_off();
        const uint64_t deadline = read_os_ns() + 60 * kDetachWaitNs;
        // Not all 4,096, of which the threads take the first free ones: captures are to be many.
        for (uint32_t i = 0; i < 8 * kThreads; ++i) {
            sound &= g_registrations[i].await_writer(deadline);
            if (ThreadCursor* const cursor = g_registrations[i].hold()) {
                *cursor = ThreadCursor{};
                g_registrations[i].let_go();
            }
        }
        for (const auto& words : g_capture.words) {
            for (const uint64_t word : words) {
                sound &= word == 0 || word == capture;
            }
        }
    }
    return sound;
}

bool run(uint32_t captures) {
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (uint32_t number = 0; number < kThreads; ++number) {
        threads.emplace_back([number, &stop] { Worker(number, stop).run(); });
    }
    const bool sound = open_captures(captures);
    stop.store(true, std::memory_order_relaxed);
    for (std::thread& thread : threads) {
        thread.join();
    }
    return sound;
}

}  // namespace
}  // namespace umbra::hotpath

// registration_order [ROUNDS]: a mutant's race is a matter of chance, so its test asks for many
// rounds and ends at the first race.
int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;  // NOLINT(cert-err34-c): our own tests
    for (int round = 0; round < rounds; ++round) {
        // As it is, then without the kernel's barrier.
        umbra::hotpath::find_process_barrier();
        const bool sound = umbra::hotpath::run(20'000);
        umbra::hotpath::g_threads_order.store(1);
        if (!sound || !umbra::hotpath::run(20'000)) {
            std::puts("a thread wrote into the wrong capture, or was left behind");
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
