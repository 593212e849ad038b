// SPDX-License-Identifier: MIT
// How long a profile takes to write and to read, and how large it is, beside the floor: the same
// bytes put on the disk.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include <benchmark/benchmark.h>

#include "export/hdf5/reader.h"
#include "export/hdf5/writer.h"
#include "export/replace_file.h"
#include "src/profile/derive.h"

namespace umbra {
namespace {

using profile::CallTimes;
using profile::Profile;
using profile::Row;

/// Times of a path as programs have them: most called once or twice, some very often, one in twenty
/// waiting, one in fifty paused.
CallTimes times_of_path(std::mt19937_64& random) {
    CallTimes times;
    times.calls = uint64_t{1} << (std::countr_zero(random() | 0x8000U) * 2);
    times.calls += random() % times.calls;
    times.self_ns = times.calls * (20 + random() % 2'000);
    times.total_ns = times.self_ns + random() % (1 + times.self_ns);
    times.min_ns = 10 + random() % 40;
    times.max_ns = times.total_ns / times.calls * (1 + random() % 8);
    times.raw = {times.total_ns + times.calls * 19, times.self_ns + times.calls * 9};
    times.cpu = {times.total_ns, times.self_ns};
    if (random() % 20 == 0) {
        times.cpu = {times.total_ns / 3, times.self_ns / 3};
    }
    if (random() % 50 == 0) {
        times.paused = {times.self_ns / 4, times.self_ns / 4};
    }
    return times;
}

/// A profile in the shape of a compiler's: 14,000 functions, 200,000 paths.
const Profile& compiler_profile() {
    static const Profile profile = [] {
        std::mt19937_64 random(20260101);  // NOLINT(cert-msc51-cpp): the same at every run
        Profile made;
        made.threads.resize(4);
        made.modules = {{"compiler.dll", "/opt/compiler/compiler.dll", false}};
        for (Row row = 0; row < 14'000; ++row) {
            profile::Function function;
            function.type = "Syntax.Parser" + std::to_string(row / 30);
            function.method = "Parse" + std::to_string(row % 30);
            function.name = "Compiler." + function.type + "." + function.method + "(Token, int)";
            function.raw_name = "Compiler." + function.type + "." + function.method;
            function.module = 0;
            function.token = 0x06000000 + row;
            made.functions.push_back(function);
        }
        for (Row row = 0; row < 200'000; ++row) {
            const Row back = static_cast<Row>(1 + random() % 64);
            const Row parent = row < back ? profile::kNone : row - back;
            // A function has few callees.
            const Row caller = parent == profile::kNone ? 0 : made.calltree[parent].function;
            made.calltree.push_back(
                {.parent = parent,
                 .function = static_cast<Row>((uint64_t{caller} * 31 + random() % 5) % 14'000),
                 .thread = parent == profile::kNone ? row % 4 : made.calltree[parent].thread,
                 .times = times_of_path(random)});
        }
        profile::derive(made);
        return made;
    }();
    return profile;
}

std::string scratch_file() {
    return (std::filesystem::temp_directory_path() /
            ("umbra-file-bench-" + std::to_string(::getpid()) + ".h5"))
        .string();
}

std::vector<std::byte> written_bytes(const std::string& path) {
    if (!hdf5::write_profile(compiler_profile(), path)) {
        return {};
    }
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

void report(benchmark::State& state, std::size_t bytes) {
    const auto paths = static_cast<double>(compiler_profile().calltree.size());
    state.counters["ns/path"] = benchmark::Counter(
        paths * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["bytes/path"] = static_cast<double>(bytes) / paths;
}

void floor_replace(benchmark::State& state) {
    const std::string path = scratch_file();
    const std::vector<std::byte> bytes = written_bytes(path);
    for (auto _ : state) {
        if (bytes.empty() || !replace_file(path, bytes)) {
            state.SkipWithError("cannot write");
            break;
        }
    }
    report(state, bytes.size());
    std::filesystem::remove(path);
}

void write(benchmark::State& state) {
    const std::string path = scratch_file();
    const auto threads = static_cast<std::size_t>(state.range(0));
    for (auto _ : state) {
        if (!hdf5::write_profile(compiler_profile(), path, threads)) {
            state.SkipWithError("cannot write");
            break;
        }
    }
    report(state, written_bytes(path).size());
    std::filesystem::remove(path);
}

void read(benchmark::State& state) {
    const std::string path = scratch_file();
    const std::size_t bytes = written_bytes(path).size();
    for (auto _ : state) {
        const Result<Profile> profile = hdf5::read_profile(path);
        if (!profile || profile->calltree.size() != compiler_profile().calltree.size()) {
            state.SkipWithError("what was written is not what is read");
            break;
        }
    }
    report(state, bytes);
    std::filesystem::remove(path);
}

BENCHMARK(floor_replace)->Name("file/floor/replace")->Unit(benchmark::kMillisecond);
BENCHMARK(write)
    ->Name("file/write/compiler")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(4);
BENCHMARK(read)->Name("file/read/compiler")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace umbra

BENCHMARK_MAIN();
