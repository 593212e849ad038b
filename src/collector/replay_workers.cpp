// SPDX-License-Identifier: MIT
// Workers: their threads, their sleep, and who replays what.
#include "src/collector/replay_workers.h"

#include <algorithm>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/slot.h"

namespace umbra::collector {

using hotpath::SlotState;
using hotpath::ThreadBlock;

namespace {

uint32_t own_tid() {
    return static_cast<uint32_t>(syscall(SYS_gettid));
}

RunTimes run_times_of(uint32_t tid) {
    return Schedstat(static_cast<uint32_t>(getpid()), tid, false).times().value_or(RunTimes{});
}

}  // namespace

WorkerCount worker_count(uint32_t wanted) {
    constexpr uint32_t kProcessorsAWorker = 4;
    if (wanted != 0) {
        return {.first = wanted, .most = wanted};
    }
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return {};
    }
    const auto processors = static_cast<uint32_t>(CPU_COUNT(&allowed));
    return {.first = 1, .most = std::max(processors / kProcessorsAWorker, 1U)};
}

ReplayWorkers::ReplayWorkers(SharedSegment& segment, SessionState& state, CpuWatch& cpu,
                             ThreadIds& ids, OnThread on_thread, WorkerCount count)
    : segment_(segment),
      state_(state),
      cpu_(cpu),
      ids_(ids),
      on_thread_(std::move(on_thread)),
      share_(segment, state, cpu, ids),
      most_(count.most) {
    workers_.emplace_back(share_, state.shards().front());
    workers_.front().tid.store(own_tid(), std::memory_order_relaxed);
    while (workers_.size() < count.first && workers_.size() < most_) {
        add_worker();
    }
}

void ReplayWorkers::add_worker() {
    try {
        Worker& worker = workers_.emplace_back(share_, state_.add_shard());
        worker.thread = std::thread([this, &worker] { run(worker); });
        if (pthread_getcpuclockid(worker.thread.native_handle(), &worker.cpu_clock) != 0) {
            worker.cpu_clock = CLOCK_REALTIME;  // cannot be: it has not been joined
        }
    } catch (const std::system_error&) {
        workers_.pop_back();
        most_ = static_cast<uint32_t>(workers_.size());
    } catch (const std::bad_alloc&) {
        most_ = static_cast<uint32_t>(workers_.size());
    }
}

void ReplayWorkers::run(Worker& worker) {
    worker.tid.store(own_tid(), std::memory_order_relaxed);
    Gate& gate = worker.drain.shard().gate;
    const auto work = [&] {
        const Gate::Work inside(gate);
        return worker.drain.turn();
    };
    while (!stop_.load()) {
        if (!work()) {
            sleep(worker, Drain::kRest);
        }
    }
    const Gate::Work inside(gate);
    worker.drain.read_out();
    end(worker);
}

/// By the worker itself, which has nothing left to do.
void ReplayWorkers::end(Worker& worker) {
    worker.ended = run_times_of(worker.tid.load(std::memory_order_relaxed));
    worker.tid.store(0, std::memory_order_release);
}

bool ReplayWorkers::turn() {
    find_threads();
    return workers_.front().drain.turn();
}

bool ReplayWorkers::take_chunks() {
    find_threads();
    return workers_.front().drain.take_chunks();
}

bool ReplayWorkers::take_chunks(Worker& worker) {
    if (worker.drain.shard().number() == 0) {
        return take_chunks();
    }
    const Gate::Work inside(worker.drain.shard().gate);
    return worker.drain.take_chunks();
}

void ReplayWorkers::find_threads() {
    const uint32_t seen = segment_.threads_seen();
    for (uint32_t slot = 0; slot < seen; ++slot) {
        if (share_.taken[slot].load(std::memory_order_acquire)) {
            continue;
        }
        ThreadBlock& block = segment_.threads()[slot];
        const SlotState state = hotpath::slot_state(block);
        if (state == SlotState::kLive || state == SlotState::kEnded) {
            open_ring(slot, block);
        }
    }
}

void ReplayWorkers::open_ring(uint32_t slot, ThreadBlock& block) {
    std::byte* memory = segment_.ring(slot);
    if (memory == nullptr) {
        return;
    }
    Worker& worker = least_loaded();
    Shard& shard = worker.drain.shard();
    auto ring = std::make_unique<Drain::Ring>(slot, block, memory, begin_thread(block, shard));
    share_.taken[slot].store(true, std::memory_order_relaxed);
    share_.live.fetch_add(1, std::memory_order_relaxed);
    ++worker.fresh;
    const std::lock_guard gate(shard.gate);
    worker.drain.adopt(std::move(ring));
}

ProfiledThread* ReplayWorkers::begin_thread(const ThreadBlock& block, Shard& shard) {
    const uint32_t os_tid = ids_.begun_here(block.os_tid);
    uint64_t start_ticks = block.start_ticks;
    uint64_t start_cpu_ns = block.start_cpu_ns;
    const std::optional<CpuWatch::OlderThread> older = cpu_.take_older_thread(os_tid);
    if (older) {
        start_ticks = std::min(start_ticks, older->seen_ticks);
        start_cpu_ns = older->cpu_ns;
    }
    ProfiledThread* thread = state_.add_thread(os_tid, start_ticks, older.has_value(), &shard);
    if (thread != nullptr) {
        if (thread->name().empty()) {
            thread->set_name(segment_.registered_name(block.os_tid));
        }
        cpu_.open_thread(*thread, start_cpu_ns, older.has_value());
        on_thread_(*thread);
    }
    return thread;
}

ReplayWorkers::Worker& ReplayWorkers::least_loaded() {
    return *std::ranges::min_element(workers_, {}, [this](const Worker& worker) {
        return std::pair(worker.recent_chunks + worker.fresh * chunks_a_thread_,
                         worker.drain.ring_count());
    });
}

void ReplayWorkers::read_tails() {
    for (Worker& worker : workers_) {
        const std::lock_guard gate(worker.drain.shard().gate);
        worker.drain.read_tails();
    }
}

uint64_t ReplayWorkers::read_tails(uint64_t now_ticks) {
    find_threads();  // who has written anything before now is there
    uint64_t read = now_ticks;
    for (Worker& worker : workers_) {
        const std::lock_guard gate(worker.drain.shard().gate);
        read = std::min(read, worker.drain.read_tails(now_ticks));
    }
    return read;
}

void ReplayWorkers::reclaim_from_quiet(Clock::time_point now) {
    for (Worker& worker : workers_) {
        const std::lock_guard gate(worker.drain.shard().gate);
        worker.drain.reclaim_from_quiet(now);
    }
}

void ReplayWorkers::read_out() {
    find_threads();
    stop_.store(true);
    interrupt(segment_);
    workers_.front().drain.read_out();
    stop();
    end(workers_.front());
}

void ReplayWorkers::stop() {
    stop_.store(true);
    for (Worker& worker : workers_) {
        if (worker.thread.joinable()) {
            interrupt(segment_);
            worker.thread.join();
        }
    }
}

// One word for all: who fills a ring wakes one sleeper, and that one the others, which then look
// at their rings. It says "asleep" as long as anybody is.
void ReplayWorkers::sleep(Worker& worker, std::chrono::nanoseconds limit) {
    std::atomic<uint32_t>& asleep = segment_.header().collector_asleep;
    const Clock::time_point before = Clock::now();
    {
        const std::lock_guard lock(sleep_mutex_);
        ++sleepers_;
        asleep.store(1, std::memory_order_seq_cst);  // F
    }
    if (!take_chunks(worker) && !stop_.load()) {
        const timespec timeout{
            static_cast<time_t>(limit.count() / 1'000'000'000),
            static_cast<long>(limit.count() % 1'000'000'000),
        };
        syscall(SYS_futex, &asleep, FUTEX_WAIT, 1, &timeout, nullptr, 0);
    }
    {
        const std::lock_guard lock(sleep_mutex_);
        const bool woken = asleep.load(std::memory_order_relaxed) == 0;
        if (--sleepers_ == 0) {
            asleep.store(0, std::memory_order_relaxed);
        } else if (woken) {
            Drain::wake_all(&asleep);
        }
    }
    worker.rested_ns.fetch_add((Clock::now() - before).count(), std::memory_order_relaxed);
}

void ReplayWorkers::interrupt(SharedSegment& segment) {
    std::atomic<uint32_t>& asleep = segment.header().collector_asleep;
    asleep.store(0, std::memory_order_relaxed);
    Drain::wake_all(&asleep);
}

uint64_t ReplayWorkers::cpu_ns() const {
    uint64_t sum = hotpath::read_thread_cpu_ns();
    for (const Worker& worker : workers_) {
        timespec time{};
        if (worker.thread.joinable() && clock_gettime(worker.cpu_clock, &time) == 0) {
            sum += static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
                   static_cast<uint64_t>(time.tv_nsec);
        }
    }
    return sum;
}

RunTimes ReplayWorkers::run_times() const {
    RunTimes sum;
    for (const Worker& worker : workers_) {
        const uint32_t tid = worker.tid.load(std::memory_order_acquire);
        const RunTimes of_it = tid != 0 ? run_times_of(tid) : worker.ended;
        sum.cpu_ns += of_it.cpu_ns;
        sum.delay_ns += of_it.delay_ns;
    }
    return sum;
}

bool ReplayWorkers::balance_due(Clock::time_point now) const {
    return (most_ > 1 || workers_.size() > 1) && now - window_begin_ >= kWindow;
}

std::vector<WorkerLoad> ReplayWorkers::take_loads(Clock::time_point now) {
    const auto length = static_cast<double>((now - window_begin_).count());
    std::vector<WorkerLoad> loads;
    uint64_t chunks = 0;
    uint64_t active = 0;
    for (Worker& worker : workers_) {
        const int64_t rested = worker.rested_ns.load(std::memory_order_relaxed);
        const int64_t rest = rested - std::exchange(worker.rested_at_window_ns, rested);
        WorkerLoad load{.busy = 1 - static_cast<double>(rest) / length, .rings = {}};
        {
            const std::lock_guard gate(worker.drain.shard().gate);
            for (const std::unique_ptr<Drain::Ring>& ring : worker.drain.rings()) {
                load.rings.push_back(
                    {.slot = ring->slot, .chunks = std::exchange(ring->chunks, 0)});
            }
        }
        worker.recent_chunks = load.chunks();
        worker.fresh = 0;
        chunks += worker.recent_chunks;
        active += load.active();
        loads.push_back(std::move(load));
    }
    chunks_a_thread_ = std::max<uint64_t>(chunks / std::max<uint64_t>(active, 1), 1);
    return loads;
}

void ReplayWorkers::balance(Clock::time_point now, const ProcessorUse& use) {
    const std::vector<WorkerLoad> loads = take_loads(now);
    const auto length = static_cast<double>((now - window_begin_).count());
    const auto used = static_cast<double>(use.program_ns + use.collector_ns) -
                      static_cast<double>(use_at_begin_.program_ns + use_at_begin_.collector_ns);
    const double idle = use.processors - used / length;
    window_begin_ = now;
    use_at_begin_ = use;
    move(WorkerBalance::moves(loads));
    if (balance_.wants_another(loads, idle) && workers_.size() < most_ && !follows_async()) {
        add_worker();
    }
}

/// Where a call was suspended is known to the worker that has read of it.
bool ReplayWorkers::follows_async() const {
    const Shard& shard = workers_.front().drain.shard();
    const std::lock_guard gate(shard.gate);
    return shard.tables.async.any();
}

void ReplayWorkers::move(const std::vector<ThreadMove>& moves) {
    if (moves.empty()) {
        return;
    }
    const SessionState::AllGates gates = state_.lock_all();
    for (const ThreadMove& move : moves) {
        Drain& from = workers_[move.from].drain;
        Drain& to = workers_[move.to].drain;
        const Drain::Ring* ring = from.find(move.slot);
        // It may have ended meanwhile; and of a very deep stack all would have to wait.
        if (ring != nullptr && ring->thread != nullptr &&
            !ring->thread->replay().stack().has_resumptions() &&
            ring->thread->replay().stack().depth() <= replay::ThreadReplay::kMostMoved) {
            state_.move(*ring->thread, to.shard());
            to.adopt(from.release(*ring));
        }
    }
}

}  // namespace umbra::collector
