// SPDX-License-Identifier: MIT
#include "src/cli/record/last_write.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "export/hdf5/writer.h"
#include "src/base/folders.h"

namespace umbra::cli {
namespace {

/// Empty: there is none.
std::string second_folder() {
    std::string folder = std::string(folder_named_by({"TMPDIR"})) + "/umbra-profile-XXXXXX";
    return mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

}  // namespace

Status write_last(const profile::Profile& profile, const std::string& path) {
    Status written = hdf5::write_profile(profile, path);
    if (written) {
        return written;
    }
    std::string sentence =
        fmt::format("the profile {} was not written: {}", path, written.error().context);
    if (const std::string folder = second_folder(); !folder.empty()) {
        const std::string second = folder + "/" + std::filesystem::path(path).filename().string();
        if (hdf5::write_profile(profile, second)) {
            sentence += "; it is in " + second;
        } else {
            rmdir(folder.c_str());
        }
    }
    return fail(written.error().code, std::move(sentence), written.error().os_error);
}

}  // namespace umbra::cli
