// SPDX-License-Identifier: MIT
// Gate: lets others in between two pieces of a worker's work.
#pragma once

#include <atomic>
#include <mutex>

namespace umbra::collector {

/// A lock that one thread, the worker, holds almost always, and that others get soon all the same:
/// the worker looks between two pieces of its work whether somebody asks, and stands back. (A
/// mutex alone would be taken again by the thread that has just released it.)
///
/// lock() and unlock() are a visitor's, from any thread but the worker's, one at a time.
class Gate {
  public:
    void lock() {
        asked_.store(true, std::memory_order_relaxed);
        mutex_.lock();
        asked_.store(false, std::memory_order_relaxed);
        asked_.notify_one();
    }
    void unlock() { mutex_.unlock(); }

    /// The worker's, for a piece of its work: waits for visitors, and comes in.
    class Work {
      public:
        explicit Work(Gate& gate) : gate_(gate) {
            gate.asked_.wait(true, std::memory_order_relaxed);
            gate.mutex_.lock();
        }
        Work(const Work&) = delete;
        Work& operator=(const Work&) = delete;
        ~Work() { gate_.mutex_.unlock(); }

      private:
        Gate& gate_;
    };
    /// A visitor waits: the worker is to end its work soon.
    [[nodiscard]] bool asked() const { return asked_.load(std::memory_order_relaxed); }

  private:
    std::mutex mutex_;
    std::atomic<bool> asked_{false};  ///< orders nothing: the mutex does
};

}  // namespace umbra::collector
