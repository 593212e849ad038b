// SPDX-License-Identifier: MIT
// A segment as an agent hands it over, in which nothing has happened yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/unique_fd.h"
#include "src/collector/shared_segment.h"

namespace umbra::collector::testing {

/// Its clock is that of the system, in nanoseconds.
inline SharedSegment make_segment() {
    UniqueFd fd(memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd || ftruncate(fd.get(), static_cast<off_t>(hotpath::kSegmentBytes)) != 0 ||
        fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        throw std::runtime_error("no memfd");
    }
    const auto put = [&](size_t offset, auto value) {
        if (pwrite(fd.get(), &value, sizeof value, static_cast<off_t>(offset)) !=
            static_cast<ssize_t>(sizeof value)) {
            throw std::runtime_error("the segment cannot be written");
        }
    };
    using hotpath::SegmentHeader;
    put(offsetof(SegmentHeader, magic), hotpath::kSegmentMagic);
    put(offsetof(SegmentHeader, version), hotpath::kSegmentVersion);
    put(offsetof(SegmentHeader, max_threads), hotpath::kMaxThreads);
    put(offsetof(SegmentHeader, chunks_per_ring), hotpath::kChunksPerRing);
    put(offsetof(SegmentHeader, chunk_bytes), static_cast<uint32_t>(hotpath::kChunkBytes));
    put(offsetof(SegmentHeader, clock), hotpath::ClockSource::kOs);
    Result<SharedSegment> segment = SharedSegment::open(std::move(fd));
    if (!segment) {
        throw std::runtime_error(segment.error().context);
    }
    return std::move(*segment);
}

}  // namespace umbra::collector::testing
