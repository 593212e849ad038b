// SPDX-License-Identifier: MIT
// Offsets are those of the PE format, "Microsoft Portable Executable and COFF specification".

#include "src/clr/pe_image.h"

#include <algorithm>
#include <optional>

namespace umbra::clr {
namespace {

constexpr size_t kSectionHeaderBytes = 40;
constexpr size_t kCliHeaderBytes = 72;
constexpr uint32_t kMaxDirectories = 16;
constexpr size_t kDebugDirectory = 6;
constexpr size_t kCliDirectory = 14;

struct Section {
    size_t address;       ///< relative to the image
    size_t mapped_bytes;  ///< size in memory
    size_t file_offset;
    size_t file_bytes;
};

class Headers {
  public:
    static std::optional<Headers> parse(Bytes image) {
        // The first page is readable whatever the layout.
        const Bytes start = image.first(std::min(image.size(), kHeaderBytes));
        if (load<uint16_t>(start, 0) != 0x5a4d) {  // "MZ"
            return std::nullopt;
        }
        const size_t pe = load<uint32_t>(start, 0x3c);
        const size_t optional_header = pe + 24;
        const uint16_t magic = load<uint16_t>(start, optional_header);
        if (load<uint32_t>(start, pe) != 0x4550 || (magic != 0x10b && magic != 0x20b)) {
            return std::nullopt;
        }
        Headers headers;
        headers.image_bytes_ = load<uint32_t>(start, optional_header + 56);
        const size_t directories = optional_header + (magic == 0x10b ? 96 : 112);
        headers.directories_ =
            part(start, directories,
                 size_t{8} * std::min(load<uint32_t>(start, directories - 4), kMaxDirectories));
        headers.sections_ = part(start, optional_header + load<uint16_t>(start, pe + 20),
                                 load<uint16_t>(start, pe + 6) * kSectionHeaderBytes);
        return headers;
    }

    struct Directory {
        size_t address;
        size_t bytes;
    };
    /// Both 0: there is none.
    [[nodiscard]] Directory directory(size_t number) const {
        return {load<uint32_t>(directories_, 8 * number),
                load<uint32_t>(directories_, 8 * number + 4)};
    }
    [[nodiscard]] size_t mapped_bytes() const { return image_bytes_; }

    [[nodiscard]] size_t file_bytes() const {
        size_t end = 0;
        for (size_t i = 0; i < sections(); ++i) {
            end = std::max(end, section(i).file_offset + section(i).file_bytes);
        }
        return end;
    }

    /// From an address to the end of what one section holds of the file.
    [[nodiscard]] FilePart in_file(size_t address) const {
        for (size_t i = 0; i < sections(); ++i) {
            const Section s = section(i);
            const size_t held = std::min(s.mapped_bytes, s.file_bytes);
            if (address >= s.address && address - s.address < held) {
                const size_t within = address - s.address;
                return {s.file_offset + within, held - within};
            }
        }
        return {};
    }
    /// Empty if not all of it lies within what one section holds of the file.
    [[nodiscard]] FilePart in_file(size_t address, size_t size) const {
        const FilePart rest = in_file(address);
        return rest.bytes < size ? FilePart() : FilePart{rest.offset, size};
    }
    /// What is in_file(), where it lies in an image.
    [[nodiscard]] Bytes from(Bytes image, ImageLayout layout, size_t address) const {
        const FilePart held = in_file(address);
        return held.bytes == 0
                   ? Bytes()
                   : part(image, layout == ImageLayout::kFlat ? held.offset : address, held.bytes);
    }
    /// Empty if not all of it lies within what one section holds of the file.
    [[nodiscard]] Bytes at(Bytes image, ImageLayout layout, size_t address, size_t size) const {
        return part(from(image, layout, address), 0, size);
    }

  private:
    [[nodiscard]] size_t sections() const { return sections_.size() / kSectionHeaderBytes; }

    [[nodiscard]] Section section(size_t i) const {
        const size_t header = i * kSectionHeaderBytes;
        return {.address = load<uint32_t>(sections_, header + 12),
                .mapped_bytes = load<uint32_t>(sections_, header + 8),
                .file_offset = load<uint32_t>(sections_, header + 20),
                .file_bytes = load<uint32_t>(sections_, header + 16)};
    }

    size_t image_bytes_ = 0;
    Bytes directories_;
    Bytes sections_;
};

}  // namespace

Bytes loaded_image(const uint8_t* base, ImageLayout layout) {
    const auto headers = Headers::parse({base, kHeaderBytes});
    if (!headers) {
        return {};
    }
    return {base, layout == ImageLayout::kFlat ? headers->file_bytes() : headers->mapped_bytes()};
}

Bytes metadata_of_image(Bytes image, ImageLayout layout) {
    const auto headers = Headers::parse(image);
    if (!headers) {
        return {};
    }
    const Bytes cli =
        headers->at(image, layout, headers->directory(kCliDirectory).address, kCliHeaderBytes);
    return headers->at(image, layout, load<uint32_t>(cli, 8), load<uint32_t>(cli, 12));
}

FilePart part_of_file(Bytes headers, size_t address) {
    const auto parsed = Headers::parse(headers);
    return parsed ? parsed->in_file(address) : FilePart();
}

std::string metadata_of_file(Bytes headers, const ReadFile& read) {
    constexpr size_t kMostBytes = size_t{128} << 20;
    const auto parsed = Headers::parse(headers);
    const auto read_part = [&](FilePart part) {
        return part.bytes == 0 ? std::string() : read(part.offset, part.bytes);
    };
    if (!parsed) {
        return {};
    }
    const std::string cli =
        read_part(parsed->in_file(parsed->directory(kCliDirectory).address, kCliHeaderBytes));
    const FilePart metadata =
        parsed->in_file(load<uint32_t>(bytes_of(cli), 8), load<uint32_t>(bytes_of(cli), 12));
    return metadata.bytes > kMostBytes ? std::string() : read_part(metadata);
}

Bytes debug_directory_of_file(Bytes image) {
    const auto headers = Headers::parse(image);
    if (!headers) {
        return {};
    }
    const Headers::Directory debug = headers->directory(kDebugDirectory);
    return headers->at(image, ImageLayout::kFlat, debug.address, debug.bytes);
}

Bytes bytes_at(Bytes image, ImageLayout layout, size_t address) {
    const auto headers = Headers::parse(image);
    return headers ? headers->from(image, layout, address) : Bytes();
}

}  // namespace umbra::clr
