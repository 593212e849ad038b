// SPDX-License-Identifier: MIT
#include "src/agent/methods/framework.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include <dirent.h>

#include "src/base/read_file.h"
#include "src/base/utf8.h"

namespace umbra::agent {
namespace {

constexpr std::string_view kCoreLibrary = "System.Private.CoreLib.dll";
constexpr size_t kMaxDepsBytes = 16U << 20;

// <root>/shared/<name>/<version>/ answers "<root>/shared/", anything else nothing.
std::string shared_root_of(std::string_view folder) {
    std::string_view rest = folder.substr(0, folder.empty() ? 0 : folder.size() - 1);
    for (int level = 0; level < 2; ++level) {
        const size_t slash = rest.rfind('/');
        if (slash == std::string_view::npos) {
            return {};
        }
        rest = rest.substr(0, slash);
    }
    return rest.ends_with("/shared") ? std::string(rest) + "/" : std::string();
}

}  // namespace

std::string module_path(clr::ICorProfilerInfo& info, clr::ModuleID module) {
    std::array<char16_t, 1024> buffer{};
    uint32_t length = 0;
    const uint8_t* base = nullptr;
    clr::AssemblyID assembly = 0;
    if (clr::failed(info.GetModuleInfo(module, &base, static_cast<uint32_t>(buffer.size()), &length,
                                       buffer.data(), &assembly))) {
        return {};
    }
    length = std::min(length, static_cast<uint32_t>(buffer.size()));
    return to_utf8({buffer.data(), length == 0 ? 0 : length - 1});
}

std::vector<clr::ModuleID> loaded_modules(clr::ICorProfilerInfo3& info) {
    clr::ComPtr<clr::ICorProfilerModuleEnum> modules;
    if (clr::failed(info.EnumModules(modules.put()))) {
        return {};
    }
    uint32_t count = 0;
    std::vector<clr::ModuleID> ids;
    if (clr::succeeded(modules->GetCount(&count)) && count != 0) {
        ids.resize(count);
        uint32_t fetched = 0;
        modules->Next(count, ids.data(), &fetched);
        ids.resize(std::min(fetched, count));
    }
    return ids;
}

clr::ModuleID loaded_core_library(clr::ICorProfilerInfo3& info) {
    const std::vector<clr::ModuleID> loaded = loaded_modules(info);
    const auto found = std::ranges::find_if(
        loaded, [&](clr::ModuleID id) { return is_core_library(module_path(info, id)); });
    return found == loaded.end() ? 0 : *found;
}

std::string_view file_name_of(std::string_view path) noexcept {
    const size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_core_library(std::string_view path) noexcept {
    return file_name_of(path) == kCoreLibrary;
}

std::set<std::string, std::less<>> runtime_pack_files(std::string_view deps_json) {
    std::set<std::string, std::less<>> files;
    constexpr std::string_view kPack = "\"runtimepack.";
    for (size_t at = deps_json.find(kPack); at != std::string_view::npos;
         at = deps_json.find(kPack, at + 1)) {
        // The library's object: from its first '{' to the brace that closes it. No string in it
        // holds a brace: they are file names and versions.
        size_t open = deps_json.find_first_of("{,}", at);
        if (open == std::string_view::npos || deps_json[open] != '{') {
            continue;
        }
        int depth = 0;
        size_t quote = std::string_view::npos;
        for (size_t i = open; i < deps_json.size(); ++i) {
            const char c = deps_json[i];
            if (c == '{') {
                ++depth;
            } else if (c == '}' && --depth == 0) {
                break;
            } else if (c == '"' && quote == std::string_view::npos) {
                quote = i + 1;
            } else if (c == '"') {
                const std::string_view text = deps_json.substr(quote, i - quote);
                quote = std::string_view::npos;
                if (text.ends_with(".dll")) {
                    files.emplace(file_name_of(text));
                }
            }
        }
    }
    return files;
}

void FrameworkModules::learn(std::string_view corelib_path) {
    const std::string_view name = file_name_of(corelib_path);
    runtime_folder_ = corelib_path.substr(0, corelib_path.size() - name.size());
    shared_root_ = shared_root_of(runtime_folder_);
    if (!shared_root_.empty() || runtime_folder_.empty()) {
        return;
    }
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(runtime_folder_.c_str()), &closedir);
    if (folder == nullptr) {
        return;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the folder is this call's own
    while (const dirent* entry = readdir(folder.get())) {
        const std::string_view name_there = static_cast<const char*>(entry->d_name);
        if (!name_there.ends_with(".deps.json")) {
            continue;
        }
        const std::optional<std::string> text =
            read_file(runtime_folder_ + std::string(name_there), kMaxDepsBytes + 1);
        if (text && text->size() <= kMaxDepsBytes) {
            pack_files_.merge(runtime_pack_files(*text));
        }
    }
}

bool FrameworkModules::contains(std::string_view module_path) const {
    if (is_core_library(module_path)) {
        return true;
    }
    if (!shared_root_.empty()) {
        return module_path.starts_with(shared_root_);
    }
    return pack_files_.contains(file_name_of(module_path)) && !runtime_folder_.empty() &&
           module_path.starts_with(runtime_folder_);
}

}  // namespace umbra::agent
