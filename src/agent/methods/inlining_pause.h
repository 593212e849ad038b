// SPDX-License-Identifier: MIT
// InliningPause: nothing is inlined while the runtime is asked to compile methods anew.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace umbra::agent {

/// A request for methods to be compiled anew takes the runtime's lock of requests and then, again
/// and again, that of code versions. A compilation that has inlined a method whose new version is
/// requested and not compiled yet takes them the other way round, and either waits for ever
/// (docs/runtime_contract.md). So nothing is inlined during requests.
///
/// Any thread. The count is raised for as long as a Scope lives.
class InliningPause {
  public:
    enum class Settle : uint8_t {
        kNo,
        /// Waits until compilations are over the inlinings that were granted before. Never on a
        /// thread of the program.
        kYes,
    };

    class Scope {
      public:
        explicit Scope(InliningPause& pause, Settle settle = Settle::kNo) noexcept : pause_(pause) {
            pause_.scopes_.fetch_add(1);
            if (settle == Settle::kYes) {
                std::this_thread::sleep_for(kSettled);
            }
        }
        ~Scope() { pause_.scopes_.fetch_sub(1); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        InliningPause& pause_;
    };

    [[nodiscard]] bool in_effect() const noexcept { return scopes_.load() != 0; }

  private:
    // From the question about an inlining to its being entered, the compiler reads one method's IL:
    // microseconds.
    static constexpr std::chrono::milliseconds kSettled{20};

    std::atomic<uint32_t> scopes_{0};
};

}  // namespace umbra::agent
