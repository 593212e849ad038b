// SPDX-License-Identifier: MIT
// What the functions that rewritten IL calls leave in the ring.
#include "hotpath/arguments.h"

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "tests/hotpath/segments.h"

namespace umbra::hotpath {
namespace {

struct Record {
    ControlType type;
    uint32_t operand;
    std::vector<uint64_t> payload;
};

/// A string or an array as it lies in the runtime's memory.
class Object {
  public:
    explicit Object(std::u16string_view text) : bytes_(12 + 2 * text.size()) {
        set_length(static_cast<uint32_t>(text.size()));
        std::memcpy(bytes_.data() + 12, text.data(), 2 * text.size());
    }
    explicit Object(uint32_t length) : bytes_(16) { set_length(length); }
    [[nodiscard]] const void* get() const { return bytes_.data(); }

  private:
    void set_length(uint32_t length) { std::memcpy(bytes_.data() + 8, &length, sizeof length); }
    std::vector<std::byte> bytes_;
};

/// A recording of this thread, which nobody drains.
class Arguments : public testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(start_recording({.header = &segments_.fresh()})); }
    void TearDown() override { end_recording(); }

    /// What the last call has appended.
    [[nodiscard]] Record last() {
        const auto* ring = reinterpret_cast<const uint64_t*>(segments_.base() + ring_offset(0));
        Record record{};
        for (size_t at = 0; slot_written(ring[at]);) {
            record.type = static_cast<ControlType>(slot_index(ring[at]));
            record.operand = slot_operand(ring[at]);
            EXPECT_EQ(slot_kind(ring[at]), Kind::kControl);
            const size_t slots = control_payload_slots(record.type);
            record.payload.assign(ring + at + 2, ring + at + 2 + slots);
            at += 2 + slots;
        }
        return record;
    }
    /// The text that is kept, and the length of the whole.
    std::pair<std::string, uint32_t> kept(std::u16string_view text) {
        const Object string(text);
        umbra_argument_text(9, string.get());
        const Record record = last();
        EXPECT_EQ(record.type, ControlType::kArgumentText);
        EXPECT_EQ(record.operand, 9U);
        const uint64_t length = record.payload.at(0);
        EXPECT_LE(text_bytes(length), kMaxTextBytes);
        return {std::string(reinterpret_cast<const char*>(record.payload.data() + 1),
                            text_bytes(length)),
                text_code_units(length)};
    }

    Segments segments_;
};

TEST_F(Arguments, NumbersKeepTheirBits) {
    umbra_argument_number(7, UINT64_MAX);
    EXPECT_EQ(last().type, ControlType::kArgumentNumber);
    EXPECT_EQ(last().operand, 7U);
    EXPECT_EQ(last().payload, std::vector<uint64_t>{UINT64_MAX});
    umbra_argument_real(8, -0.0);
    EXPECT_EQ(last().payload, std::vector<uint64_t>{std::bit_cast<uint64_t>(-0.0)});
}

TEST_F(Arguments, NothingIsNotTheEmptyString) {
    umbra_argument_text(7, nullptr);
    EXPECT_EQ(last().type, ControlType::kArgumentNull);
    umbra_argument_length(7, nullptr);
    EXPECT_EQ(last().type, ControlType::kArgumentNull);
    umbra_argument_null(7, 0);
    EXPECT_EQ(last().type, ControlType::kArgumentNull);
    EXPECT_EQ(kept(u""), std::pair(std::string(), 0U));
}

TEST_F(Arguments, LengthsAreReadWhereTheRuntimeKeepsThem) {
    umbra_argument_length(7, Object(UINT32_MAX).get());
    EXPECT_EQ(last().payload, std::vector<uint64_t>{UINT32_MAX}) << "never negative";
    umbra_argument_span_length(7, Object(12).get());
    EXPECT_EQ(last().payload, std::vector<uint64_t>{12});
    const uint32_t memory[] = {1, 2, 3, 44};  // an object, an index, a length
    umbra_argument_memory_length(7, memory);
    EXPECT_EQ(last().payload, std::vector<uint64_t>{44});
}

TEST_F(Arguments, TextsAreUtf8WithTheirHalvesOfPairs) {
    EXPECT_EQ(kept(u"a\u00fc\u20ac"), std::pair(std::string("a\xc3\xbc\xe2\x82\xac"), 3U));
    EXPECT_EQ(kept(u"\U0001f600"), std::pair(std::string("\xf0\x9f\x98\x80"), 2U));
    EXPECT_EQ(kept(std::u16string_view(u"a\0b", 3)), std::pair(std::string("a\0b", 3), 3U));
    const char16_t halves[] = {0xd83d, u'x', 0xde00, 0xde00, 0xd83d};
    EXPECT_EQ(kept({halves, 5}),
              std::pair(std::string("\xed\xa0\xbdx\xed\xb8\x80\xed\xb8\x80\xed\xa0\xbd"), 5U));
}

TEST_F(Arguments, OfALongTextWholeCharactersAreKept) {
    const std::u16string long_text(100'000, u'x');
    EXPECT_EQ(kept(long_text), std::pair(std::string(64, 'x'), 100'000U));
    // 63 bytes, and a character of 2, 3, 4 that has no room any more.
    for (const std::u16string& next :
         {std::u16string(u"\u00fc"), std::u16string(u"\u20ac"), std::u16string(u"\U0001f600")}) {
        const std::u16string text = std::u16string(63, u'x') + next;
        EXPECT_EQ(kept(text), std::pair(std::string(63, 'x'), static_cast<uint32_t>(text.size())));
    }
    EXPECT_EQ(kept(std::u16string(60, u'x') + u"\U0001f600").first.size(), 64U);
}

TEST_F(Arguments, TheProgramsErrnoStays) {
    errno = 4711;
    const Object string(u"text");
    for (int i = 0; i < 10'000; ++i) {  // several chunks
        umbra_argument_text(1, string.get());
    }
    EXPECT_EQ(errno, 4711);
}

TEST_F(Arguments, NothingIsWrittenOnceTheRecordingHasEnded) {
    umbra_argument_number(1, 1);
    end_recording();
    umbra_argument_number(2, 2);
    umbra_arguments_end(2, 0);
    EXPECT_EQ(last().operand, 1U);
}

}  // namespace
}  // namespace umbra::hotpath
