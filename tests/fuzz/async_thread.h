// SPDX-License-Identifier: MIT
// Made-up threads of async calls, as seeds have them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "hotpath/record.h"
#include "tests/collector/record_stream.h"
#include "tests/fuzz/records.h"

namespace umbra::fuzz {

/// Records of a thread whose calls are suspended, go on and throw, in any order, from `now` on,
/// which is when the last comes in the end.
inline collector::testing::RecordStream async_thread(std::mt19937& random, uint64_t& now) {
    using hotpath::ControlType;
    const auto below = [&random](uint32_t bound) {
        return static_cast<uint32_t>(random()) % bound;
    };
    collector::testing::RecordStream stream;
    std::vector<std::pair<char, uint32_t>> open;
    for (uint32_t step = 0; step < 40; ++step) {
        const uint32_t sp = 10'000 - 100 * static_cast<uint32_t>(open.size());
        const auto method = static_cast<char>('A' + below(5));
        now += below(20);
        switch (below(8)) {
            case 0:
            case 1:
                stream.enter(method, sp, now);
                open.emplace_back(method, sp);
                break;
            case 2:
                if (!open.empty()) {
                    stream.leave(open.back().first, open.back().second, now);
                    open.pop_back();
                }
                break;
            case 3:
                stream.control(ControlType::kAsyncSuspended, sp, now)
                    .payload(hotpath::make_async_keys(1 + below(4), 0))
                    .payload(below(4));
                break;
            case 4:
                stream.control(ControlType::kAsyncResumed, sp, now)
                    .payload(hotpath::make_async_keys(1 + below(4), 0))
                    .payload(below(4));
                break;
            case 5:
                stream.control(ControlType::kAsyncResumeEnds, sp + 100 * below(3), now);
                break;
            case 6: {
                const auto type = static_cast<ControlType>(
                    static_cast<uint32_t>(ControlType::kAsyncSuspended) + below(kAsyncTypes));
                stream.control(type, sp, now);
                for (size_t left = hotpath::control_payload_slots(type); left > 0; --left) {
                    stream.payload(hotpath::make_async_keys(1 + below(4), below(4)));
                }
                break;
            }
            default:
                stream.thrown(1, now).unwound(method, now);
                stream.caught(method, sp + 100 * below(4), now);
                break;
        }
    }
    return stream;
}

}  // namespace umbra::fuzz
