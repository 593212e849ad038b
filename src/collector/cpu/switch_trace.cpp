// SPDX-License-Identifier: MIT
#include "src/collector/cpu/switch_trace.h"

#include <cerrno>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/time_namespace.h"

namespace umbra::collector {
namespace {

// A record is 24 bytes: 5,400 switches between two looks at a processor. Three processes of an
// ordinary user fit into the kernel's default of 516 KiB a processor.
constexpr size_t kDataPages = 32;
constexpr size_t kLeastDataPages = 4;
constexpr int kMaxRounds = 16;  // threads that start while others are opened

perf_event_attr attributes(bool threads_only) {
    perf_event_attr attr{};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_DUMMY;
    attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    attr.sample_id_all = 1;
    attr.inherit = 1;
    attr.inherit_thread = threads_only ? 1 : 0;
    attr.context_switch = 1;
    attr.task = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC_RAW;
    return attr;
}

int open_event(uint32_t tid, int cpu) {
    for (const bool threads_only : {true, false}) {  // before Linux 5.13: children come along
        perf_event_attr attr = attributes(threads_only);
        const long fd = syscall(SYS_perf_event_open, &attr, static_cast<pid_t>(tid), cpu, -1,
                                PERF_FLAG_FD_CLOEXEC);
        if (fd >= 0 || errno != EINVAL) {
            return static_cast<int>(fd);
        }
    }
    return -1;
}

/// Of a list like "0-3,8".
std::vector<int> online_cpus() {
    std::vector<int> cpus;
    std::ifstream file("/sys/devices/system/cpu/online");
    std::string range;
    while (std::getline(file, range, ',')) {
        int first = 0;
        const char* end = range.data() + range.size();
        const auto [rest, error] = std::from_chars(range.data(), end, first);
        int last = first;
        if (error == std::errc() && rest != end && *rest == '-') {
            std::from_chars(rest + 1, end, last);
        }
        for (int cpu = first; cpu <= last && cpus.size() < CPU_SETSIZE; ++cpu) {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

}  // namespace

std::vector<uint32_t> threads_of(uint32_t pid) {
    std::vector<uint32_t> tids;
    std::error_code error;
    const std::filesystem::path folder = "/proc/" + std::to_string(pid) + "/task";
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        uint32_t tid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc()) {
            tids.push_back(tid);
        }
    }
    return tids;
}

SwitchTrace::SwitchTrace()
    : clock_ahead_ns_(clock_offsets(0).monotonic_ns), online_(online_cpus()) {
}

Result<std::unique_ptr<SwitchTrace>> SwitchTrace::open(uint32_t pid) {
    std::unique_ptr<SwitchTrace> trace(new SwitchTrace());
    if (trace->online_.empty()) {
        return fail(ErrorCode::kSystem,
                    "/sys/devices/system/cpu/online cannot be read: is /sys mounted?");
    }
    bool more = true;
    for (int round = 0; more && round < kMaxRounds; ++round) {
        more = false;
        for (const uint32_t tid : threads_of(pid)) {
            // One that a thread opened before has made meanwhile has inherited its events; a
            // second set would tell everything twice, which the pairing bears.
            if (trace->older_.insert(tid).second) {
                more = true;
                if (Status status = trace->open_thread(tid); !status) {
                    return tl::unexpected<Error>(status.error());
                }
            }
        }
    }
    if (trace->cpus_.empty()) {
        return fail(ErrorCode::kNotFound, "there is no thread to watch");
    }
    return trace;
}

Status SwitchTrace::open_thread(uint32_t tid) {
    for (size_t place = 0; place < online_.size(); ++place) {
        UniqueFd event(open_event(tid, online_[place]));
        if (!event) {
            if (errno == ESRCH) {
                return {};  // it has ended
            }
            return fail(ErrorCode::kSystem, "the kernel tells no context switches", errno);
        }
        if (place == cpus_.size()) {
            if (Status mapped = map(event.get()); !mapped) {
                return mapped;
            }
            outputs_.push_back(event.get());
        } else if (ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, outputs_[place]) != 0) {
            return fail(ErrorCode::kSystem, "the kernel does not join buffers of switches", errno);
        }
        events_.push_back(std::move(event));
    }
    return {};
}

Status SwitchTrace::map(int event) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    for (size_t pages = kDataPages; pages >= kLeastDataPages; pages /= 2) {
        const size_t bytes = (pages + 1) * page;
        void* mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (mapping != MAP_FAILED) {
            const std::span<const std::byte> all(static_cast<const std::byte*>(mapping), bytes);
            cpus_.push_back({.mapping = mapping,
                             .bytes = bytes,
                             .ring = SwitchRing(static_cast<perf_event_mmap_page*>(mapping),
                                                all.subspan(page), clock_ahead_ns_)});
            return {};
        }
    }
    return fail(ErrorCode::kSystem, "no memory for context switches (kernel.perf_event_mlock_kb)",
                errno);
}

SwitchTrace::~SwitchTrace() {
    for (const Cpu& cpu : cpus_) {
        munmap(cpu.mapping, cpu.bytes);
    }
}

uint64_t SwitchTrace::lost() const {
    uint64_t lost = 0;
    for (const Cpu& cpu : cpus_) {
        lost += cpu.ring.lost();
    }
    return lost;
}

}  // namespace umbra::collector
