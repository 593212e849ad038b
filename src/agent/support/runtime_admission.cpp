// SPDX-License-Identifier: MIT
#include "src/agent/support/runtime_admission.h"

#include <cstdlib>
#include <string>

#include "src/protocol/environment.h"

namespace umbra::agent {
namespace {

Status answer(bool admitted) {
    if (admitted) {
        return {};
    }
    return fail(ErrorCode::kRefused, std::string(protocol::kRuntimesVariable) +
                                         " leaves this runtime of the process out");
}

}  // namespace

RuntimeAdmission& RuntimeAdmission::of_process() {
    // Leaked on purpose: a runtime may start while the program ends.
    static RuntimeAdmission& admission = *[] {
        const char* text =
            std::getenv(protocol::kRuntimesVariable);  // NOLINT(concurrency-mt-unsafe): not ours
        return new RuntimeAdmission(RuntimeChoice::parse(text == nullptr ? "" : text));
    }();
    return admission;
}

Status RuntimeAdmission::started(const void* identity, std::string_view version) {
    const std::lock_guard lock(mutex_);
    return decide(identity, version);
}

Status RuntimeAdmission::attached(const void* identity, std::string_view version) {
    const std::lock_guard lock(mutex_);
    const auto known = admitted_.find(identity);
    return known == admitted_.end() ? decide(identity, version) : answer(known->second);
}

Status RuntimeAdmission::decide(const void* identity, std::string_view version) {
    if (!choice_) {
        return tl::unexpected<Error>(choice_.error());
    }
    ++places_;
    const size_t blank = version.rfind(' ');
    version.remove_prefix(blank == std::string_view::npos ? 0 : blank + 1);
    const bool admitted = choice_->takes(places_, version) && !(choice_->takes_one() && taken_);
    taken_ = taken_ || admitted;
    admitted_[identity] = admitted;
    return answer(admitted);
}

}  // namespace umbra::agent
