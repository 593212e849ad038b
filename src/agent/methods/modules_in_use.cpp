// SPDX-License-Identifier: MIT
#include "src/agent/methods/modules_in_use.h"

#include <thread>
#include <utility>

#include "src/agent/support/thread_cpu.h"

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

ModulesInUse::Request::Request(ModulesInUse& modules) noexcept : modules_(modules) {
    std::unique_lock lock(modules_.mutex_);
    if (modules_.requests_ == 0) {
        if (std::chrono::steady_clock::now() - modules_.last_request_ > kPause) {
            modules_.patience_ = kPatience;
        }
        modules_.settle(lock);
    }
    ++modules_.requests_;
}

// Giving memory back a thread sleeps for moments only, which the next look does not meet.
void ModulesInUse::settle(std::unique_lock<std::mutex>& lock) noexcept {
    constexpr int kLooks = 3;
    constexpr std::chrono::milliseconds kLook{1};
    const auto end = std::chrono::steady_clock::now() + kSettled;
    int at_rest = 0;
    while (held_up_ != 0 || (going_ != 0 && at_rest < kLooks)) {
        if (std::chrono::steady_clock::now() > end) {
            return;
        }
        const uint32_t thread = going_;
        lock.unlock();
        std::this_thread::sleep_for(kLook);
        const bool rests = thread != 0 && is_at_rest(thread);
        lock.lock();
        at_rest = rests && thread == going_ && held_up_ == 0 ? at_rest + 1 : 0;
    }
    going_ = 0;
}

ModulesInUse::Request::~Request() {
    const std::lock_guard lock(modules_.mutex_);
    --modules_.requests_;
    modules_.last_request_ = std::chrono::steady_clock::now();
    modules_.let_go_.notify_all();
}

template <typename Predicate>
bool ModulesInUse::Leaving::wait(std::unique_lock<std::mutex>& lock,
                                 std::chrono::milliseconds timeout,
                                 const Predicate& is_let_go) noexcept {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + timeout;
    bool in_time = modules_.let_go_.wait_until(lock, end, is_let_go);
    while (in_time && modules_.requests_ != 0 &&
           modules_.patience_ > steady_clock::duration::zero()) {
        const auto begin = steady_clock::now();
        ++modules_.held_up_;
        modules_.let_go_.wait_until(lock, begin + modules_.patience_);
        --modules_.held_up_;
        modules_.patience_ -= steady_clock::now() - begin;
        in_time = modules_.let_go_.wait_until(lock, end, is_let_go);
    }
    modules_.going_ = own_os_tid();
    return in_time;
}

ModulesInUse::Leaving::Leaving(ModulesInUse& modules, clr::ModuleID module,
                               std::chrono::milliseconds timeout) noexcept
    : modules_(modules), module_(module) {
    std::unique_lock lock(modules_.mutex_);
    Use* use = nullptr;
    try {
        use = &modules_.uses_[module];  // stays where it is: a node of its own
    } catch (...) {                     // out of memory: nobody may be at work at all
        in_order_ = wait(lock, timeout, [&] { return modules_.works_ == 0; });
        return;
    }
    announced_ = true;
    use->left = true;
    ++use->leaving;
    in_order_ = wait(lock, timeout, [&] { return use->kept == 0; });
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
