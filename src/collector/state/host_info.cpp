// SPDX-License-Identifier: MIT
#include "src/collector/state/host_info.h"

#include <array>
#include <ctime>
#include <sstream>

#include <unistd.h>

namespace umbra::collector {

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string program_of(const std::string& command_line) {
    std::istringstream words(command_line);
    std::string first;
    words >> first;
    first = first.substr(first.rfind('/') + 1);
    if (first != "dotnet") {
        return first;
    }
    std::string word;
    while (words >> word) {
        if (word.ends_with(".dll") || word.ends_with(".exe")) {
            return word.substr(word.rfind('/') + 1);
        }
    }
    return first;
}

}  // namespace umbra::collector
