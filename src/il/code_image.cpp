// SPDX-License-Identifier: MIT
#include "src/il/code_image.h"

#include <algorithm>

#include "src/clr/metadata_schema.h"
#include "src/clr/signature.h"

namespace umbra::il {

using clr::bytes_of;

namespace {

/// Parameters and result as C# writes them, type variables by their numbers.
std::string spelled(Bytes signature, const clr::TypeTokens& tokens) {
    const auto decoded = clr::decode_method_signature(signature, tokens, {});
    return decoded ? decoded->return_type + clr::spell_parameters(*decoded) : std::string();
}

}  // namespace

CodeImage::CodeImage(clr::Bytes image, clr::ImageLayout layout, std::string path,
                     const clr::ImageMetadata& metadata)
    : image_(image),
      layout_(layout),
      path_(std::move(path)),
      metadata_(metadata),
      reader_(metadata),
      findings_(size_t{metadata.method_count()} + 1) {
}

std::shared_ptr<CodeImage> CodeImage::make(clr::Bytes image, clr::ImageLayout layout,
                                           std::string path) {
    const auto metadata = clr::ImageMetadata::parse(clr::metadata_of_image(image, layout));
    if (!metadata) {
        return nullptr;
    }
    return std::shared_ptr<CodeImage>(new CodeImage(image, layout, std::move(path), *metadata));
}

std::shared_ptr<CodeImage> CodeImage::of_file(clr::ReadFile read, std::string path) {
    auto file = std::make_unique<File>(
        File{.read = std::move(read), .headers = {}, .metadata = {}, .bodies = {}});
    file->headers = file->read(0, clr::kHeaderBytes);
    file->metadata = clr::metadata_of_file(bytes_of(file->headers), file->read);
    const auto metadata = clr::ImageMetadata::parse(bytes_of(file->metadata));
    if (!metadata) {
        return nullptr;
    }
    auto made = std::shared_ptr<CodeImage>(
        new CodeImage({}, clr::ImageLayout::kFlat, std::move(path), *metadata));
    made->file_ = std::move(file);
    return made;
}

std::optional<MethodBody> CodeImage::body(const clr::MethodRow& method) {
    if (method.code == 0 ||
        (method.implementation & (clr::kCodeTypeMask | clr::kInternalCall)) != 0) {
        return std::nullopt;
    }
    return file_ ? body_in(*file_, method.code)
                 : MethodBody::parse(clr::bytes_at(image_, layout_, method.code));
}

// How long a body is its header tells, and what stands behind its code.
const std::optional<MethodBody>& CodeImage::body_in(File& file, uint32_t address) {
    constexpr size_t kFirstBytes = 1024;
    constexpr size_t kMostBytes = size_t{16} << 20;
    constexpr size_t kTimes = 16;
    const auto [known, added] = file.bodies.try_emplace(address);
    File::Body& body = known->second;
    if (!added) {
        return body.parsed;
    }
    const clr::FilePart rest = clr::part_of_file(bytes_of(file.headers), address);
    const size_t most = std::min(rest.bytes, kMostBytes);
    for (size_t bytes = kFirstBytes, last = 0; !body.parsed && last < most; bytes *= kTimes) {
        last = std::min(bytes, most);
        const std::string text = file.read(rest.offset, last);
        body.parsed = MethodBody::parse(bytes_of(text));
        if (body.parsed) {
            body.code.assign(body.parsed->code.begin(), body.parsed->code.end());
            body.parsed->code = bytes_of(body.code);
        }
    }
    return body.parsed;
}

uint8_t CodeImage::finding(clr::mdMethodDef method) const {
    const uint32_t row = clr::row_in(method);
    return row < findings_.size() ? findings_[row].load(std::memory_order_relaxed) : uint8_t{0};
}

void CodeImage::note_finding(clr::mdMethodDef method, uint8_t finding) {
    const uint32_t row = clr::row_in(method);
    if (row < findings_.size()) {
        findings_[row].store(finding, std::memory_order_relaxed);
    }
}

void CodeImage::index_types() {
    if (indexed_) {
        return;
    }
    indexed_ = true;
    for (uint32_t row = 1; row <= metadata_.type_count(); ++row) {
        const clr::mdTypeDef type = clr::token_of(clr::kTypeDef, row);
        by_name_.emplace(metadata_.type_name(type), type);
    }
    for (uint32_t row = 1; row <= metadata_.exported_type_count(); ++row) {
        const clr::mdExportedType type = clr::token_of(clr::kExportedType, row);
        by_name_.emplace(metadata_.exported_type(type).first, type);
    }
}

clr::mdTypeDef CodeImage::find_type(const clr::TypeChain& wanted) {
    if (wanted.names.empty()) {
        return 0;
    }
    index_types();
    const auto [first, end] = by_name_.equal_range(wanted.names.back());
    for (auto at = first; at != end; ++at) {
        if (clr::table_of(at->second) != clr::kTypeDef) {
            continue;
        }
        const clr::TypeChain chain = reader_.chain(at->second);
        if (chain.namespace_ == wanted.namespace_ && chain.names == wanted.names) {
            return at->second;
        }
    }
    return 0;
}

clr::mdToken CodeImage::forwarded_to(const clr::TypeChain& wanted) {
    if (wanted.names.empty()) {
        return 0;
    }
    index_types();
    const auto [first, end] = by_name_.equal_range(wanted.names.front());
    for (auto at = first; at != end; ++at) {
        if (clr::table_of(at->second) == clr::kExportedType &&
            metadata_.exported_type(at->second).second == wanted.namespace_) {
            const clr::mdToken where = metadata_.scope(at->second);
            return clr::table_of(where) == clr::kAssemblyRef ? where : 0;
        }
    }
    return 0;
}

clr::mdMethodDef CodeImage::find_method(clr::mdTypeDef type, const clr::MemberReference& reference,
                                        const CodeImage& from) const {
    const std::vector<clr::mdMethodDef> named = metadata_.methods_named(type, reference.name);
    if (named.size() < 2) {
        return named.empty() ? 0 : named.front();
    }
    const std::string wanted = spelled(reference.signature, from.reader_);
    clr::mdMethodDef found = 0;
    for (const clr::mdMethodDef method : named) {
        const auto row = metadata_.method_row(method);
        if (row && spelled(row->signature, reader_) == wanted) {
            if (found != 0) {
                return 0;
            }
            found = method;
        }
    }
    return found;
}

}  // namespace umbra::il
