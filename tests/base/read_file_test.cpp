// SPDX-License-Identifier: MIT
#include "src/base/read_file.h"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace umbra {
namespace {

class ReadFile : public ::testing::Test {
  protected:
    ReadFile() : path_(::testing::TempDir() + "umbra_read_file." + std::to_string(getpid())) {}
    ~ReadFile() override { unlink(path_.c_str()); }
    ReadFile(const ReadFile&) = delete;
    ReadFile& operator=(const ReadFile&) = delete;

    void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

    std::string path_;
};

TEST_F(ReadFile, GivesTheWholeOfAFileWhateverIsInIt) {
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{4096}, size_t{100'000}}) {
        std::string text(bytes, '\0');
        for (size_t i = 0; i < bytes; ++i) {
            text[i] = static_cast<char>(i * 7);
        }
        write(text);
        EXPECT_EQ(read_file(path_, 1'000'000), text);
    }
}

TEST_F(ReadFile, StopsAtTheLimit) {
    write(std::string(10'000, 'a') + "b");
    EXPECT_EQ(read_file(path_, 10'000), std::string(10'000, 'a'));
    EXPECT_EQ(read_file(path_, 10'001), std::string(10'000, 'a') + "b");
    EXPECT_EQ(read_file(path_, 0), "");
}

TEST_F(ReadFile, ReadsWhatHasNoSize) {
    const std::optional<std::string> stat = read_file("/proc/self/stat", 4096);
    ASSERT_TRUE(stat.has_value());
    EXPECT_TRUE(stat->starts_with(std::to_string(getpid()) + " ("));
}

TEST_F(ReadFile, SaysWhyThereIsNothing) {
    EXPECT_EQ(read_file(path_, 10), std::nullopt);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(read_file("/proc", 10), std::nullopt);
    EXPECT_EQ(errno, EISDIR);
}

TEST_F(ReadFile, DoesNotWaitForAPipe) {
    ASSERT_EQ(mkfifo(path_.c_str(), S_IRUSR | S_IWUSR), 0);
    EXPECT_EQ(read_file(path_, 10).value_or(""), "");
}

TEST_F(ReadFile, GivesPartsOfAFileAsFarAsItHasThem) {
    write("0123456789");
    FileParts parts(path_);
    EXPECT_EQ(parts(3, 4), "3456");
    EXPECT_EQ(parts(0, 10), "0123456789");
    EXPECT_EQ(parts(8, ~size_t{0} - 8), "89");
    EXPECT_EQ(parts(10, 1), "");
    EXPECT_EQ(parts(~size_t{0}, 1), "");
    EXPECT_EQ(FileParts("/proc")(0, 1), "");
    EXPECT_EQ(FileParts(path_ + ".none")(0, 1), "");
}

TEST_F(ReadFile, GivesNoPartsOfAFileThatHasChanged) {
    write("0123456789");
    FileParts parts(path_);
    EXPECT_EQ(parts(0, 1), "0");
    write("another file");
    EXPECT_EQ(parts(0, 1), "");
    EXPECT_EQ(FileParts(path_)(0, 1), "a");
}

}  // namespace
}  // namespace umbra
