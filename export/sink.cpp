// SPDX-License-Identifier: MIT
#include "export/sink.h"

#include <array>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "export/replace_file.h"
#include "src/base/unique_fd.h"
#include "src/base/write_all.h"

namespace umbra {
namespace {

class FileSink final : public Sink {
  public:
    explicit FileSink(ReplacementFile file) : file_(std::move(file)) {}

  private:
    Status write(std::span<const std::byte> bytes) override { return file_.write(bytes); }
    Status commit() override { return file_.commit(); }

    ReplacementFile file_;
};

class StdoutSink final : public Sink {
  private:
    Status write(std::span<const std::byte> bytes) override {
        if (const int os_error = write_all(STDOUT_FILENO, bytes); os_error != 0) {
            return fail(ErrorCode::kSystem,
                        fmt::format("cannot write to standard output: {}",
                                    std::generic_category().message(os_error)),
                        os_error);
        }
        return {};
    }
    Status commit() override { return {}; }
};

class GzipSink final : public Sink {
  public:
    explicit GzipSink(std::unique_ptr<Sink> below) : below_(std::move(below)) {
        constexpr int kLevel = 1;  // an export is read once
        constexpr int kGzip = 15 + 16;
        constexpr int kMemory = 8;
        ready_ =
            deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) == Z_OK;
    }
    GzipSink(const GzipSink&) = delete;
    GzipSink& operator=(const GzipSink&) = delete;
    ~GzipSink() override { deflateEnd(&stream_); }

  private:
    Status write(std::span<const std::byte> bytes) override { return compress(bytes, Z_NO_FLUSH); }
    Status commit() override {
        if (Status done = compress({}, Z_FINISH); !done) {
            return done;
        }
        return below_->finish();
    }

    Status compress(std::span<const std::byte> bytes, int flush) {
        if (!ready_ || bytes.size() > std::numeric_limits<uInt>::max()) {
            return fail(ErrorCode::kSystem, "cannot compress: zlib has no memory");
        }
        // zlib does not write to its input, whatever the type says.
        stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
            stream_.avail_out = static_cast<uInt>(out_.size());
            if (deflate(&stream_, flush) == Z_STREAM_ERROR) {
                return fail(ErrorCode::kSystem, "cannot compress: zlib refuses");
            }
            below_->put({out_.data(), out_.size() - stream_.avail_out});
        } while (stream_.avail_out == 0);
        return {};
    }

    std::unique_ptr<Sink> below_;
    z_stream stream_{};
    bool ready_ = false;
    std::array<char, size_t{1} << 16> out_{};
};

}  // namespace

bool is_hdf5(const std::string& path) {
    constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return false;
    }
    std::array<char, kSignature.size()> begin{};
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return file && ::read(file.get(), begin.data(), begin.size()) == ssize_t{begin.size()} &&
           std::string_view(begin.data(), begin.size()) == kSignature;
}

void Sink::flush() {
    if (status_ && !buffer_.empty()) {
        status_ = write(std::as_bytes(std::span(buffer_)));
    }
    buffer_.clear();
}

Status Sink::finish() {
    flush();
    return status_ ? commit() : status_;
}

Result<std::unique_ptr<Sink>> open_sink(const std::string& path, const std::string& profile) {
    if (path == "-") {
        return std::make_unique<StdoutSink>();
    }
    if (is_hdf5(path)) {  // umbra records those, and nothing brings one back
        return fail(ErrorCode::kInvalid,
                    fmt::format("'{}' is a profile and is not written over: name another file, or "
                                "remove it first",
                                path));
    }
    Result<ReplacementFile> file = ReplacementFile::create(path);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    const std::string folder = std::filesystem::path(profile).parent_path().string();
    if (Status shared = file->share_like(folder.empty() ? "." : folder); !shared) {
        return tl::unexpected<Error>(shared.error());
    }
    return std::make_unique<FileSink>(std::move(*file));
}

std::unique_ptr<Sink> gzip_sink(std::unique_ptr<Sink> below) {
    return std::make_unique<GzipSink>(std::move(below));
}

}  // namespace umbra
