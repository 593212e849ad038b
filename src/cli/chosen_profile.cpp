// SPDX-License-Identifier: MIT
#include "src/cli/chosen_profile.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>

#include "export/hdf5/reader.h"
#include "export/sink.h"
#include "src/base/utf8.h"
#include "src/cli/guarded_read.h"
#include "src/cli/terminal/console.h"

namespace umbra::cli {
namespace {

namespace fs = std::filesystem;

struct Dated {
    std::string file;
    timespec written{};
};

bool is_newer(const Dated& one, const Dated& other) {
    return std::pair(one.written.tv_sec, one.written.tv_nsec) >
           std::pair(other.written.tv_sec, other.written.tv_nsec);
}

/// Regular files of these, the newest first.
std::vector<Dated> dated(const std::vector<std::string>& files) {
    std::vector<Dated> found;
    for (const std::string& file : files) {
        struct stat status {};
        if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
            found.push_back({file, status.st_mtim});
        }
    }
    std::ranges::stable_sort(found, is_newer);
    return found;
}

}  // namespace

bool is_profile(const std::string& file) {
    return is_hdf5(file) &&
           guarded({file}, [&file] {
               const Result<profile::Session> session = hdf5::read_session(file);
               return session || session.error().code != ErrorCode::kNotAProfile ? kOk : kFailed;
           }) == kOk;
}

Status may_replace(const std::string& file, bool force) {
    struct stat status {};
    if (file.empty() || stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0) {
        return {};
    }
    if (!is_profile(file)) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("'{}' is there and is no profile: umbra does not replace it; name "
                                "another file with -o",
                                printable_utf8(file)));
    }
    return force ? Status()
                 : fail(ErrorCode::kInvalid,
                        fmt::format("'{}' is a profile that is there already: --force replaces it, "
                                    "or name another file with -o",
                                    printable_utf8(file)));
}

Result<std::vector<std::string>> newest_profiles(std::size_t number) {
    std::vector<std::string> files;
    std::error_code error;
    for (auto entry = fs::directory_iterator(".", error); !error && entry != fs::end(entry);
         entry.increment(error)) {
        if (entry->path().extension() == ".h5") {
            files.push_back(entry->path().filename().string());
        }
    }
    std::ranges::sort(files);
    std::vector<std::string> newest;
    for (const Dated& one : dated(files)) {
        if (newest.size() < number && is_profile(one.file)) {
            newest.push_back(one.file);
        }
    }
    if (newest.size() < number) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("there {} in this folder; 'umbra run -- PROGRAM' writes one, and "
                                "FILE names one elsewhere",
                                newest.empty() ? "is no profile" : "is only one profile"));
    }
    return newest;
}

std::string newest_of(const std::vector<std::string>& files) {
    const std::vector<Dated> found = dated(files);
    return found.empty() ? "" : found.front().file;
}

void add_profile_argument(CLI::App& command, std::string& file) {
    command
        .add_option("FILE", file,
                    "Profile that 'umbra run' wrote (default: the newest in this folder)")
        ->type_name("");
}

int with_profile(std::string& file, const std::function<int()>& command) {
    if (file.empty()) {
        Result<std::vector<std::string>> newest = newest_profiles(1);
        if (!newest) {
            return report_error(newest.error());
        }
        file = std::move(newest->front());
        print_error(
            fmt::format("umbra: {} is the newest profile in this folder\n", printable_utf8(file)));
    }
    return command();
}

}  // namespace umbra::cli
