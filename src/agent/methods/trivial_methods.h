// SPDX-License-Identifier: MIT
// TrivialMethods: which of a runtime's selected methods get no probes, since they are part of their
// callers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "src/agent/methods/code_images.h"
#include "src/agent/methods/selection.h"
#include "src/il/method_judge.h"

namespace umbra::agent {

/// The rule of il::MethodJudge, applied to what one capture selects. Any thread.
class TrivialMethods {
  public:
    /// `is_framework`: whether a file is the framework's, from its path.
    TrivialMethods(std::shared_ptr<const Selection> selection,
                   std::function<bool(std::string_view)> is_framework);
    TrivialMethods(const TrivialMethods&) = delete;
    TrivialMethods& operator=(const TrivialMethods&) = delete;
    ~TrivialMethods() = default;

    /// See CodeImages.
    [[nodiscard]] std::shared_ptr<il::CodeImage> add_loaded(const clr::ModuleImage& image,
                                                            const std::string& path) {
        return images_.add_loaded(image, path);
    }
    [[nodiscard]] bool contains(il::CodeImage& image, clr::mdMethodDef method) {
        return judge_.leaves_out(image, method);
    }
    [[nodiscard]] bool calls_nothing_timed(il::CodeImage& image, clr::mdMethodDef method) {
        return judge_.calls_nothing_timed(image, method);
    }

  private:
    [[nodiscard]] bool is_selected(const il::CodeImage& image, clr::mdMethodDef method) const;

    std::shared_ptr<const Selection> selection_;
    std::function<bool(std::string_view)> is_framework_;
    CodeImages images_;
    il::MethodJudge judge_;
};

}  // namespace umbra::agent
