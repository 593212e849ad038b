// SPDX-License-Identifier: MIT
#include "src/agent/link/segment.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hotpath/clock.h"

namespace umbra::agent {
namespace {

// What dumps a process (createdump) writes everything down that can be read, and a page that is
// read exists from then on: 10 GiB of both, but for this. A thread opens its ring when it takes a
// slot.
void close_rings(std::byte* segment, uint32_t from_slot) {
    const uint64_t begin = hotpath::ring_offset(from_slot);
    mprotect(segment + begin, hotpath::kSegmentBytes - begin, PROT_NONE);
}

}  // namespace

Result<Segment> create_segment(hotpath::ClockSource clock, hotpath::SegmentHeader* in_place_of) {
    using hotpath::SegmentHeader;

    // A file grown past this limit raises SIGXFSZ, which would end the program we are a guest of.
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < hotpath::kSegmentBytes) {
        return fail(ErrorCode::kUnsupported,
                    "the limit on file sizes (ulimit -f) is below the shared segment's size");
    }
    Segment segment;
    segment.fd = UniqueFd(memfd_create("umbra", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!segment.fd) {
        return fail(ErrorCode::kUnsupported,
                    "memfd_create failed: the kernel is too old, or a seccomp profile forbids it",
                    errno);
    }
    if (ftruncate(segment.fd.get(), static_cast<off_t>(hotpath::kSegmentBytes)) != 0) {
        return fail(ErrorCode::kSystem, "sizing the shared segment failed", errno);
    }
    if (fcntl(segment.fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        return fail(ErrorCode::kSystem, "sealing the shared segment failed", errno);
    }
    // Whole and once: a ring mapped when its thread begins would need the descriptor later on, and
    // then the program may have closed it and given its number to a file of its own.
    // An earlier one's mapping goes in the same moment: a thread that looks there meanwhile sees
    // the one or the other.
    void* mapped = mmap(in_place_of, hotpath::kSegmentBytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE | (in_place_of != nullptr ? MAP_FIXED : 0),
                        segment.fd.get(), 0);
    if (mapped == MAP_FAILED) {
        return fail(ErrorCode::kSystem,
                    "mapping the shared segment failed (ulimit -v may limit the address space)",
                    errno);
    }
    madvise(mapped, hotpath::kSegmentBytes, MADV_DONTDUMP);  // rings tell a core dump nothing
    close_rings(static_cast<std::byte*>(mapped), 0);
    segment.header = static_cast<SegmentHeader*>(mapped);
    segment.header->magic = hotpath::kSegmentMagic;
    segment.header->version = hotpath::kSegmentVersion;
    segment.header->max_threads = hotpath::kMaxThreads;
    segment.header->chunks_per_ring = hotpath::kChunksPerRing;
    segment.header->chunk_bytes = hotpath::kChunkBytes;
    segment.header->total_bytes = hotpath::kSegmentBytes;
    segment.header->clock = clock;
    segment.header->start_ticks = hotpath::read_clock(clock);
    return segment;
}

void empty_segment(hotpath::SegmentHeader* header) noexcept {
    const uint32_t seen = header->threads_seen.load(std::memory_order_relaxed);
    // Where it fails the segment stays, and with it the memory.
    void* const zeros = mmap(header, hotpath::kSegmentBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    // A thread that was left behind in a record may still write it into its ring.
    if (zeros != MAP_FAILED) {
        close_rings(static_cast<std::byte*>(zeros), std::min(seen, hotpath::kMaxThreads));
    }
}

}  // namespace umbra::agent
