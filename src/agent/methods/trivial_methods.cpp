// SPDX-License-Identifier: MIT
#include "src/agent/methods/trivial_methods.h"

#include <utility>

#include "src/agent/methods/framework.h"
#include "src/agent/methods/function_name.h"

namespace umbra::agent {

TrivialMethods::TrivialMethods(std::shared_ptr<const Selection> selection,
                               std::function<bool(std::string_view)> is_framework)
    : selection_(std::move(selection)),
      is_framework_(std::move(is_framework)),
      judge_(images_, [this](const il::CodeImage& image, clr::mdMethodDef method) {
          return is_selected(image, method);
      }) {
}

bool TrivialMethods::is_selected(const il::CodeImage& image, clr::mdMethodDef method) const {
    const std::string_view file = file_name_of(image.path());
    const bool framework = is_framework_(image.path());
    const Selection::Verdict verdict = selection_->module(file, framework);
    if (verdict != Selection::Verdict::kByName) {
        return verdict == Selection::Verdict::kAll;
    }
    const clr::MetadataReader metadata(image.metadata());
    const auto name = name_in_patterns(metadata, method);
    return name && selection_->selects(file, framework, *name);
}

}  // namespace umbra::agent
