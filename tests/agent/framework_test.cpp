// SPDX-License-Identifier: MIT
// Framework or application: by the folder of a shared framework, or by what deps.json says.
#include "src/agent/methods/framework.h"

#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace umbra::agent {
namespace {

constexpr const char* kDeps = R"({
  "runtimeTarget": {"name": ".NETCoreApp,Version=v9.0/linux-x64"},
  "targets": {
    ".NETCoreApp,Version=v9.0": {},
    ".NETCoreApp,Version=v9.0/linux-x64": {
      "App/1.0.0": {
        "dependencies": {"runtimepack.Microsoft.NETCore.App.Runtime.linux-x64": "9.0.18"},
        "runtime": {"App.dll": {}}
      },
      "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/9.0.18": {
        "runtime": {
          "System.Linq.dll": {"assemblyVersion": "9.0.0.0", "fileVersion": "9.0.18"},
          "lib/net9.0/System.Runtime.dll": {}
        },
        "native": {"libcoreclr.so": {"fileVersion": "0.0.0.0"}}
      },
      "Newtonsoft.Json/13.0.3": {"runtime": {"lib/Newtonsoft.Json.dll": {}}}
    }
  },
  "libraries": {
    "runtimepack.Microsoft.NETCore.App.Runtime.linux-x64/9.0.18": {"type": "runtimepack"}
  }
})";

using Names = std::set<std::string, std::less<>>;

TEST(RuntimePackFiles, AreTheLibrariesOfTheRuntimePackAlone) {
    EXPECT_EQ(runtime_pack_files(kDeps), (Names{"System.Linq.dll", "System.Runtime.dll"}));
}

TEST(RuntimePackFiles, TextCutOffAnywhereGivesFewerNamesAndNoMore) {
    const std::string whole = kDeps;
    const Names all = runtime_pack_files(whole);
    for (size_t length = 0; length < whole.size(); ++length) {
        for (const std::string& name : runtime_pack_files(whole.substr(0, length))) {
            EXPECT_TRUE(all.contains(name)) << name << " at " << length;
        }
    }
}

TEST(RuntimePackFiles, NonsenseHasNoNames) {
    EXPECT_TRUE(runtime_pack_files("").empty());
    EXPECT_TRUE(runtime_pack_files("\"runtimepack.").empty());
    EXPECT_TRUE(runtime_pack_files("\"runtimepack.x\": {{{{\"").empty());
    EXPECT_TRUE(runtime_pack_files("\"runtimepack.x\": }}}}{\"a.exe\"}").empty());
}

TEST(FrameworkModules, AllBelowASharedRootAreFramework) {
    FrameworkModules modules;
    modules.learn("/opt/dotnet/shared/Microsoft.NETCore.App/10.0.1/System.Private.CoreLib.dll");
    EXPECT_TRUE(modules.contains("/opt/dotnet/shared/Microsoft.AspNetCore.App/10.0.1/Kestrel.dll"));
    EXPECT_TRUE(modules.contains("/anywhere/System.Private.CoreLib.dll"));
    EXPECT_FALSE(modules.contains("/home/me/shared/App.dll"));
    EXPECT_FALSE(modules.contains("/opt/dotnet/sdk/10.0.100/Roslyn/bincore/csc.dll"));
    EXPECT_FALSE(modules.contains(""));
}

TEST(FrameworkModules, OfASelfContainedApplicationDepsJsonTells) {
    const test::TemporaryFolder temporary;
    const std::string folder = temporary.path();
    std::ofstream(folder + "/App.deps.json") << kDeps;
    FrameworkModules modules;
    modules.learn(folder + "/System.Private.CoreLib.dll");
    EXPECT_TRUE(modules.contains(folder + "/System.Linq.dll"));
    EXPECT_FALSE(modules.contains(folder + "/App.dll"));
    EXPECT_FALSE(modules.contains(folder + "/Newtonsoft.Json.dll"));
    EXPECT_FALSE(modules.contains("/elsewhere/System.Linq.dll")) << "another file of that name";
}

TEST(FrameworkModules, KnowNothingButCoreLibBeforeTheyLearn) {
    const FrameworkModules modules;
    EXPECT_TRUE(modules.contains("/x/System.Private.CoreLib.dll"));
    EXPECT_FALSE(modules.contains("/x/System.Linq.dll"));
}

}  // namespace
}  // namespace umbra::agent
