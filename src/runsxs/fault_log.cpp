// SPDX-License-Identifier: MIT
#include "src/runsxs/fault_log.h"

#include <algorithm>

namespace umbra::runsxs {
namespace {

constexpr std::array<CheckFacts, kChecks> kFacts = {{
    {"own-info", "inside a callback of an instance, call the info of that instance alone"},
    {"own-ids", "ask an instance about its own ids alone"},
    {"own-client-data", "give each instance's function mapper client data of its own"},
    {"client-id", "answer each call of the function mapper with something other than 0"},
    {"after-shutdown", "call nothing of an instance after its Shutdown"},
    {"after-detach", "call nothing of an instance after ProfilerDetachSucceeded"},
    {"info-references", "release an instance's info as often as it was taken"},
    {"own-references", "count every reference to yourself that you hand out"},
    {"unknown-interface", "answer E_NOINTERFACE where you do not know the interface"},
    {"refusal", "leave an instance that you refuse as it was"},
    {"exceptions", "let no C++ exception out of a callback"},
    {"output", "print nothing"},
    {"expected", "profile the instances that the script expects, and no others"},
    {"crash", "leave the process alive"},
    {"hang", "come back from every call"},
}};

void copy(std::string_view from, std::array<char, FaultLog::kDetailBytes>& to) {
    const size_t size = std::min(from.size(), to.size() - 1);
    std::copy_n(from.begin(), size, to.begin());
    to[size] = '\0';
}

}  // namespace

const CheckFacts& facts_of(Check check) {
    return kFacts[static_cast<size_t>(check)];
}

void FaultLog::add(Check check, std::string_view detail) {
    const auto at = static_cast<size_t>(check);
    if (faults_[at].fetch_add(1) == 0) {
        copy(detail, details_[at]);
    }
}

void FaultLog::begin_step(std::string_view step) {
    copy(step, step_);
}

uint64_t FaultLog::faults(Check check) const {
    return faults_[static_cast<size_t>(check)].load();
}

std::string FaultLog::detail(Check check) const {
    return details_[static_cast<size_t>(check)].data();
}

std::string FaultLog::step() const {
    return step_.data();
}

}  // namespace umbra::runsxs
