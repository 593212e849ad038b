// SPDX-License-Identifier: MIT
// What is written comes back, and no mishap while writing harms the file that is there.
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/hdf5/reader.h"
#include "export/hdf5/writer.h"
#include "export/replace_file.h"
#include "export/schema.h"
#include "tests/export/sample_profile.h"
#include "tests/support/temporary_folder.h"

namespace umbra::hdf5 {
namespace {

using profile::Profile;
using test::sample_profile;
using test::TemporaryFolder;
using testing::HasSubstr;

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const TemporaryFolder& folder) {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

std::string cell_text(const schema::Column& column, const void* row) {
    const void* member = column.get(row);
    switch (column.type) {
        case schema::Type::kInt64:
            return std::to_string(*static_cast<const uint64_t*>(member));
        case schema::Type::kUInt32:
        case schema::Type::kRow:
        case schema::Type::kRowOrNone:
            return std::to_string(*static_cast<const uint32_t*>(member));
        case schema::Type::kFloat64:
            return std::to_string(*static_cast<const double*>(member));
        case schema::Type::kBool:
        case schema::Type::kFlag:
            return *static_cast<const bool*>(member) ? "true" : "false";
        case schema::Type::kString:
            return *static_cast<const std::string*>(member);
    }
    return "";
}

void expect_same(const Profile& expected, const Profile& actual) {
    for (const schema::Column& column : schema::session_attributes()) {
        EXPECT_EQ(cell_text(column, &expected.session), cell_text(column, &actual.session))
            << column.name;
    }
    for (const schema::Table& table : schema::tables()) {
        const schema::Rows want = table.rows(expected);
        const schema::Rows have = table.rows(actual);
        ASSERT_EQ(want.count, have.count) << table.name;
        for (std::size_t i = 0; i < want.count; ++i) {
            for (const schema::Column& column : table.columns) {
                EXPECT_EQ(cell_text(column, want.row(i)), cell_text(column, have.row(i)))
                    << table.name << "." << column.name << " row " << i;
            }
        }
    }
}

void expect_round_trip(const Profile& profile) {
    const TemporaryFolder folder;
    const std::string path = folder.file("p.h5");
    const Status written = write_profile(profile, path);
    ASSERT_TRUE(written) << written.error().context;
    const Result<Profile> read = read_profile(path);
    ASSERT_TRUE(read) << read.error().context;
    expect_same(profile, *read);
}

TEST(ProfileFile, ReturnsEveryColumnAndAttributeThatWasWritten) {
    expect_round_trip(sample_profile());
    Profile slow = sample_profile();
    test::add_slow_calls(slow);
    expect_round_trip(slow);
}

TEST(ProfileFile, HoldsAProfileWithoutRows) {
    expect_round_trip(Profile{});
}

TEST(ProfileFile, HoldsMoreRowsThanAChunk) {
    Profile profile = sample_profile();
    for (profile::Row row = 4; row < 50'000; ++row) {
        profile.calltree.push_back({row - 1, row % 5, row % 2, {row, 0, row, row, 1, row}});
    }
    for (int number = 0; number < 3'000; ++number) {
        profile.functions.push_back(profile.functions[1]);
        profile.functions.back().method = "Method" + std::to_string(number);
    }
    expect_round_trip(profile);
}

TEST(ProfileFile, HoldsMoreChunksThanArePackedAtOnce) {
    const TemporaryFolder folder;
    Profile profile = sample_profile();
    for (profile::Row row = 4; row < 200'000; ++row) {
        profile.calltree.push_back({row - 1, row % 5, row % 2, {row, 0, row, row, 1, row}});
    }
    constexpr std::size_t kThreads = 3;
    ASSERT_TRUE(write_profile(profile, folder.file("p.h5"), kThreads));
    ASSERT_TRUE(write_profile(profile, folder.file("alone.h5")));
    EXPECT_TRUE(bytes_of(folder.file("p.h5")) == bytes_of(folder.file("alone.h5")));
    const Result<Profile> read = read_profile(folder.file("p.h5"));
    ASSERT_TRUE(read) << read.error().context;
    ASSERT_EQ(read->calltree.size(), profile.calltree.size());
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        ASSERT_EQ(read->calltree[row].times.calls, profile.calltree[row].times.calls) << row;
        ASSERT_EQ(read->calltree[row].parent, profile.calltree[row].parent) << row;
    }
}

TEST(ProfileFile, KeepsTextsOfAnyLengthWhole) {
    Profile profile = sample_profile();
    std::string euros;
    for (int i = 0; i < 1'000; ++i) {
        euros += "\xe2\x82\xac";
    }
    for (const std::size_t length : {254U, 255U, 256U, 257U, 511U, 512U, 513U, 100'000U}) {
        profile.functions[0].name = std::string(length, 'n');
        profile.functions[0].raw_name = "x" + euros;
        profile.functions[3].type = euros + "x";
        profile.exceptions[1].type = std::string(length, 't');
        profile.session.command_line = std::string(length, 'c');
        expect_round_trip(profile);
    }
}

TEST(ProfileFile, MakesBytesThatAreNoTextReadable) {
    const TemporaryFolder folder;
    Profile profile = sample_profile();
    profile.functions[0].name = std::string("a\xff\0b\x1b", 5);
    ASSERT_TRUE(write_profile(profile, folder.file("p.h5")));
    const Result<Profile> read = read_profile(folder.file("p.h5"));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->functions[0].name,
              "a\xef\xbf\xbd\\u0000"
              "b\\u001b");
}

TEST(ProfileFile, SaturatesNumbersBeyondTheFilesIntegers) {
    const TemporaryFolder folder;
    Profile profile = sample_profile();
    profile.session.wall_ns = UINT64_MAX;
    ASSERT_TRUE(write_profile(profile, folder.file("p.h5")));
    EXPECT_EQ(read_session(folder.file("p.h5"))->wall_ns, static_cast<uint64_t>(INT64_MAX));
}

TEST(ProfileFile, IsTheSameBytesForTheSameProfile) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_profile(sample_profile(), folder.file("a.h5")));
    ASSERT_TRUE(write_profile(sample_profile(), folder.file("b.h5")));
    EXPECT_EQ(bytes_of(folder.file("a.h5")), bytes_of(folder.file("b.h5")));
}

TEST(ProfileFile, MayBeReadByItsOwnerOnly) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_profile(sample_profile(), folder.file("p.h5")));
    struct stat facts = {};
    ASSERT_EQ(::stat(folder.file("p.h5").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0600U);
}

TEST(ProfileFile, AnswersSessionAndTableSizesWithoutReadingTables) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_profile(sample_profile(), folder.file("p.h5")));
    const Result<Overview> overview = read_overview(folder.file("p.h5"));
    ASSERT_TRUE(overview);
    EXPECT_EQ(overview->schema_version, schema::version());
    EXPECT_EQ(overview->session.program, "shop.dll");
    ASSERT_EQ(overview->tables.size(), schema::tables().size());
    EXPECT_EQ(overview->tables[2].name, "functions");
    EXPECT_EQ(overview->tables[2].rows, 6U);
}

TEST(ProfileFile, RefusesToWriteRowNumbersThatPointNowhere) {
    const TemporaryFolder folder;
    const std::string path = folder.file("p.h5");
    Profile beyond = sample_profile();
    beyond.edges[1].callee = 6;
    Profile none = sample_profile();
    none.calltree[1].function = profile::kNone;
    Profile later_parent = sample_profile();
    later_parent.calltree[1].parent = 1;
    for (const Profile& profile : {beyond, none, later_parent}) {
        const Status written = write_profile(profile, path);
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().code, ErrorCode::kCorrupt);
    }
    EXPECT_EQ(files_in(folder), 0U);
}

TEST(ProfileFile, NamesTheFolderThatIsGone) {
    const TemporaryFolder folder;
    const Status written = write_profile(sample_profile(), folder.file("gone/p.h5"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(written.error().context, HasSubstr("cannot use the folder"));
}

TEST(ProfileFile, ReplacesNoDeviceAndNoFolder) {
    const TemporaryFolder folder;
    EXPECT_EQ(write_profile(sample_profile(), "/dev/null").error().code, ErrorCode::kInvalid);
    EXPECT_EQ(write_profile(sample_profile(), folder.path().string()).error().code,
              ErrorCode::kInvalid);
}

TEST(ProfileFile, FollowsNoLinkLeftInPlaceOfTheTemporary) {
    const TemporaryFolder folder;
    const std::string victim = folder.file("victim");
    std::ofstream(victim) << "precious";
    const std::string temporary = folder.file("p.h5." + std::to_string(::getpid()) + ".tmp");
    ASSERT_EQ(::symlink(victim.c_str(), temporary.c_str()), 0);
    ASSERT_TRUE(write_profile(sample_profile(), folder.file("p.h5")));
    EXPECT_EQ(bytes_of(victim), "precious");
    EXPECT_TRUE(read_profile(folder.file("p.h5")));
}

/// Runs `child` in a process of its own and answers how that ended.
template <typename Child>
int status_of(Child child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::_exit(child());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
}

TEST(ProfileFile, LeavesNothingBehindWhenItsWriterIsKilled) {
    const TemporaryFolder folder;
    const int status = status_of([&] {
        Result<ReplacementFile> file = ReplacementFile::create(folder.file("app.html"));
        const std::string half = "half of it";
        if (file && file->write(std::as_bytes(std::span(half)))) {
            ::raise(SIGKILL);
        }
        return 1;
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(files_in(folder), 0U);
}

TEST(ProfileFile, KeepsTheOldFileWhenTheDiskIsFull) {
    const TemporaryFolder folder;
    const std::string path = folder.file("p.h5");
    ASSERT_TRUE(write_profile(sample_profile(), path));
    const std::string before = bytes_of(path);
    const int status = status_of([&] {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit = {8192, 8192};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const Status written = write_profile(sample_profile(), path);
        return !written && written.error().os_error == EFBIG ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(bytes_of(path), before);
    EXPECT_EQ(files_in(folder), 1U) << "the temporary file is still there";
}

TEST(ProfileFile, IsWholeAtEveryInstantTheWriterIsKilled) {
    const TemporaryFolder folder;
    const std::string path = folder.file("p.h5");
    ASSERT_TRUE(write_profile(sample_profile(), path));
    for (int round = 0; round < 20; ++round) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            Profile profile = sample_profile();
            for (;; ++profile.session.counts.events) {
                if (!write_profile(profile, path)) {
                    ::_exit(1);
                }
            }
        }
        std::this_thread::sleep_for(std::chrono::microseconds(5'000 + 1'370 * round));
        ::kill(pid, SIGKILL);
        int status = 0;
        ::waitpid(pid, &status, 0);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
        const Result<Profile> read = read_profile(path);
        ASSERT_TRUE(read) << read.error().context;
    }
}

}  // namespace
}  // namespace umbra::hdf5
