// SPDX-License-Identifier: MIT
// Fuzzes a sampled session: what an attached agent says, up to the profile. First byte of an input:
// which limits; then messages, each of any content. Does not cover: the bytes of the messages
// (protocol_fuzz.cpp), the socket.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/collector/sampling/sample_session.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/sound_profile.h"

namespace umbra::fuzz {
namespace {

enum Step : uint8_t {
    kNodes,
    kRound,
    kFunction,
    kModule,
    kThread,
    kEnded,
    kShutdown,
    kBuild,
    kSteps,
};

constexpr uint32_t kSmall = 1;
constexpr size_t kMaxArcs = 40;
constexpr size_t kMaxThreads = 3;

replay::Limits limits_of(uint32_t settings) {
    replay::Limits limits;
    if ((settings & kSmall) != 0) {
        limits.max_arcs = kMaxArcs;
        limits.max_sampled_threads = kMaxThreads;
        limits.max_stack = 6;
        limits.max_name_bytes = 400;
    }
    return limits;
}

protocol::StackNodes nodes(Input& in) {
    protocol::StackNodes message;
    for (uint32_t left = in.byte(); left > 0 && !in.empty(); --left) {
        const uint32_t parent = in.number32();
        message.nodes.push_back({parent, in.number32()});
    }
    return message;
}

protocol::SampleRound round(Input& in) {
    protocol::SampleRound message;
    message.continued = in.flag();
    message.time_ns = in.number();
    message.suspended_ns = in.number();
    message.process_cpu_ns = in.number();
    message.sampler_cpu_ns = in.number();
    message.unattributed_cpu_ns = in.number();
    for (uint32_t left = in.byte(); left > 0 && !in.empty(); --left) {
        protocol::ThreadSample& sample = message.samples.emplace_back();
        sample.os_tid = in.number32();
        sample.node = in.number32();
        sample.wall_ns = in.number();
        sample.cpu_ns = in.number();
    }
    return message;
}

protocol::FunctionNamed function(Input& in) {
    protocol::FunctionNamed message;
    message.index = in.number32();
    message.module = in.number32();
    message.token = in.number32();
    message.namespace_ = in.text();
    message.type = in.text();
    message.method = in.text();
    message.method_args = in.text();
    message.parameters = in.text();
    message.user_parameters = in.text();
    message.return_type = in.text();
    message.is_static = in.flag();
    return message;
}

void check(const collector::SampleSession& session, bool small) {
    const profile::Profile profile = session.build("detached", true);
    require_sound(profile);
    require(profile.session.counts.events == session.samples(), "no sample is lost uncounted");
    if (small) {
        require(profile.calltree.size() <= kMaxArcs, "paths stay within their limit");
        require(profile.threads.size() <= kMaxThreads, "threads stay within their limit");
    }
}

/// False: the session has ended.
bool step(collector::SampleSession& session, Input& in, bool small) {
    switch (static_cast<Step>(in.below(kSteps))) {
        case kNodes:
            return session.note(nodes(in));
        case kRound:
            return session.note(round(in));
        case kFunction:
            return session.note(function(in));
        case kModule: {
            const uint32_t index = in.number32();
            return session.note(protocol::ModuleLoaded{index, in.text(), in.flag()});
        }
        case kThread: {
            const uint32_t os_tid = in.number32();
            return session.note(protocol::ThreadNamed{os_tid, in.text()});
        }
        case kEnded: {
            const uint32_t status = in.number32();
            const uint64_t nodes = in.number();
            return session.note(protocol::SamplingEnded{status, nodes, in.number()});
        }
        case kShutdown:
            return session.note(protocol::Shutdown{});
        case kBuild:
        case kSteps:
            check(session, small);
    }
    return true;
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const uint32_t settings = in.byte();
    const bool small = (settings & kSmall) != 0;
    protocol::Hello hello;
    hello.command_line = in.text();
    hello.runtime = in.text();
    collector::SampleSession session(hello, {.rate_millihertz = in.number32()},
                                     limits_of(settings));
    while (!in.empty() && step(session, in, small)) {
    }
    check(session, small);
}

std::vector<std::string> seeds() {
    std::vector<std::string> made;
    for (const uint32_t settings : {0U, kSmall}) {
        Output out;
        out.byte(settings).text("dotnet /srv/app.dll").text(".NET 10.0.12").number(100'000);
        out.byte(kModule).number(1).text("/srv/app.dll").byte(0);
        for (uint32_t index = 1; index <= 3; ++index) {
            out.byte(kFunction).number(index).number(1).number(0x06000000 + index);
            for (const char* part : {"Acme", "Cart`1", "Add", "<T>", "(T)", "", "int"}) {
                out.text(part);
            }
            out.byte(0);
        }
        out.byte(kThread).number(10).text("main");
        out.byte(kNodes).byte(4);
        out.number(0).number(1).number(1).number(2).number(1).number(3).number(0).number(0);
        for (uint64_t moment = 10; moment <= 30; moment += 10) {
            out.byte(kRound).byte(0).number(moment).number(1).number(9).number(1).number(1);
            out.byte(3).number(10).number(2).number(10).number(9);
            out.number(11).number(3).number(10).number(0);
            out.number(12).number(0).number(10).number(moment % 20);
        }
        out.byte(kBuild).byte(kShutdown).byte(kEnded).number(0).number(1).number(2);
        made.push_back(out.bytes());
    }
    return made;
}

}  // namespace umbra::fuzz
