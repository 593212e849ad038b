// SPDX-License-Identifier: MIT
// MethodJudge: which methods of which assemblies are trivial, all they call included.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "src/il/code_image.h"
#include "src/il/trivial.h"

namespace umbra::il {

/// Finds assemblies by their simple names. What it answers must not depend on what has been loaded
/// so far: a verdict is the same in each run.
class Assemblies {
  public:
    /// Null: there is none to be read. Images live as long as this.
    [[nodiscard]] virtual CodeImage* find(std::string_view name, const CodeImage& from) = 0;
    /// The core library: where it is looked for what is found nowhere else.
    [[nodiscard]] virtual CodeImage* core() = 0;

  protected:
    Assemblies() = default;
    Assemblies(const Assemblies&) = default;
    Assemblies& operator=(const Assemblies&) = default;
    Assemblies(Assemblies&&) = default;
    Assemblies& operator=(Assemblies&&) = default;
    ~Assemblies() = default;
};

/// A method is left out if it is trivial, if it is an accessor (of a property, an event, an
/// operator) that passes on, or if its author has marked it AggressiveInlining; never if he has
/// marked it NoInlining. Verdicts are kept with the images. Any thread; a verdict that is not known
/// yet is found behind a lock, and may read files.
class MethodJudge {
  public:
    /// Whether a method is selected, trivial or not. `assemblies` outlives the judge.
    using IsSelected = std::function<bool(const CodeImage&, clr::mdMethodDef)>;

    MethodJudge(Assemblies& assemblies, IsSelected is_selected)
        : assemblies_(assemblies), is_selected_(std::move(is_selected)) {}

    /// It gets no probes, unless it is named.
    [[nodiscard]] bool leaves_out(CodeImage& image, clr::mdMethodDef method);
    /// Nothing it calls has probes: its precompiled code may stay.
    [[nodiscard]] bool calls_nothing_timed(CodeImage& image, clr::mdMethodDef method);
    /// What the rule says of its body.
    [[nodiscard]] Judgement judgement(CodeImage& image, clr::mdMethodDef method);

  private:
    struct Found {
        Judgement judgement;
        bool certain = true;  ///< false: too deep to tell, for a method on the way alone
    };

    Found find(MethodPlace method);
    Found look_at(MethodPlace method, const clr::MethodRow& row);
    Callee callee(CodeImage& image, clr::mdToken token, Opcode call, bool by_accessor,
                  bool& certain);
    MethodPlace resolve(CodeImage& image, clr::mdToken token);
    CodeImage::TypePlace resolve_type(CodeImage& image, clr::mdToken token);
    CodeImage::TypePlace find_type(CodeImage& image, clr::mdToken type_ref);
    bool is_value_type(CodeImage& image, clr::mdTypeDef type);

    Assemblies& assemblies_;
    IsSelected is_selected_;
    std::mutex mutex_;
    std::vector<MethodPlace> judging_;  // guarded by mutex_: innermost last
};

}  // namespace umbra::il
