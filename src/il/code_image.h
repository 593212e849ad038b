// SPDX-License-Identifier: MIT
// CodeImage: the methods of one assembly's image, and what the rule for trivial ones has found.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/clr/image_metadata.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/pe_image.h"
#include "src/il/method_body.h"

namespace umbra::il {

class CodeImage;

/// A method of an image. No image: it was not found.
struct MethodPlace {
    CodeImage* image = nullptr;
    clr::mdMethodDef token = 0;
    bool operator==(const MethodPlace&) const = default;
};

/// Points into the image's bytes, which outlive it; they may be anything. The findings may be read
/// and written on any thread; all else is MethodJudge's, behind its lock.
class CodeImage {
  public:
    /// `path`: of its file, by which others are found beside it. Null: it has no metadata that can
    /// be read.
    [[nodiscard]] static std::shared_ptr<CodeImage> make(clr::Bytes image, clr::ImageLayout layout,
                                                         std::string path);
    /// Of a file, of which it keeps the metadata and the code that was asked for. `path`: of that
    /// file, by which others are found beside it. Null: it has no metadata that can be read.
    [[nodiscard]] static std::shared_ptr<CodeImage> of_file(clr::ReadFile read, std::string path);

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] const clr::ImageMetadata& metadata() const { return metadata_; }
    /// None: it has no IL.
    [[nodiscard]] std::optional<MethodBody> body(const clr::MethodRow& method);

    /// What was found of a method; 0: nothing yet, or there is no such method.
    [[nodiscard]] uint8_t finding(clr::mdMethodDef method) const;
    void note_finding(clr::mdMethodDef method, uint8_t finding);

    /// A type of this image. 0: it has none of this name.
    [[nodiscard]] clr::mdTypeDef find_type(const clr::TypeChain& type);
    /// The assembly that this one says a type of that name is in (AssemblyRef); 0: it says nothing.
    [[nodiscard]] clr::mdToken forwarded_to(const clr::TypeChain& type);
    /// A method of a type of this image, by name and by the signature that `from` has for it.
    /// 0: there is none, or more than one.
    [[nodiscard]] clr::mdMethodDef find_method(clr::mdTypeDef type,
                                               const clr::MemberReference& reference,
                                               const CodeImage& from) const;

    using TypePlace = std::pair<CodeImage*, clr::mdTypeDef>;
    /// What its tokens were found to name. Empty ones were not found.
    std::unordered_map<clr::mdToken, TypePlace> types;
    std::unordered_map<clr::mdToken, MethodPlace> methods;

  private:
    /// What has been read of a file.
    struct File {
        struct Body {
            std::string code;
            std::optional<MethodBody> parsed;
        };
        clr::ReadFile read;
        std::string headers;
        std::string metadata;
        std::unordered_map<uint32_t, Body> bodies;  ///< by address
    };

    CodeImage(clr::Bytes image, clr::ImageLayout layout, std::string path,
              const clr::ImageMetadata& metadata);
    void index_types();
    [[nodiscard]] static const std::optional<MethodBody>& body_in(File& file, uint32_t address);

    std::unique_ptr<File> file_;  // null: its bytes are another's
    clr::Bytes image_;
    clr::ImageLayout layout_;
    std::string path_;
    clr::ImageMetadata metadata_;
    clr::MetadataReader reader_;
    std::vector<std::atomic<uint8_t>> findings_;  // by row of the method, from 1
    bool indexed_ = false;
    std::unordered_multimap<std::string_view, clr::mdToken> by_name_;  // TypeDefs, ExportedTypes
};

}  // namespace umbra::il
