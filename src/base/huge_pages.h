// SPDX-License-Identifier: MIT
// Large tables that are read at random lie in huge pages where the kernel gives them: each look-up
// else misses the TLB as well as the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

#include <sys/mman.h>

namespace umbra {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

/// A wish: errors are of no consequence (a kernel without huge pages).
inline void want_huge_pages(void* memory, std::size_t bytes) {
    madvise(memory, bytes, MADV_HUGEPAGE);
}

/// For containers that grow by doubling. Small ones come from the usual place.
template <typename T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <typename Other>
    explicit HugePageAllocator(const HugePageAllocator<Other>& /*other*/) {}

    [[nodiscard]] T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(bytes));
        if (bytes >= kHugePageBytes) {
            want_huge_pages(memory, bytes);
        }
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, alignment(count * sizeof(T)));
    }

    bool operator==(const HugePageAllocator& /*other*/) const { return true; }

  private:
    static std::align_val_t alignment(std::size_t bytes) {
        return std::align_val_t{bytes >= kHugePageBytes ? kHugePageBytes
                                                        : std::max<std::size_t>(alignof(T), 16)};
    }
};

}  // namespace umbra
