// SPDX-License-Identifier: MIT
// What a runtime tells of itself.
#pragma once

#include <cstdint>
#include <string>

#include "src/clr/info.h"

namespace umbra::agent {

/// 10, of ".NET 10.0.12"; 0: it does not tell.
[[nodiscard]] inline uint16_t runtime_major_version(clr::ICorProfilerInfo3& info) {
    uint16_t major = 0;
    return clr::succeeded(info.GetRuntimeInformation(nullptr, nullptr, &major, nullptr, nullptr,
                                                     nullptr, 0, nullptr, nullptr))
               ? major
               : 0;
}

/// How the runtime calls itself: ".NET 10.0.12".
[[nodiscard]] inline std::string runtime_version(clr::ICorProfilerInfo3& info) {
    uint16_t major = 0;
    uint16_t minor = 0;
    uint16_t build = 0;
    if (clr::failed(info.GetRuntimeInformation(nullptr, nullptr, &major, &minor, &build, nullptr, 0,
                                               nullptr, nullptr))) {
        return ".NET (version unknown)";
    }
    return ".NET " + std::to_string(major) + '.' + std::to_string(minor) + '.' +
           std::to_string(build);
}

/// What tells a copy of the runtime from others in the process: where the code of its interfaces
/// is.
[[nodiscard]] inline const void* runtime_identity(const clr::IUnknown& info) {
    return *reinterpret_cast<void* const*>(&info);
}

}  // namespace umbra::agent
