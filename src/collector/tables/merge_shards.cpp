// SPDX-License-Identifier: MIT
// Places by parent and function, arcs by source and function, edges by caller and callee.
#include "src/collector/tables/merge_shards.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "src/base/pair_index.h"
#include "src/collector/state/thread_snapshot.h"

namespace umbra::collector {
namespace {

using replay::Arc;
using replay::CallTree;
using replay::Place;

constexpr uint32_t kNoLimit = std::numeric_limits<uint32_t>::max();

class Merger {
  public:
    Merger() {
        result_.tree.arcs.emplace_back();
        result_.tree.targets.push_back(0);
        result_.tree.edges_of.push_back(0);
        result_.tree.places.push_back(
            {.parent = 0, .function = CallTree::kNoFunction, .thread = 0});
        result_.tree.edges.emplace_back();
    }

    void add(const ShardSnapshot& shard) {
        add_places(shard.tree.places);
        add_edges(shard.tree.edges);
        add_arcs(shard.tree);
        std::vector<replay::GoneCalls>& by_edge = result_.tree.gone_by_edge;
        by_edge.resize(result_.tree.edges.size());
        for (size_t edge = 1; edge < shard.tree.gone_by_edge.size(); ++edge) {
            by_edge[edges_here_[edge]] += shard.tree.gone_by_edge[edge];
        }
        add_gone(shard.tree.gone_here, result_.tree.gone_here);
        add_gone(shard.tree.gone_below, result_.tree.gone_below);
        for (replay::LoggedCall call : shard.log) {
            call.node = arcs_here_[call.node];
            result_.log.push_back(call);
        }
        result_.deductions.add_renumbered(shard.deductions, arcs_here_, places_here_, edges_here_);
        result_.histograms.insert(result_.histograms.end(), shard.histograms.begin(),
                                  shard.histograms.end());
        arguments_.add(shard.arguments);
    }

    ShardSnapshot take() {
        add_histograms_up();
        result_.arguments = arguments_.sums();
        return std::move(result_);
    }

  private:
    void add_places(const std::vector<Place>& places) {
        places_here_.assign(1, 0);
        for (size_t number = 1; number < places.size(); ++number) {
            Place place = places[number];
            place.parent = places_here_[place.parent];
            uint32_t& known = place.function == CallTree::kNoFunction
                                  ? roots_.at(place.thread, 0)
                                  : places_.at(place.parent, place.function);
            if (known == 0) {
                known = static_cast<uint32_t>(result_.tree.places.size());
                result_.tree.places.push_back(place);
            }
            places_here_.push_back(known);
        }
    }

    void add_edges(const std::vector<replay::EdgeEnds>& edges) {
        edges_here_.assign(1, 0);
        for (size_t number = 1; number < edges.size(); ++number) {
            uint32_t& known = edges_.at(edges[number].caller, edges[number].callee);
            if (known == 0) {
                known = static_cast<uint32_t>(result_.tree.edges.size());
                result_.tree.edges.push_back(edges[number]);
            }
            edges_here_.push_back(known);
        }
    }

    void add_gone(const replay::SparseSums<replay::GoneCalls>& more,
                  replay::SparseSums<replay::GoneCalls>& sums) const {
        more.for_each([&](uint32_t place, const replay::GoneCalls& gone) {
            sums.at(places_here_[place]) += gone;
        });
    }

    void add_arcs(const ShardSnapshot::Tree& tree) {
        arcs_here_.assign(1, 0);
        for (size_t number = 1; number < tree.arcs.size(); ++number) {
            const Arc& arc = tree.arcs[number];
            const uint32_t here = arc_here(arc, places_here_[tree.targets[number]],
                                           edges_here_[tree.edges_of[number]]);
            arcs_here_.push_back(here);
            add_calls(result_.tree, here, calls_along(tree, static_cast<uint32_t>(number)));
        }
    }

    uint32_t arc_here(const Arc& arc, uint32_t target, uint32_t edge) {
        const uint32_t source = places_here_[arc.source()];
        const uint32_t function = arc.function();
        uint32_t& known = arcs_.at(source, function);
        if (known != 0) {
            return known;
        }
        known = static_cast<uint32_t>(result_.tree.arcs.size());
        Arc here{};
        here.key = Arc::key_of(source, function);
        here.min_ticks = std::numeric_limits<float>::infinity();
        result_.tree.arcs.push_back(here);
        result_.tree.targets.push_back(target);
        result_.tree.edges_of.push_back(edge);
        return known;
    }

    void add_histograms_up() {
        std::vector<replay::HistogramCount>& rows = result_.histograms;
        std::ranges::sort(
            rows, {}, [](const auto& row) { return uint64_t{row.function} << 32 | row.bucket; });
        size_t end = 0;
        for (const replay::HistogramCount& row : rows) {
            if (end != 0 && rows[end - 1].function == row.function &&
                rows[end - 1].bucket == row.bucket) {
                rows[end - 1].calls += row.calls;
            } else {
                rows[end++] = row;
            }
        }
        rows.resize(end);
    }

    ShardSnapshot result_;
    replay::ArgumentTable arguments_{kNoLimit, kNoLimit};
    PairIndex roots_;   ///< by thread
    PairIndex places_;  ///< by parent and function
    PairIndex arcs_;    ///< by source and function
    PairIndex edges_;   ///< numbers of edges by caller and callee
    // Of the shard being added, by its numbers:
    std::vector<uint32_t> places_here_;
    std::vector<uint32_t> arcs_here_;
    std::vector<uint32_t> edges_here_;
};

}  // namespace

ShardSnapshot merge(std::vector<ShardSnapshot> shards) {
    if (shards.size() == 1) {
        return std::move(shards.front());
    }
    Merger merger;
    for (ShardSnapshot& shard : shards) {
        merger.add(shard);
        shard = {};
    }
    return merger.take();
}

}  // namespace umbra::collector
