// SPDX-License-Identifier: MIT
// From ids to names: exact instantiations come from the runtime, all text from metadata.

#include "src/clr/method_names.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/visual_basic.h"
#include "src/clr/metadata_reader.h"
#include "src/clr/signature.h"

namespace umbra::clr {
namespace {

constexpr uint32_t kMaxTypeArguments = 1024;
/// Types looked up for one name: generic arguments can nest so that their text grows without end.
constexpr int kMaxTypesInName = 256;

struct ClassShape {
    ModuleID module = 0;
    mdTypeDef type = 0;
    std::vector<ClassID> arguments;
};

/// nullopt: an array, a pointer, or a class the runtime has not loaded yet.
std::optional<ClassShape> shape_of(ICorProfilerInfo3& info, ClassID class_id) {
    ClassShape shape;
    shape.arguments.resize(8);
    for (int attempt = 0; attempt < 2; ++attempt) {
        uint32_t count = 0;
        const HRESULT hr = info.GetClassIDInfo2(class_id, &shape.module, &shape.type, nullptr,
                                                static_cast<uint32_t>(shape.arguments.size()),
                                                &count, shape.arguments.data());
        if (failed(hr) || count > kMaxTypeArguments) {
            return std::nullopt;
        }
        const bool complete = count <= shape.arguments.size();
        shape.arguments.resize(count);
        if (complete) {
            return shape;
        }
    }
    return std::nullopt;
}

/// Spells classes as C# does where a type is used, within a budget for one name.
class ClassSpeller {
  public:
    explicit ClassSpeller(ICorProfilerInfo3& info) : info_(info) {}

    /// Exact arguments of a type or method; those the runtime shares or has not loaded are shown
    /// by the parameter's own name.
    std::vector<std::string> arguments(std::span<const ClassID> ids,
                                       std::span<const std::string> parameters) {
        std::vector<std::string> spelled;
        for (size_t i = 0; i < ids.size(); ++i) {
            std::string text = use(ids[i]);
            if (text.empty()) {
                text = i < parameters.size() ? parameters[i] : "?";
            }
            spelled.push_back(std::move(text));
        }
        return spelled;
    }

    /// Empty for System.__Canon and for what cannot be told.
    std::string use(ClassID class_id) {
        const Parts parts = spell(class_id, false);
        return parts.element.empty() ? std::string() : parts.element + parts.ranks;
    }

    std::string with_namespace(ClassID class_id) {
        const Parts parts = spell(class_id, true);
        return parts.element.empty() ? std::string() : parts.element + parts.ranks;
    }

  private:
    /// Ranks of nested arrays are written from the outside in.
    struct Parts {
        std::string element;
        std::string ranks;
    };

    Parts spell(ClassID class_id, bool with_namespace) {
        if (class_id == 0 || depth_ >= kMaxTypeDepth || types_ >= kMaxTypesInName) {
            return {};
        }
        ++types_;
        ++depth_;
        Parts parts = spell_within(class_id, with_namespace);
        --depth_;
        if (parts.element.size() + parts.ranks.size() > kMaxSpellingBytes) {
            return {};
        }
        return parts;
    }

    Parts spell_within(ClassID class_id, bool with_namespace) {
        CorElementType element_type = ELEMENT_TYPE_END;
        ClassID element = 0;
        uint32_t rank = 0;
        if (info_.IsArrayClass(class_id, &element_type, &element, &rank) == kOk) {
            Parts parts = spell(element, with_namespace);
            parts.ranks.insert(0, "[" + std::string(std::clamp(rank, 1U, 32U) - 1, ',') + "]");
            return parts;
        }
        const auto shape = shape_of(info_, class_id);
        const auto reader = shape ? MetadataReader::of_module(info_, shape->module) : std::nullopt;
        if (!reader) {
            return {};
        }
        const TypeChain chain = reader->chain(shape->type);
        if (chain.namespace_ == "System" && chain.names.front() == "__Canon") {
            return {};
        }
        const auto exact = arguments(shape->arguments, reader->generic_parameters(shape->type));
        if (!with_namespace || chain.names.empty()) {
            return {chain.names.empty() ? std::string() : spell_type_use(chain, exact), {}};
        }
        const std::string dotted =
            chain.namespace_.empty() ? std::string() : chain.namespace_ + '.';
        return {dotted + spell_type(chain, exact, '.'), {}};
    }

    ICorProfilerInfo3& info_;
    int depth_ = 0;
    int types_ = 0;
};

/// Exact where the runtime told as many as metadata declares, names of the parameters otherwise.
std::vector<std::string> exact_or_declared(ClassSpeller& speller, std::span<const ClassID> exact,
                                           std::vector<std::string> declared) {
    return exact.size() == declared.size() ? speller.arguments(exact, declared)
                                           : std::move(declared);
}

/// The user's method in a name a compiler derived from it: "<AddAsync>d__3" -> "AddAsync",
/// "<<Run>g__Local|0>d" -> "<Run>g__Local|0"; F#: "tk@16" -> "tk"; Visual Basic:
/// "VB$StateMachine_7_AddAsync" -> "AddAsync". Empty: not such a name.
std::string_view method_in_type_name(std::string_view type) {
    if (type.starts_with(kVisualBasicStateMachine)) {
        return visual_basic_state_machine_method(type);
    }
    if (!type.starts_with('<')) {
        return type.substr(0, type.find('@') == std::string_view::npos ? 0 : type.find('@'));
    }
    int open = 0;
    for (size_t i = 0; i < type.size(); ++i) {
        open += type[i] == '<' ? 1 : type[i] == '>' ? -1 : 0;
        if (open == 0) {
            return type.substr(1, i - 1);
        }
    }
    return {};
}

/// The method whose attribute names `machine`, else the only one with the name; 0: unknown.
mdMethodDef user_method(const MetadataReader& reader, mdTypeDef machine) {
    const mdTypeDef outer = reader.enclosing_type(machine);
    const TypeChain chain = outer != 0 ? reader.chain(machine) : TypeChain{};
    std::string name(chain.names.empty() ? "" : method_in_type_name(chain.names.back()));
    if (name.empty()) {
        return 0;
    }
    std::vector<mdMethodDef> candidates = reader.methods_named(outer, name);
    if (candidates.empty()) {
        // Explicit implementations: the type is "<IShop<T>-Buy>d__1", the method "IShop<T>.Buy".
        std::replace(name.begin(), name.end(), '-', '.');
        candidates = reader.methods_named(outer, name);
    }
    const std::string machine_name = reader.full_name(machine);
    for (const mdMethodDef candidate : candidates) {
        if (reader.state_machine(candidate) == machine_name) {
            return candidate;
        }
    }
    return candidates.size() == 1 ? candidates.front() : 0;
}

/// The word of C# for a parameter that the signature has as "ref".
std::string_view passing_mode(const MetadataReader& reader, const ParameterProperties& parameter) {
    if (parameter.in == parameter.out) {
        return "ref ";
    }
    if (parameter.out) {
        return "out ";
    }
    constexpr std::string_view kServices = "System.Runtime.CompilerServices.";
    const auto has = [&](std::string_view name) {
        return reader.has_attribute(parameter.token, std::string(kServices) + std::string(name));
    };
    return has("RequiresLocationAttribute") ? "ref readonly "
           : has("IsReadOnlyAttribute")     ? "in "
                                            : "ref ";
}

/// "(out int, params object[])": signatures say "ref" for out and in too, and nothing of params.
std::string source_parameters(const MetadataReader& reader, mdMethodDef token,
                              MethodSignature signature) {
    constexpr std::string_view kRef = "ref ";
    std::vector<std::string>& types = signature.parameters;
    const auto by_reference = [&](std::string_view type) { return type.starts_with(kRef); };
    const bool collects =
        !types.empty() && (types.back().ends_with(']') || types.back().ends_with('>'));
    if (!collects && std::ranges::none_of(types, by_reference)) {
        return spell_parameters(signature);
    }
    uint32_t last = 0;
    for (const ParameterProperties& parameter : reader.parameters(token)) {
        if (parameter.number <= last || parameter.number > types.size()) {
            continue;  // the return value, or no order at all
        }
        last = parameter.number;
        std::string& type = types[parameter.number - 1];
        if (by_reference(type)) {
            type.replace(0, kRef.size(), passing_mode(reader, parameter));
        } else if (collects && parameter.number == types.size() &&
                   (reader.has_attribute(parameter.token, "System.ParamArrayAttribute") ||
                    reader.has_attribute(
                        parameter.token,
                        "System.Runtime.CompilerServices.ParamCollectionAttribute"))) {
            type.insert(0, "params ");
        }
    }
    return spell_parameters(signature);
}

/// Arguments of a generic method; see MethodName::method_args.
std::string method_arguments(const MetadataReader& reader, const MethodProperties& method,
                             std::span<const std::string> arguments) {
    const bool local =
        method.name.starts_with('<') && method.name.find(">g__") < method.name.size();
    size_t of_outer = 0;
    if (local && !arguments.empty()) {
        // Overloads with different numbers of parameters cannot be told apart.
        std::vector<size_t> counts;
        for (const mdMethodDef outer :
             reader.methods_named(method.type, method_in_type_name(method.name))) {
            counts.push_back(reader.generic_parameters(outer).size());
        }
        const bool same = std::ranges::adjacent_find(counts, std::not_equal_to()) == counts.end();
        of_outer =
            same && !counts.empty() && counts.front() <= arguments.size() ? counts.front() : 0;
    }
    std::string text = spell_list(arguments.first(of_outer), '<', '>');
    text += of_outer > 0 ? "." : "";
    return text + spell_list(arguments.subspan(of_outer), '<', '>');
}

/// Tells of the method a state machine was made from. The machine's generic parameters are those of
/// the type around it, then the method's.
void add_user_method(const MetadataReader& reader, mdTypeDef machine,
                     std::span<const std::string> arguments, MethodName& name) {
    const mdMethodDef token = user_method(reader, machine);
    const auto method = token != 0 ? reader.method(token) : std::nullopt;
    if (!method) {
        return;
    }
    const size_t outer = std::min(reader.generic_parameters(method->type).size(), arguments.size());
    const auto of_method = arguments.subspan(outer);
    const GenericNames generics{{arguments.begin(), arguments.begin() + static_cast<long>(outer)},
                                {of_method.begin(), of_method.end()}};
    if (auto signature = decode_method_signature(method->signature, reader, generics)) {
        name.user_parameters = source_parameters(reader, token, *std::move(signature));
    }
    name.method_args = method_arguments(reader, *method, of_method);
}

/// `generics`: what generic parameters are shown as.
MethodName name_of(const MetadataReader& reader, mdMethodDef token, const MethodProperties& method,
                   const GenericNames& generics) {
    const TypeChain chain = reader.chain(method.type);
    MethodName name;
    name.token = token;
    name.namespace_ = chain.namespace_;
    name.type = spell_type(chain, generics.type, '+');
    name.method = method.name;
    name.method_args = method_arguments(reader, method, generics.method);
    name.runtime_async = (method.implementation & kAsyncCode) != 0;
    if (auto signature = decode_method_signature(method.signature, reader, generics)) {
        name.return_type =
            signature->return_type + (signature->init_only ? " modreq(IsExternalInit)" : "");
        name.is_static = !signature->has_this;
        name.parameters = source_parameters(reader, token, *std::move(signature));
    }
    if (method.name == "MoveNext" || method.name == "GenerateNext") {
        add_user_method(reader, method.type, generics.type, name);
    }
    return name;
}

Result<MethodName> name_of(ICorProfilerInfo3& info, const Instantiation& found) {
    const auto reader = MetadataReader::of_module(info, found.module);
    const auto method = reader ? reader->method(found.token) : std::nullopt;
    if (!method) {
        return fail(ErrorCode::kNotFound, "no metadata for method " + std::to_string(found.token) +
                                              " of module " + std::to_string(found.module));
    }

    const auto shape = found.class_id != 0 ? shape_of(info, found.class_id) : std::nullopt;
    const bool same_type = shape && shape->module == found.module && shape->type == method->type;
    ClassSpeller speller(info);
    GenericNames generics;
    generics.type = exact_or_declared(
        speller,
        same_type ? std::span<const ClassID>(shape->arguments) : std::span<const ClassID>(),
        reader->generic_parameters(method->type));
    generics.method =
        exact_or_declared(speller, found.method_arguments, reader->generic_parameters(found.token));

    MethodName name = name_of(*reader, found.token, *method, generics);
    name.module = found.module;
    return name;
}

}  // namespace

std::optional<Instantiation> instantiation_of(ICorProfilerInfo3& info, FunctionID function) {
    constexpr COR_PRF_FRAME_INFO kNoFrame = 0;
    Instantiation found;
    found.method_arguments.resize(8);
    for (int attempt = 0; attempt < 2; ++attempt) {
        uint32_t count = 0;
        const HRESULT hr =
            info.GetFunctionInfo2(function, kNoFrame, &found.class_id, &found.module, &found.token,
                                  static_cast<uint32_t>(found.method_arguments.size()), &count,
                                  found.method_arguments.data());
        if (failed(hr) || count > kMaxTypeArguments) {
            break;
        }
        const bool complete = count <= found.method_arguments.size();
        found.method_arguments.resize(count);
        if (complete) {
            return found;
        }
    }
    found = Instantiation();
    if (failed(info.GetFunctionInfo(function, &found.class_id, &found.module, &found.token))) {
        return std::nullopt;
    }
    return found;
}

Result<MethodName> method_name(ICorProfilerInfo3& info, FunctionID function) {
    const auto found = instantiation_of(info, function);
    if (!found) {
        return fail(ErrorCode::kNotFound,
                    "the runtime does not know function " + std::to_string(function) + " any more");
    }
    return name_of(info, *found);
}

Result<MethodName> method_name(ICorProfilerInfo3& info, ModuleID module, mdMethodDef method) {
    Instantiation all;
    all.module = module;
    all.token = method;
    return name_of(info, all);
}

std::optional<MethodName> method_name(const ImageMetadata& image, mdMethodDef method) {
    const MetadataReader reader(image);
    const std::optional<MethodProperties> properties = reader.method(method);
    if (!properties) {
        return std::nullopt;
    }
    return name_of(
        reader, method, *properties,
        {reader.generic_parameters(properties->type), reader.generic_parameters(method)});
}

std::string class_name(ICorProfilerInfo3& info, ClassID class_id) {
    return ClassSpeller(info).with_namespace(class_id);
}

}  // namespace umbra::clr
