// SPDX-License-Identifier: MIT
// The writer of profiles: which it keeps, and what it says of those that cannot be written.
#include "src/cli/record/profile_writer.h"

#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "export/hdf5/reader.h"
#include "src/cli/record/output_name.h"
#include "src/cli/record/outputs.h"
#include "src/collector/state/session_state.h"
#include "tests/support/temporary_folder.h"

namespace umbra::cli {
namespace {

class ProfileWriting : public ::testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name) const {
        return folder_.file(name + ".h5");
    }
    static Draft checkpoint(uint32_t pid, bool final) {
        profile::Session facts;
        facts.pid = pid;
        return draft_of({.snapshot = collector::SessionState().copy_out(5),
                         .clock = replay::LinearClock(0, 1e9),
                         .facts = std::move(facts),
                         .final = final});
    }
    static uint32_t pid_in(const std::string& path) {
        const Result<profile::Profile> read = hdf5::read_profile(path);
        return read ? read->session.pid : 0;
    }

    umbra::test::TemporaryFolder folder_;
    static bool has_lower_pid(const profile::Profile& kept, const profile::Profile& other) {
        return other.session.pid < kept.session.pid;
    }
    ProfileWriter writer_{{}, {}, has_lower_pid};
};

// A script that starts a thousand compilers would else have all their profiles in umbra's memory.
TEST_F(ProfileWriting, KeepsTheFinalProfileThatIsPreferred) {
    writer_.write(file("main"), checkpoint(1, false));
    for (uint32_t pid = 2; pid < 20; ++pid) {
        writer_.write(file(std::to_string(pid)), checkpoint(pid, true));
    }
    writer_.write(file("main"), checkpoint(1, true));
    writer_.write(file("last"), checkpoint(20, true));
    EXPECT_TRUE(writer_.finish().empty());
    ASSERT_NE(writer_.kept(), nullptr);
    EXPECT_EQ(writer_.kept()->path, file("main"));
    EXPECT_EQ(writer_.kept()->profile.session.pid, 1U);
    EXPECT_FALSE(writer_.had_tests(file("main")));
    for (uint32_t pid = 2; pid < 20; ++pid) {
        EXPECT_TRUE(writer_.had_final(file(std::to_string(pid))));
        EXPECT_EQ(pid_in(file(std::to_string(pid))), pid);
    }
    EXPECT_EQ(pid_in(file("main")), 1U);
}

TEST_F(ProfileWriting, ACheckpointBeforeTheEndIsNotKept) {
    writer_.write(file("main"), checkpoint(1, false));
    writer_.write(file("other"), checkpoint(2, true));
    EXPECT_TRUE(writer_.finish().empty());
    ASSERT_NE(writer_.kept(), nullptr);
    EXPECT_EQ(writer_.kept()->profile.session.pid, 2U);
    EXPECT_FALSE(writer_.had_final(file("main")));
    EXPECT_EQ(pid_in(file("main")), 1U);
}

TEST_F(ProfileWriting, AFinalProfileIsKeptAlthoughItsFileCannotBeWritten) {
    const std::string path = file("no such folder/main");
    writer_.write(path, checkpoint(1, true));
    const std::map<std::string, std::string> failures = writer_.finish();
    ASSERT_TRUE(failures.contains(path));
    EXPECT_TRUE(writer_.had_final(path));
    ASSERT_NE(writer_.kept(), nullptr);
    EXPECT_EQ(writer_.kept()->profile.session.pid, 1U);
    // It is in a second folder then, and the sentence names the file.
    const std::string& why = failures.at(path);
    const size_t at = why.rfind("; it is in ");
    ASSERT_NE(at, std::string::npos) << why;
    const std::filesystem::path second = why.substr(at + 11);
    EXPECT_EQ(pid_in(second), 1U);
    EXPECT_EQ(writer_.kept()->path, second);
    std::filesystem::remove_all(second.parent_path());
}

TEST_F(ProfileWriting, NothingIsKeptWhereNothingIsPreferred) {
    ProfileWriter quiet{{}};
    quiet.write(file("main"), checkpoint(1, true));
    EXPECT_TRUE(quiet.finish().empty());
    EXPECT_EQ(quiet.kept(), nullptr);
}

profile::Profile of_program(const std::string& path, uint64_t cpu_ns) {
    profile::Profile made;
    made.modules = {
        {.name = "System.Private.CoreLib.dll",
         .path = "/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.0/System.Private.CoreLib.dll",
         .framework = true},
        {.name = "x.dll", .path = path}};
    made.session.cpu.process_ns = cpu_ns;
    return made;
}

TEST(OutputName, IsThatOfTheProgramAsFarAsAFileCanBeCalledSo) {
    EXPECT_EQ(output_name("Acme.Web.dll", 71), "Acme.Web-71");
    EXPECT_EQ(output_name("Acme.Web", 71), "Acme.Web-71");
    EXPECT_EQ(output_name("My App", 71), "My_App-71");
    EXPECT_EQ(output_name("", 71), "process-71");
}

TEST(TellsMore, OfTheProcessThatTookMoreProcessorTime) {
    const profile::Profile shim = of_program("/tools/shim.dll", 10);
    const profile::Profile program = of_program("/tools/program.dll", 1000);
    EXPECT_TRUE(tells_more(shim, program));
    EXPECT_FALSE(tells_more(program, shim));
    EXPECT_FALSE(tells_more(shim, shim));  // the first stays
}

TEST(TellsMore, OfTheProcessInWhichTestsRan) {
    profile::Profile tests = of_program("/home/me/tests/bin/tests.dll", 10);
    const profile::Profile host = of_program("/home/me/tests/bin/testhost.dll", 1000);
    tests.functions.emplace_back().test = "xUnit";
    EXPECT_FALSE(tells_more(host, tests));  // it has only listed them
    tests.functions[0].times.calls = 1;
    EXPECT_TRUE(tells_more(host, tests));
    EXPECT_FALSE(tells_more(tests, host));
}

TEST(TellsMore, OfTheProgramThatTheSdkHasBuiltAndStarted) {
    const profile::Profile program = of_program("/home/me/sdk/app/bin/app.dll", 10);
    for (const char* path : {"/usr/share/dotnet/sdk/10.0.401/dotnet.dll",
                             "/usr/share/dotnet/sdk/10.0.401/Roslyn/bincore/VBCSCompiler.dll",
                             "/root/.dotnet/sdk/11.0.100-rc.1/MSBuild.dll"}) {
        const profile::Profile sdk = of_program(path, 1000);
        EXPECT_TRUE(tells_more(sdk, program)) << path;
        EXPECT_FALSE(tells_more(program, sdk)) << path;
        EXPECT_TRUE(tells_more(of_program(path, 1), sdk)) << path;
    }
    EXPECT_TRUE(tells_more({}, program));
}

}  // namespace
}  // namespace umbra::cli
