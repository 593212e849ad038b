// SPDX-License-Identifier: MIT
// Instance: one runtime of a script, with a program to run and a profiler to load.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/generators.h"
#include "src/fakeclr/script.h"
#include "src/runsxs/fault_log.h"
#include "src/runsxs/proxies.h"

namespace umbra::runsxs {

/// Which library is the profiler, and which class of it.
struct ProfilerChoice {
    std::string path;
    Guid clsid{};
};

/// How often each path of calls was made that hooks were called on: "a.M1;b.M2".
using CallsByPath = std::map<std::string, uint64_t>;

/// Steps of one instance come one after the other; those of different ones on any threads.
class Instance {
  public:
    enum class State : uint8_t { kNew, kProfiled, kRefused, kFailed, kShutDown, kDetached };

    Instance(std::string name, fakeclr::RuntimeVersion version, uint64_t first_id, FaultLog& log);

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_profiled() const {
        return state_ == State::kProfiled || state_ == State::kShutDown;
    }
    /// Of a profiler that could not be loaded or did not initialise: why.
    [[nodiscard]] const std::string& failure() const { return failure_; }
    void set_profiler(ProfilerChoice profiler) { profiler_ = std::move(profiler); }
    [[nodiscard]] const ProfilerChoice& profiler() const { return profiler_; }
    void make_blind() { blind_ = true; }

    void start();
    void attach(const std::string& client_data);
    /// Random calls, tail calls and exceptions.
    void run(uint64_t calls, uint32_t threads);
    void collect();
    void unload();
    void detach();
    void shut_down();
    void end();

    [[nodiscard]] fakeclr::FakeRuntime& runtime() { return *runtime_; }
    [[nodiscard]] const std::vector<fakeclr::FakeMethod*>& methods() const { return methods_; }
    [[nodiscard]] fakeclr::FakeType* exception() const { return exception_; }
    void add_calls(const CallsByPath& calls);
    [[nodiscard]] const CallsByPath& calls() const { return calls_; }

  private:
    void make_runtime();
    void load_program();
    void take_outcome(const Result<bool>& loaded);
    void play(fakeclr::Player& player, const fakeclr::RandomLoad& load);

    const std::string name_;
    const fakeclr::RuntimeVersion version_;
    const uint64_t first_id_;
    FaultLog& log_;
    ProfilerChoice profiler_;
    bool blind_ = false;
    State state_ = State::kNew;
    std::string failure_;
    /// Those of its lives before, too: late calls must find something.
    std::vector<std::unique_ptr<Crossing>> crossings_;
    std::unique_ptr<fakeclr::FakeRuntime> runtime_;
    fakeclr::FakeModule* module_ = nullptr;
    fakeclr::FakeType* exception_ = nullptr;
    std::vector<fakeclr::FakeMethod*> methods_;
    std::mutex mutex_;
    CallsByPath calls_;  // guarded by mutex_ while steps run
    uint64_t seed_ = 0;
};

/// One thread that calls from each instance into the next, `calls` times, and back; every other
/// time by an exception. It is the first instance's thread.
void call_through(const std::vector<Instance*>& instances, uint64_t calls);

}  // namespace umbra::runsxs
