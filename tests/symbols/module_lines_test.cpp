// SPDX-License-Identifier: MIT
#include "src/symbols/module_lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/symbols/made_symbols.h"

namespace umbra::symbols {
namespace {

using test::Content;
using test::kBuild;
using test::MadeImage;
using test::MadePdb;

constexpr PdbId kOtherBuild = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11};

MadePdb pdb_of(const PdbId& id) {
    return {.id = id,
            .documents = {{"", "src", "Shop.cs"}},
            .methods = {{}, {.document = 1, .line = 33}},
            .state_machines = {{2, 1}},
            .methods_of_image = 2};
}

class ModuleLinesOf : public testing::Test {
  protected:
    void write(const std::string& name, const Content& bytes) {
        test::write_file(folder_.file(name), bytes);
    }
    ModuleLines read(const std::vector<std::string>& folders = {}) {
        return read_module_lines(
            folder_.file("app.dll"),
            [](const std::string& path) -> Result<UniqueFd> {
                UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
                return file ? Result<UniqueFd>(std::move(file)) : fail(ErrorCode::kNotFound, path);
            },
            folders);
    }
    void expect_lines(const ModuleLines& lines, const std::string& pdb) {
        EXPECT_EQ(lines.pdb, pdb);
        EXPECT_EQ(lines.missing, "");
        ASSERT_EQ(lines.points.size(), 2U);
        EXPECT_EQ(lines.points[0].line, 33U) << "the method that has the name of its code";
        EXPECT_EQ(lines.points[1].line, 33U);
        ASSERT_EQ(lines.files.size(), 1U);
        EXPECT_EQ(lines.files[0], "/src/Shop.cs");
    }
    void expect_none(const ModuleLines& lines, const std::string& why) {
        EXPECT_EQ(lines.missing, why);
        EXPECT_EQ(lines.pdb, "");
        EXPECT_TRUE(lines.points.empty() && lines.files.empty());
    }

    umbra::test::TemporaryFolder folder_;
};

TEST_F(ModuleLinesOf, APdbBesideTheModule) {
    write("app.dll", MadeImage{.id = kBuild}.bytes());
    write("app.pdb", pdb_of(kBuild).bytes());
    expect_lines(read(), folder_.file("app.pdb"));
}

TEST_F(ModuleLinesOf, APdbThatACompilerOnWindowsHasNamed) {
    write("app.dll", MadeImage{.id = kBuild, .pdb_path = R"(D:\a\obj\app.pdb)"}.bytes());
    write("app.pdb", pdb_of(kBuild).bytes());
    expect_lines(read(), folder_.file("app.pdb"));
}

TEST_F(ModuleLinesOf, APdbWithinTheModule) {
    write("app.dll", MadeImage{.id = kBuild, .embedded = pdb_of(kBuild).bytes()}.bytes());
    expect_lines(read(), kEmbedded);
}

TEST_F(ModuleLinesOf, APdbInAFolderOfItsOwn) {
    std::filesystem::create_directory(folder_.file("symbols"));
    write("app.dll", MadeImage{.id = kBuild}.bytes());
    write("app.pdb", pdb_of(kOtherBuild).bytes());
    write("symbols/app.pdb", pdb_of(kBuild).bytes());
    expect_none(read(), folder_.file("app.pdb") + " is of another build");
    expect_lines(read({folder_.file("none"), folder_.file("symbols")}),
                 folder_.file("symbols/app.pdb"));
}

TEST_F(ModuleLinesOf, APdbInASymbolStore) {
    const std::string key = "app.pdb/06070809040502030100010203040506ffffffff";
    std::filesystem::create_directories(folder_.file("store/" + key));
    write("app.dll", MadeImage{.id = kBuild, .pdb_path = "/obj/App.pdb"}.bytes());
    write("store/" + key + "/app.pdb", pdb_of(kBuild).bytes());
    expect_lines(read({folder_.file("store")}), folder_.file("store/" + key + "/app.pdb"));
}

TEST_F(ModuleLinesOf, ModulesWithoutAny) {
    expect_none(read(), "the module's file cannot be read");
    write("app.dll", {1, 2, 3});
    expect_none(read(), "the module names no PDB");
    write("app.dll", MadeImage{.id = kBuild, .portable = false}.bytes());
    expect_none(read(), "its PDB has the format of Windows");
    write("app.dll", MadeImage{.id = kBuild}.bytes());
    expect_none(read(), "no PDB");
    write("app.pdb", {'B', 'S', 'J', 'B'});
    expect_none(read(), folder_.file("app.pdb") + " is no portable PDB");
}

TEST_F(ModuleLinesOf, NothingThatBlocksIsRead) {
    ASSERT_EQ(mkfifo(folder_.file("app.dll").c_str(), 0600), 0);
    expect_none(read(), "the module's file cannot be read");
    std::filesystem::remove(folder_.file("app.dll"));
    write("app.dll", MadeImage{.id = kBuild}.bytes());
    ASSERT_EQ(mkfifo(folder_.file("app.pdb").c_str(), 0600), 0);
    expect_none(read(), "no PDB");
}

TEST_F(ModuleLinesOf, ADamagedPdbWithinTheModuleIsNone) {
    Content image = MadeImage{.id = kBuild, .embedded = pdb_of(kBuild).bytes()}.bytes();
    const std::string mark = "MPDB";
    auto size = std::search(image.begin(), image.end(), mark.begin(), mark.end());
    ASSERT_NE(size, image.end());
    ++size[4];  // more than there is
    write("app.dll", image);
    expect_none(read(), "no PDB");
}

}  // namespace
}  // namespace umbra::symbols
