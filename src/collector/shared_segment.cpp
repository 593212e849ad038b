// SPDX-License-Identifier: MIT
#include "src/collector/shared_segment.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "src/base/utf8.h"

namespace umbra::collector {

using hotpath::SegmentHeader;
using hotpath::ThreadBlock;

Result<SharedSegment> SharedSegment::open(UniqueFd fd) {
    const int seals = fcntl(fd.get(), F_GET_SEALS);
    struct stat status {};
    struct statfs system {};
    // First of all the seals: asking other files anything may block. Huge pages are refused too:
    // touching one that the system has run out of is a SIGBUS.
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstatfs(fd.get(), &system) != 0 ||
        system.f_type != TMPFS_MAGIC || fstat(fd.get(), &status) != 0 ||
        static_cast<uint64_t>(status.st_size) != hotpath::kSegmentBytes) {
        return fail(ErrorCode::kRefused,
                    "the segment it sent is not a memory file of the right size, sealed against "
                    "shrinking");
    }
    void* mapped =
        mmap(nullptr, hotpath::kRingsOffset, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (mapped == MAP_FAILED) {
        return fail(ErrorCode::kSystem, "mapping its segment failed", errno);
    }
    SharedSegment segment(std::move(fd), static_cast<SegmentHeader*>(mapped));
    const SegmentHeader& header = segment.header();
    if (header.magic != hotpath::kSegmentMagic || header.version != hotpath::kSegmentVersion ||
        header.max_threads != hotpath::kMaxThreads ||
        header.chunks_per_ring != hotpath::kChunksPerRing ||
        header.chunk_bytes != hotpath::kChunkBytes) {
        return fail(ErrorCode::kVersion, "its segment is laid out by another version of umbra");
    }
    return segment;
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept
    : fd_(std::move(other.fd_)),
      header_(std::exchange(other.header_, nullptr)),
      rings_(std::exchange(other.rings_, {})) {
}

SharedSegment::~SharedSegment() {
    for (std::byte* ring : rings_) {
        if (ring != nullptr) {
            munmap(ring, hotpath::kRingBytes);
        }
    }
    if (header_ != nullptr) {
        munmap(header_, hotpath::kRingsOffset);
    }
}

std::span<ThreadBlock> SharedSegment::threads() const {
    return {reinterpret_cast<ThreadBlock*>(reinterpret_cast<std::byte*>(header_) +
                                           hotpath::kThreadsOffset),
            hotpath::kMaxThreads};
}

std::span<const uint8_t> SharedSegment::watched() const {
    return {hotpath::watched_functions(header_), hotpath::kMaxFunctions};
}

std::span<const uint8_t> SharedSegment::traits() const {
    return {hotpath::function_traits(header_), hotpath::kMaxFunctions};
}

std::span<const hotpath::RegisteredMethod> SharedSegment::methods() const {
    return {hotpath::registered_methods(header_), hotpath::kMaxFunctions};
}

std::span<const hotpath::RegisteredModule> SharedSegment::modules() const {
    return {hotpath::registered_modules(header_), hotpath::kRegisteredModules};
}

std::string SharedSegment::registered_name(uint32_t os_tid) const {
    hotpath::RegisteredThread& thread =
        hotpath::registered_threads(header_)[hotpath::registered_place(os_tid)];
    if (os_tid == 0 || thread.os_tid.load(std::memory_order_acquire) != os_tid) {
        return {};
    }
    std::string name;
    for (char& byte : thread.name) {  // which may be overwritten meanwhile
        if (const char read = std::atomic_ref(byte).load(std::memory_order_relaxed); read != 0) {
            name += read;
        }
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return thread.os_tid.load(std::memory_order_relaxed) == os_tid ? printable_utf8(name)
                                                                   : std::string();
}

std::span<const hotpath::PauseEntry> SharedSegment::pauses() const {
    return {reinterpret_cast<const hotpath::PauseEntry*>(reinterpret_cast<std::byte*>(header_) +
                                                         hotpath::kPausesOffset),
            hotpath::kPauseEntries};
}

uint32_t SharedSegment::threads_seen() const {
    return std::min(header_->threads_seen.load(std::memory_order_relaxed), hotpath::kMaxThreads);
}

std::byte* SharedSegment::ring(uint32_t slot) {
    if (rings_[slot] == nullptr) {
        void* mapped = mmap(nullptr, hotpath::kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                            fd_.get(), static_cast<off_t>(hotpath::ring_offset(slot)));
        rings_[slot] = mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
    }
    return rings_[slot];
}

void SharedSegment::clear(uint32_t slot, size_t offset, size_t bytes) const {
    if (fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(hotpath::ring_offset(slot) + offset),
                  static_cast<off_t>(bytes)) != 0) {
        // Zero it must be: what is left in a chunk would be read as new records.
        std::memset(rings_[slot] + offset, 0, bytes);
    }
}

void SharedSegment::clear_chunk(uint32_t slot, uint32_t chunk) const {
    clear(slot, size_t{chunk & (hotpath::kChunksPerRing - 1)} * hotpath::kChunkBytes,
          hotpath::kChunkBytes);
}

void SharedSegment::clear_ring(uint32_t slot) const {
    clear(slot, 0, hotpath::kRingBytes);
}

}  // namespace umbra::collector
