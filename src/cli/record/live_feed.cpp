// SPDX-License-Identifier: MIT
#include "src/cli/record/live_feed.h"

#include <utility>

namespace umbra::cli {
namespace {

std::vector<collector::Recorded> recorded_of(
    const std::vector<const collector::Session*>& sessions) {
    std::vector<collector::Recorded> recorded;
    recorded.reserve(sessions.size());
    for (const collector::Session* session : sessions) {
        recorded.push_back({.pid = session->pid(),
                            .program = session->program(),
                            .events = session->events(),
                            .threads = session->threads(),
                            .figures = session->figures()});
    }
    return recorded;
}

}  // namespace

LiveFeed::LiveFeed(boost::asio::io_context& io, std::string command, bool quiet, Handlers handlers)
    : handlers_(std::move(handlers)),
      progress_(io, !quiet),
      server_(io, std::move(command), {.recorded = handlers_.recorded, .watched = [this](bool) {
                                           handlers_.wanted(wanted());
                                       }}) {
}

void LiveFeed::start() {
    [[maybe_unused]] const Status unseen = server_.listen();
    progress_.start(handlers_.recorded);
}

void LiveFeed::end(const std::shared_ptr<const protocol::LiveFigures>& last) {
    if (last != nullptr) {
        server_.end(*last);
    }
}

LiveFeed::Handlers feed_of(const std::unique_ptr<collector::Server>& server) {
    return {.recorded = [&server] { return recorded_of(server->sessions()); },
            .wanted =
                [&server](bool wanted) {
                    for (const collector::Session* session : server->sessions()) {
                        session->watch(wanted);
                    }
                }};
}

}  // namespace umbra::cli
