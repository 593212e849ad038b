// SPDX-License-Identifier: MIT
// FaultLog: what a profiler has done that it must not, counted by kind.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umbra::runsxs {

/// What is checked. A verdict has the name of its check.
enum class Check : uint8_t {
    kOwnInfo,           ///< inside a callback the info of that instance alone is called
    kOwnIds,            ///< an instance is asked about its own ids
    kOwnClientData,     ///< each instance's mapper has client data of its own
    kClientId,          ///< the mapper answers something for each function
    kAfterShutdown,     ///< nothing is asked of an instance that has shut down
    kAfterDetach,       ///< or of one that has let the profiler go
    kInfoReferences,    ///< the info is released as often as it was taken, where the profiler goes
    kOwnReferences,     ///< the profiler counts the references it hands out
    kUnknownInterface,  ///< it has no interface that nobody knows
    kRefusal,           ///< an instance that is refused is left as it was
    kExceptions,        ///< no C++ exception leaves a callback
    kOutput,            ///< nothing is printed
    kExpected,          ///< the instances that the script expects are profiled, and no others
    kCrash,             ///< the process lives on
    kHang,              ///< each step of the script ends
};
inline constexpr size_t kChecks = static_cast<size_t>(Check::kHang) + 1;

struct CheckFacts {
    std::string_view name;    ///< "own-info"
    std::string_view demand;  ///< what a profiler must do
};
[[nodiscard]] const CheckFacts& facts_of(Check check);

/// Lies in memory that the process under test shares with the one that judges it, so that it is
/// there after a crash. Any thread; nothing allocates.
class FaultLog {
  public:
    static constexpr size_t kDetailBytes = 240;

    /// `detail`: of the first of its kind, what was done to what.
    void add(Check check, std::string_view detail);
    /// Who does what now; of the script.
    void begin_step(std::string_view step);
    void count_info_call() { info_calls_.fetch_add(1, std::memory_order_relaxed); }
    void count_callback() { callbacks_.fetch_add(1, std::memory_order_relaxed); }

    [[nodiscard]] uint64_t faults(Check check) const;
    [[nodiscard]] std::string detail(Check check) const;
    [[nodiscard]] std::string step() const;
    [[nodiscard]] uint64_t info_calls() const { return info_calls_.load(); }
    [[nodiscard]] uint64_t callbacks() const { return callbacks_.load(); }

  private:
    using Text = std::array<char, kDetailBytes>;

    std::array<std::atomic<uint64_t>, kChecks> faults_{};
    std::array<Text, kChecks> details_{};
    Text step_{};
    std::atomic<uint64_t> info_calls_{0};
    std::atomic<uint64_t> callbacks_{0};
};

}  // namespace umbra::runsxs
