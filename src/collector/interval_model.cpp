// SPDX-License-Identifier: MIT
#include "src/collector/interval_model.h"

#include <algorithm>
#include <bit>

#include "hotpath/segment.h"

namespace umbra::collector {
namespace {

constexpr size_t kFirstPlaces = 4096;

unsigned shift_for(size_t places) {
    return 64U - static_cast<unsigned>(std::countr_zero(places));
}

}  // namespace

IntervalModel::IntervalModel(size_t max_kinds)
    : places_(kFirstPlaces), shift_(shift_for(kFirstPlaces)), max_kinds_(max_kinds) {
    for (size_t count = 1; count < reciprocals_.size(); ++count) {
        reciprocals_[count] = 1.0F / static_cast<float>(count);
    }
}

IntervalKind& IntervalModel::look_further(uint32_t before, uint32_t after, uint32_t function) {
    if (after == 0) {
        return unknown(shared_, function);  // no event: only a target that lies has such
    }
    const size_t mask = places_.size() - 1;
    size_t at = place(before, after, function);
    for (; places_[at].after != 0; at = (at + 1) & mask) {
        IntervalKind& kind = places_[at];
        if (kind.before == before && kind.after == after && kind.function == function) {
            return kind;
        }
    }
    if (used_ >= max_kinds_) {
        ++lost_;
        return unknown(shared_, function);
    }
    if ((used_ + 1) * 2 > places_.size()) {
        grow();
        return look_further(before, after, function);
    }
    ++used_;
    IntervalKind& kind = places_[at];
    kind = {.before = before,
            .after = after,
            .function = function,
            .measured = 0,
            .mean = 0,
            .variance = 0,
            .estimated = 0};
    return unknown(kind, function);
}

IntervalKind& IntervalModel::unknown(IntervalKind& kind, uint32_t function) const {
    const float known = function < function_means_.size() ? function_means_[function] : 0;
    kind.measured = 0;
    kind.mean = known > 0 ? known : mean_;
    kind.variance = kind.mean * kind.mean;
    return kind;
}

void IntervalModel::refresh() {
    std::vector<Mean> means;
    Mean all;
    for (const IntervalKind& kind : places_) {
        if (kind.measured == 0 || kind.function >= hotpath::kMaxFunctions) {
            continue;
        }
        if (means.size() <= kind.function) {
            means.resize(size_t{kind.function} + 1);
        }
        const auto count = static_cast<double>(kind.measured);
        means[kind.function].sum += kind.mean * count;
        means[kind.function].count += count;
        all.sum += kind.mean * count;
        all.count += count;
    }
    if (all.count > 0) {
        mean_ = static_cast<float>(all.sum / all.count);
    }
    function_means_.assign(means.size(), 0);
    for (size_t function = 0; function < means.size(); ++function) {
        if (means[function].count > 0) {
            function_means_[function] =
                static_cast<float>(means[function].sum / means[function].count);
        }
    }
    for (IntervalKind& kind : places_) {
        if (kind.after != 0 && kind.measured == 0) {
            unknown(kind, kind.function);
        }
    }
}

void IntervalModel::grow() {
    std::vector<IntervalKind> larger(places_.size() * 2);
    larger.swap(places_);
    shift_ = shift_for(places_.size());
    const size_t mask = places_.size() - 1;
    for (const IntervalKind& kind : larger) {
        if (kind.after == 0) {
            continue;
        }
        size_t at = place(kind.before, kind.after, kind.function);
        while (places_[at].after != 0) {
            at = (at + 1) & mask;
        }
        places_[at] = kind;
    }
}

}  // namespace umbra::collector
