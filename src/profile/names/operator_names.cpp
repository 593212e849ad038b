// SPDX-License-Identifier: MIT
#include "src/profile/names/operator_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace umbra::profile {

std::string operator_symbol(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kSymbols = {
        {{"Addition", "+"},         {"BitwiseAnd", "&"},
         {"BitwiseOr", "|"},        {"Decrement", "--"},
         {"Division", "/"},         {"Equality", "=="},
         {"ExclusiveOr", "^"},      {"False", "false"},
         {"GreaterThan", ">"},      {"GreaterThanOrEqual", ">="},
         {"Increment", "++"},       {"Inequality", "!="},
         {"LeftShift", "<<"},       {"LessThan", "<"},
         {"LessThanOrEqual", "<="}, {"LogicalNot", "!"},
         {"Modulus", "%"},          {"Multiplication", "*"},
         {"Multiply", "*"},         {"OnesComplement", "~"},
         {"RightShift", ">>"},      {"Subtraction", "-"},
         {"True", "true"},          {"UnaryNegation", "-"},
         {"UnaryPlus", "+"},        {"UnsignedRightShift", ">>>"},
         {"Concatenate", "&"}}};
    constexpr std::string_view kAssignment = "Assignment";
    std::string prefix;
    if (name.starts_with("Checked")) {
        name.remove_prefix(7);
        prefix = "checked ";
    }
    const bool assigns = name.ends_with(kAssignment);
    if (assigns) {
        name.remove_suffix(kAssignment.size());
    }
    const auto* const found = std::find_if(kSymbols.begin(), kSymbols.end(),
                                           [&](const auto& s) { return s.first == name; });
    if (found == kSymbols.end()) {
        return {};
    }
    const bool steps = found->second == "++" || found->second == "--";
    return prefix + std::string(found->second) + (assigns && !steps ? "=" : "");
}

std::string fsharp_operator_symbol(std::string_view name) {
    using Entry = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Entry, 14> kWhole = {{{"Append", "@"},
                                               {"ComposeLeft", "<<"},
                                               {"ComposeRight", ">>"},
                                               {"Dereference", "!"},
                                               {"Dynamic", "?"},
                                               {"DynamicAssignment", "?<-"},
                                               {"Exponentiation", "**"},
                                               {"PipeLeft", "<|"},
                                               {"PipeLeft2", "<||"},
                                               {"PipeLeft3", "<|||"},
                                               {"PipeRight", "|>"},
                                               {"PipeRight2", "||>"},
                                               {"PipeRight3", "|||>"},
                                               {"Range", ".."}}};
    constexpr std::array<Entry, 23> kCharacters = {
        {{"Amp", "&"},     {"At", "@"},       {"Bang", "!"},    {"Bar", "|"},    {"Colon", ":"},
         {"Comma", ","},   {"Divide", "/"},   {"Dollar", "$"},  {"Dot", "."},    {"Equals", "="},
         {"Greater", ">"}, {"Hat", "^"},      {"LBrack", "["},  {"LParen", "("}, {"Less", "<"},
         {"Minus", "-"},   {"Multiply", "*"}, {"Percent", "%"}, {"Plus", "+"},   {"Qmark", "?"},
         {"RBrack", "]"},  {"RParen", ")"},   {"Twiddle", "~"}}};
    const auto* const whole =
        std::ranges::find_if(kWhole, [&](const Entry& one) { return one.first == name; });
    if (whole != kWhole.end()) {
        return std::string(whole->second);
    }
    std::string symbol;
    while (!name.empty()) {
        const auto* const found = std::ranges::find_if(
            kCharacters, [&](const Entry& one) { return name.starts_with(one.first); });
        if (found == kCharacters.end()) {
            return {};
        }
        symbol += found->second;
        name.remove_prefix(found->first.size());
    }
    return symbol;
}

}  // namespace umbra::profile
