// SPDX-License-Identifier: MIT
// RuntimeChoice: which runtimes of a process are profiled, as UMBRA_RUNTIMES and --runtimes take
// it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/result.h"

namespace umbra {

/// A process can hold several copies of the runtime, each of which loads the agent.
///
///   all          every one (the default)
///   first        the first that asks; the same as one:1
///   one:2        the second that asks, in the order of their starts
///   one:9.0      the first of this version; one:9 and one:9.0.18 are versions too
///
/// A number below kLeastVersion alone is a place, since no such version has the profiling interface
/// that umbra needs.
class RuntimeChoice {
  public:
    static constexpr uint32_t kLeastVersion = 5;

    /// Every one.
    RuntimeChoice() = default;

    /// Empty: every one.
    static Result<RuntimeChoice> parse(std::string_view text) {
        RuntimeChoice choice;
        if (text.empty() || text == "all") {
            return choice;
        }
        constexpr std::string_view kOne = "one:";
        const std::string_view which =
            text == "first" ? "1" : text.substr(std::min(kOne.size(), text.size()));
        uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(which.data(), which.data() + which.size(), number);
        const bool version_like =
            std::ranges::all_of(which, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
        if ((text != "first" && !text.starts_with(kOne)) || error != std::errc() || number == 0 ||
            !version_like || which.ends_with('.')) {
            return fail(ErrorCode::kInvalid,
                        "'" + std::string(text) +
                            "' chooses no runtimes: write all, first, one:2 (the second to start) "
                            "or one:9.0 (the first of this version)");
        }
        if (end == which.data() + which.size() && number < kLeastVersion) {
            choice.place_ = number;
        } else {
            choice.version_ = which;
        }
        return choice;
    }

    /// Whether it is a runtime that is asked for. `place`: in the order of their starts, from 1.
    /// `version`: "9.0.18". Of several of a version only the first counts: the caller sees to it.
    [[nodiscard]] bool takes(uint32_t place, std::string_view version) const {
        if (!version_.empty()) {
            return version == version_ || version.starts_with(version_ + '.');
        }
        return place_ == 0 || place == place_;
    }
    [[nodiscard]] bool takes_one() const { return place_ != 0 || !version_.empty(); }

  private:
    uint32_t place_ = 0;   ///< 0: any
    std::string version_;  ///< empty: any
};

}  // namespace umbra
