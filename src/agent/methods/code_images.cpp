// SPDX-License-Identifier: MIT
#include "src/agent/methods/code_images.h"

#include <utility>

#include "src/agent/methods/framework.h"
#include "src/base/read_file.h"

namespace umbra::agent {
namespace {

constexpr std::string_view kCoreLib = "System.Private.CoreLib";

/// With a '/' at its end; empty: none.
std::string folder_of(const std::string& path) {
    return path.substr(0, path.size() - file_name_of(path).size());
}

}  // namespace

std::shared_ptr<il::CodeImage> CodeImages::add_loaded(const clr::ModuleImage& image,
                                                      const std::string& path) {
    std::shared_ptr<il::CodeImage> made = il::CodeImage::make(image.bytes, image.layout, path);
    if (!made || !image.lasting) {
        return made;
    }
    const std::lock_guard lock(mutex_);
    if (core_ == nullptr && is_core_library(path)) {
        core_ = made;
        runtime_folder_ = folder_of(path);
    }
    by_path_.try_emplace(path, made);
    return made;
}

il::CodeImage* CodeImages::core() {
    const std::lock_guard lock(mutex_);
    return core_.get();
}

il::CodeImage* CodeImages::at(const std::string& path) {
    const auto known = by_path_.find(path);
    if (known != by_path_.end()) {
        return known->second.get();
    }
    return by_path_.emplace(path, il::CodeImage::of_file(FileParts(path), path))
        .first->second.get();
}

il::CodeImage* CodeImages::find(std::string_view name, const il::CodeImage& from) {
    const std::lock_guard lock(mutex_);
    if (name == kCoreLib) {
        return core_.get();
    }
    if (name.empty() || name.find('/') != std::string_view::npos) {
        return nullptr;
    }
    const std::string file = std::string(name) + ".dll";
    const std::string beside = folder_of(from.path());
    il::CodeImage* image = beside.empty() ? nullptr : at(beside + file);
    return image != nullptr || runtime_folder_.empty() ? image : at(runtime_folder_ + file);
}

}  // namespace umbra::agent
