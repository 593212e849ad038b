// SPDX-License-Identifier: MIT
// The program a FakeRuntime runs: modules with types with methods, by name and signature.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/fakeclr/clr_names.h"

namespace umbra::fakeclr {

class FakeEmit;
class FakeMetadata;
class FakeModel;
class IlCode;
struct FakeModule;
struct FakeType;

/// A signature blob or a part of one (ECMA-335 II.23.2).
using Blob = std::vector<uint8_t>;

/// MethodDefSig: what `result name(parameters)` looks like. A type is a Blob: {ELEMENT_TYPE_I4},
/// {ELEMENT_TYPE_SZARRAY, ELEMENT_TYPE_STRING}, or class_signature().
[[nodiscard]] Blob method_signature(bool instance, const Blob& result,
                                    const std::vector<Blob>& parameters = {},
                                    uint32_t generic_parameters = 0);
/// ELEMENT_TYPE_CLASS and a TypeDef or TypeRef token.
[[nodiscard]] Blob class_signature(mdToken token);

/// One compilation of a method; lives as long as the method, as machine code does.
struct CompiledBody {
    bool hooked = false;
    uintptr_t client_id = 0;  ///< what the mapper answered; compiled into the hook calls
    bool precompiled = false;
    bool mapper_asked = false;
    std::shared_ptr<const IlCode> il = {};  ///< what the profiler has given it; null: its own

    /// Its calls are events: by hooks, or by what its IL calls.
    [[nodiscard]] bool tells_calls() const { return hooked || il; }
};

/// A method or an instantiation of a generic one. Its FunctionID is its address unless it was made
/// to take over the id of unloaded code.
struct FakeMethod {
    FakeType* type = nullptr;
    mdMethodDef token = 0;
    std::u16string name;
    Blob signature;
    bool is_static = false;
    bool precompiled = false;  ///< the module's image holds code for it
    std::vector<std::u16string> generic_parameters;
    std::vector<FakeType*> type_arguments;
    std::vector<std::pair<std::u16string, Blob>> custom_attributes;
    FunctionID id = 0;
    std::string full_name;  ///< "Shop.Cart.Total": for expectations and messages

    /// The newest body; null until the first compilation.
    std::atomic<const CompiledBody*> body{nullptr};
    std::atomic<bool> rejit_requested{false};
    std::atomic<bool> rejitted{false};  ///< `body` is a version that was requested
    /// What RequestRevert restores; null: the method had not been called, and is compiled again.
    std::atomic<const CompiledBody*> before_rejit{nullptr};
    std::deque<CompiledBody> bodies;  ///< guarded by the model's mutex
};

/// A type, an instantiation of a generic one, or an array. Its ClassID is its address.
struct FakeType {
    FakeModule* module = nullptr;
    FakeType* enclosing = nullptr;
    mdTypeDef token = 0;
    std::u16string name;  ///< "Shop.Orders.Cart"; of a nested type only its own part
    std::vector<std::u16string> generic_parameters;
    std::vector<FakeType*> type_arguments;
    FakeType* element = nullptr;  ///< not null: an array of these
    uint32_t rank = 0;

    [[nodiscard]] ClassID id() const { return reinterpret_cast<ClassID>(this); }
};

struct FakeTypeRef {
    mdTypeRef token = 0;
    mdToken scope = 0;
    std::u16string name;
};

/// An object, as far as GetClassFromObject can see it. Its ObjectID is its address.
struct FakeObject {
    FakeType* type = nullptr;

    [[nodiscard]] ObjectID id() const { return reinterpret_cast<ObjectID>(this); }
};

struct FakeModule {
    FakeModel* model = nullptr;
    std::u16string path;
    bool has_precompiled_code = false;
    bool dynamic = false;         ///< made at run time
    bool image_rejected = false;  ///< ENTERLEAVE was in the mask when the module was loaded
    bool loaded = false;
    std::deque<FakeType> types;
    std::deque<FakeMethod> methods;
    std::vector<FakeTypeRef> type_refs;
    std::deque<Blob> signatures;  ///< StandAloneSig: what the profiler has added
    std::unique_ptr<FakeMetadata> metadata;
    std::unique_ptr<FakeEmit> emit;
    mdTypeDef next_type = 0x02000002;  // 0x02000001 is <Module>
    mdMethodDef next_method = 0x06000001;

    [[nodiscard]] ModuleID id() const { return reinterpret_cast<ModuleID>(this); }
    [[nodiscard]] AssemblyID assembly_id() const { return id() + 1; }
};

struct ModuleSpec {
    std::string path = {};
    bool has_precompiled_code = false;
    bool dynamic = false;
};

struct TypeSpec {
    std::string name = {};
    FakeType* enclosing = nullptr;
    std::vector<std::string> generic_parameters = {};
};

struct MethodSpec {
    std::string name = {};
    Blob signature = method_signature(false, {clr::ELEMENT_TYPE_VOID});
    bool precompiled = false;
    std::vector<std::string> generic_parameters = {};
    FunctionID reuse_id = 0;  ///< take over the id of an unloaded method
};

/// Owns everything above until it is destroyed; what was unloaded only loses its ids. All calls are
/// safe on any thread. References stay valid.
class FakeModel {
  public:
    FakeModel();
    ~FakeModel();
    FakeModel(const FakeModel&) = delete;
    FakeModel& operator=(const FakeModel&) = delete;

    FakeModule& add_module(const ModuleSpec& spec);
    FakeType& add_type(FakeModule& module, const TypeSpec& spec);
    FakeMethod& add_method(FakeType& type, const MethodSpec& spec);
    FakeType& instantiate(FakeType& definition, std::vector<FakeType*> arguments);
    /// `type` may be an instantiation of the method's type; `arguments` are the method's own.
    FakeMethod& instantiate(FakeMethod& definition, FakeType& type,
                            std::vector<FakeType*> arguments = {});
    FakeType& array_of(FakeType& element, uint32_t rank = 1);
    mdTypeRef add_type_ref(FakeModule& module, const std::string& name, mdToken scope = 0);
    void add_attribute(FakeMethod& method, const std::string& attribute, Blob value);

    /// Null for what was never there or has been forgotten.
    [[nodiscard]] FakeModule* module(ModuleID id) const;
    [[nodiscard]] FakeType* type(ClassID id) const;
    [[nodiscard]] FakeMethod* method(FunctionID id) const;
    [[nodiscard]] std::vector<FakeModule*> loaded_modules() const;
    [[nodiscard]] std::vector<FakeMethod*> compiled_methods() const;
    /// Every instantiation of one MethodDef.
    [[nodiscard]] std::vector<FakeMethod*> methods_of(ModuleID module, mdMethodDef token) const;

    void set_loaded(FakeModule& module, bool image_rejected);
    /// The ids of the module and of all in it become unknown.
    void forget(FakeModule& module);
    /// Keeps the body and returns where it lies from now on.
    const CompiledBody* keep(FakeMethod& method, const CompiledBody& body);

    /// Guards the contents of modules; FakeMetadata reads under it.
    [[nodiscard]] std::shared_mutex& mutex() const { return mutex_; }

  private:
    FakeMethod& place_method(FakeModule& module, FunctionID reuse_id);
    FakeType& place_type(FakeModule& module);

    mutable std::shared_mutex mutex_;
    std::deque<FakeModule> modules_;
    std::unordered_set<ModuleID> module_ids_;
    std::unordered_set<ClassID> type_ids_;
    std::unordered_map<FunctionID, FakeMethod*> methods_;
};

/// "System.Int32" etc. for expectations in tests: the ASCII text as UTF-16 and back.
[[nodiscard]] std::u16string widen(std::string_view ascii);
[[nodiscard]] std::string narrow(std::u16string_view text);

}  // namespace umbra::fakeclr
