// SPDX-License-Identifier: MIT
#include "tests/support/live_collector.h"

#include <future>
#include <stdexcept>
#include <utility>

#include <boost/asio/post.hpp>

#include "src/collector/tables/profile_builder.h"

namespace umbra::testing {
namespace {

constexpr auto kTimeout = std::chrono::minutes(1);

}  // namespace

LiveCollector::LiveCollector(protocol::Welcome settings, Options options)
    : sink_(std::move(options.sink)), work_(io_.get_executor()) {
    spec_.agent = std::move(settings);
    spec_.checkpoint = options.checkpoint;
    spec_.max_overhead_percent = options.max_overhead_percent;
    spec_.tree = options.tree;
    collector::Server::Handlers handlers;
    handlers.admit = [](const protocol::Hello&) { return std::string(); };
    handlers.options = [this](const protocol::Hello&) {
        return collector::Session::Options{
            .spec = spec_,
            .deliver = [this](collector::Checkpoint made) { deliver(std::move(made)); },
            .sink = sink_};
    };
    handlers.ended = [](std::unique_ptr<collector::Session> session) {
        session->finish("disconnected", true);
    };
    handlers.notice = [this](const std::string& text) {
        const std::lock_guard lock(mutex_);
        notices_.push_back(text);
    };
    auto server = collector::Server::listen(io_, spec_, std::move(handlers));
    if (!server) {
        throw std::runtime_error(server.error().context);
    }
    server_ = std::move(*server);
    thread_ = std::thread([this] { io_.run(); });
}

LiveCollector::~LiveCollector() {
    resume();
    hang_up();
    work_.reset();
    io_.stop();
    thread_.join();
}

void LiveCollector::deliver(collector::Checkpoint checkpoint) {
    if (checkpoint.final) {
        profile::Profile profile = collector::build(std::move(checkpoint.snapshot),
                                                    checkpoint.clock, std::move(checkpoint.facts));
        const std::lock_guard lock(mutex_);
        profiles_.push_back(std::move(profile));
        changed_.notify_all();
        return;
    }
    std::unique_lock lock(mutex_);
    if (paused_) {
        standing_ = true;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !paused_; });
        standing_ = false;
    }
    const std::chrono::milliseconds nap = nap_;
    lock.unlock();
    std::this_thread::sleep_for(nap);
}

bool LiveCollector::pause() {
    std::unique_lock lock(mutex_);
    paused_ = true;
    return changed_.wait_for(lock, kTimeout, [this] { return standing_; });
}

void LiveCollector::resume() {
    const std::lock_guard lock(mutex_);
    paused_ = false;
    changed_.notify_all();
}

void LiveCollector::slow_down(std::chrono::milliseconds nap) {
    const std::lock_guard lock(mutex_);
    nap_ = nap;
}

uint64_t LiveCollector::count_events() {
    std::promise<uint64_t> sum;
    boost::asio::post(io_, [&] {
        uint64_t events = 0;
        for (const collector::Session* session : server_->sessions()) {
            events += session->events();
        }
        sum.set_value(events);
    });
    return sum.get_future().get();
}

bool LiveCollector::wait_for_events(uint64_t events) {
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    while (count_events() < events) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

std::optional<profile::Profile> LiveCollector::wait_for_profile() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kTimeout, [this] { return !profiles_.empty(); })) {
        return std::nullopt;
    }
    profile::Profile profile = std::move(profiles_.front());
    profiles_.pop_front();
    return profile;
}

void LiveCollector::hang_up() {
    std::promise<void> done;
    boost::asio::post(io_, [&] {
        server_->close();
        done.set_value();
    });
    done.get_future().wait();
}

std::vector<std::string> LiveCollector::notices() const {
    const std::lock_guard lock(mutex_);
    return notices_;
}

}  // namespace umbra::testing
