// SPDX-License-Identifier: MIT
#include "src/runsxs/instance.h"

#include <utility>

namespace umbra::runsxs {
namespace {

using fakeclr::FakeMethod;
using fakeclr::Player;

constexpr uint32_t kMethods = 12;
constexpr uint64_t kIdDistance = 16;  // as that of aligned objects

}  // namespace

Instance::Instance(std::string name, fakeclr::RuntimeVersion version, uint64_t first_id,
                   FaultLog& log)
    : name_(std::move(name)), version_(version), first_id_(first_id), log_(log) {
}

void Instance::make_runtime() {
    state_ = State::kNew;
    crossings_.push_back(std::make_unique<Crossing>(log_, name_));
    if (blind_) {
        crossings_.back()->make_blind();
    }
    runtime_ = std::make_unique<fakeclr::FakeRuntime>(version_, crossings_.back().get());
    crossings_.back()->set_runtime(runtime_.get());
}

void Instance::load_program() {
    fakeclr::FakeModel& model = runtime_->model();
    module_ = &model.add_module({.path = "/runsxs/" + name_ + ".dll"});
    fakeclr::FakeType& type = model.add_type(*module_, {.name = "Script." + name_});
    exception_ = &model.add_type(*module_, {.name = "Script." + name_ + "Failed"});
    methods_.clear();
    for (uint32_t i = 0; i < kMethods; ++i) {
        methods_.push_back(&model.add_method(
            type, {.name = "M" + std::to_string(i),
                   .reuse_id = first_id_ == 0 ? 0 : first_id_ + i * kIdDistance}));
    }
    runtime_->load_module(*module_);
}

void Instance::take_outcome(const Result<bool>& loaded) {
    if (!loaded) {
        failure_ = loaded.error().context;
    }
    state_ = !loaded ? State::kFailed : *loaded ? State::kProfiled : State::kRefused;
    if (state_ != State::kProfiled) {
        crossings_.back()->refused();
    }
}

void Instance::start() {
    make_runtime();
    take_outcome(runtime_->load_profiler(profiler_.path, profiler_.clsid));
    load_program();
}

void Instance::attach(const std::string& client_data) {
    if (!runtime_) {
        make_runtime();
        load_program();
    }
    take_outcome(runtime_->attach_profiler(profiler_.path, profiler_.clsid, client_data));
}

void Instance::run(uint64_t calls, uint32_t threads) {
    std::vector<fakeclr::ThreadPlan> plans;
    for (uint32_t i = 0; i < threads; ++i) {
        const uint64_t seed = ++seed_;
        plans.push_back({.name = name_ + " " + std::to_string(i),
                         .program = [this, seed, calls = calls / threads + 1](Player& player) {
                             play(player, {.seed = seed, .calls = calls});
                         }});
    }
    for (const fakeclr::ThreadOutcome& outcome : run_threads(*runtime_, plans)) {
        add_calls(outcome.calls_by_path);
    }
}

// What an exception leaves of the made-up stack is no stack any more: this thread's calls end here.
void Instance::play(Player& player, const fakeclr::RandomLoad& load) {
    try {
        fakeclr::play_random(player, methods_, exception_, load);
    } catch (...) {
        log_.add(Check::kExceptions,
                 "an exception came out of a callback of " + name_ + " [" + log_.step() + ']');
        Crossing::forget_callbacks();
    }
}

void Instance::collect() {
    runtime_->collect_garbage(1);
}

void Instance::unload() {
    runtime_->unload_module(*module_);
    load_program();
}

void Instance::detach() {
    if (runtime_->finish_detach()) {
        state_ = State::kDetached;
        crossings_.back()->detached();
    }
}

void Instance::shut_down() {
    runtime_->shutdown();
    if (state_ == State::kProfiled) {
        state_ = State::kShutDown;
    }
    crossings_.back()->shut_down();
}

void Instance::end() {
    runtime_.reset();
    crossings_.back()->ended();
    seed_ = 0;  // the next one of its name does the same: what is kept of it does not grow
}

void Instance::add_calls(const CallsByPath& calls) {
    const std::lock_guard lock(mutex_);
    for (const auto& [path, number] : calls) {
        calls_[path] += number;
    }
}

// An exception does not cross from one runtime to another by itself: what calls between them
// catches it on one side and throws it on the other.
void call_through(const std::vector<Instance*>& instances, uint64_t calls) {
    fakeclr::FakeRuntime& first = instances.front()->runtime();
    fakeclr::FakeThread& thread = first.create_thread("through " + instances.front()->name());
    first.start_thread(thread);
    CallsByPath made;
    for (uint64_t call = 0; call < calls; ++call) {
        // There and back once more: a, b, a for two.
        std::vector<Instance*> route = instances;
        route.push_back(instances.front());
        std::vector<std::unique_ptr<Player>> players;
        std::string path;
        for (Instance* instance : route) {
            Player::Options options{.stack_top = players.empty() ? 0 : players.back()->sp(),
                                    .count_paths = false};
            players.push_back(std::make_unique<Player>(instance->runtime(), options));
            for (uint64_t depth = 0; depth < 2; ++depth) {
                FakeMethod& method = *instance->methods()[(call + depth) % kMethods];
                players.back()->enter(method);
                if (method.body.load()->tells_calls()) {
                    path += (path.empty() ? "" : ";") + method.full_name;
                    ++made[path];
                }
            }
        }
        for (size_t i = route.size(); i-- > 0;) {
            Player& player = *players[i];
            if (call % 2 == 1) {
                player.raise({.type = route[i]->exception(), .caught_in = 1});
            } else {
                player.leave();
            }
            player.leave();
        }
    }
    first.end_thread(thread);
    instances.front()->add_calls(made);
}

}  // namespace umbra::runsxs
