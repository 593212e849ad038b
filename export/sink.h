// SPDX-License-Identifier: MIT
// Where an export goes: bytes in order, kept together until there are enough to write.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace umbra {

/// The first error stays: everything put behind it is forgotten, and finish() tells it. One thread.
class Sink {
  public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    void put(std::string_view bytes) {
        buffer_ += bytes;
        if (buffer_.size() >= kEnough) [[unlikely]] {
            flush();
        }
    }
    /// Writes the rest. Nothing may be put behind it. What was not finished is not there.
    Status finish();

  protected:
    virtual Status write(std::span<const std::byte> bytes) = 0;
    virtual Status commit() = 0;

  private:
    static constexpr std::size_t kEnough = std::size_t{1} << 18;

    void flush();

    std::string buffer_;
    Status status_;
};

/// Whether a file lies at `path` that begins as every HDF5 file that umbra writes.
[[nodiscard]] bool is_hdf5(const std::string& path);

/// A file that replaces `path` when it is finished; see replace_file() for how, and for errors.
/// "-": standard output. kInvalid: a profile lies there, which is not replaced. Who may read the
/// folder of `profile`, which it is made of, may read it.
[[nodiscard]] Result<std::unique_ptr<Sink>> open_sink(const std::string& path,
                                                      const std::string& profile);

/// Compresses what is put (gzip, RFC 1952) into `below`, which it finishes.
[[nodiscard]] std::unique_ptr<Sink> gzip_sink(std::unique_ptr<Sink> below);

}  // namespace umbra
