// SPDX-License-Identifier: MIT
// The threads that record, each with a registration through which another thread can end its part
// in the recording: the contract, and the steps of both sides.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/ordered.h"
#include "hotpath/segment.h"
#include "hotpath/thread_cursor.h"
#include "hotpath/tls_model.h"

extern "C" {
/// Not 0: probes return early once their chunk is full, and no control record is written.
extern std::atomic<uint32_t> umbra_probes_off;
}

namespace umbra::hotpath {

// clang-format off
// Kind            A table of kMaxThreads registrations, lock-free. A thread takes the first free one
//                 at its first event, and gives it back when it ends.
// Who             The thread: its own registration, from its stubs, its callbacks and its end.
//                 The ender: the one thread that starts and ends recordings.
// Promises        A cursor is used by one thread at a time: by the ender only while it holds the
//                 registration. A thread whose registration is held does not end. Once the ender has
//                 switched the probes off and gone through the table, no thread uses its cursor, but
//                 for those left behind. The ender waits kDetachWaitNs at most, for all threads
//                 together.
// Not promised    Anything about the stubs, which look at nothing here: while the ender goes through
//                 the table no thread may be in a stub. What a thread did in a stub before, the
//                 ender sees, and the other way round, by what stopped the thread (the runtime's
//                 suspension).
// States of a     free -(thread)-> held -(thread)-> registered -(thread)-> free
// registration    registered -(ender)-> held -(ender)-> registered
// Its `writing`   idle -(thread)-> writing -(thread)-> idle
// Its `left`      none -(ender, at the end of its wait)-> left behind
//                 left behind -(thread: CAS)-> resets -(thread)-> none
//                 left behind -(ender, who finds it idle: CAS)-> none
//
// Ordering        letter | operation                            | order   | without it
//                 J  thread writing=1, then load probes_off     | barrier | neither sees the other: the
//                    / ender probes_off=1, barrier, then load   |         | thread writes a record with a
//                    writing                                    |         | cursor that the ender resets
//                 K  thread state=registered, then load         | seq_cst | the same in a thread that
//                    probes_off / ender probes_off=1, then      |         | registers just then
//                    load state                                 |         |
//                 L  thread state=registered (release half)     | rel/acq | the ender finds the thread, but
//                    / ender load of state, CAS to held         |         | not its writing=1 or its cursor
//                 M  thread writing=idle / ender load writing   | rel/acq | the last control record is
//                                                               |         | still on its way into cursor
//                                                               |         | and ring
//                 N  ender state=registered / thread CAS to     | rel/acq | a thread that ends finds its
//                    free (acquire half)                        |         | cursor as it was, and unmaps
//                                                               |         | its discard area again
//                 O  thread CAS to free (release half) / ender  | rel/acq | what an ended thread wrote last
//                    load of state                              |         | may come after the segment is
//                                                               |         | replaced
//                 P  thread CAS to free (release half) / next   | rel/acq | two threads write `cursor` at
//                    thread's CAS to held                       |         | once; O is not handed on
//                 Q  ender probes_off=0 / thread load           | rel/acq | the new segment and options
//                    probes_off                                 |         | are not there yet
//                 All of them guard data. J and K order a store before a later load. For K that is
//                 seq_cst. J is passed with each control record: where the kernel has a barrier for
//                 all threads of a process (membarrier), the thread's store is a plain one, and the
//                 ender lets every thread pass a full barrier between its own two steps: what a
//                 thread has stored before that the ender sees, and what it loads later is new.
//                 Elsewhere the thread's store is seq_cst. `left` stands to `writing` as probes_off
//                 does: thread writing=idle, then load left / ender left=behind, barrier, then load
//                 writing. Whose CAS takes it back has the cursor.
//                 ThreadSanitizer executes in program order and would never see the load come first:
//                 the mutants of J and K load first, as a processor then may.
//
// Left behind     A thread that stands still inside a ControlWriter for longer than the ender waits:
//                 stopped, starved, or waiting for a page of a full machine. The ender leaves its
//                 cursor alone. The thread resets it by itself before it leaves the ControlWriter,
//                 without touching the segment: its slot never ends and its discard area is not
//                 counted, as if it had been killed. Until then it may write to the segment's
//                 addresses. They stay mapped, and a new segment must not be mapped there as long
//                 as threads_left_behind() is not 0.
// Lifetime        The table is there for good. `cursor` is valid while registered or held.
// clang-format on

/// How long the end of a recording, and with it the suspension of the runtime, waits at most for
/// threads that are writing a control record. That takes microseconds. A thread that waits for the
/// collector looks up every 100 ms; a CPU quota stops threads for most of a period of 100 ms, and a
/// full machine for about as long. Ten times that: nobody is left behind who still moves. The whole
/// program stands meanwhile, hence not longer.
constexpr uint64_t kDetachWaitNs = 1'000'000'000;

inline bool probes_off() noexcept {
    return umbra_probes_off.load(std::memory_order_acquire) != 0;  // Q
}

/// Whether threads order J by themselves, since the kernel does not. Not 0 until
/// find_process_barrier().
extern constinit std::atomic<uint32_t> g_threads_order;

/// Asks the kernel for its barrier. Before the first switch_probes_on().
void find_process_barrier() noexcept;

/// Of the ender: every thread of the process passes a full memory barrier before this returns, if
/// threads do not order by themselves.
void process_barrier() noexcept;

inline void switch_probes_on() noexcept {
    umbra_probes_off.store(0, ordered('Q', std::memory_order_release));
}

/// Answers whether they were on.
inline bool switch_probes_off() noexcept {
    const bool were_on = umbra_probes_off.exchange(1, std::memory_order_seq_cst) == 0;  // J, K
    process_barrier();                                                                  // J
    return were_on;
}

/// The stubs leave a thread alone whose cursor is null as soon as probes are off.
inline void disarm(ThreadCursor& cursor) noexcept {
    cursor.next = nullptr;
    cursor.limit = nullptr;
    cursor.end = nullptr;
    cursor.discarding = false;
}

class ThreadRegistration {
  public:
    // ---- the thread's steps --------------------------------------------------------------------

    /// `writing`: the thread is inside a ControlWriter. False: it is not free, or the probes are
    /// off, and then the registration is free again.
    [[nodiscard]] bool claim(ThreadCursor& cursor, bool writing) noexcept {
        uint32_t free = kFree;
        if (state_.load(std::memory_order_relaxed) != kFree ||
            !state_.compare_exchange_strong(free, kHeld, ordered('P', std::memory_order_acquire),
                                            std::memory_order_relaxed)) {
            return false;
        }
        cursor_ = &cursor;
        writing_.store(writing ? kWriting : kIdle, std::memory_order_relaxed);
        if (store_then_look(state_, kRegistered, 'K', ordered('L', std::memory_order_seq_cst))) {
            give_back();
            return false;
        }
        return true;
    }

    /// Waits while the ender holds it, which does not wait for anything then.
    void give_back() noexcept {
        uint32_t registered = kRegistered;
        while (!state_.compare_exchange_strong(registered, kFree, give_back_order(),
                                               std::memory_order_relaxed)) {
            registered = kRegistered;
            sleep_a_moment();
        }
    }

    /// Answers whether a control record may be written. end_writing() has to follow.
    [[nodiscard]] bool begin_writing() noexcept {
        const bool mutant_sees = dropped('J') && probes_off();
        store_before_looking(kWriting, std::memory_order_relaxed);
        return !(dropped('J') ? mutant_sees
                              : umbra_probes_off.load(std::memory_order_seq_cst) != 0);  // J, Q
    }

    void end_writing() noexcept {
        store_before_looking(kIdle, ordered('M', std::memory_order_release));
        if (left_.load(std::memory_order_seq_cst) == kLeftBehind) [[unlikely]] {
            come_back();
        }
    }

    // ---- the ender's steps, with the probes off ------------------------------------------------

    /// Waits until the thread writes no control record, if there is a thread. False: it has been
    /// left behind, now or in an earlier recording. `deadline`: on the clock of read_os_ns().
    [[nodiscard]] bool await_writer(uint64_t deadline) noexcept {
        while (state_.load(std::memory_order_seq_cst) == kRegistered) {  // K, L, O
            if (left_.load(std::memory_order_acquire) != kNotLeft) {
                return false;
            }
            if (writing_.load(std::memory_order_seq_cst) == kIdle) {  // J, M
                return true;
            }
            if (read_os_ns() >= deadline) {
                return !leave_behind();
            }
            sleep_a_moment();
        }
        return true;
    }

    /// The thread's cursor, for the ender alone until let_go(). Null: no thread.
    [[nodiscard]] ThreadCursor* hold() noexcept {
        uint32_t registered = kRegistered;
        return state_.load(std::memory_order_relaxed) == kRegistered &&
                       state_.compare_exchange_strong(registered, kHeld,
                                                      std::memory_order_acquire,  // L
                                                      std::memory_order_relaxed)
                   ? cursor_
                   : nullptr;
    }
    void let_go() noexcept { state_.store(kRegistered, ordered('N', std::memory_order_release)); }

    [[nodiscard]] bool left_behind() const noexcept {
        return state_.load(std::memory_order_acquire) == kRegistered &&  // O
               left_.load(std::memory_order_acquire) != kNotLeft;        // M
    }

  private:
    enum State : uint32_t { kFree = 0, kHeld = 1, kRegistered = 2 };
    enum Writing : uint32_t { kIdle = 0, kWriting = 1 };
    enum Left : uint32_t { kNotLeft = 0, kLeftBehind = 1, kResets = 2 };

    static constexpr bool dropped(char letter) {
        return ordered(letter, std::memory_order_seq_cst) != std::memory_order_seq_cst;
    }

    // The acquire half is N's, the release half O's and P's; the mutant of O keeps the other.
    static constexpr std::memory_order give_back_order() {
        return dropped('O') ? std::memory_order_acquire : std::memory_order_acq_rel;
    }

    // What the thread loads next it loads behind this store, as far as the ender can tell.
    void store_before_looking(Writing value, std::memory_order order) noexcept {
        if (g_threads_order.load(std::memory_order_relaxed) != 0) {
            writing_.exchange(value, std::memory_order_seq_cst);
        } else {
            writing_.store(value, order);
            std::atomic_signal_fence(std::memory_order_seq_cst);  // the processor's part: the ender
        }
    }

    // The thread has been left behind, and comes out of its ControlWriter.
    void come_back() noexcept {
        uint32_t left = kLeftBehind;
        if (left_.compare_exchange_strong(left, kResets, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
            uint64_t* const discard = cursor_->discard;  // the thread's own, not the segment's
            *cursor_ = ThreadCursor{};
            cursor_->discard = discard;
            left_.store(kNotLeft, ordered('M', std::memory_order_release));
        }
    }

    // Of the ender. False: the thread has come out meanwhile, and does not know of it.
    bool leave_behind() noexcept {
        left_.store(kLeftBehind, std::memory_order_seq_cst);
        process_barrier();
        uint32_t left = kLeftBehind;
        return writing_.load(std::memory_order_seq_cst) != kIdle ||  // M
               !left_.compare_exchange_strong(left, kNotLeft, std::memory_order_relaxed);
    }

    // Answers whether the probes are off, after the store. The mutant of the letter between the two
    // looks before it stores.
    static bool store_then_look(std::atomic<uint32_t>& word, uint32_t value, char letter,
                                std::memory_order order) noexcept {
        const bool mutant_sees = dropped(letter) && probes_off();
        word.store(value, order);  // K, L
        return dropped(letter) ? mutant_sees
                               : umbra_probes_off.load(std::memory_order_seq_cst) != 0;  // K, Q
    }

    static void sleep_a_moment() noexcept {
        constexpr timespec kMoment{0, 20'000};
        syscall(SYS_nanosleep, &kMoment, nullptr);
    }

    std::atomic<uint32_t> state_;
    std::atomic<uint32_t> writing_;
    std::atomic<uint32_t> left_;
    ThreadCursor* cursor_ = nullptr;
};

extern constinit ThreadRegistration g_registrations[kMaxThreads];

/// The calling thread's part in the table.
struct OwnRegistration {
    ThreadRegistration* registration;  ///< null: it has none
    bool writes_control;               ///< inside a ControlWriter
};
extern thread_local constinit OwnRegistration t_own_registration UMBRA_TLS_MODEL;

/// False: all registrations are taken, or the recording is about to end.
[[nodiscard]] bool register_thread(ThreadCursor& cursor) noexcept;

/// Of a thread that ends. From then on nobody but the thread knows its cursor.
void deregister_thread() noexcept;

/// Threads left behind that have not yet come out of their ControlWriter.
[[nodiscard]] uint32_t threads_left_behind() noexcept;

/// Around what a thread does with its cursor outside the stubs. Either it sees that the probes are
/// off and nothing is done, or whoever switches them off sees the thread and waits. A thread
/// without a registration takes one on the way, says there that it writes, and looks again.
class ControlWriter {
  public:
    ControlWriter() noexcept : may_write_(begin()) {}
    ControlWriter(const ControlWriter&) = delete;
    ControlWriter& operator=(const ControlWriter&) = delete;
    ~ControlWriter() {
        t_own_registration.writes_control = false;
        if (t_own_registration.registration != nullptr) {
            t_own_registration.registration->end_writing();
        }
    }

    [[nodiscard]] bool may_write() const noexcept { return may_write_; }

  private:
    static bool begin() noexcept {
        t_own_registration.writes_control = true;
        ThreadRegistration* const registration = t_own_registration.registration;
        return registration != nullptr ? registration->begin_writing() : !probes_off();
    }

    const bool may_write_;
};

}  // namespace umbra::hotpath
