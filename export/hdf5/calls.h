// SPDX-License-Identifier: MIT
// The HDF5 C API with owners and exceptions: the one place that knows hid_t, besides the reader
// and the writer that include it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <hdf5.h>

#include "src/base/result.h"

namespace umbra::hdf5 {

/// Thrown by what follows, caught by the public functions of this folder, which return its error.
/// HDF5 fails at every call or at none; checking each by hand would bury what the code does.
struct Failure {
    Error error;
};

[[noreturn]] inline void raise(ErrorCode code, std::string context) {
    throw Failure{Error{code, 0, std::move(context)}};
}

/// What HDF5 says about its last failure: the innermost, most exact of its messages.
inline std::string last_message() {
    std::string message;
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned depth, const H5E_error2_t* entry, void* out) -> herr_t {
            if (depth == 0 && entry->desc != nullptr) {
                *static_cast<std::string*>(out) = entry->desc;
            }
            return 0;
        },
        &message);
    return message.empty() ? "no details" : message;
}

/// Checks the value of an HDF5 call that answers a negative number on failure.
template <typename T>
T checked(T value, std::string_view tried) {
    if (value < 0) {
        raise(ErrorCode::kCorrupt, fmt::format("HDF5 cannot {}: {}", tried, last_message()));
    }
    return value;
}

/// Owns one HDF5 object of any kind.
class Handle {
  public:
    Handle() = default;
    /// Takes what an HDF5 call answered; a negative id throws Failure.
    Handle(hid_t id, std::string_view tried) : id_(checked(id, tried)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) {
            H5Idec_ref(id_);
        }
    }
    [[nodiscard]] hid_t get() const { return id_; }
    /// Lets go of the object now; unlike the destructor, reports what fails.
    void close(std::string_view tried) { checked(H5Idec_ref(std::exchange(id_, -1)), tried); }

  private:
    hid_t id_ = -1;
};

/// Stops HDF5 from printing its errors. To be called before anything else of HDF5.
inline void silence() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// UTF-8 of fixed length, padded with NUL.
inline Handle string_type(std::size_t bytes) {
    Handle type(H5Tcopy(H5T_C_S1), "make a string type");
    checked(H5Tset_size(type.get(), bytes), "size a string type");
    checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "make a string UTF-8");
    checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "pad a string");
    return type;
}

/// The enum that h5py uses for, and reads as, bool.
inline Handle bool_type() {
    Handle type(H5Tenum_create(H5T_STD_I8LE), "make the bool type");
    const signed char no = 0;
    const signed char yes = 1;
    checked(H5Tenum_insert(type.get(), "FALSE", &no), "make the bool type");
    checked(H5Tenum_insert(type.get(), "TRUE", &yes), "make the bool type");
    return type;
}

}  // namespace umbra::hdf5
