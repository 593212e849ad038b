// SPDX-License-Identifier: MIT
// What is trivial and what is not: bodies of methods, each with its reason.
#include "src/il/trivial.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/il/body_builder.h"

namespace umbra::il {
namespace {

using testing::body_of;
using testing::bytes;
using testing::clause;
using testing::joined;

// What the bodies call, by the last byte of the token.
enum Called : int { kSmall = 1, kThrower = 2, kObject = 3, kTimed = 4, kUnknown = 5, kBig = 6 };

Callee callee_of(clr::mdToken token, Opcode /*call*/) {
    switch (token & 0xffU) {
        case kSmall:
            return {Callee::kTrivial, 7};
        case kThrower:
            return {Callee::kNeverReturns};
        case kObject:
            return {Callee::kAllocates};
        case kTimed:
            return {Callee::kTimed};
        case kBig:
            return {Callee::kTrivial, 30};
        default:
            return {Callee::kOther};
    }
}

std::vector<uint8_t> with_token(int opcode, int row) {
    return bytes({opcode, row, 0, 0, 0x0a});
}
std::vector<uint8_t> call(int row) {
    return with_token(0x28, row);
}
std::vector<uint8_t> callvirt(int row) {
    return with_token(0x6f, row);
}
std::vector<uint8_t> newobj(int row) {
    return with_token(0x73, row);
}
const std::vector<uint8_t> kField = bytes({0x7b, 1, 0, 0, 4});
const std::vector<uint8_t> kThis = bytes({0x02});
const std::vector<uint8_t> kArgument = bytes({0x03});
const std::vector<uint8_t> kRet = bytes({0x2a});

struct Case {
    const char* method;
    std::vector<uint8_t> code;
    Finding finding;
    uint32_t bytes = 0;  // of a trivial one, with what it calls
};

std::vector<Case> cases() {
    const auto of = [](std::initializer_list<std::vector<uint8_t>> parts) { return joined(parts); };
    return {
        {"void Nothing() { }", kRet, Finding::kTrivial, 1},
        {"int Id => id", of({kThis, kField, kRet}), Finding::kTrivial, 7},
        {"int Id { set => id = value }", of({kThis, kArgument, bytes({0x7d, 1, 0, 0, 4}), kRet}),
         Finding::kTrivial, 8},
        {"static Cart Shared => shared: a type's initialiser has a row of its own",
         of({bytes({0x7e, 1, 0, 0, 4}), kRet}), Finding::kTrivial, 6},
        {"int Sum(int a, int b) => a + b", bytes({0x03, 0x04, 0x58, 0x2a}), Finding::kTrivial, 4},
        {"int Max(int a, int b) => a > b ? a : b: a branch onwards",
         bytes({0x03, 0x04, 0x30, 0x02, 0x04, 0x2a, 0x03, 0x2a}), Finding::kTrivial, 8},
        {"a switch onwards", bytes({0x03, 0x45, 2, 0, 0,    0,    2,    0,    0,    0,
                                    4,    0,    0, 0, 0x16, 0x2a, 0x17, 0x2a, 0x18, 0x2a}),
         Finding::kTrivial, 20},
        {"int At(int i) => items[i]", of({kThis, kField, bytes({0x03, 0x94}), kRet}),
         Finding::kTrivial, 9},
        {"Item Cast(object o) => (Item)o: as long as a few fields",
         of({kArgument, with_token(0x74, 1), kRet}), Finding::kTrivial, 7},
        {"Cart(): a constructor that calls object's", of({kThis, call(kSmall), kRet}),
         Finding::kTrivial, 14},
        {"int Both => A + B: trivial calls count with their bytes",
         of({kThis, call(kSmall), kThis, call(kSmall), bytes({0x58}), kRet}), Finding::kTrivial,
         28},
        {"a call of what has 30 bytes",
         of({kThis, callvirt(kBig), kThis, kField, bytes({0x58}), bytes({0x17}), bytes({0x58}),
             kRet}),
         Finding::kTrivial, 46},
        {"three calls of what has 30 bytes: too much together",
         of({call(kBig), call(kBig), bytes({0x58}), call(kBig), bytes({0x58}), kRet}),
         Finding::kTooMuch},
        {"33 bytes", of({std::vector<uint8_t>(32, 0x00), kRet}), Finding::kTooLong},
        {"32 bytes", of({std::vector<uint8_t>(31, 0x00), kRet}), Finding::kTrivial, 32},
        {"while (true) { }", bytes({0x2b, 0xfe}), Finding::kLoop},
        {"a loop of a few bytes", bytes({0x02, 0x2d, 0xfd, 0x2a}), Finding::kLoop},
        {"throw error", bytes({0x03, 0x7a}), Finding::kThrows},
        {"if (bad) throw error: its own throw is its own business",
         bytes({0x02, 0x2c, 0x02, 0x03, 0x7a, 0x2a}), Finding::kThrows},
        {"if (bad) Throw(); return x: the helper lies beside the way",
         of({bytes({0x02, 0x2c, 0x05}), call(kThrower), bytes({0x03}), kRet}), Finding::kTrivial,
         10},
        {"if (bad) Throw(new Error()); return x: so does what it is given",
         of({bytes({0x02, 0x2c, 0x0a}), newobj(kObject), call(kThrower), bytes({0x03}), kRet}),
         Finding::kTrivial, 15},
        {"void Fail() => Throw(): all it does is fail", of({call(kThrower), kRet}),
         Finding::kNeverReturns},
        {"new Item(): an allocation may wait for a collection", of({newobj(kObject), kRet}),
         Finding::kAllocates},
        {"new Point(x, y) of a structure calls its constructor",
         of({bytes({0x03, 0x04}), newobj(kSmall), kRet}), Finding::kTrivial, 15},
        {"object Boxed => id", of({kThis, kField, with_token(0x8c, 1), kRet}), Finding::kAllocates},
        {"new int[n]", of({kArgument, with_token(0x8d, 1), kRet}), Finding::kAllocates},
        {"stackalloc", bytes({0x03, 0xfe, 0x0f, 0x2a}), Finding::kTakesTime},
        {"a copy of memory of any length", bytes({0x02, 0x03, 0x04, 0xfe, 0x17, 0x2a}),
         Finding::kTakesTime},
        {"memory filled", bytes({0x02, 0x03, 0x04, 0xfe, 0x18, 0x2a}), Finding::kTakesTime},
        {"a call through a pointer", of({kArgument, with_token(0x29, 1), kRet}), Finding::kCalls},
        {"jmp", with_token(0x27, 1), Finding::kCalls},
        {"void Save() => db.Save(): what is called is not known",
         of({kThis, kField, callvirt(kUnknown), kRet}), Finding::kCalls},
        {"a constrained call depends on the type",
         of({bytes({0x03, 0xfe, 0x16, 1, 0, 0, 0x1b}), callvirt(kSmall), kRet}), Finding::kCalls},
        {"Total => Compute() of an accessor, where Compute is timed",
         of({kThis, call(kTimed), kRet}), Finding::kPassesOn},
        {"an accessor of more than 16 bytes that passes on",
         of({kThis, kField, kThis, kField, bytes({0x58}), kThis, kField, bytes({0x58}), kThis,
             call(kTimed), kRet}),
         Finding::kCalls},
        {"an accessor that passes on to what is not timed",
         of({kThis, call(kTimed), call(kUnknown), kRet}), Finding::kCalls},
        {"an unknown instruction", bytes({0xff, 0x2a}), Finding::kMalformed},
        {"a call that ends in its token", bytes({0x28, 0x01}), Finding::kMalformed},
        {"no code", {}, Finding::kMalformed},
        {"falls off its end", bytes({0x00}), Finding::kNeverReturns},
    };
}

TEST(Trivial, EachMethodIsJudgedByWhatItsCodeCanDo) {
    const std::vector<Case> all = cases();
    ASSERT_GE(all.size(), 30U);
    for (const Case& one : all) {
        const Judgement judgement = judge(body_of(one.code), callee_of);
        EXPECT_EQ(judgement.finding, one.finding)
            << one.method << ": " << reason(judgement.finding);
        EXPECT_EQ(judgement.bytes, one.bytes) << one.method;
    }
}

TEST(Trivial, AHandlerTakesTime) {
    const std::vector<uint8_t> code = bytes({0xde, 0x01, 0xdc, 0x2a});
    MethodBody body = body_of(code);
    body.clauses.push_back(clause(Clause::kFinally, {0, 2}, {2, 3}));
    EXPECT_EQ(judge(body, callee_of).finding, Finding::kHandler);
}

TEST(Trivial, NobodyIsAskedForCalleesOnceTheCodeItselfSpeaksAgainstIt) {
    const std::vector<uint8_t> code = joined({call(kSmall), bytes({0x2b, 0xfe})});
    const Judgement judgement = judge(body_of(code), [](clr::mdToken, Opcode) -> Callee {
        ADD_FAILURE();
        return {};
    });
    EXPECT_EQ(judgement.finding, Finding::kLoop);
}

TEST(Trivial, OnlyWhatThrowsAndHasNoOtherEndNeverReturns) {
    const auto never = [](const std::vector<uint8_t>& code) {
        return never_returns(body_of(code));
    };
    EXPECT_TRUE(never(joined({newobj(kObject), bytes({0x7a})})));
    EXPECT_FALSE(never(bytes({0x02, 0x2c, 0x01, 0x2a, 0x03, 0x7a})));  // returns now and then
    EXPECT_FALSE(never(bytes({0x2b, 0xfe})));                          // goes on for ever
    EXPECT_FALSE(never(kRet));
    EXPECT_FALSE(never({}));
}

}  // namespace
}  // namespace umbra::il
