// SPDX-License-Identifier: MIT
// The COM subset the CLR profiling API stands on: HRESULT, IUnknown, IClassFactory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/guid.h"

namespace umbra::clr {

/// A COM status; negative is failure.
using HRESULT = int32_t;

constexpr bool succeeded(HRESULT hr) {
    return hr >= 0;
}
constexpr bool failed(HRESULT hr) {
    return hr < 0;
}

/// "0x80004002", as the runtime's headers write it.
inline std::string hexadecimal(HRESULT hr) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "0x";
    for (int shift = 28; shift >= 0; shift -= 4) {
        text += kDigits[static_cast<uint32_t>(hr) >> shift & 0xf];
    }
    return text;
}

inline constexpr HRESULT kOk = 0;
inline constexpr HRESULT kFalse = 1;
inline constexpr HRESULT kNotImplemented = static_cast<HRESULT>(0x80004001U);
inline constexpr HRESULT kNoInterface = static_cast<HRESULT>(0x80004002U);
inline constexpr HRESULT kPointer = static_cast<HRESULT>(0x80004003U);
inline constexpr HRESULT kFail = static_cast<HRESULT>(0x80004005U);
inline constexpr HRESULT kClassNotAvailable = static_cast<HRESULT>(0x80040111U);
inline constexpr HRESULT kNoAggregation = static_cast<HRESULT>(0x80040110U);
inline constexpr HRESULT kInvalidArgument = static_cast<HRESULT>(0x80070057U);

// The body of a slot that an implementation may leave alone, where `= 0` would stand otherwise.
// Macros, since clang-format gives a body three lines of its own after a wrapped declaration.
#define UMBRA_NOTIMPL \
    { return umbra::clr::kNotImplemented; }
#define UMBRA_IGNORED \
    { return umbra::clr::kOk; }

// No virtual destructors below: they would take vtable slots the runtime counts on.

struct IUnknown {
    static constexpr Guid kIid = guid("{00000000-0000-0000-c000-000000000046}");
    virtual HRESULT QueryInterface(const Guid& riid, void** ppv) = 0;
    virtual uint32_t AddRef() = 0;
    virtual uint32_t Release() = 0;
};

struct IClassFactory : IUnknown {
    static constexpr Guid kIid = guid("{00000001-0000-0000-c000-000000000046}");
    virtual HRESULT CreateInstance(IUnknown* outer, const Guid& riid, void** ppv) = 0;
    virtual HRESULT LockServer(int32_t lock) = 0;
};

/// Owns one reference of a COM object; what a call hands out goes into `put()`.
template <typename T>
class ComPtr {
  public:
    ComPtr() = default;
    explicit ComPtr(T* adopted) : object_(adopted) {}
    ComPtr(const ComPtr&) = delete;
    ComPtr& operator=(const ComPtr&) = delete;
    ComPtr(ComPtr&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
    ComPtr& operator=(ComPtr&& other) noexcept {
        if (this != &other) {
            reset();
            object_ = other.object_;
            other.object_ = nullptr;
        }
        return *this;
    }
    ~ComPtr() { reset(); }

    T* get() const { return object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }
    void reset() {
        if (object_ != nullptr) {
            object_->Release();
            object_ = nullptr;
        }
    }
    /// The out parameter of a call that hands over a reference; drops what was held.
    T** put() {
        reset();
        return &object_;
    }
    /// The out parameter, typed `void**`, of a call that hands over a reference; drops what was
    /// held.
    void** put_void() { return reinterpret_cast<void**>(put()); }

  private:
    T* object_ = nullptr;
};

/// Another interface of an object. Null: it has none of this kind.
template <typename Interface>
ComPtr<Interface> query(IUnknown& object) {
    ComPtr<Interface> found;
    if (failed(object.QueryInterface(Interface::kIid, found.put_void()))) {
        return {};
    }
    return found;
}

}  // namespace umbra::clr
