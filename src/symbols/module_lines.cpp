// SPDX-License-Identifier: MIT
#include "src/symbols/module_lines.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/clr/image_metadata.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/metadata_schema.h"
#include "src/clr/pe_image.h"
#include "src/symbols/image_debug.h"
#include "src/symbols/method_places.h"

namespace umbra::symbols {
namespace {

constexpr size_t kMostFileBytes = size_t{256} << 20;
constexpr uint32_t kSynchronized = 0x20;              // MethodImplAttributes
constexpr uint32_t kMostMethods = uint32_t{1} << 22;  // of one module that lines are kept of

/// The content of a regular file; empty: it cannot be read, or is too large.
std::vector<uint8_t> content_of(const UniqueFd& file) {
    struct stat facts {};
    if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size <= 0 ||
        static_cast<uint64_t>(facts.st_size) > kMostFileBytes) {
        return {};
    }
    std::vector<uint8_t> bytes(static_cast<size_t>(facts.st_size));
    size_t at = 0;
    while (at < bytes.size()) {
        const ssize_t got =
            pread(file.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        at += static_cast<size_t>(got);
    }
    bytes.resize(at);  // it may have become shorter meanwhile
    return bytes;
}

std::vector<uint8_t> content_of(const Open& open, const std::string& path) {
    const Result<UniqueFd> file = open(path);
    return file ? content_of(*file) : std::vector<uint8_t>();
}

std::vector<uint8_t> own_file(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    return file ? content_of(file) : std::vector<uint8_t>();
}

/// What follows the last separator of either kind: compilers run on Windows, too.
std::string_view file_name(std::string_view path) {
    return path.substr(path.find_last_of("/\\") + 1);  // npos + 1 is 0
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return text;
}

/// Where symbol stores have a portable PDB (SSQP Key Conventions of dotnet/symstore):
/// NAME/GUIDffffffff/NAME, with the numbers of the GUID as they are read; most have names in small
/// letters.
std::string store_path(const std::string& name, const PdbId& id) {
    constexpr std::array<size_t, 16> kOrder = {3, 2, 1,  0,  5,  4,  7,  6,
                                               8, 9, 10, 11, 12, 13, 14, 15};
    std::string key;
    for (const size_t at : kOrder) {
        key += fmt::format("{:02x}", id[at]);
    }
    return fmt::format("{}/{}ffffffff/{}", name, key, name);
}

void take_lines(const PortablePdb& pdb, Bytes image, ModuleLines& lines) {
    lines.points = method_places(pdb, image, kMostMethods);
    std::vector<bool> named(pdb.documents());
    for (const SourcePoint& point : lines.points) {
        if (point.document != 0) {
            named[point.document - 1] = true;
        }
    }
    lines.files.resize(named.size());
    for (uint32_t document = 1; document <= named.size(); ++document) {
        if (named[document - 1]) {
            lines.files[document - 1] = pdb.document_name(document);
        }
    }
}

/// The row of MoveNext of the state machine that a method was made into; 0: into none.
uint32_t move_next_of(const clr::MetadataReader& reader, const clr::ImageMetadata& metadata,
                      uint32_t row) {
    const std::string machine = reader.state_machine(clr::token_of(clr::kMethodDef, row));
    if (machine.empty()) {
        return 0;
    }
    for (const clr::mdTypeDef type : metadata.types_named(machine.substr(machine.rfind('+') + 1))) {
        const auto [first, end] = metadata.method_rows(metadata.enclosing_type(type));
        const std::vector<clr::mdMethodDef> found = metadata.methods_named(type, "MoveNext");
        if (row >= first && row < end && found.size() == 1) {
            return clr::row_in(found.front());
        }
    }
    return 0;
}

/// What the metadata tells but for tests and endpoints themselves.
void read_methods(Bytes image, const std::set<clr::mdMethodDef>& named, ModuleLines& lines) {
    const auto metadata =
        clr::ImageMetadata::parse(clr::metadata_of_image(image, clr::ImageLayout::kFlat));
    if (!metadata) {
        return;
    }
    for (uint32_t row = 1;; ++row) {
        const auto method = metadata->method_row(clr::token_of(clr::kMethodDef, row));
        if (!method) {
            break;
        }
        if ((method->implementation & kSynchronized) != 0) {
            lines.synchronized.push_back(row);
        }
    }
    const clr::MetadataReader reader(*metadata);
    const auto note_body = [&](const auto& labelled) {
        if (const uint32_t body = move_next_of(reader, *metadata, labelled.row); body != 0) {
            lines.started_by.emplace(body, labelled.row);
        }
    };
    std::ranges::for_each(lines.tests, note_body);
    std::ranges::for_each(lines.endpoints, note_body);
    for (const clr::mdMethodDef method : named) {
        if (auto name = clr::method_name(*metadata, method)) {
            lines.names.emplace(method, *std::move(name));
        }
    }
}

/// One PDB after the other, until one is of this build.
class Search {
  public:
    Search(const PdbId& id, Bytes image, ModuleLines& lines)
        : id_(id), image_(image), lines_(lines) {}

    [[nodiscard]] bool found() const { return !lines_.pdb.empty(); }

    void look_at(const std::string& place, Bytes bytes) {
        if (found() || bytes.empty()) {
            return;
        }
        const std::optional<PortablePdb> pdb = PortablePdb::parse(bytes);
        if (!pdb) {
            lines_.missing = place + " is no portable PDB";
        } else if (pdb->id() != id_) {
            lines_.missing = place + " is of another build";
        } else {
            lines_.pdb = place;
            lines_.missing.clear();
            take_lines(*pdb, image_, lines_);
        }
    }

  private:
    const PdbId& id_;
    const Bytes image_;
    ModuleLines& lines_;
};

}  // namespace

ModuleLines read_module_lines(const std::string& path, const Open& open,
                              const std::vector<std::string>& folders,
                              const std::set<clr::mdMethodDef>& named) {
    ModuleLines lines;
    const std::vector<uint8_t> image = content_of(open, path);
    if (image.empty()) {
        lines.missing = "the module's file cannot be read";
        return lines;
    }
    lines.tests = test_methods(image, [&](const std::string& assembly) {
        return content_of(open, folder_of(path) + assembly + ".dll");
    });
    lines.endpoints = endpoints(image);
    read_methods(image, named, lines);
    const std::optional<ImageDebug> debug = image_debug(image);
    if (!debug) {
        lines.missing = "the module names no PDB";
        return lines;
    }
    if (!debug->portable) {
        lines.missing = "its PDB has the format of Windows";
        return lines;
    }
    lines.missing = "no PDB";
    Search search(debug->id, image, lines);
    search.look_at(kEmbedded, inflate_embedded(*debug, kMostFileBytes));
    const std::string name(file_name(debug->pdb_path));
    if (const std::string beside = folder_of(path) + name; !search.found() && !name.empty()) {
        search.look_at(beside, content_of(open, beside));
    }
    for (const std::string& folder : folders) {
        for (const std::string& below :
             {name, store_path(name, debug->id), store_path(lower_case(name), debug->id)}) {
            if (!search.found() && !name.empty()) {
                const std::string place = (std::filesystem::path(folder) / below).string();
                search.look_at(place, own_file(place));
            }
        }
    }
    return lines;
}

}  // namespace umbra::symbols
