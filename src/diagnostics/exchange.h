// SPDX-License-Identifier: MIT
// One question and one answer on a socket of another process, with an end to waiting.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/diagnostics/discovery.h"
#include "src/diagnostics/wire.h"

namespace umbra::diagnostics {

/// A moment after which nothing is waited for, or the one in which the user has had enough.
class Deadline {
  public:
    /// `interrupter`: asked on the thread that waits, every few milliseconds while a connection is
    /// not taken; nullptr: nobody interrupts.
    explicit Deadline(std::chrono::milliseconds from_now, bool (*interrupter)() = nullptr)
        : limit_(from_now),
          end_(std::chrono::steady_clock::now() + from_now),
          interrupted_(interrupter) {}
    [[nodiscard]] std::chrono::milliseconds left() const {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end_ - std::chrono::steady_clock::now());
        return std::max(left, std::chrono::milliseconds(0));
    }
    [[nodiscard]] bool passed() const { return std::chrono::steady_clock::now() >= end_; }
    [[nodiscard]] bool interrupted() const { return interrupted_ != nullptr && interrupted_(); }
    /// The time there was.
    [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }

  private:
    std::chrono::milliseconds limit_;
    std::chrono::steady_clock::time_point end_;
    bool (*interrupted_)();
};

/// Connects to a socket of a process, and makes sure that it is this process that listens there.
/// The descriptor does not block. Errors: kTimedOut, kNotFound (nobody listens any more), kRefused
/// (another process or user listens, or the deadline was interrupted), kSystem.
[[nodiscard]] Result<UniqueFd> connect_to(const Endpoint& endpoint, const Deadline& deadline);

struct Reply {
    bool is_error = false;
    int32_t hresult = 0;  ///< of an error
    Bytes payload;
};

/// Sends one command and waits for the reply. Errors: those of connect_to(), and kCorrupt for an
/// answer that is none. An answer of the runtime that says no is a Reply.
[[nodiscard]] Result<Reply> ask(const Endpoint& endpoint, Command command,
                                std::span<const std::byte> payload, const Deadline& deadline);

}  // namespace umbra::diagnostics
