// SPDX-License-Identifier: MIT
#include "tests/fuzz/profile_uses.h"

#include <span>
#include <utility>
#include <vector>

#include "export/formats.h"
#include "export/sink.h"
#include "export/timeline.h"
#include "src/profile/by_argument.h"
#include "src/profile/derive.h"
#include "src/profile/diff/diff.h"
#include "src/profile/diff/paths.h"
#include "src/profile/diff/run.h"
#include "src/profile/neighbours.h"
#include "src/profile/probe_load.h"
#include "src/profile/prune.h"
#include "src/profile/report.h"
#include "src/profile/tree_view.h"

namespace umbra::fuzz {
namespace {

using profile::Profile;
using profile::View;

class Nowhere : public Sink {
  protected:
    Status write(std::span<const std::byte> /*bytes*/) override { return {}; }
    Status commit() override { return {}; }
};

void report(const Profile& profile) {
    for (const profile::SortBy sort :
         {profile::SortBy::kSelf, profile::SortBy::kTotal, profile::SortBy::kCalls,
          profile::SortBy::kCpu, profile::SortBy::kMean, profile::SortBy::kMax}) {
        (void)hot_list(profile, View{.sort = sort, .top = 3});
        (void)by_argument(profile, View{.sort = sort, .top = 2});
    }
    for (const profile::GroupBy by : {profile::GroupBy::kType, profile::GroupBy::kNamespace,
                                      profile::GroupBy::kModule, profile::GroupBy::kThread}) {
        (void)hot_list(profile, View{.top = 100, .compensated = false, .by = by});
    }
    const View plain{.top = 100, .pauses = false, .fold = false};
    (void)hot_list(profile, plain);
    (void)tree_view(profile, plain, {});
    (void)sums(profile);
    (void)pauses_by_reason(profile);
    (void)all_pauses(profile);
    (void)compilation_sums(profile);
    (void)probe_load(profile);
    for (const char* name : {"Fib", "Add"}) {
        if (const auto found = profile::find_methods(profile, name, true)) {
            (void)neighbours(profile, *found, profile::Direction::kCallers, plain);
            (void)neighbours(profile, *found, profile::Direction::kCallees, View{});
        }
    }
}

void write_formats(const Profile& profile) {
    Nowhere nowhere;
    for (const formats::Measure measure : {formats::Measure::kWall, formats::Measure::kCpu}) {
        formats::write_folded(profile, measure, nowhere);
    }
    formats::write_speedscope(profile, {"lost: 1 event"}, nowhere);
    formats::write_callgrind(profile, {"lost: 1 event"}, nowhere);
    formats::write_pprof(profile, {"lost: 1 event"}, nowhere);
    formats::write_perfetto(profile, {"lost: 1 event"}, nowhere);
    formats::write_csv(profile, nowhere);
    (void)formats::timeline_edges(profile);
}

}  // namespace

void use(const Profile& profile) {
    report(profile);
    write_formats(profile);
    const std::vector<profile::Run> runs(2, profile::run_of(profile, {}));
    const profile::Diff changes = profile::diff({runs.front()}, {runs.back()}, {});
    profile::PathMerger paths(false);
    paths.add(profile, false);
    paths.add(profile, true);
    (void)std::move(paths).take(changes);
    (void)profile::diff(runs, runs, {});
    Profile changed = profile;
    profile::drop_small(changed, 0.1);
    profile::keep_largest(changed, 2);
    if (!profile::threads_share_paths(changed)) {  // as of a sampled session, which derives
        profile::derive(changed);
    }
}

}  // namespace umbra::fuzz
