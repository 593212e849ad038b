// SPDX-License-Identifier: MIT
// The ring's protocol under a model checker of the C++ memory model (Relacy): which values a load
// may see is chosen by the checker, not by the processor it runs on, so orders that x86-64 gives
// for nothing are needed here, as on AArch64.
//
// Not the ring's code: each test is the few accesses that a letter of hotpath/ring.h names, in the
// code's order. The program's argument is the letter whose order is dropped; the checker must then
// find an execution in which something is wrong. It finds data races, values that cannot be, and
// threads that sleep for good.
#include <cstdio>

#include <relacy/relacy.hpp>

namespace {

char g_dropped = 0;

// As hotpath/ordered.h has it.
rl::memory_order ordered(char letter, rl::memory_order order) {
    return letter == g_dropped ? rl::mo_relaxed : order;
}

// As RingWriter::take_order: A and C are the two halves of one instruction.
rl::memory_order take_order() {
    if (ordered('A', rl::mo_seq_cst) != rl::mo_seq_cst) {
        return rl::mo_acquire;
    }
    return ordered('C', rl::mo_seq_cst) != rl::mo_seq_cst ? rl::mo_release : rl::mo_seq_cst;
}

constexpr unsigned kChunks = 2;

unsigned pack(unsigned granted, unsigned taken) {
    return taken << 16 | granted;
}
unsigned granted_of(unsigned word) {
    return word & 0xffff;
}
unsigned taken_of(unsigned word) {
    return word >> 16;
}
unsigned available(unsigned word) {
    return granted_of(word) + kChunks - taken_of(word);
}

// G: a record's payload is there when its slot 0 is. The store is the stubs' (stlr), the load the
// cursor's.
struct Publication : rl::test_suite<Publication, 2> {
    rl::atomic<unsigned> slot0;
    rl::atomic<unsigned> slot1;

    void before() {
        slot0($).store(0, rl::mo_relaxed);
        slot1($).store(0, rl::mo_relaxed);
    }
    void thread(unsigned index) {
        if (index == 0) {
            slot1($).store(4711, rl::mo_relaxed);
            slot0($).store(1, ordered('G', rl::mo_release));
        } else if (slot0($).load(rl::mo_acquire) != 0) {
            RL_ASSERT(slot1($).load(rl::mo_relaxed) == 4711);
        }
    }
};

// A, B, C: who has a chunk. The writer fills three where two fit; the reader zeroes what it has
// read.
struct HandOver : rl::test_suite<HandOver, 2> {
    rl::atomic<unsigned> ring;
    rl::var<unsigned> chunks[kChunks];

    void before() {
        ring($).store(0, rl::mo_relaxed);
        for (rl::var<unsigned>& chunk : chunks) {
            chunk($) = 0;
        }
    }
    void write() {
        unsigned left = kChunks + 1;
        for (unsigned attempts = 0; left != 0 && attempts < 6; ++attempts) {
            unsigned seen = ring($).load(rl::mo_relaxed);
            if (available(seen) == 0) {
                continue;
            }
            const unsigned next = pack(granted_of(seen), taken_of(seen) + 1);
            if (ring($).compare_exchange_weak(seen, next, take_order(), rl::mo_relaxed)) {
                rl::var<unsigned>& chunk = chunks[taken_of(seen) % kChunks];
                RL_ASSERT(chunk($) == 0);
                chunk($) = 1;
                --left;
            }
        }
    }
    void read() {
        unsigned drained = 0;
        for (unsigned attempts = 0; attempts < 3; ++attempts) {
            // Complete is what lies before the chunk begun last.
            const unsigned word = ring($).load(ordered('B', rl::mo_seq_cst));
            if (taken_of(word) - drained < 2) {
                continue;
            }
            rl::var<unsigned>& chunk = chunks[drained % kChunks];
            RL_ASSERT(chunk($) == 1);
            chunk($) = 0;
            ++drained;
            unsigned seen = ring($).load(rl::mo_relaxed);
            while (!ring($).compare_exchange_weak(seen, pack(granted_of(seen) + 1, taken_of(seen)),
                                                  ordered('C', rl::mo_seq_cst), rl::mo_relaxed)) {
            }
        }
    }
    void thread(unsigned index) { index == 0 ? write() : read(); }
};

// D: a writer about to sleep, and a reader that grants: one of the two sees the other.
struct WriterSleeps : rl::test_suite<WriterSleeps, 2> {
    rl::atomic<unsigned> ring;
    rl::atomic<unsigned> waiting;
    rl::var<unsigned> sleeps;
    rl::var<unsigned> woken;

    void before() {
        ring($).store(pack(0, kChunks), rl::mo_relaxed);  // full
        waiting($).store(0, rl::mo_relaxed);
        sleeps($) = 0;
        woken($) = 0;
    }
    void thread(unsigned index) {
        if (index == 0) {
            waiting($).store(1, ordered('D', rl::mo_seq_cst));
            sleeps($) = available(ring($).load(ordered('D', rl::mo_seq_cst))) == 0 ? 1 : 0;
        } else {
            unsigned seen = ring($).load(rl::mo_relaxed);
            while (!ring($).compare_exchange_weak(seen, pack(granted_of(seen) + 1, taken_of(seen)),
                                                  rl::mo_seq_cst, rl::mo_relaxed)) {
            }
            woken($) = waiting($).load(ordered('D', rl::mo_seq_cst));
        }
    }
    void after() { RL_ASSERT(sleeps($) == 0 || woken($) == 1); }
};

// F: the same with a collector that goes to sleep and a writer that takes a chunk.
struct CollectorSleeps : rl::test_suite<CollectorSleeps, 2> {
    rl::atomic<unsigned> ring;
    rl::atomic<unsigned> asleep;
    rl::var<unsigned> sleeps;
    rl::var<unsigned> woken;

    void before() {
        ring($).store(0, rl::mo_relaxed);
        asleep($).store(0, rl::mo_relaxed);
        sleeps($) = 0;
        woken($) = 0;
    }
    void thread(unsigned index) {
        if (index == 0) {
            asleep($).store(1, ordered('F', rl::mo_seq_cst));
            sleeps($) = taken_of(ring($).load(rl::mo_seq_cst)) == 0 ? 1 : 0;
        } else {
            unsigned seen = ring($).load(rl::mo_relaxed);
            while (!ring($).compare_exchange_weak(seen, pack(granted_of(seen), taken_of(seen) + 1),
                                                  rl::mo_seq_cst, rl::mo_relaxed)) {
            }
            woken($) = asleep($).load(ordered('F', rl::mo_seq_cst));
        }
    }
    void after() { RL_ASSERT(sleeps($) == 0 || woken($) == 1); }
};

// E, H, I: a slot through one life, and into the next.
struct Slot : rl::test_suite<Slot, 3> {
    enum State : unsigned { kFree, kClaimed, kLive, kEnded };
    rl::atomic<unsigned> state;
    rl::var<unsigned> os_tid;
    rl::var<unsigned> end_ticks;
    rl::var<unsigned> ring;  // what the thread has written

    void before() {
        state($).store(kFree, rl::mo_relaxed);
        os_tid($) = 0;
        end_ticks($) = 0;
        ring($) = 0;
    }
    void live(unsigned tid) {
        unsigned expected = kFree;
        if (!state($).compare_exchange_strong(expected, kClaimed, ordered('I', rl::mo_acquire),
                                              rl::mo_relaxed)) {
            return;
        }
        RL_ASSERT(ring($) == 0);
        os_tid($) = tid;
        state($).store(kLive, ordered('H', rl::mo_release));
        ring($) = 1;
        end_ticks($) = tid;
        state($).store(kEnded, ordered('E', rl::mo_release));
    }
    void collect() {
        for (unsigned attempts = 0; attempts < 4; ++attempts) {
            const unsigned now = state($).load(rl::mo_acquire);
            if (now == kLive) {
                RL_ASSERT(os_tid($) != 0);
            } else if (now == kEnded) {
                RL_ASSERT(end_ticks($) == os_tid($));
                ring($) = 0;
                state($).store(kFree, ordered('I', rl::mo_release));
            }
        }
    }
    void thread(unsigned index) { index == 2 ? collect() : live(index + 1); }
};

template <typename Test>
bool holds(const char* name, rl::scheduler_type_e scheduler, rl::iteration_t iterations) {
    rl::test_params parameters;
    parameters.search_type = scheduler;
    parameters.iteration_count = iterations;
    parameters.context_bound = 3;
    const bool right = rl::simulate<Test>(parameters);
    std::printf("%s: %s\n", name, right ? "holds" : "BROKEN");
    return right;
}

}  // namespace

int main(int argc, char** argv) {
    g_dropped = argc > 1 ? argv[1][0] : '\0';
    constexpr rl::iteration_t kIterations = 20000;
    bool all = holds<Publication>("publication", rl::fair_full_search_scheduler_type, 0);
    all = holds<HandOver>("hand-over", rl::random_scheduler_type, kIterations) && all;
    all = holds<WriterSleeps>("writer sleeps", rl::fair_full_search_scheduler_type, 0) && all;
    all = holds<CollectorSleeps>("collector sleeps", rl::fair_full_search_scheduler_type, 0) && all;
    all = holds<Slot>("slot", rl::random_scheduler_type, kIterations) && all;
    return all ? 0 : 1;
}
