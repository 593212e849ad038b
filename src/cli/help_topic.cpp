// SPDX-License-Identifier: MIT
#include "src/cli/help_topic.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "src/base/read_file.h"

namespace umbra::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

/// Empty: there is no such folder.
fs::path docs_folder() {
    // As installed; and as built in the tree, in build/PRESET.
    constexpr std::array kFromProgram = {"../share/doc/umbra/docs", "../../docs"};
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (const char* const docs : kFromProgram) {
        if (!folder.empty() && fs::exists(folder / docs / "report.md", error)) {
            return folder / docs;
        }
    }
    return {};
}

std::string written(std::string topic) {
    std::ranges::transform(topic, topic.begin(), [](char c) {
        const bool capital = c >= 'A' && c <= 'Z';
        return capital ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
    });
    return topic;
}

}  // namespace

std::vector<std::string> help_topics() {
    std::vector<std::string> topics;
    std::error_code error;
    for (const auto& page : fs::directory_iterator(docs_folder(), error)) {
        if (page.path().extension() == ".md") {
            topics.push_back(page.path().stem().string());
        }
    }
    std::ranges::sort(topics);
    return topics;
}

bool print_topic(const std::string& topic) {
    const std::vector<std::string> topics = help_topics();
    const auto known = std::ranges::find(topics, written(topic));
    if (known == topics.end()) {
        return false;
    }
    const std::optional<std::string> text =
        read_file((docs_folder() / (*known + ".md")).string(), kMostBytes);
    if (!text) {
        return false;
    }
    std::fwrite(text->data(), 1, text->size(), stdout);
    return true;
}

}  // namespace umbra::cli
