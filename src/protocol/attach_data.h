// SPDX-License-Identifier: MIT
// The client data of an attach: what `umbra attach` hands to the agent through the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "src/protocol/messages.h"

namespace umbra::protocol {

/// Longer paths fit into no UNIX socket's address.
inline constexpr size_t kMaxSocketPathBytes = 107;

/// Magic, version and path stay what they are in every version, so that agent and umbra of
/// different versions can still tell each other so: the agent connects, says Hello with its own
/// version, and is refused.
struct AttachData {
    uint32_t version = kProtocolVersion;
    std::string socket_path;  ///< of the collector, absolute
    bool operator==(const AttachData&) const = default;
};

/// uint64 magic, uint32 version, the path's bytes to the end; native byte order, as both ends run
/// on one machine.
[[nodiscard]] inline std::string encode(const AttachData& data) {
    std::string bytes(sizeof(kMagic) + sizeof(data.version), '\0');
    std::memcpy(bytes.data(), &kMagic, sizeof(kMagic));
    std::memcpy(bytes.data() + sizeof(kMagic), &data.version, sizeof(data.version));
    return bytes + data.socket_path;
}

/// Nothing for bytes that are no such data.
[[nodiscard]] inline std::optional<AttachData> decode_attach_data(std::string_view bytes) {
    uint64_t magic = 0;
    AttachData data;
    constexpr size_t kFixed = sizeof(magic) + sizeof(data.version);
    if (bytes.size() <= kFixed || bytes.size() > kFixed + kMaxSocketPathBytes) {
        return std::nullopt;
    }
    std::memcpy(&magic, bytes.data(), sizeof(magic));
    std::memcpy(&data.version, bytes.data() + sizeof(magic), sizeof(data.version));
    data.socket_path = bytes.substr(kFixed);
    if (magic != kMagic || data.socket_path.front() != '/' ||
        data.socket_path.find('\0') != std::string::npos) {
        return std::nullopt;
    }
    return data;
}

}  // namespace umbra::protocol
