// SPDX-License-Identifier: MIT
#include "src/diagnostics/error_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umbra::diagnostics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Sentences, NameTheCodeAndWhatToDo) {
    EXPECT_THAT(sentence_of(kProfilerAlreadyActive),
                AllOf(HasSubstr("takes one only"), HasSubstr("restart"),
                      HasSubstr("CORPROF_E_PROFILER_ALREADY_ACTIVE"), HasSubstr("0x8013136a")));
    EXPECT_THAT(sentence_of(hresult(0x80131370)), HasSubstr("umbra stop"));
}

TEST(Sentences, EveryCodeOfTheProfilerInterfaceHasOne) {
    // Numbers that corerror.h gives to nothing an attaching or detaching profiler can meet.
    const auto unused = [](uint32_t code) {
        return code == 0x80131352 || code == 0x80131353 ||
               (code >= 0x80131357 && code <= 0x8013135a) || code == 0x80131377 ||
               code == 0x8013137d || code == 0x8013137f || code == 0x80131381;
    };
    for (uint32_t code = 0x80131350; code <= 0x8013138a; ++code) {
        const std::string sentence = sentence_of(hresult(code));
        if (unused(code)) {
            EXPECT_THAT(sentence, HasSubstr("knows nothing more")) << std::hex << code;
        } else {
            EXPECT_THAT(sentence, Not(HasSubstr("knows nothing more"))) << std::hex << code;
        }
        EXPECT_THAT(sentence, Not(HasSubstr("\n")));
    }
}

TEST(Sentences, AnUnknownCodeIsTold) {
    EXPECT_THAT(sentence_of(hresult(0x8badf00d)), HasSubstr("0x8badf00d"));
}

}  // namespace
}  // namespace umbra::diagnostics
