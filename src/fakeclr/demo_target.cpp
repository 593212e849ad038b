// SPDX-License-Identifier: MIT
// umbra-demo-target: a made-up web shop on the stand-in runtime, for where no .NET is installed.
//
// Loads a profiler exactly when the CLR would: CORECLR_ENABLE_PROFILING=1 and
// CORECLR_PROFILER_PATH. Prints what a program would print, nothing of a profiler.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "src/fakeclr/demo_shop.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/script.h"

namespace umbra::fakeclr {
namespace {

constexpr uint64_t kUs = 1000;
constexpr uint64_t kMs = 1000 * kUs;
constexpr int kWorkers = 3;
constexpr int kOrdersPerWorker = 120;
constexpr int kBadOrderEvery = 20;

/// The shop's program. Each public function is the code of one method or thread.
class Shop {
  public:
    explicit Shop(const ShopCode& code) : code_(code) {}

    void main(Player& p) const {
        p.call(*code_.main, [&](Player& inside) {
            inside.call(*code_.load_catalog, [&](Player& load) {
                count_categories(load, 9);
                load.spin_ns(2 * kMs);
            });
            // The workers serve; Main only waits.
            inside.sleep_ns(100 * kMs);
        });
    }

    void serve(Player& p, int worker) const {
        p.enter(*code_.serve);
        for (int i = 1; i <= kOrdersPerWorker; ++i) {
            handle_order(p, worker * kOrdersPerWorker + i);
        }
        p.leave();
    }

    void mail(Player& p) const {
        p.enter(*code_.mailer_run);
        for (int i = 0; i < 40; ++i) {
            p.sleep_ns(8 * kMs);
            p.call(*code_.mailer_send, [](Player& send) { send.spin_ns(150 * kUs); });
        }
        p.leave();
    }

  private:
    /// A category tree of this depth, two below each.
    void count_categories(Player& p, int depth) const {
        p.call(*code_.count_categories, [&](Player& inside) {
            if (depth > 0) {
                count_categories(inside, depth - 1);
                count_categories(inside, depth - 1);
            } else {
                inside.spin_ns(2 * kUs);
            }
        });
    }

    void handle_order(Player& p, int number) const {
        parse(p, number);
        total(p, number);
        pay(p, number);
        p.call(*code_.save_order, [](Player& save) { save.spin_ns(300 * kUs); });
    }

    void parse(Player& p, int number) const {
        p.enter(*code_.parse_order);
        p.call(*code_.string_split);
        p.call(*code_.order_constructor);
        for (int line = 0; line < 4 + number % 5; ++line) {
            p.call(*code_.parse_line, [&](Player& inside) {
                inside.call(*code_.string_split);
                const bool bad = number % kBadOrderEvery == 0 && line == 0;
                parse_price(inside, bad);
                inside.spin_ns(25 * kUs);
            });
        }
        p.leave();
    }

    /// A bad price throws below the framework's parser; ParseLine catches and takes the list price.
    void parse_price(Player& p, bool bad) const {
        p.enter(*code_.parse_price);
        p.enter(*code_.decimal_parse);
        p.spin_ns(4 * kUs);
        if (bad) {
            p.raise({.type = code_.format_exception, .caught_in = 2});
            return;
        }
        p.leave();
        p.leave();
    }

    void total(Player& p, int number) const {
        p.call(*code_.cart_total, [&](Player& inside) {
            for (int line = 0; line < 4 + number % 5; ++line) {
                inside.call(*code_.cart_total_lambda, [](Player& item) { item.spin_ns(kUs); });
            }
            // Apply ends in a tail call, as F# writes it.
            inside.enter(*code_.tax_apply);
            inside.tailcall(*code_.tax_rate);
            inside.spin_ns(40 * kUs);
            inside.leave();
        });
    }

    /// The async method runs until the bank is asked and goes on when it has answered.
    void pay(Player& p, int number) const {
        const auto step = [&](Player& inside) {
            inside.call(*code_.pay_move_next, [](Player& run) { run.spin_ns(30 * kUs); });
        };
        p.call(*code_.pay, step);
        if (number % 4 == 0) {
            p.call(*code_.wait_for_bank, [](Player& wait) { wait.sleep_ns(2 * kMs); });
        }
        step(p);
    }

    const ShopCode& code_;
};

int run() {
    FakeRuntime runtime;
    // A profiler that cannot be loaded does not stop the program: the CLR only logs it.
    (void)runtime.load_profiler_from_environment();
    const ShopCode code = load_shop(runtime);
    const Shop shop(code);

    std::vector<ThreadPlan> plans{{"", [&](Player& p) { shop.main(p); }, false},
                                  {"Mailer", [&](Player& p) { shop.mail(p); }, false}};
    for (int worker = 0; worker < kWorkers; ++worker) {
        plans.push_back({"Order worker " + std::to_string(worker + 1),
                         [&shop, worker](Player& p) { shop.serve(p, worker); }, false});
    }
    run_threads(runtime, plans, {.count_paths = false});
    runtime.collect_garbage(2);
    runtime.shutdown();
    std::printf("Shop: %d orders served\n", kWorkers * kOrdersPerWorker);
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace umbra::fakeclr

int main() {
    return umbra::fakeclr::run();
}
