// SPDX-License-Identifier: MIT
// What a pair of probes costs, beside its floors in the same run: no hook at all, the bare clock,
// the bare stores. The real agent, with the real collector draining in a process of its own.
//
// The collector is forked off before the agent is loaded, and told to die before the last
// benchmark, which measures what is left then: an early return.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "hotpath/clock.h"
#include "src/base/guid.h"
#include "src/collector/server.h"
#include "src/fakeclr/call_stub.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/protocol/environment.h"

namespace umbra {
namespace {

// An iteration, about 500 chunks: the milliseconds of the table are nanoseconds a pair. The CPU
// column holds on a machine with other work too, the time column on a quiet one.
constexpr uint64_t kPairs = 1'000'000;

void pin_to(size_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

/// A process with a collector in it that draws no profile.
class CollectorProcess {
  public:
    CollectorProcess() {
        int ends[2] = {-1, -1};
        if (pipe(ends) != 0 || (pid_ = fork()) < 0) {
            std::perror("starting a collector");
            std::exit(EXIT_FAILURE);
        }
        if (pid_ == 0) {
            close(ends[0]);
            serve(ends[1]);
        }
        close(ends[1]);
        char path[256] = {};
        if (read(ends[0], path, sizeof(path) - 1) <= 0) {
            std::fputs("the collector did not start\n", stderr);
            std::exit(EXIT_FAILURE);
        }
        close(ends[0]);
        path_ = path;
    }
    ~CollectorProcess() { stop(); }
    CollectorProcess(const CollectorProcess&) = delete;
    CollectorProcess& operator=(const CollectorProcess&) = delete;

    [[nodiscard]] const std::string& socket_path() const { return path_; }
    void signal(int number) const { kill(pid_, number); }
    void stop() {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
            unlink(path_.c_str());
            rmdir(path_.substr(0, path_.rfind('/')).c_str());
            pid_ = 0;
        }
    }

  private:
    [[noreturn]] static void serve(int tell) {
        pin_to(static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)) - 1);
        boost::asio::io_context io;
        const collector::RecordingSpec spec;
        auto server = collector::Server::listen(
            io, spec,
            {.admit = [](const protocol::Hello&) { return std::string(); },
             .options =
                 [&spec](const protocol::Hello&) {
                     return collector::Session::Options{
                         .spec = spec, .deliver = [](const collector::Checkpoint&) {}};
                 },
             .ended = [](const std::unique_ptr<collector::Session>&) { std::_Exit(0); },
             .notice = [](const std::string& text) { std::fputs(text.c_str(), stderr); }});
        if (!server) {
            std::_Exit(EXIT_FAILURE);
        }
        const std::string& path = (*server)->socket_path();
        if (write(tell, path.c_str(), path.size()) < 0) {
            std::_Exit(EXIT_FAILURE);
        }
        close(tell);
        io.run();
        std::_Exit(0);
    }

    pid_t pid_ = 0;
    std::string path_;
};

/// The agent in this process, and one method with probes.
struct Profiled {
    explicit Profiled(const std::string& socket) {
        setenv(protocol::kSocketVariable, socket.c_str(), 1);
        const Result<bool> loaded =
            runtime.load_profiler(UMBRA_BENCH_AGENT, guid(protocol::kProfilerClsid));
        if (!loaded || !*loaded) {
            std::fputs("the agent does not profile this process; UMBRA_LOG=FILE says why\n",
                       stderr);
            std::exit(EXIT_FAILURE);
        }
        fakeclr::FakeModule& module = runtime.model().add_module({.path = "/app/Bench.dll"});
        runtime.load_module(module);
        method = &runtime.model().add_method(
            runtime.model().add_type(module, {.name = "Bench.Tight"}), {.name = "Pair"});
        client_id = runtime.compile(*method).client_id;
    }

    fakeclr::FakeRuntime runtime;
    fakeclr::FakeMethod* method = nullptr;
    uintptr_t client_id = 0;
};

std::unique_ptr<CollectorProcess> g_collector;
std::unique_ptr<Profiled> g_profiled;

void no_hooks(benchmark::State& state) {
    constexpr fakeclr::HookSlots kEmpty{fakeclr::umbra_fakeclr_no_hook,
                                        fakeclr::umbra_fakeclr_no_hook,
                                        fakeclr::umbra_fakeclr_no_hook};
    for (auto _ : state) {
        fakeclr::umbra_fakeclr_pairs(&kEmpty, 8, kPairs);
    }
}

void two_clock_reads(benchmark::State& state) {
    for (auto _ : state) {
        for (uint64_t i = 0; i < kPairs; ++i) {
            benchmark::DoNotOptimize(hotpath::read_ticks());
            benchmark::DoNotOptimize(hotpath::read_ticks());
        }
    }
}

/// Two records as the stubs store them, without clock and without ring: 16 chunks' worth of memory
/// of this process alone.
void stores_only(benchmark::State& state) {
    constexpr size_t kSlots = size_t{1} << 17;
    const auto slots = std::make_unique<uint64_t[]>(kSlots);
    for (auto _ : state) {
        uint64_t* next = slots.get();
        uint64_t* const end = next + kSlots;
        for (uint64_t i = 0; i < kPairs; ++i) {
            next[1] = i;
            next[0] = i;
            next[3] = i;
            next[2] = i;
            next += 4;
            next = next == end ? slots.get() : next;
            benchmark::ClobberMemory();
        }
    }
}

void probes(benchmark::State& state) {
    for (auto _ : state) {
        fakeclr::umbra_fakeclr_pairs(&g_profiled->runtime.slots(), g_profiled->client_id, kPairs);
    }
}

/// The collector stands still: after five seconds the thread drops what it records, in a page of
/// its own. What is left is the stub alone, without the memory traffic between two cores.
void probes_discarded(benchmark::State& state) {
    g_collector->signal(SIGSTOP);
    fakeclr::umbra_fakeclr_pairs(&g_profiled->runtime.slots(), g_profiled->client_id, kPairs);
    probes(state);
    g_collector->signal(SIGCONT);
}

void probes_without_collector(benchmark::State& state) {
    g_collector->stop();
    // A chunk is filled to its end before a thread looks whether the collector has gone.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    fakeclr::umbra_fakeclr_pairs(&g_profiled->runtime.slots(), g_profiled->client_id, kPairs);
    probes(state);
}

void print_machine() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    std::string cpu = "unknown processor";
    while (std::getline(info, line)) {
        if (line.starts_with("model name")) {
            cpu = line.substr(line.find(':') + 2);
            break;
        }
    }
    std::ifstream governor_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    std::string governor = "no governor";
    std::getline(governor_file, governor);
    utsname system{};
    uname(&system);
    std::printf("machine: %s, %ld cores, %s, Linux %s, gcc %s, umbra %s (ms = ns a pair)\n",
                cpu.c_str(), sysconf(_SC_NPROCESSORS_ONLN), governor.c_str(), system.release,
                __VERSION__, UMBRA_VERSION);
}

}  // namespace
}  // namespace umbra

int main(int argc, char** argv) {
    using namespace umbra;  // NOLINT(google-build-using-namespace): main
    benchmark::Initialize(&argc, argv);
    print_machine();
    g_collector = std::make_unique<CollectorProcess>();
    pin_to(0);
    g_profiled = std::make_unique<Profiled>(g_collector->socket_path());

    const auto add = [](const char* name, void (*body)(benchmark::State&)) {
        benchmark::RegisterBenchmark(name, body)
            ->Repetitions(20)
            ->MinTime(0.05)
            ->ReportAggregatesOnly(true)
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    };
    add("floor/no_hooks", no_hooks);
    add("floor/stores_only", stores_only);
    add("floor/two_clock_reads", two_clock_reads);
    add("probes/pair", probes);
    add("floor/two_clock_reads_again", two_clock_reads);
    add("probes/pair_discarded", probes_discarded);
    add("probes/pair_without_collector", probes_without_collector);
    benchmark::RunSpecifiedBenchmarks();
    g_collector->stop();
    std::fflush(stdout);
    std::_Exit(EXIT_SUCCESS);  // the agent's threads run to the last
}
