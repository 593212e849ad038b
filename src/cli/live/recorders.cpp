// SPDX-License-Identifier: MIT
#include "src/cli/live/recorders.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/local_socket.h"
#include "src/base/proc_text.h"
#include "src/base/read_file.h"
#include "src/diagnostics/process_facts.h"
#include "src/protocol/live_socket.h"

namespace umbra::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kRecordersTimeout = milliseconds(500);
constexpr std::size_t kMostSockets = 256;
constexpr int kMostGenerations = 64;

/// Names of all sockets that might be of recorders.
std::vector<std::string> socket_names() {
    const std::string wanted = "@" + std::string(protocol::kLiveSocketPrefix);
    std::vector<std::string> names;
    std::ifstream file("/proc/self/net/unix");
    for (std::string line; names.size() < kMostSockets && std::getline(file, line);) {
        const std::size_t begin = line.find(wanted);
        if (begin != std::string::npos) {
            names.push_back(line.substr(begin + 1));
        }
    }
    // A connection that has not been taken in yet has the name, too.
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

struct Connected {
    UniqueFd socket;
    ucred listener{};
};

/// Never waits.
std::optional<Connected> connect_to(const std::string& name) {
    Connected made{UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), {}};
    const LocalAddress address = abstract_address(name);
    if (!made.socket || connect(made.socket.get(), address.get(), address.size) != 0) {
        return std::nullopt;
    }
    const std::optional<ucred> listener = peer_of(made.socket.get());
    made.listener = listener.value_or(ucred{});
    return listener ? std::optional(std::move(made)) : std::nullopt;
}

bool ask(const UniqueFd& socket, uint32_t pid) {
    const std::string bytes = encode(protocol::Watch{.pid = pid});
    return send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

/// What has come. False: nothing more will, or nothing that makes sense.
bool read_some(const UniqueFd& socket, protocol::Decoder& decoder) {
    std::array<std::byte, std::size_t{64} * 1024> buffer;
    const ssize_t got = recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
        decoder.append(std::span(buffer).first(static_cast<std::size_t>(got)));
        return true;
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/// An umbra of another user may say that it records what is not its user's.
bool is_believed(uid_t recorder, const protocol::RecordedProcess& process) {
    if (recorder == geteuid() || recorder == 0) {
        return true;
    }
    const auto facts = diagnostics::process_facts(static_cast<pid_t>(process.pid));
    return geteuid() == 0 && facts && facts->uid == recorder;
}

/// One that is asked what it records.
struct Asked {
    std::string name;
    Connected connected;
    protocol::Decoder decoder{};
    bool over = false;

    std::optional<SeenRecorder> take() {
        over = !read_some(connected.socket, decoder);
        protocol::Message message;
        switch (decoder.next(message)) {
            case protocol::Decoder::Outcome::kNeedMore:
                return std::nullopt;
            case protocol::Decoder::Outcome::kBroken:
                over = true;
                return std::nullopt;
            case protocol::Decoder::Outcome::kMessage:
                break;
        }
        over = true;
        auto* recorder = std::get_if<protocol::Recorder>(&message);
        // Another number means another namespace of process numbers: all of its mean others.
        if (recorder == nullptr || recorder->pid != static_cast<uint32_t>(connected.listener.pid)) {
            return std::nullopt;
        }
        std::erase_if(recorder->processes, [&](const protocol::RecordedProcess& process) {
            return !is_believed(connected.listener.uid, process);
        });
        return SeenRecorder{std::move(*recorder), name, connected.listener.uid};
    }
};

std::vector<Asked> ask_all() {
    std::vector<Asked> asked;
    for (std::string& name : socket_names()) {
        std::optional<Connected> connected = connect_to(name);
        const bool may = connected && (connected->listener.uid == geteuid() ||
                                       connected->listener.uid == 0 || geteuid() == 0);
        if (may && ask(connected->socket, 0)) {
            asked.push_back({std::move(name), *std::move(connected)});
        }
    }
    return asked;
}

/// 0: none, or not to be told.
pid_t parent_of(pid_t pid) {
    constexpr int kParent = 4;
    constexpr std::size_t kMaxBytes = 4096;
    const std::string stat = read_file(fmt::format("/proc/{}/stat", pid), kMaxBytes).value_or("");
    return number_of<pid_t>(stat_field(stat, kParent)).value_or(0);
}

bool descends_from(pid_t pid, pid_t ancestor) {
    for (int generation = 0; pid > 1 && generation < kMostGenerations; ++generation) {
        pid = parent_of(pid);
        if (pid == ancestor) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<SeenRecorder> find_recorders() {
    std::vector<Asked> asked = ask_all();
    std::vector<SeenRecorder> found;
    const steady_clock::time_point end = steady_clock::now() + kRecordersTimeout;
    for (;;) {
        std::erase_if(asked, [](const Asked& one) { return one.over; });
        const auto left = std::chrono::ceil<milliseconds>(end - steady_clock::now());
        std::vector<pollfd> waiting;
        waiting.reserve(asked.size());
        for (const Asked& one : asked) {
            waiting.push_back({one.connected.socket.get(), POLLIN, 0});
        }
        if (asked.empty() || left.count() <= 0 ||
            poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) == 0) {
            break;
        }
        for (std::size_t index = 0; index < asked.size(); ++index) {
            if (waiting[index].revents == 0) {
                continue;
            }
            if (std::optional<SeenRecorder> seen = asked[index].take()) {
                found.push_back(*std::move(seen));
            }
        }
    }
    std::ranges::sort(found, {}, [](const SeenRecorder& seen) { return seen.recorder.pid; });
    return found;
}

Result<Target> find_target(const std::vector<SeenRecorder>& recorders, pid_t named) {
    std::vector<Target> related;
    Target waiting;
    for (const SeenRecorder& seen : recorders) {
        const bool itself = seen.recorder.pid == static_cast<uint32_t>(named);
        if (itself && seen.recorder.processes.empty()) {
            waiting = {&seen, 0};
        }
        for (const protocol::RecordedProcess& process : seen.recorder.processes) {
            const auto pid = static_cast<pid_t>(process.pid);
            if (pid == named) {
                return Target{&seen, pid};
            }
            if (itself || descends_from(pid, named)) {
                related.push_back({&seen, pid});
            }
        }
    }
    if (related.size() > 1) {
        std::string all;
        for (const Target& one : related) {
            all += fmt::format("{}{}", all.empty() ? "" : ", ", one.pid);
        }
        return fail(ErrorCode::kRefused,
                    fmt::format("process {} is not recorded itself, but {} that belong to it: name "
                                "one of them",
                                named, all));
    }
    return related.empty() ? waiting : related.front();
}

std::string text(const protocol::Recorder& recorder) {
    return fmt::format("{}, process {}", recorder.command, recorder.pid);
}

Result<LiveWatch> LiveWatch::open(const SeenRecorder& recorder, pid_t pid) {
    std::optional<Connected> connected = connect_to(recorder.socket);
    if (!connected || connected->listener.uid != recorder.uid ||
        !ask(connected->socket, static_cast<uint32_t>(pid))) {
        return fail(ErrorCode::kSystem,
                    fmt::format("the umbra that records process {} ({}) has gone", pid,
                                text(recorder.recorder)));
    }
    return LiveWatch(std::move(connected->socket), pid);
}

Result<std::optional<protocol::LiveFigures>> LiveWatch::receive() {
    const bool open = read_some(socket_, decoder_);
    std::optional<protocol::LiveFigures> newest;
    for (;;) {
        protocol::Message message;
        const protocol::Decoder::Outcome outcome = decoder_.next(message);
        if (outcome == protocol::Decoder::Outcome::kNeedMore) {
            break;
        }
        if (auto* refuse = std::get_if<protocol::Refuse>(&message);
            refuse != nullptr && outcome == protocol::Decoder::Outcome::kMessage) {
            return fail(ErrorCode::kRefused, refuse->reason);
        }
        auto* figures = std::get_if<protocol::LiveFigures>(&message);
        if (outcome == protocol::Decoder::Outcome::kBroken || figures == nullptr ||
            figures->pid != static_cast<uint32_t>(pid_)) {
            return fail(ErrorCode::kVersion,
                        fmt::format("what the umbra that records process {} says makes no sense: "
                                    "is it of another version?",
                                    pid_));
        }
        newest = std::move(*figures);
    }
    if (!newest && !open) {
        return fail(ErrorCode::kSystem,
                    fmt::format("the umbra that recorded process {} has gone", pid_));
    }
    return newest;
}

}  // namespace umbra::cli
