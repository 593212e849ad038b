// SPDX-License-Identifier: MIT
#include "src/base/guid.h"

#include <string>

#include <gtest/gtest.h>

namespace umbra {
namespace {

TEST(Guid, HasTheLayoutOfTheStructure) {
    const auto guid = parse_guid("{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}");
    ASSERT_TRUE(guid);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(&*guid), sizeof *guid),
              "\x5e\x1f\x7a\x8c\x0d\x3b\x7e\x4c\x9a\x21"
              "umbra\x01");
}

TEST(Guid, RefusesWhatIsNone) {
    for (const char* text :
         {"", "8C7A1F5E-3B0D-4C7E-9A21-756D62726101", "{8C7A1F5E-3B0D-4C7E-9A21-756D6272610}",
          "{8C7A1F5E-3B0D-4C7E-9A21-756D6272610G}", "{8C7A1F5E+3B0D-4C7E-9A21-756D62726101}",
          "{-C7A1F5E-3B0D-4C7E-9A21-756D62726101}"}) {
        EXPECT_FALSE(parse_guid(text)) << text;
    }
}

}  // namespace
}  // namespace umbra
