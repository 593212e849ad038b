// SPDX-License-Identifier: MIT
#include "export/base64.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace umbra {
namespace {

class StringSink final : public Sink {
  public:
    std::string text;

  private:
    Status write(std::span<const std::byte> bytes) override {
        text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    }
    Status commit() override { return {}; }
};

/// `bytes` handed over in pieces of `piece`.
std::string base64(std::string_view bytes, std::size_t piece) {
    StringSink below;
    Base64Sink sink(below);
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        sink.put(bytes.substr(at, piece));
    }
    EXPECT_TRUE(sink.finish());
    EXPECT_TRUE(below.finish());
    return below.text;
}

TEST(Base64, HasTheVectorsOfRfc4648) {
    const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(base64(bytes, 1), text);
        EXPECT_EQ(base64(bytes, 100), text);
    }
    EXPECT_EQ(base64("\xfb\xff\xbf", 2), "+/+/");
}

TEST(Base64, PiecesLargerThanTheBufferAreOneText) {
    const std::string bytes(1'000'000, 'a');
    const std::string text = base64(bytes, 300'001);
    EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
    EXPECT_EQ(text.find('='), text.size() - 2);
    EXPECT_EQ(text.substr(0, 8), "YWFhYWFh");
}

}  // namespace
}  // namespace umbra
