// SPDX-License-Identifier: MIT
#include "src/profile/names/short_names.h"

#include <array>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace umbra::profile {
namespace {

/// "Cart.Add(Item, int) [#2]"
std::string without_namespace(const Function& function) {
    std::string name = function.name;
    if (const std::string outer = function.namespace_ + '.'; outer.size() > 1) {
        if (const std::size_t place = name.find(outer + function.type);
            place != std::string::npos) {
            name.erase(place, outer.size());
        }
    }
    return name;
}

/// "Cart.Add [#2]"
std::string without_parameters(const Function& function) {
    std::string name = without_namespace(function);
    if (!function.signature.empty()) {
        if (const std::size_t place = name.rfind(function.signature); place != std::string::npos) {
            name.erase(place, function.signature.size());
        }
    }
    return name;
}

std::string whole(const Function& function) {
    return function.name;
}

}  // namespace

void shorten_names(Profile& profile) {
    constexpr std::array kForms = {without_parameters, without_namespace, whole};
    std::vector<std::size_t> form(profile.functions.size(), 0);
    std::vector<std::string> names;
    std::unordered_map<std::string, std::size_t> times;
    for (const Function& function : profile.functions) {
        names.push_back(without_parameters(function));
        ++times[names.back()];
    }
    // Until none is there twice: a longer name may be another's short one.
    for (bool again = true; again;) {
        std::vector<std::size_t> shared;
        for (std::size_t row = 0; row < names.size(); ++row) {
            if (times[names[row]] > 1 && form[row] + 1 < kForms.size()) {
                shared.push_back(row);
            }
        }
        for (const std::size_t row : shared) {
            --times[names[row]];
            names[row] = kForms.at(++form[row])(profile.functions[row]);
            ++times[names[row]];
        }
        again = !shared.empty();
    }
    for (std::size_t row = 0; row < names.size(); ++row) {
        profile.functions[row].name = std::move(names[row]);
    }
}

}  // namespace umbra::profile
