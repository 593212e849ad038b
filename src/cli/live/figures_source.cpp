// SPDX-License-Identifier: MIT
#include "src/cli/live/figures_source.h"

#include <utility>

#include <fmt/format.h>

#include "src/diagnostics/process_facts.h"

namespace umbra::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto kLookAgain = std::chrono::milliseconds(200);

}  // namespace

Result<std::optional<protocol::LiveFigures>> FiguresSource::poll() {
    if (!watch_) {
        if (steady_clock::now() < next_look_) {
            return std::nullopt;
        }
        if (Status looked = look(); !looked) {
            return tl::unexpected<Error>(looked.error());
        }
        next_look_ = steady_clock::now() + kLookAgain;
    }
    if (!watch_) {
        return std::nullopt;
    }
    return watch_->receive();
}

Status FiguresSource::look() {
    const Result<std::optional<Target>> found = target();
    if (!found) {
        return tl::unexpected<Error>(found.error());
    }
    if (!*found) {
        return own_ ? Status() : open_own_capture();
    }
    const Target& wanted = **found;
    recorder_ = text(wanted.recorder->recorder);
    if (wanted.pid == 0) {
        waiting_ = fmt::format("{} records no process yet", recorder_);
        return {};
    }
    Result<LiveWatch> watch = LiveWatch::open(*wanted.recorder, wanted.pid);
    if (!watch) {
        return tl::unexpected<Error>(watch.error());
    }
    waiting_ =
        fmt::format("process {} is recorded by {}: waiting for figures", wanted.pid, recorder_);
    watch_.emplace(*std::move(watch));
    return {};
}

/// None: nobody records it. A capture of its own is nobody else's.
Result<std::optional<Target>> FiguresSource::target() {
    if (own_ && own_->ended()) {
        return fail(ErrorCode::kRefused, own_->said().empty()
                                             ? fmt::format("'umbra start {}' has failed", named_)
                                             : own_->said());
    }
    if (own_ && !own_->said().empty()) {
        waiting_ = own_->said();
    }
    seen_ = find_recorders();
    const Result<Target> found = find_target(seen_, named_);
    if (!found) {
        return tl::unexpected<Error>(found.error());
    }
    return found->recorder != nullptr ? std::optional(*found) : std::nullopt;
}

Status FiguresSource::open_own_capture() {
    if (const auto there = diagnostics::process_facts(named_); !there) {
        return tl::unexpected<Error>(there.error());
    }
    std::vector<std::string> arguments = {std::to_string(named_)};
    arguments.insert(arguments.end(), start_options_.begin(), start_options_.end());
    Result<OwnCapture> own = OwnCapture::start(arguments);
    if (!own) {
        return tl::unexpected<Error>(own.error());
    }
    own_.emplace(*std::move(own));
    waiting_ = fmt::format("nobody records process {}: opening a capture", named_);
    return {};
}

}  // namespace umbra::cli
