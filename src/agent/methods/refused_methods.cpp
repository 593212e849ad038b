// SPDX-License-Identifier: MIT
#include "src/agent/methods/refused_methods.h"

#include <algorithm>

#include "src/base/utf8.h"

namespace umbra::agent {
namespace {

std::string shortened(const std::string& name) {
    return name.size() <= RefusedMethods::kMaxNameBytes
               ? name
               : std::string(cut_utf8(name, RefusedMethods::kMaxNameBytes)) + "...";
}

std::string counted(uint64_t methods, const char* more) {
    return std::to_string(methods) + more + (methods == 1 ? " method" : " methods");
}

}  // namespace

std::string RefusedMethods::add(const std::string& why, std::span<const std::string> names,
                                uint64_t methods) {
    const std::lock_guard lock(mutex_);
    Reason& reason = reasons_[why];
    const size_t shown =
        std::min({names.size(), kMaxNamed - reason.named, static_cast<size_t>(methods)});
    if (shown == 0) {
        reason.unsaid += methods;
        return {};
    }
    reason.named += shown;
    std::string text;
    for (const std::string& name : names.first(shown)) {
        text += (text.empty() ? "" : ", ") + shortened(name);
    }
    if (methods > shown) {
        text += " and " + counted(methods - shown, " more");
    }
    return text + (methods == 1 ? " is" : " are") + " not timed: " + why;
}

std::vector<std::string> RefusedMethods::take_rest() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> sentences;
    for (auto& [why, reason] : reasons_) {
        if (reason.unsaid != 0) {
            sentences.push_back(counted(reason.unsaid, reason.named != 0 ? " more" : "") +
                                (reason.unsaid == 1 ? " is" : " are") + " not timed: " + why);
            reason.unsaid = 0;
        }
    }
    return sentences;
}

void RefusedMethods::forget() {
    const std::lock_guard lock(mutex_);
    reasons_.clear();
}

}  // namespace umbra::agent
