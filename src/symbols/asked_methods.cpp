// SPDX-License-Identifier: MIT
#include "src/symbols/asked_methods.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/base/nearest.h"
#include "src/base/nearest_patterns.h"
#include "src/base/pattern_name.h"
#include "src/base/read_file.h"
#include "src/base/source_name.h"
#include "src/base/utf8.h"
#include "src/clr/image_metadata.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/pe_image.h"

namespace umbra::symbols {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
constexpr size_t kMostAssemblies = 1024;
constexpr size_t kModulesNamed = 2;

std::string metadata_in(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMostBytes || error) {
        return {};
    }
    FileParts file(path);
    const std::string headers = file(0, clr::kHeaderBytes);
    return clr::metadata_of_file(clr::bytes_of(headers), file);
}

/// Self-contained programs have the framework's assemblies beside their own: there the name tells.
bool looks_like_framework(const std::string& path) {
    const std::string name = fs::path(path).filename().string();
    return path.find("/shared/Microsoft.") != std::string::npos || name.starts_with("System.") ||
           name.starts_with("Microsoft.");
}

/// The program's own first, each part by name.
std::vector<std::string> own_first(const std::set<std::string>& paths) {
    std::vector<std::string> ordered(paths.begin(), paths.end());
    std::stable_partition(ordered.begin(), ordered.end(), std::not_fn(looks_like_framework));
    return ordered;
}

}  // namespace

MethodList method_list(const std::string& path) {
    MethodList list{.module = fs::path(path).filename().string(), .names = {}};
    const std::string bytes = metadata_in(path);
    const auto metadata = clr::ImageMetadata::parse(clr::bytes_of(bytes));
    if (!metadata) {
        return list;
    }
    const clr::MetadataReader reader(*metadata);
    clr::mdTypeDef last = 0;
    std::string type;
    for (const clr::mdMethodDef token : reader.methods_with_code()) {
        if (const auto method = reader.method(token)) {
            if (method->type != last) {
                last = method->type;
                type = pattern_name(reader.full_name(last));
            }
            list.names.push_back(type + '.' + method->name);
        }
    }
    return list;
}

std::vector<std::string> assemblies_in(const std::string& folder) {
    std::set<std::string> found;
    std::error_code error;
    for (auto entry = fs::directory_iterator(folder.empty() ? "." : folder, error);
         !error && entry != fs::end(entry) && found.size() < kMostAssemblies;
         entry.increment(error)) {
        if (entry->path().extension() == ".dll") {
            found.insert(entry->path().string());
        }
    }
    return own_first(found);
}

std::vector<std::string> mapped_assemblies(pid_t pid) {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    std::set<std::string> paths;
    for (std::string line; std::getline(maps, line) && paths.size() < kMostAssemblies;) {
        const size_t at = line.find('/');
        if (at != std::string::npos && line.ends_with(".dll")) {
            paths.insert(line.substr(at));
        }
    }
    std::vector<std::string> found = own_first(paths);
    for (std::string& path : found) {
        path = fmt::format("/proc/{}/root{}", pid, path);
    }
    return found;
}

std::vector<MethodList> look_for(std::vector<AskedPattern>& asked,
                                 const std::vector<std::string>& assemblies) {
    std::vector<MethodList> read;
    for (const std::string& path : assemblies) {
        if (std::ranges::all_of(asked, &AskedPattern::met)) {
            break;
        }
        MethodList list = method_list(path);
        if (list.names.empty()) {
            continue;
        }
        std::vector<AskedPattern*> here;
        for (AskedPattern& one : asked) {
            if (!one.met && one.methods.matches_module(list.module)) {
                here.push_back(&one);
            }
        }
        for (auto name = list.names.begin(); name != list.names.end() && !here.empty(); ++name) {
            const MatchedNames names(*name, source_name(*name));
            std::erase_if(here, [&](AskedPattern* one) {
                one->met = one->methods.takes(names, Pattern::Fit::kAnyCase);
                return one->met;
            });
        }
        read.push_back(std::move(list));
    }
    return read;
}

std::string unmet_text(const AskedPattern& asked, const std::vector<MethodList>& read) {
    size_t methods = 0;
    std::vector<std::string> names;
    std::vector<std::string> modules;
    for (const MethodList& list : read) {
        methods += list.names.size();
        if (modules.size() < kModulesNamed) {
            modules.push_back(printable_utf8(list.module));
        }
        for (const std::string& name : list.names) {
            names.push_back(source_name(name));
        }
    }
    const std::string file = lower_case(asked.text) + ".dll";
    const auto module = std::ranges::find_if(
        read, [&](const MethodList& list) { return lower_case(list.module) == file; });
    const std::vector<std::string> near =
        module != read.end() ? std::vector{module->module} : nearest_patterns(asked.text, names);
    const std::string what =
        fmt::format("{} '{}' matches ", asked.option, printable_utf8(asked.text));
    if (read.empty()) {
        return what + "no method that was called";
    }
    return fmt::format(
        "{}none of the {} methods of {}{}{}", what, methods, fmt::join(modules, ", "),
        read.size() > modules.size()
            ? fmt::format(" and {} other assemblies", read.size() - modules.size())
            : "",
        near.empty() ? "" : printable_utf8(fmt::format("; nearest: {}", fmt::join(near, ", "))));
}

}  // namespace umbra::symbols
