// SPDX-License-Identifier: MIT
// fake_recorder PID calls|samples: shows made-up figures of a process, as an umbra that records it
// would. Takes "figures" (new ones) and "end" on its standard input, and ends with it.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <unistd.h>

#include "src/collector/live/figures_server.h"

namespace {

using umbra::protocol::LiveFigures;

LiveFigures made_up(uint32_t pid, bool sampled, uint64_t number) {
    LiveFigures figures;
    figures.pid = pid;
    figures.program = "shop.dll";
    figures.runtime = ".NET 10.0.12";
    figures.kind = sampled ? LiveFigures::kSamples : LiveFigures::kCalls;
    figures.has_cpu = true;
    figures.has_total = !sampled;
    figures.time_ns = number * 1'000'000'000;
    figures.window_ns = 1'000'000'000;
    figures.events = 20'000;
    figures.recent_events = 4'000;
    figures.calls = 10'001;
    figures.recent_calls = 2'000;
    figures.self_ns = 1'000'000'000;
    figures.cpu_ns = 400'000'000;
    figures.recent_busy_ns = 500'000'000;
    figures.probe_ns = 100'000'000;
    figures.waits = 7;
    figures.wait_ns = 1'500'000;
    figures.lost_ring_full = 3;
    figures.lost_depth = 2;
    figures.threads = 4;
    figures.functions = 3;
    figures.rows = {
        {"Acme.Main()", "shop.dll", 1, 990'000'000, 300'000'000, 250'000'000, 0, 100'000'000,
         false},
        {"Acme.Fib(int)", "shop.dll", 9'000, 200'000'000, 200'000'000, 140'000'000, 2'000,
         400'000'000, false},
        {"Acme.Idle()", "shop.dll", 1'000, 500'000'000, 500'000'000, 10'000'000, 0, 0, false}};
    return figures;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "fake_recorder PID calls|samples\n";
        return 2;
    }
    const auto pid = static_cast<uint32_t>(std::strtoul(argv[1], nullptr, 10));
    const bool sampled = std::string_view(argv[2]) == "samples";
    uint64_t number = 1;
    boost::asio::io_context io;
    auto figures = std::make_shared<const LiveFigures>(made_up(pid, sampled, number));
    bool ended = false;
    umbra::collector::FiguresServer server(
        io, "umbra start",
        {.recorded =
             [&] {
                 return ended ? std::vector<umbra::collector::Recorded>()
                              : std::vector<umbra::collector::Recorded>{
                                    {.pid = pid, .program = "shop.dll", .figures = figures}};
             },
         .watched = [](bool) {}});
    if (const umbra::Status listens = server.listen(); !listens) {
        std::cerr << listens.error().context << '\n';
        return 1;
    }
    std::cout << "listening\n" << std::flush;
    boost::asio::posix::stream_descriptor input(io, dup(STDIN_FILENO));
    std::function<void()> wait = [&] {
        input.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                         [&](const boost::system::error_code&) {
                             std::string word;
                             if (!std::getline(std::cin, word)) {
                                 return io.stop();
                             }
                             LiveFigures next = made_up(pid, sampled, ++number);
                             if (word == "end") {
                                 ended = true;
                                 next.ended = "exit 0";
                                 server.end(next);
                             }
                             figures = std::make_shared<const LiveFigures>(next);
                             wait();
                         });
    };
    wait();
    io.run();
    return 0;
}
