// SPDX-License-Identifier: MIT
// Patterns on methods, as --include and --exclude take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/command_line.h"
#include "src/base/nearest.h"
#include "src/base/source_name.h"

namespace umbra {

/// True if `text` matches `glob`: '*' any run of characters, '?' one character; case counts. Both
/// are UTF-8.
[[nodiscard]] inline bool glob_matches(std::string_view glob, std::string_view text) noexcept {
    const auto behind_character = [text](size_t at) {
        do {
            ++at;
        } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U);
        return at;
    };
    // Greedy with one point to come back to: linear in practice, never exponential.
    size_t g = 0;
    size_t t = 0;
    size_t star = std::string_view::npos;
    size_t resume = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            resume = t;
        } else if (g < glob.size() && glob[g] == '?') {
            ++g;
            t = behind_character(t);
        } else if (g < glob.size() && glob[g] == text[t]) {
            ++g;
            ++t;
        } else if (star != std::string_view::npos) {
            g = star + 1;
            t = resume = behind_character(resume);
        } else {
            return false;
        }
    }
    while (g < glob.size() && glob[g] == '*') {
        ++g;
    }
    return g == glob.size();
}

/// The two names of a method that a pattern may be written for, in metadata and in its source
/// (source_name() or written_name()): made once for all patterns it is compared with.
struct MatchedNames {
    MatchedNames(std::string metadata, std::string source)
        : in_metadata(std::move(metadata)),
          in_source(std::move(source)),
          lower_metadata(lower_case(in_metadata)),
          lower_source(lower_case(in_source)) {}

    std::string in_metadata;
    std::string in_source;
    std::string lower_metadata;
    std::string lower_source;
};

/// One pattern on module!Namespace.Type.Method. Without '!' it is a pattern on the name in any
/// module, or, ending in ".dll" or ".exe", on the module. The module is matched with and without
/// its extension.
///
/// A name as a report shows it is a pattern, too: parameters and generic arguments in it are passed
/// over, so that it stands for all overloads.
class Pattern {
  public:
    explicit Pattern(std::string_view text) {
        const size_t bang = text.find('!');
        // "Acme.Money.operator !=" is a name.
        if (bang != std::string_view::npos && !text.substr(0, bang).ends_with("operator ")) {
            module_ = text.substr(0, bang);
            name_ = text.substr(bang + 1);
        } else if (is_assembly_name(text)) {
            module_ = text;
            name_ = "*";
        } else {
            module_ = "*";
            name_ = text;
        }
        if (name_.empty()) {
            name_ = "*";
        }
        written_ = written_name(name_);
        any_case_ = {.name = lower_case(name_), .written = lower_case(written_)};
    }

    /// How near a name comes to the pattern; each takes what those before it take.
    enum class Fit : uint8_t {
        kExact,    ///< the whole name
        kPart,     ///< the name from one of its dots on: "Orders.*" for "Acme.Orders.Load"
        kAnyCase,  ///< the whole name or from a dot on, capital letters like small ones
    };

    [[nodiscard]] bool matches_module(std::string_view file_name) const noexcept {
        return glob_matches(module_, file_name) ||
               (is_assembly_name(file_name) &&
                glob_matches(module_, file_name.substr(0, file_name.size() - 4)));
    }
    [[nodiscard]] bool takes(const MatchedNames& method, Fit fit) const noexcept {
        switch (fit) {
            case Fit::kExact:
                return takes_whole(method);
            case Fit::kPart:
                return takes_whole(method) || ends_as(written_, method.in_metadata) ||
                       ends_as(written_, method.in_source);
            case Fit::kAnyCase:  // what fits with its capitals fits without them
                break;
        }
        return any_case_.matches(method.lower_metadata) ||
               (method.lower_source != method.lower_metadata &&
                any_case_.matches(method.lower_source));
    }
    /// It is written for methods of one name: what stands behind its last dot has no wildcard.
    [[nodiscard]] bool names_a_method() const noexcept {
        return written_.find_first_of("*?", written_.rfind('.') + 1) == std::string::npos;
    }
    /// Takes every method of the modules it matches.
    [[nodiscard]] bool any_name() const noexcept { return name_ == "*"; }

  private:
    /// What takes a name without regard to capital letters, whole or from one of its dots on.
    struct AnyCase {
        std::string name;
        std::string written;

        [[nodiscard]] bool matches(std::string_view lower) const noexcept {
            return glob_matches(name, lower) || glob_matches(written, lower) ||
                   ends_as(written, lower);
        }
    };

    [[nodiscard]] bool takes_whole(const MatchedNames& method) const noexcept {
        return glob_matches(name_, method.in_metadata) || glob_matches(name_, method.in_source) ||
               glob_matches(written_, method.in_source);
    }
    /// Whether the glob takes what stands behind one of the dots.
    static bool ends_as(std::string_view glob, std::string_view name) noexcept {
        // Most names differ at the first letter already.
        const char first =
            glob.empty() || glob.front() == '*' || glob.front() == '?' ? '\0' : glob.front();
        for (size_t next = 1; next < name.size(); ++next) {
            if (name[next - 1] == '.' && (first == '\0' || first == name[next]) &&
                glob_matches(glob, name.substr(next))) {
                return true;
            }
        }
        return false;
    }

    std::string module_;
    std::string name_;
    std::string written_;  ///< without what names in metadata have not
    AnyCase any_case_;
};

}  // namespace umbra
