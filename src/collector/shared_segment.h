// SPDX-License-Identifier: MIT
// SharedSegment: the collector's mapping of a target's segment, checked before it is believed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hotpath/segment.h"
#include "src/base/result.h"
#include "src/base/unique_fd.h"

namespace umbra::collector {

/// Owns the descriptor and the mappings. What lies in them is the target's and may be anything at
/// any time; what is certain is that the file cannot shrink under a mapping.
class SharedSegment {
  public:
    /// Refuses a file that is not sealed against shrinking, or laid out otherwise than this
    /// version does it.
    [[nodiscard]] static Result<SharedSegment> open(UniqueFd fd);

    SharedSegment(const SharedSegment&) = delete;
    SharedSegment& operator=(const SharedSegment&) = delete;
    SharedSegment(SharedSegment&& other) noexcept;
    SharedSegment& operator=(SharedSegment&&) = delete;
    ~SharedSegment();

    [[nodiscard]] hotpath::SegmentHeader& header() const { return *header_; }
    [[nodiscard]] std::span<hotpath::ThreadBlock> threads() const;
    /// The requests of watched functions, by function index.
    [[nodiscard]] std::span<const uint8_t> watched() const;
    /// hotpath::function_traits(), by function index.
    [[nodiscard]] std::span<const uint8_t> traits() const;
    /// By function and by module index. An entry that is looked at exists from then on, as a page
    /// of memory: look at few.
    [[nodiscard]] std::span<const hotpath::RegisteredMethod> methods() const;
    [[nodiscard]] std::span<const hotpath::RegisteredModule> modules() const;
    /// What a thread is called, by its number in the target; empty: it does not say.
    /// Printable, whatever bytes are there.
    [[nodiscard]] std::string registered_name(uint32_t os_tid) const;
    [[nodiscard]] std::span<const hotpath::PauseEntry> pauses() const;
    /// Slots that may have been used; never more than there are.
    [[nodiscard]] uint32_t threads_seen() const;

    /// Mapping of a slot's ring, made at first use; null if the system has no room.
    [[nodiscard]] std::byte* ring(uint32_t slot);
    /// Returns the memory of a chunk of a mapped ring to the system; it reads as zeros from now on.
    void clear_chunk(uint32_t slot, uint32_t chunk) const;
    void clear_ring(uint32_t slot) const;

  private:
    SharedSegment(UniqueFd fd, hotpath::SegmentHeader* header)
        : fd_(std::move(fd)), header_(header) {}
    void clear(uint32_t slot, size_t offset, size_t bytes) const;

    UniqueFd fd_;
    hotpath::SegmentHeader* header_;
    std::array<std::byte*, hotpath::kMaxThreads> rings_{};
};

}  // namespace umbra::collector
