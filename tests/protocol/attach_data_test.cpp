// SPDX-License-Identifier: MIT
// Tests of the client data of an attach: the runtime hands on whatever somebody gave it.
#include "src/protocol/attach_data.h"

#include <gtest/gtest.h>

namespace umbra::protocol {
namespace {

TEST(AttachData, ComesBackAsItWasSent) {
    const AttachData sent{.version = 3, .socket_path = "/tmp/umbra-x/control"};
    EXPECT_EQ(decode_attach_data(encode(sent)), sent);
}

TEST(AttachData, AnythingElseIsNone) {
    const std::string good = encode(AttachData{.socket_path = "/a"});
    for (size_t keep = 0; keep + 1 < good.size(); ++keep) {
        EXPECT_FALSE(decode_attach_data(good.substr(0, keep))) << keep;
    }
    std::string foreign = good;
    foreign[0] = static_cast<char>(foreign[0] + 1);
    EXPECT_FALSE(decode_attach_data(foreign));
    EXPECT_FALSE(decode_attach_data(encode(AttachData{.socket_path = "relative"})));
    EXPECT_FALSE(decode_attach_data(good + '\0' + "b"));
    EXPECT_FALSE(decode_attach_data({}));
}

TEST(AttachData, APathIsNoLongerThanASocketTakes) {
    const std::string longest = '/' + std::string(kMaxSocketPathBytes - 1, 'x');
    EXPECT_TRUE(decode_attach_data(encode(AttachData{.socket_path = longest})));
    EXPECT_FALSE(decode_attach_data(encode(AttachData{.socket_path = longest + 'x'})));
}

}  // namespace
}  // namespace umbra::protocol
