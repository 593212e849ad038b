// SPDX-License-Identifier: MIT
#include "src/profile/diff/judged.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/profile/diff/statistics.h"

namespace umbra::profile {

std::string_view judged_by_name(JudgedBy by) {
    constexpr std::array<std::string_view, 4> kNames = {"wall", "cpu", "waiting", "async wall"};
    return kNames.at(static_cast<std::size_t>(by));
}

void Judged::add(JudgedBy by, double weight, Comparison found) {
    tests_.push_back({by, weight, std::move(found)});
}

void Judged::decide() {
    const std::size_t count = tests_.front().found.methods.size();
    std::vector<double> chances;
    std::vector<std::size_t> methods;
    for (std::size_t method = 0; method < count; ++method) {
        if (tested(method)) {
            methods.push_back(method);
            chances.push_back(chance(method));
        }
    }
    const std::vector<bool> rejections = rejected(chances, kFalseDiscoveries);
    real_.assign(count, false);
    for (std::size_t i = 0; i < methods.size(); ++i) {
        real_[methods[i]] = rejections[i];
    }
}

double Judged::chance(std::size_t method) const {
    double least = 1;
    for (const Test& test : tests_) {
        least = std::min(least, test.found.methods[method].chance / weight(test, method));
    }
    return least;
}

const Comparison* Judged::found(JudgedBy by) const {
    const auto test = std::ranges::find(tests_, by, &Test::by);
    return test == tests_.end() ? nullptr : &test->found;
}

double Judged::weight(JudgedBy by, std::size_t method) const {
    const auto test = std::ranges::find(tests_, by, &Test::by);
    return test == tests_.end() ? 0 : weight(*test, method);
}

const Judged::Test& Judged::telling(std::size_t method) const {
    return *std::ranges::min_element(
        tests_, {}, [&](const Test& test) { return test.found.methods[method].chance; });
}

double Judged::weight(const Test& test, std::size_t method) const {
    const Comparison* const whole_calls = found(JudgedBy::kAsyncWall);
    const bool shared = whole_calls != nullptr && whole_calls->methods[method].freedom > 0;
    return shared ? test.weight / 2 : test.weight;
}

bool Judged::tested(std::size_t method) const {
    return std::ranges::any_of(
        tests_, [&](const Test& test) { return test.found.methods[method].freedom > 0; });
}

}  // namespace umbra::profile
