// SPDX-License-Identifier: MIT
// CodeImages: the assemblies that a runtime's methods call into, loaded or not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "src/clr/metadata_reader.h"
#include "src/il/code_image.h"
#include "src/il/method_judge.h"

namespace umbra::agent {

/// An assembly is the file of its name beside the one that refers to it, or beside the core
/// library. So it does not matter which have been loaded when a method is asked about: a program
/// that loads them in another order, or other ones of the same name, gets the same verdicts.
///
/// Where a file has been loaded for good its image in memory is taken, else parts of the file are
/// read, each once. Any thread.
class CodeImages final : public il::Assemblies {
  public:
    /// A module has been loaded. Null: its metadata cannot be read (code made at run time). To be
    /// used as long as the module is loaded.
    [[nodiscard]] std::shared_ptr<il::CodeImage> add_loaded(const clr::ModuleImage& image,
                                                            const std::string& path);

    [[nodiscard]] il::CodeImage* find(std::string_view name, const il::CodeImage& from) override;
    [[nodiscard]] il::CodeImage* core() override;

  private:
    /// With mutex_ held, as what follows.
    il::CodeImage* at(const std::string& path);

    std::mutex mutex_;
    std::string runtime_folder_;  // of the core library, with a '/' at its end
    std::shared_ptr<il::CodeImage> core_;
    std::map<std::string, std::shared_ptr<il::CodeImage>, std::less<>> by_path_;  // null: no image
};

}  // namespace umbra::agent
