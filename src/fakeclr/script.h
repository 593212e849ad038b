// SPDX-License-Identifier: MIT
// Player: one thread of a made-up program, call by call, with known expectations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/fakeclr/fake_runtime.h"

namespace umbra::fakeclr {

class Player;

/// A piece of a program: what a filter, finally or catch block does. Leaves what it entered.
using Piece = std::function<void(Player&)>;

/// A filter or finally block of a frame: 0 = the throwing frame, 1 = its caller, and so on.
struct Clause {
    size_t frame = 0;
    Piece body = {};
};

/// One exception from its throw to the end of its handler.
struct Exception {
    static constexpr size_t kUncaught = SIZE_MAX;
    /// For one thrown by what a filter called: it leaves the filter, and the runtime swallows it.
    static constexpr size_t kLeavesFilter = SIZE_MAX - 1;

    FakeType* type = nullptr;
    size_t caught_in = 0;  ///< the catching frame, counted as in Clause, or one of the above
    std::vector<Clause> filters = {};
    std::vector<Clause> finallys = {};  ///< of frames up to the catching one, in order of execution
    Piece handler = {};  ///< the catch block; a raise() in it that goes further rethrows
};

/// Plays calls on the calling thread: hooks and exception callbacks in the order of the CLR, with
/// caller SPs on a made-up stack that grows and shrinks as a real one. Counts what it did. Use it
/// on one thread.
class Player {
  public:
    struct Options {
        /// The caller SP of the first call; 0: a different address for each Player.
        uint64_t stack_top = 0;
        /// Off for measurements: no expectations are kept.
        bool count_paths = true;
    };
    /// How often code ran that tells its calls, as its hooks or its IL saw it.
    struct Events {
        uint64_t enters = 0;
        uint64_t leaves = 0;
        uint64_t tailcalls = 0;

        [[nodiscard]] uint64_t total() const { return enters + leaves + tailcalls; }
    };

    explicit Player(FakeRuntime& runtime) : Player(runtime, Options()) {}
    Player(FakeRuntime& runtime, Options options);

    void enter(FakeMethod& method);
    void leave();
    /// The top frame ends and `method` takes its place, at the same caller SP.
    void tailcall(FakeMethod& method);
    /// enter, body, leave.
    void call(FakeMethod& method, const Piece& body = {});
    void raise(const Exception& exception);
    void sleep_ns(uint64_t ns);
    /// Burns CPU time.
    void spin_ns(uint64_t ns);

    [[nodiscard]] size_t depth() const { return frames_.size(); }
    /// The caller SP of a call that is made now, by this player or by another one on its stack.
    [[nodiscard]] uint64_t sp() const {
        return frames_.empty() ? options_.stack_top : frames_.back().sp;
    }
    [[nodiscard]] const Events& events() const { return events_; }
    [[nodiscard]] FakeRuntime& runtime() { return runtime_; }
    /// Calls of each path of methods that tell them: "Shop.Main;Shop.Cart.Total" -> 3. What filters
    /// call stands under the throwing frame, what finally and catch blocks call under theirs.
    [[nodiscard]] std::map<std::string, uint64_t> calls_by_path() const;

  private:
    struct Frame {
        FakeMethod* method = nullptr;
        const CompiledBody* body = nullptr;
        uint64_t caller_sp = 0;
        uint64_t sp = 0;  ///< of calls made from here; lower while a block of an exception runs
        uint32_t path = 0;
        uint64_t serial = 0;
    };
    struct Path {
        uint32_t parent = 0;
        FakeMethod* method = nullptr;
        uint64_t calls = 0;
    };
    struct RunningFilter {
        size_t frames = 0;  ///< on the stack when it began
        FakeMethod* method = nullptr;
    };

    [[nodiscard]] static uint64_t locals_of(const Frame& frame);
    void call_enter(const Frame& frame);
    void call_leave(const Frame& frame);
    void call_tailcall(const Frame& frame);
    [[nodiscard]] uint32_t path_of_callee(FakeMethod& method, bool told);
    void push(FakeMethod& method, uint64_t caller_sp);
    [[nodiscard]] bool alive(size_t index, uint64_t serial) const;
    /// The callback that a block of the frame is about to run, or has run.
    template <typename Callback>
    void tell_block(const Frame& frame, const Callback& callback) const;
    /// Runs a block of `frames_[index]` deep on the stack. False: an exception left it.
    bool run_block(size_t index, const Piece& body, uint64_t sp);
    void run_filter(const Clause& filter, size_t owner, uint64_t sp);
    void search(const Exception& exception, size_t thrower, size_t last);
    /// Removes the top frame. False: an exception left one of its finally blocks.
    bool run_finallys(const Exception& exception, size_t thrower, size_t index, uint64_t sp);
    void catch_in(const Exception& exception, const FakeObject& object, size_t index, uint64_t sp);
    [[nodiscard]] clr::ICorProfilerCallback2* exceptions() const;

    FakeRuntime& runtime_;
    Options options_;
    std::vector<Frame> frames_;
    std::vector<RunningFilter> filters_;
    uint64_t next_serial_ = 1;
    Events events_;
    std::vector<Path> paths_{1};  ///< [0] is the root
    std::unordered_map<uint64_t, std::unordered_map<FakeMethod*, uint32_t>> children_;
};

/// A thread of a program: what it plays and how it is known.
struct ThreadPlan {
    std::string name = {};  ///< empty: unnamed
    Piece program = {};
    /// A native thread that calls into managed code: hooks run before ThreadCreated.
    bool foreign = false;
};

/// What one thread did.
struct ThreadOutcome {
    uint32_t os_tid = 0;
    Player::Events events;
    std::map<std::string, uint64_t> calls_by_path;
};

/// Runs all plans at the same time, each on a thread of its own with the runtime's thread callbacks
/// around it, and waits for them.
std::vector<ThreadOutcome> run_threads(FakeRuntime& runtime, const std::vector<ThreadPlan>& plans,
                                       Player::Options options = {});

}  // namespace umbra::fakeclr
