// SPDX-License-Identifier: MIT
#include "src/agent/methods/modules_in_use.h"

#include <utility>

namespace umbra::agent {

ModulesInUse::Work::Work(ModulesInUse& modules) : modules_(modules) {
    const std::lock_guard lock(modules_.mutex_);
    ++modules_.works_;
}

ModulesInUse::Work::~Work() {
    let_go();
    const std::lock_guard lock(modules_.mutex_);
    if (--modules_.works_ == 0) {
        std::erase_if(modules_.uses_, [](const auto& use) { return use.second.leaving == 0; });
    }
    modules_.let_go_.notify_all();
}

bool ModulesInUse::Work::keep(clr::ModuleID module) {
    const std::lock_guard lock(modules_.mutex_);
    Use& use = modules_.uses_[module];
    if (use.left) {
        return false;
    }
    kept_.push_back(module);
    ++use.kept;
    return true;
}

void ModulesInUse::Work::let_go() noexcept {
    const std::lock_guard lock(modules_.mutex_);
    for (const clr::ModuleID module : kept_) {
        const auto use = modules_.uses_.find(module);
        if (--use->second.kept == 0 && !use->second.left) {
            modules_.uses_.erase(use);
        }
    }
    kept_.clear();
    modules_.let_go_.notify_all();
}

ModulesInUse::Leaving::Leaving(ModulesInUse& modules, clr::ModuleID module,
                               std::chrono::milliseconds timeout) noexcept
    : modules_(modules), module_(module) {
    std::unique_lock lock(modules_.mutex_);
    Use* use = nullptr;
    try {
        use = &modules_.uses_[module];  // stays where it is: a node of its own
    } catch (...) {                     // out of memory: nobody may be at work at all
        in_order_ = modules_.let_go_.wait_for(lock, timeout, [&] { return modules_.works_ == 0; });
        return;
    }
    announced_ = true;
    use->left = true;
    ++use->leaving;
    in_order_ = modules_.let_go_.wait_for(lock, timeout, [&] { return use->kept == 0; });
}

ModulesInUse::Leaving::~Leaving() {
    if (!announced_) {
        return;
    }
    const std::lock_guard lock(modules_.mutex_);
    const auto use = modules_.uses_.find(module_);
    if (--use->second.leaving == 0 && modules_.works_ == 0) {
        modules_.uses_.erase(use);
    }
}

}  // namespace umbra::agent
