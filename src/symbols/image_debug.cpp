// SPDX-License-Identifier: MIT
#include "src/symbols/image_debug.h"

#include <algorithm>

#include <zlib.h>

#include "src/base/utf8.h"
#include "src/clr/pe_image.h"

namespace umbra::symbols {
namespace {

using clr::load;

constexpr size_t kEntryBytes = 28;
constexpr uint32_t kCodeView = 2;
constexpr uint32_t kEmbeddedPdb = 17;
constexpr uint32_t kRsds = 0x53445352;
constexpr uint32_t kMpdb = 0x4244504d;
constexpr uint16_t kPortableMinor = 0x504d;  // "PM" in the entry's version
constexpr size_t kGuidAt = 4;
constexpr size_t kGuidBytes = 16;
constexpr size_t kPathAt = kGuidAt + kGuidBytes + 4;
constexpr size_t kMostPathBytes = 4096;

/// Of CodeView data, which has at least kPathAt bytes.
std::string path_in(Bytes data) {
    const Bytes rest = data.subspan(kPathAt);
    const Bytes most = rest.first(std::min(rest.size(), kMostPathBytes));
    return printable_utf8({reinterpret_cast<const char*>(most.data()),
                           static_cast<size_t>(std::ranges::find(most, 0) - most.begin())});
}

}  // namespace

std::optional<ImageDebug> image_debug(Bytes image) {
    const Bytes directory = clr::debug_directory_of_file(image);
    std::optional<ImageDebug> found;
    ImageDebug debug;
    for (size_t at = 0; at + kEntryBytes <= directory.size(); at += kEntryBytes) {
        const Bytes entry = directory.subspan(at, kEntryBytes);
        const auto type = load<uint32_t>(entry, 12);
        const Bytes data = clr::part(image, load<uint32_t>(entry, 24), load<uint32_t>(entry, 16));
        if (type == kCodeView && !found && load<uint32_t>(data, 0) == kRsds &&
            data.size() >= kPathAt) {
            std::copy_n(data.begin() + kGuidAt, kGuidBytes, debug.id.begin());
            std::copy_n(entry.begin() + 4, 4, debug.id.begin() + kGuidBytes);
            debug.portable = load<uint16_t>(entry, 10) == kPortableMinor;
            debug.pdb_path = path_in(data);
            found = debug;
        } else if (type == kEmbeddedPdb && load<uint32_t>(data, 0) == kMpdb && data.size() > 8) {
            debug.embedded_bytes = load<uint32_t>(data, 4);
            debug.embedded = data.subspan(8);
        }
    }
    if (found) {
        found->embedded = debug.embedded;
        found->embedded_bytes = debug.embedded_bytes;
    }
    return found;
}

std::vector<uint8_t> inflate_embedded(const ImageDebug& debug, size_t most) {
    if (debug.embedded.empty() || debug.embedded_bytes > most) {
        return {};
    }
    std::vector<uint8_t> pdb(debug.embedded_bytes);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return {};
    }
    stream.next_in = const_cast<Bytef*>(debug.embedded.data());  // zlib does not write there
    stream.avail_in = static_cast<uInt>(debug.embedded.size());
    stream.next_out = pdb.data();
    stream.avail_out = static_cast<uInt>(pdb.size());
    const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    return whole ? pdb : std::vector<uint8_t>();
}

}  // namespace umbra::symbols
