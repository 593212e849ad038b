// SPDX-License-Identifier: MIT
// Messages of the diagnostics IPC protocol (DOTNET_IPC_V1), as bytes. The source of the format is
// documentation/design-docs/ipc-protocol.md of dotnet/diagnostics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace umbra::diagnostics {

/// Command set in the high byte, command in the low one.
enum class Command : uint16_t {
    kAttachProfiler = 0x0301,
    kProcessInfo = 0x0400,
    kProcessInfo2 = 0x0404,  ///< .NET 6 and newer
};

inline constexpr size_t kHeaderBytes = 20;
/// The size in the header has 16 bits.
inline constexpr size_t kMaxIpcMessageBytes = 0xffff;

using Bytes = std::vector<std::byte>;

/// Builds a payload.
class PayloadWriter {
  public:
    void u32(uint32_t value);
    void bytes(std::span<const std::byte> bytes);
    /// uint32 count of UTF-16 units with the NUL, then the units.
    void string(std::string_view utf8);
    [[nodiscard]] const Bytes& payload() const { return payload_; }

  private:
    Bytes payload_;
};

/// Header and payload; nullopt if they are more than kMaxIpcMessageBytes.
[[nodiscard]] std::optional<Bytes> frame(Command command, std::span<const std::byte> payload);

/// What is told by the header of a reply.
struct ReplyHeader {
    size_t payload_bytes = 0;
    bool is_error = false;  ///< the payload is an HRESULT
};

/// nullopt if these are not the first kHeaderBytes bytes of a reply.
[[nodiscard]] std::optional<ReplyHeader> parse_reply_header(std::span<const std::byte> header);

/// Takes fields off a payload. Once something is missing every further field is nullopt.
class PayloadReader {
  public:
    explicit PayloadReader(std::span<const std::byte> payload) : rest_(payload) {}
    std::optional<uint32_t> u32();
    std::optional<uint64_t> u64();
    bool skip(size_t count);
    /// UTF-8, fit for a terminal.
    std::optional<std::string> string();

  private:
    std::optional<std::span<const std::byte>> take(size_t count);

    std::span<const std::byte> rest_;
};

}  // namespace umbra::diagnostics
