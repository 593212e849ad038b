// SPDX-License-Identifier: MIT
#include "src/collector/close_elsewhere.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace umbra::collector {
namespace {

class Closer {
  public:
    void add(UniqueFd descriptor) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(descriptor));
        if (!running_) {
            try {
                std::thread([this] { run(); }).detach();
                running_ = true;
            } catch (const std::system_error&) {
                return;  // with the next one, perhaps
            }
        }
        more_.notify_one();
    }

  private:
    [[noreturn]] void run() {
        for (;;) {
            std::vector<UniqueFd> now;
            {
                std::unique_lock lock(mutex_);
                more_.wait(lock, [this] { return !waiting_.empty(); });
                now.swap(waiting_);
            }
            now.clear();  // here it may block
        }
    }

    std::mutex mutex_;
    std::condition_variable more_;
    std::vector<UniqueFd> waiting_;  // guarded by mutex_
    bool running_ = false;           // guarded by mutex_
};

}  // namespace

void close_elsewhere(UniqueFd descriptor) {
    static Closer& closer = *new Closer;  // its thread never ends
    closer.add(std::move(descriptor));
}

}  // namespace umbra::collector
