// SPDX-License-Identifier: MIT
// A file of records as a session took them out of its rings, for benchmarks: written once, mapped.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/unique_fd.h"

namespace umbra::bench {

// Header, then blocks of a head and `words` 8-byte words each.
inline constexpr uint64_t kStreamMagic = 0x6d61'6572'7473'6d75ULL;

enum class BlockKind : uint32_t {
    kThread = 1,   ///< OS thread id, start ticks
    kRecords = 2,  ///< slots
    kEnd = 3,      ///< of the thread: ticks
    kName = 4,     ///< of function `thread`: text, padded with zeros
    kOffCpu = 5,   ///< the thread's: begin, end
};
struct StreamHeader {
    uint64_t magic = kStreamMagic;
    double ticks_hz = 0;
    uint64_t complete = 0;  ///< 0: the size limit cut it off
};
struct BlockHead {
    BlockKind kind;
    uint32_t thread;
    uint64_t words;
};

/// Writes a file, up to a limit. Failures to write show as an incomplete file.
class StreamFileWriter {
  public:
    StreamFileWriter(const std::string& path, uint64_t max_bytes)
        : file_(std::fopen(path.c_str(), "wb"), std::fclose), room_(max_bytes) {
        complete_ = file_ != nullptr && put(&header_, sizeof header_);
    }

    void block(BlockKind kind, uint32_t thread, std::span<const uint64_t> words) {
        const BlockHead head{.kind = kind, .thread = thread, .words = words.size()};
        complete_ = complete_ && room_ >= sizeof head + words.size_bytes() &&
                    put(&head, sizeof head) && put(words.data(), words.size_bytes());
        room_ -= complete_ ? sizeof head + words.size_bytes() : 0;
    }
    void name(uint32_t function, const std::string& text) {
        std::vector<uint64_t> words(text.size() / sizeof(uint64_t) + 1);
        std::memcpy(words.data(), text.data(), text.size());
        block(BlockKind::kName, function, words);
    }
    /// False: the limit was reached, or the disk is full.
    bool finish(double ticks_hz) {
        header_.ticks_hz = ticks_hz;
        header_.complete = complete_ ? 1 : 0;
        return file_ != nullptr && std::fseek(file_.get(), 0, SEEK_SET) == 0 &&
               put(&header_, sizeof header_) && std::fflush(file_.get()) == 0 && complete_;
    }

  private:
    bool put(const void* bytes, size_t count) {
        return count == 0 || std::fwrite(bytes, count, 1, file_.get()) == 1;
    }

    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    StreamHeader header_;
    uint64_t room_;
    bool complete_ = false;
};

/// One block of a mapped file.
struct Block {
    BlockKind kind;
    uint32_t thread;
    std::span<const uint64_t> words;
};

/// A mapped file; the words of its blocks are good as long as it lives.
class StreamFile {
  public:
    static std::optional<StreamFile> open(const std::string& path) {
        StreamFile file;
        file.fd_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        struct stat facts {};
        if (file.fd_.get() < 0 || fstat(file.fd_.get(), &facts) != 0 ||
            static_cast<size_t>(facts.st_size) < sizeof(StreamHeader)) {
            return std::nullopt;
        }
        const auto bytes = static_cast<size_t>(facts.st_size);
        void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.fd_.get(), 0);
        if (memory == MAP_FAILED) {
            return std::nullopt;
        }
        file.memory_ = {static_cast<const std::byte*>(memory), [bytes](const std::byte* at) {
                            munmap(const_cast<std::byte*>(at), bytes);
                        }};
        std::memcpy(&file.header_, memory, sizeof file.header_);
        if (file.header_.magic != kStreamMagic || !file.read_blocks(bytes)) {
            return std::nullopt;
        }
        return file;
    }

    [[nodiscard]] double ticks_hz() const { return header_.ticks_hz; }
    [[nodiscard]] bool complete() const { return header_.complete != 0; }
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

  private:
    bool read_blocks(size_t bytes) {
        for (size_t at = sizeof(StreamHeader); at + sizeof(BlockHead) <= bytes;) {
            BlockHead head{};
            std::memcpy(&head, memory_.get() + at, sizeof head);
            at += sizeof head;
            if (head.words > (bytes - at) / sizeof(uint64_t)) {
                return false;
            }
            const auto* words = reinterpret_cast<const uint64_t*>(memory_.get() + at);
            blocks_.push_back({head.kind, head.thread, {words, head.words}});
            at += head.words * sizeof(uint64_t);
        }
        return true;
    }

    UniqueFd fd_;
    std::shared_ptr<const std::byte> memory_;
    StreamHeader header_;
    std::vector<Block> blocks_;
};

}  // namespace umbra::bench
