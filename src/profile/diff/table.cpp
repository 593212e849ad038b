// SPDX-License-Identifier: MIT
#include "src/profile/diff/table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace umbra::profile {

RunTable::RunTable(const std::vector<Run>& before, const std::vector<Run>& after)
    : sides_{before.size(), after.size()} {
    std::vector<const Run*> runs;
    for (const std::vector<Run>* side : {&before, &after}) {
        for (const Run& run : *side) {
            runs.push_back(&run);
        }
    }
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers;
    for (const Run* run : runs) {
        for (const MethodTimes& method : run->methods) {
            numbers.try_emplace({method.name, method.module}, 0);
        }
    }
    for (auto& [name, number] : numbers) {
        number = names_.size();
        names_.push_back(name);
    }
    for (const Run* run : runs) {
        std::vector<const MethodTimes*>& rows = rows_.emplace_back(names_.size(), nullptr);
        for (const MethodTimes& method : run->methods) {
            rows[numbers.at({method.name, method.module})] = &method;
        }
    }
}

ByRun RunTable::values(double (*of)(const MethodTimes&)) const {
    ByRun values;
    for (const std::vector<const MethodTimes*>& run : rows_) {
        std::vector<double>& column = values.emplace_back();
        column.reserve(run.size());
        for (const MethodTimes* method : run) {
            column.push_back(method == nullptr ? 0 : of(*method));
        }
    }
    return values;
}

ByRun RunTable::calls() const {
    return values(
        [](const MethodTimes& method) { return static_cast<double>(method.times.calls); });
}

ByRun RunTable::wall(Part part) const {
    return part == Part::kSelf ? values([](const MethodTimes& method) {
        return static_cast<double>(method.times.self_ns);
    })
                               : values([](const MethodTimes& method) {
                                     return static_cast<double>(method.times.total_ns);
                                 });
}

ByRun RunTable::cpu(Part part) const {
    return part == Part::kSelf ? values([](const MethodTimes& method) {
        return static_cast<double>(method.times.cpu.self_ns);
    })
                               : values([](const MethodTimes& method) {
                                     return static_cast<double>(method.times.cpu.total_ns);
                                 });
}

ByRun RunTable::doubts(Part part) const {
    return part == Part::kSelf
               ? values([](const MethodTimes& method) { return method.self_doubt_ns; })
               : values([](const MethodTimes& method) { return method.total_doubt_ns; });
}

ByRun RunTable::async_calls() const {
    return values(
        [](const MethodTimes& method) { return static_cast<double>(method.async.calls); });
}

ByRun RunTable::async_wall(Part part) const {
    ByRun ns = part == Part::kSelf ? values([](const MethodTimes& method) {
        return static_cast<double>(own_awaiting_ns(method.async.times));
    })
                                   : values([](const MethodTimes& method) {
                                         return static_cast<double>(method.async.times.wall_ns);
                                     });
    const ByRun calls = async_calls();
    const std::vector<double> usual = means(calls, sides_);
    for (std::size_t run = 0; run < ns.size(); ++run) {
        for (std::size_t method = 0; method < methods(); ++method) {
            ns[run][method] *= usual[method] / std::max(1.0, calls[run][method]);
        }
    }
    return ns;
}

std::vector<bool> RunTable::has_whole_calls() const {
    constexpr uint64_t kPart = 20;
    std::vector<bool> whole;
    for (std::size_t method = 0; method < methods(); ++method) {
        whole.push_back(std::ranges::all_of(rows_, [&](const auto& run) {
            if (run[method] == nullptr) {
                return false;
            }
            const AsyncCounts& calls = run[method]->async;
            return calls.calls > 0 &&
                   (calls.open + calls.unknown + calls.before) * kPart <= calls.calls;
        }));
    }
    return whole;
}

std::size_t RunTable::seen(std::size_t method, std::size_t from, std::size_t to) const {
    std::size_t runs = 0;
    for (std::size_t run = from; run < to; ++run) {
        runs += static_cast<std::size_t>(rows_[run][method] != nullptr);
    }
    return runs;
}

std::size_t RunTable::seen_before(std::size_t method) const {
    return seen(method, 0, sides_.before);
}

std::size_t RunTable::seen_after(std::size_t method) const {
    return seen(method, sides_.before, sides_.runs());
}

}  // namespace umbra::profile
