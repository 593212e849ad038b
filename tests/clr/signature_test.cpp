// SPDX-License-Identifier: MIT
// Tests of the signature decoder on blobs put together by hand.

#include "src/clr/signature.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace umbra::clr {
namespace {

/// The types the blobs below refer to; the coded token is (row << 2) | table.
class Types final : public TypeTokens {
  public:
    TypeChain chain(mdToken token) const override {
        const auto found = types_.find(token);
        return found == types_.end() ? TypeChain{} : found->second;
    }

  private:
    std::map<mdToken, TypeChain> types_ = {
        {0x0100'0001, {"System.Collections.Generic", {"List`1"}}},
        {0x0100'0002, {"System.Collections.Generic", {"Dictionary`2", "Enumerator"}}},
        {0x0100'0003, {"System", {"Nullable`1"}}},
        {0x0100'0004, {"System", {"ValueTuple`2"}}},
        {0x0100'0005, {"System", {"Decimal"}}},
        {0x0100'0006, {"System", {"Uri"}}},
        {0x0100'0007, {"System", {"ValueTuple`8"}}},
        {0x0100'0008, {"System", {"ValueTuple`1"}}},
        {0x0100'0009, {"System.Runtime.CompilerServices", {"IsExternalInit"}}},
        {0x0200'0001, {"Acme", {"Item"}}},
        {0x0200'0002, {"Acme", {"Outer", "Inner"}}},
        {0x0200'0003, {"", {"Outer`1", "Inner`2", "Leaf"}}},
        {0x0200'0004, {"Acme", {"Decimal"}}},
    };
};
constexpr uint8_t kList = 0x05;
constexpr uint8_t kEnumerator = 0x09;
constexpr uint8_t kNullable = 0x0d;
constexpr uint8_t kTuple = 0x11;
constexpr uint8_t kDecimal = 0x15;
constexpr uint8_t kUri = 0x19;
constexpr uint8_t kLongTuple = 0x1d;
constexpr uint8_t kTupleOfOne = 0x21;
constexpr uint8_t kInitOnly = 0x25;
constexpr uint8_t kItem = 0x04;
constexpr uint8_t kInner = 0x08;
constexpr uint8_t kLeaf = 0x0c;
constexpr uint8_t kOwnDecimal = 0x10;
constexpr uint8_t kNowhere = 0x7c;

Result<MethodSignature> decode(const std::vector<uint8_t>& blob) {
    static const Types kTypes;
    static const GenericNames kGenerics{{"T", "int"}, {"U"}};
    return decode_method_signature(blob, kTypes, kGenerics);
}

/// Parameters of `static void M(...)` with these types.
std::string parameters(uint8_t count, std::vector<uint8_t> types) {
    types.insert(types.begin(), {0x00, count, ELEMENT_TYPE_VOID});
    const auto signature = decode(types);
    return signature ? spell_parameters(*signature) : "error";
}

TEST(Signature, NoParametersAreAnEmptyPairOfParentheses) {
    EXPECT_EQ(parameters(0, {}), "()");
}

TEST(Signature, PrimitivesAreKeywords) {
    EXPECT_EQ(parameters(17, {0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c,
                              0x0d, 0x0e, 0x16, 0x18, 0x19, 0x1c}),
              "(bool, char, sbyte, byte, short, ushort, int, uint, long, ulong, float, double, "
              "string, TypedReference, nint, nuint, object)");
}

TEST(Signature, HeadIsReadBeforeTheParameters) {
    const auto signature = decode({0x30, 0x02, 0x01, ELEMENT_TYPE_I4, ELEMENT_TYPE_STRING});
    ASSERT_TRUE(signature);
    EXPECT_TRUE(signature->has_this);
    EXPECT_EQ(signature->generic_parameters, 2U);
    EXPECT_EQ(signature->return_type, "int");
    EXPECT_EQ(signature->parameters, std::vector<std::string>{"string"});
}

TEST(Signature, TypesAreNamedWithoutNamespace) {
    EXPECT_EQ(parameters(3, {0x12, kItem, 0x12, kInner, 0x12, kUri}), "(Item, Outer.Inner, Uri)");
    EXPECT_EQ(parameters(2, {0x11, kDecimal, 0x11, kOwnDecimal}), "(decimal, Decimal)");
    EXPECT_EQ(parameters(1, {0x12, kNowhere}), "(?)");
}

TEST(Signature, TypeVariablesTakeTheNamesGiven) {
    EXPECT_EQ(parameters(5, {0x13, 0, 0x13, 1, 0x1e, 0, 0x13, 2, 0x1e, 1}), "(T, int, U, !2, !!1)");
}

TEST(Signature, GenericArgumentsGoToTheTypeThatDeclaresThem) {
    EXPECT_EQ(parameters(1, {0x15, 0x12, kList, 1, 0x0e}), "(List<string>)");
    EXPECT_EQ(parameters(1, {0x15, 0x11, kEnumerator, 2, 0x0e, 0x13, 0}),
              "(Dictionary<string, T>.Enumerator)");
    EXPECT_EQ(parameters(1, {0x15, 0x12, kLeaf, 3, 0x08, 0x0a, 0x0e}),
              "(Outer<int>.Inner<long, string>.Leaf)");
    EXPECT_EQ(parameters(1, {0x15, 0x12, kList, 1, 0x15, 0x12, kList, 1, 0x1d, 0x08}),
              "(List<List<int[]>>)");
}

TEST(Signature, NullablesAndTuplesAreWrittenAsInTheSource) {
    EXPECT_EQ(parameters(1, {0x15, 0x11, kNullable, 1, 0x08}), "(int?)");
    EXPECT_EQ(parameters(1, {0x15, 0x11, kTuple, 2, 0x08, 0x0e}), "((int, string))");
}

TEST(Signature, LongTuplesAreOneList) {
    const std::vector<uint8_t> seven = {0x15, 0x11, kLongTuple, 8,    0x08, 0x08,
                                        0x08, 0x08, 0x08,       0x08, 0x08};
    const auto with_rest = [&](const std::vector<uint8_t>& rest) {
        std::vector<uint8_t> tuple = seven;
        tuple.insert(tuple.end(), rest.begin(), rest.end());
        return parameters(1, tuple);
    };
    EXPECT_EQ(with_rest({0x15, 0x11, kTupleOfOne, 1, 0x0e}),
              "((int, int, int, int, int, int, int, string))");
    EXPECT_EQ(with_rest({0x15, 0x11, kTuple, 2, 0x0e, 0x0a}),
              "((int, int, int, int, int, int, int, string, long))");
    EXPECT_EQ(with_rest({0x11, kItem}), "(ValueTuple<int, int, int, int, int, int, int, Item>)");
}

TEST(Signature, InitAccessorsAreMarkedAtTheirResult) {
    EXPECT_TRUE(decode({0x20, 1, 0x1f, kInitOnly, 0x01, 0x08})->init_only);
    EXPECT_FALSE(decode({0x20, 1, 0x1f, kUri, 0x01, 0x08})->init_only);
    EXPECT_FALSE(decode({0x20, 1, 0x01, 0x1f, kInitOnly, 0x08})->init_only);
}

TEST(Signature, ReferencesAndPointersWrapTheirType) {
    EXPECT_EQ(parameters(3, {0x10, 0x13, 0, 0x0f, 0x05, 0x0f, 0x0f, 0x01}),
              "(ref T, byte*, void**)");
}

TEST(Signature, ArrayRanksAreWrittenFromTheOutsideIn) {
    EXPECT_EQ(parameters(1, {0x1d, 0x15, 0x12, kList, 1, 0x08}), "(List<int>[])");
    EXPECT_EQ(parameters(1, {0x14, 0x08, 2, 0, 2, 0, 0}), "(int[,])");
    // int[][,]: an array of two-dimensional arrays.
    EXPECT_EQ(parameters(1, {0x1d, 0x14, 0x08, 2, 0, 2, 0, 0}), "(int[][,])");
    EXPECT_EQ(parameters(1, {0x14, 0x1d, 0x08, 3, 0, 0}), "(int[,,][])");
}

TEST(Signature, FunctionPointersListParametersAndThenTheResult) {
    EXPECT_EQ(parameters(1, {0x1b, 0x00, 2, 0x01, 0x08, 0x10, 0x0e}),
              "(delegate*<int, ref string, void>)");
    EXPECT_EQ(parameters(1, {0x1b, 0x01, 0, 0x08}), "(delegate* unmanaged<int>)");
    // The inner pointer is unmanaged, the outer one is not.
    EXPECT_EQ(parameters(1, {0x1b, 0x00, 1, 0x01, 0x1b, 0x09, 0, 0x08}),
              "(delegate*<delegate* unmanaged<int>, void>)");
}

TEST(Signature, ModifiersAreSkipped) {
    EXPECT_EQ(parameters(2, {0x1f, kUri, 0x10, 0x08, 0x20, 0x80, 0xf9, 0x0e}), "(ref int, string)");
}

TEST(Signature, VariableArgumentsShowAsArglist) {
    const auto signature = decode({0x25, 1, 0x01, 0x08});
    ASSERT_TRUE(signature);
    EXPECT_EQ(spell_parameters(*signature), "(int, __arglist)");
}

TEST(Signature, BlobsThatAreNoMethodAreErrors) {
    EXPECT_FALSE(decode({}));
    EXPECT_FALSE(decode({0x06, 0x08}));                    // a field
    EXPECT_FALSE(decode({0x07, 0x01, 0x08}));              // locals
    EXPECT_FALSE(decode({0x00, 0x01, 0x01}));              // the parameter is missing
    EXPECT_FALSE(decode({0x00, 0xff, 0x01, 0x08}));        // no compressed number
    EXPECT_FALSE(decode({0x00, 0xdf, 0xff, 0xff, 0xff}));  // half a thousand million parameters
    EXPECT_FALSE(decode({0x00, 0x01, 0x01, 0x21}));        // ELEMENT_TYPE_INTERNAL
    EXPECT_FALSE(decode({0x00, 0x01, 0x01, 0x12, 0x03}));  // token of no table
    EXPECT_FALSE(decode({0x00, 0x01, 0x01, 0x14, 0x08, 0x00, 0x00, 0x00}));  // rank 0
    EXPECT_FALSE(decode({0x00, 0x01, 0x01, 0x15, 0x12, kList, 0x00}));       // no arguments
}

TEST(Signature, EveryTruncationIsAnError) {
    const std::vector<uint8_t> whole = {0x20, 2, 0x01, 0x15, 0x12, kList, 1, 0x14,
                                        0x08, 2, 1,    4,    2,    0,     0, 0x1b,
                                        0x00, 1, 0x01, 0x10, 0x0f, 0x05};
    ASSERT_TRUE(decode(whole));
    for (size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(decode({whole.begin(), whole.begin() + static_cast<long>(length)})) << length;
    }
}

TEST(Signature, DepthAndLengthAreBounded) {
    std::vector<uint8_t> deep = {0x00, 0x01, 0x01};
    deep.insert(deep.end(), 1'000'000, ELEMENT_TYPE_PTR);
    deep.push_back(0x08);
    EXPECT_FALSE(decode(deep));

    std::vector<uint8_t> pointers = {0x00, 0x01, 0x01};
    for (int i = 0; i < 100'000; ++i) {
        pointers.insert(pointers.end(), {ELEMENT_TYPE_FNPTR, 0x00, 0x00});
    }
    EXPECT_FALSE(decode(pointers));

    const std::string long_name(100, 'x');
    std::vector<uint8_t> wide = {0x00, 0xbf, 0xff, 0x01};
    wide.resize(wide.size() + 2 * 0x3fff, ELEMENT_TYPE_VAR);
    for (size_t i = 5; i < wide.size(); i += 2) {
        wide[i] = 0;
    }
    EXPECT_FALSE(decode_method_signature(wide, Types(), {{long_name}, {}}));
}

TEST(Signature, RandomBytesNeverDoMoreThanFail) {
    std::mt19937 random(42);
    int decoded = 0;
    for (int round = 0; round < 100'000; ++round) {
        std::vector<uint8_t> blob(random() % 40);
        for (uint8_t& byte : blob) {
            byte = static_cast<uint8_t>(random() % (random() % 4 == 0 ? 256 : 0x22));
        }
        decoded += decode(blob) ? 1 : 0;
    }
    EXPECT_GT(decoded, 1'000);
    EXPECT_LT(decoded, 99'000);
}

}  // namespace
}  // namespace umbra::clr
