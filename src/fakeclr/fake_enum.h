// SPDX-License-Identifier: MIT
// The enumerators ICorProfilerInfo hands out: a fixed list behind a reference count.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

/// Born with one reference, which the caller owns. One thread at a time.
template <typename Interface, typename Item>
class FakeEnum final : public Interface {
  public:
    explicit FakeEnum(std::vector<Item> items) : items_(std::move(items)) {}

    HRESULT QueryInterface(const Guid& riid, void** ppv) override {
        if (!(riid == IUnknown::kIid || riid == Interface::kIid)) {
            *ppv = nullptr;
            return kNoInterface;
        }
        AddRef();
        *ppv = this;
        return kOk;
    }
    uint32_t AddRef() override { return ++references_; }
    uint32_t Release() override {
        const uint32_t left = --references_;
        if (left == 0) {
            delete this;
        }
        return left;
    }

    HRESULT Skip(uint32_t celt) override {
        position_ += std::min<size_t>(celt, items_.size() - position_);
        return kOk;
    }
    HRESULT Reset() override {
        position_ = 0;
        return kOk;
    }
    HRESULT Clone(Interface** ppEnum) override {
        *ppEnum = new FakeEnum(items_);
        return kOk;
    }
    HRESULT GetCount(uint32_t* pcelt) override {
        *pcelt = static_cast<uint32_t>(items_.size());
        return kOk;
    }
    HRESULT Next(uint32_t celt, Item* items, uint32_t* pceltFetched) override {
        const size_t taken = std::min<size_t>(celt, items_.size() - position_);
        std::copy_n(items_.begin() + static_cast<std::ptrdiff_t>(position_), taken, items);
        position_ += taken;
        if (pceltFetched != nullptr) {
            *pceltFetched = static_cast<uint32_t>(taken);
        }
        return taken == celt ? kOk : kFalse;
    }

  private:
    ~FakeEnum() = default;  // Release() only

    std::atomic<uint32_t> references_{1};
    std::vector<Item> items_;
    size_t position_ = 0;
};

}  // namespace umbra::fakeclr
