// SPDX-License-Identifier: MIT
// `umbra run` that keeps the records as well: bench_replay_record FILE [options] -- PROGRAM
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "benchmarks/replay/stream_file.h"
#include "hotpath/clock.h"
#include "src/cli/record/recording.h"
#include "src/collector/state/event_sink.h"

namespace umbra::bench {
namespace {

class Recorder : public collector::EventSink {
  public:
    Recorder(const std::string& path, uint64_t max_bytes) : file_(path, max_bytes) {}

    void thread_began(uint32_t thread, uint32_t os_tid, uint64_t start_ticks) override {
        file_.block(BlockKind::kThread, thread, std::array<uint64_t, 2>{os_tid, start_ticks});
    }
    void records(uint32_t thread, std::span<const uint64_t> slots) override {
        while (!slots.empty() && slots.back() == 0) {
            slots = slots.first(slots.size() - 1);
        }
        file_.block(BlockKind::kRecords, thread, slots);
    }
    void off_cpu(uint32_t thread, uint64_t begin, uint64_t end) override {
        file_.block(BlockKind::kOffCpu, thread, std::array<uint64_t, 2>{begin, end});
    }
    void thread_ended(uint32_t thread, uint64_t ticks) override {
        file_.block(BlockKind::kEnd, thread, std::array<uint64_t, 1>{ticks});
    }
    void function_named(const protocol::FunctionNamed& message) override {
        file_.name(message.index, message.namespace_ + '.' + message.type + '.' + message.method +
                                      message.method_args + message.parameters);
    }
    bool finish() {
        const double ns = static_cast<double>(hotpath::read_os_ns() - first_ns_);
        return file_.finish(static_cast<double>(hotpath::read_ticks() - first_ticks_) / ns * 1e9);
    }

  private:
    StreamFileWriter file_;
    uint64_t first_ticks_ = hotpath::read_ticks();
    uint64_t first_ns_ = hotpath::read_os_ns();
};

int run(int argc, char** argv) {
    CLI::App app("Keeps all records of one process.");
    cli::RecordingOptions options;
    std::string path;
    uint64_t max_mb = 4096;
    app.add_option("--stream", path, "The file of records")->required();
    app.add_option("--max-mb", max_mb, "The file is cut off there")->capture_default_str();
    bool may_be_cut_off = false;
    app.add_flag("--may-be-cut-off", may_be_cut_off, "That is no failure");
    app.add_flag("--framework", options.spec.agent.framework);
    app.add_option("--output", options.output, "The profile, as of umbra run")->required();
    app.add_option("program", options.arguments)->required();
    app.positionals_at_end();
    CLI11_PARSE(app, argc, argv);

    const Result<std::string> agent = cli::find_agent();
    if (!agent) {
        std::cerr << agent.error().context << '\n';
        return 1;
    }
    const auto recorder = std::make_shared<Recorder>(path, max_mb << 20);
    options.agent = *agent;
    options.force = true;
    options.follow = false;
    options.quiet = true;
    options.sink = [&](const protocol::Hello&) { return recorder; };
    const Result<int> code = cli::record(options);
    if (!code) {
        std::cerr << code.error().context << '\n';
        return 1;
    }
    if (!recorder->finish() && !may_be_cut_off) {
        std::cerr << path << " is cut off\n";
        return 1;
    }
    return *code;
}

}  // namespace
}  // namespace umbra::bench

int main(int argc, char** argv) {
    return umbra::bench::run(argc, argv);
}
