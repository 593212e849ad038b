// SPDX-License-Identifier: MIT
// An array that grows without moving: address space for the greatest size, memory as it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <sys/mman.h>

#include "src/base/huge_pages.h"

namespace umbra::replay {

/// Elements keep their address for life, so that hot loops may hold plain pointers and growing
/// never copies. New elements are zero bytes. One owner, one thread.
template <typename T>
class ReservedArray {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    /// Takes address space for `max_count` elements; std::bad_alloc when there is none.
    explicit ReservedArray(size_t max_count) : max_count_(max_count) {
        // PROT_NONE: not charged against the commit limit until ensure() makes it usable.
        mapped_ = mmap(nullptr, bytes(max_count) + kHugePageBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
        const auto address = reinterpret_cast<uintptr_t>(mapped_);
        data_ = reinterpret_cast<T*>((address + kHugePageBytes - 1) & ~(kHugePageBytes - 1));
        want_huge_pages(data_, bytes(max_count));
    }
    ~ReservedArray() { munmap(mapped_, bytes(max_count_) + kHugePageBytes); }
    ReservedArray(const ReservedArray&) = delete;
    ReservedArray(ReservedArray&&) = delete;
    ReservedArray& operator=(const ReservedArray&) = delete;
    ReservedArray& operator=(ReservedArray&&) = delete;

    /// Makes elements 0 .. count-1 usable. False: beyond max_count, or no memory is left.
    [[nodiscard]] bool ensure(size_t count) {
        if (count <= usable_) {
            return true;
        }
        if (count > max_count_) {
            return false;
        }
        const size_t target = std::min(max_count_, count + kStepBytes / sizeof(T));
        if (mprotect(data_, bytes(target), PROT_READ | PROT_WRITE) != 0) {
            return false;
        }
        usable_ = target;
        return true;
    }

    [[nodiscard]] T* data() const { return data_; }
    T& operator[](size_t index) const { return data_[index]; }

  private:
    static constexpr size_t kStepBytes = size_t{4} << 20;

    static size_t bytes(size_t count) { return std::max<size_t>(count * sizeof(T), 1); }

    void* mapped_ = nullptr;  ///< data_ is the first huge page's beginning in it
    T* data_ = nullptr;
    size_t max_count_;
    size_t usable_ = 0;
};

}  // namespace umbra::replay
