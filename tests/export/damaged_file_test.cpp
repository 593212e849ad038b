// SPDX-License-Identifier: MIT
// Files that are damaged, cut short or no profiles at all give an error, never a crash.
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/hdf5/reader.h"
#include "export/hdf5/writer.h"
#include "export/schema.h"
#include "tests/export/sample_profile.h"
#include "tests/support/temporary_folder.h"

namespace umbra::hdf5 {
namespace {

using profile::Profile;
using testing::HasSubstr;

class DamagedFile : public testing::Test {
  protected:
    DamagedFile() {
        EXPECT_TRUE(write_profile(test::sample_profile(), path_));
        sound_ = content();
    }

    std::string content() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    Result<Profile> read(const std::string& bytes) {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
        return read_profile(path_);
    }

    test::TemporaryFolder folder_;
    std::string path_ = folder_.file("p.h5");
    std::string sound_;
};

TEST_F(DamagedFile, IsNotFoundWhereThereIsNone) {
    const auto read = read_profile(folder_.file("none.h5"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(read.error().context, HasSubstr("none.h5': No such file"));
}

TEST_F(DamagedFile, IsNoProfileWhenItIsAnythingElse) {
    EXPECT_EQ(read("").error().code, ErrorCode::kNotAProfile);
    EXPECT_EQ(read("hello\n").error().code, ErrorCode::kNotAProfile);
    EXPECT_EQ(read_profile(folder_.path().string()).error().code, ErrorCode::kNotAProfile);
    const std::string pipe = folder_.file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(read_profile(pipe).error().code, ErrorCode::kNotAProfile) << "must not wait";
}

TEST_F(DamagedFile, IsAnErrorWhereverItIsCutShort) {
    for (std::size_t bytes = 0; bytes < sound_.size(); bytes += 61) {
        const Result<Profile> result = read(sound_.substr(0, bytes));
        if (result) {
            // HDF5 leaves unused space at the end of a file, which nobody misses.
            ASSERT_TRUE(write_profile(*result, path_));
            ASSERT_EQ(content(), sound_) << bytes << " bytes";
            ASSERT_GT(bytes, sound_.size() * 9 / 10);
        }
    }
}

TEST_F(DamagedFile, IsAnErrorWithAnyOneByteOfItsHeadChanged) {
    // The superblock: every byte of it is checked.
    for (std::size_t at = 0; at < 48; ++at) {
        std::string bytes = sound_;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        ASSERT_FALSE(read(bytes)) << "byte " << at;
    }
}

TEST_F(DamagedFile, GivesAnErrorOrASoundProfileForRandomDamage) {
    std::mt19937 random(20260101);  // NOLINT(cert-msc51-cpp): the same damage at every run
    const auto below = [&](std::size_t limit) { return random() % limit; };
    std::size_t errors = 0;
    constexpr std::size_t kRounds = 3'000;
    for (std::size_t round = 0; round < kRounds; ++round) {
        std::string bytes = sound_;
        for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
            switch (below(3)) {
                case 0:
                    bytes[below(bytes.size())] = static_cast<char>(random());
                    break;
                case 1:
                    bytes[below(bytes.size())] = '\xff';
                    break;
                default: {  // a run of bytes moved elsewhere
                    const std::size_t length = 1 + below(64);
                    const std::string run = bytes.substr(below(bytes.size()), length);
                    const std::size_t to = below(bytes.size() - run.size());
                    bytes.replace(to, run.size(), run);
                }
            }
        }
        const Result<Profile> result = read(bytes);
        if (result) {
            ASSERT_TRUE(schema::check_rows(*result));
        } else {
            ++errors;
            ASSERT_FALSE(result.error().context.empty());
        }
    }
    EXPECT_GT(errors, kRounds / 4) << "most of the file seems to go unread";
}

}  // namespace
}  // namespace umbra::hdf5

/// HDF5 itself loses memory when it finds a file damaged; leaks of ours are still reported.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libhdf5";
}
