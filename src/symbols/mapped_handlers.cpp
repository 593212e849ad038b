// SPDX-License-Identifier: MIT
#include "src/symbols/mapped_handlers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "src/base/utf8.h"

namespace umbra::symbols {
namespace {

using il::Instruction;
using il::Opcode;

constexpr size_t kMostLiterals = 32;  // of one call
constexpr size_t kMostHandlers = 4096;

class Follower {
  public:
    Follower(il::Bytes code, const LiteralOf& literal_of, const MapMethodOf& map_method_of,
             const TakesGroup& takes_group, std::string_view prefix)
        : code_(code),
          literal_of_(literal_of),
          map_method_of_(map_method_of),
          takes_group_(takes_group),
          groups_{{kFirstArgument, std::string(prefix)}} {}

    Mapped run() {
        il::for_instructions(code_, [this](const Instruction& one) { follow(one); });
        return std::move(found_);
    }

  private:
    /// A local variable by its number, a field by its token, which is greater.
    using Place = uint32_t;

    struct Literal {
        std::string text;
        std::string prefix;  ///< of the group that was loaded before it
    };

    void follow(const Instruction& one) {
        if (const std::optional<Place> place = loaded(one)) {
            const auto group = groups_.find(*place);
            receiver_ = group == groups_.end() ? "" : group->second;
        } else if (const std::optional<Place> into = stored(one)) {
            if (made_) {
                groups_[*into] = *std::exchange(made_, std::nullopt);
            } else {
                groups_.erase(*into);
            }
        } else if (one.opcode == Opcode::kPop) {
            made_.reset();
        } else if (one.opcode == Opcode::kLdstr) {
            handler_ = 0;
            if (literals_.size() < kMostLiterals) {
                const std::string text = literal_of_(one.number(code_));
                literals_.push_back({std::string(cut_utf8(text, kMostRouteBytes)), receiver_});
            }
        } else if (one.opcode == Opcode::kNewarr) {
            before_array_ = literals_.size();
        } else if (one.opcode == Opcode::kLdftn) {
            handler_ = one.number(code_);
        } else if (one.is_call()) {
            if (one.opcode != Opcode::kCalli) {
                hand(one.number(code_));
            }
            call(one.opcode == Opcode::kCalli ? "" : map_method_of_(one.number(code_)));
        }
    }

    /// Notes that a method is called with the group that was made or loaded last.
    void hand(uint32_t method) {
        if (found_.handed.size() < kMostHandlers && takes_group_(method)) {
            found_.handed.push_back({method, made_ ? *made_ : receiver_});
            made_.reset();
        }
    }

    void call(std::string_view method) {
        constexpr std::array kVerbs = {"Get", "Post", "Put", "Delete", "Patch"};
        if (method == "MapGroup" && !literals_.empty()) {
            made_ = join_route(literals_.back().prefix, literals_.back().text);
            receiver_ = *made_;
        } else if (method == "MapMethods" && before_array_ != 0) {
            std::string verbs;
            for (size_t i = before_array_; i < literals_.size(); ++i) {
                verbs += (verbs.empty() ? "" : "|") + literals_[i].text;
            }
            map(verbs, literals_[before_array_ - 1]);
        } else if (method.starts_with("Map") && !literals_.empty()) {
            method.remove_prefix(3);
            std::string verb(std::ranges::find(kVerbs, method) == kVerbs.end() ? "" : method);
            std::ranges::transform(verb, verb.begin(), [](unsigned char c) {
                return static_cast<char>(std::toupper(c));
            });
            if (method.empty() || !verb.empty()) {
                map(verb, literals_.back());
            }
        }
        // What follows is another call's.
        literals_.clear();
        before_array_ = 0;
        handler_ = 0;
    }

    void map(const std::string& verb, const Literal& route) {
        made_.reset();  // what was mapped to may be a group that nobody keeps
        if (handler_ != 0 && found_.handlers.size() < kMostHandlers) {
            found_.handlers.push_back({handler_, verb, join_route(route.prefix, route.text)});
        }
    }

    /// From where an instruction loads what may be a group.
    [[nodiscard]] std::optional<Place> loaded(const Instruction& one) const {
        if (one.opcode == Opcode::kLdarg0) {
            return kFirstArgument;
        }
        if ((one.opcode > Opcode::kLdarg0 && one.opcode <= Opcode::kLdarg3) ||
            one.opcode == Opcode::kLdargS || one.opcode == Opcode::kLdarg) {
            return kArgument;
        }
        return one.opcode == Opcode::kLdfld ? one.number(code_) : one.local(code_, Opcode::kLdloc);
    }

    [[nodiscard]] std::optional<Place> stored(const Instruction& one) const {
        return one.opcode == Opcode::kStfld ? one.number(code_) : one.local(code_, Opcode::kStloc);
    }

    // Nothing is stored there.
    static constexpr Place kFirstArgument = 0xfffffffe;
    static constexpr Place kArgument = 0xffffffff;

    const il::Bytes code_;
    const LiteralOf& literal_of_;
    const MapMethodOf& map_method_of_;
    const TakesGroup& takes_group_;
    std::map<Place, std::string> groups_;  ///< their prefixes
    std::optional<std::string> made_;      ///< prefix of a group that has not been stored
    std::string receiver_;                 ///< prefix of what was loaded last; empty: no group
    std::vector<Literal> literals_;        ///< since the last call
    size_t before_array_ = 0;              ///< so many of them; 0: there is no array
    uint32_t handler_ = 0;                 ///< loaded behind the last literal; 0: none
    Mapped found_;
};

}  // namespace

std::string join_route(std::string_view prefix, std::string_view rest) {
    const auto trimmed = [](std::string_view text) {
        const size_t first = text.find_first_not_of('/');
        return first == std::string_view::npos
                   ? std::string_view()
                   : text.substr(first, text.find_last_not_of('/') - first + 1);
    };
    std::string route;
    for (const std::string_view text : {trimmed(prefix), trimmed(rest)}) {
        if (!text.empty()) {
            route.append("/").append(text);
        }
    }
    route.resize(cut_utf8(route, kMostRouteBytes).size());
    return route.empty() ? "/" : route;
}

Mapped mapped_handlers(il::Bytes code, const LiteralOf& literal_of,
                       const MapMethodOf& map_method_of, const TakesGroup& takes_group,
                       std::string_view prefix) {
    return Follower(code, literal_of, map_method_of, takes_group, prefix).run();
}

}  // namespace umbra::symbols
