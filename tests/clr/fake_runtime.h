// SPDX-License-Identifier: MIT
// A runtime with one module, filled by the test: types, methods, classes and functions.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/clr/uncounted.h"

namespace umbra::clr {

/// Metadata of one module. Tokens are row numbers from 1 under the usual table byte.
class FakeMetadata final : public MetadataBase {
  public:
    struct Type {
        std::u16string name;  ///< "Acme.Cart`1", nested types without namespace
        mdTypeDef enclosing = 0;
        std::vector<std::u16string> generic_parameters = {};
    };
    struct Parameter {
        uint32_t number = 0;
        uint32_t flags = 0;
        std::u16string attribute = {};  ///< full name of its only attribute
    };
    struct Method {
        mdTypeDef type = 0;
        std::u16string name;
        std::vector<uint8_t> signature = {};
        std::vector<std::u16string> generic_parameters = {};
        std::u16string attribute = {};  ///< full name of its only attribute
        std::string attribute_type = {};
        std::vector<Parameter> parameters = {};
    };
    struct TypeRef {
        std::u16string name;
        mdToken scope = 0x2300'0001;
    };

    mdTypeDef add(Type type) { return add_to(types_, std::move(type), 0x0200'0000); }
    mdMethodDef add(Method method) { return add_to(methods_, std::move(method), 0x0600'0000); }
    mdTypeRef add(TypeRef ref) { return add_to(refs_, std::move(ref), 0x0100'0000); }

    int open_enumerations = 0;

    HRESULT GetTypeDefProps(mdTypeDef token, char16_t* text, uint32_t capacity, uint32_t* length,
                            uint32_t* flags, mdToken*) override {
        const Type* type = find(types_, token, 0x0200'0000);
        if (type == nullptr) {
            return kInvalidArgument;
        }
        *flags = type->enclosing != 0 ? 2 : 1;
        return put(type->name, text, capacity, length);
    }
    HRESULT GetNestedClassProps(mdTypeDef token, mdTypeDef* enclosing) override {
        const Type* type = find(types_, token, 0x0200'0000);
        *enclosing = type == nullptr ? 0 : type->enclosing;
        return *enclosing != 0 ? kOk : kFail;
    }
    HRESULT GetTypeRefProps(mdTypeRef token, mdToken* scope, char16_t* text, uint32_t capacity,
                            uint32_t* length) override {
        const TypeRef* ref = find(refs_, token, 0x0100'0000);
        if (ref == nullptr) {
            return kInvalidArgument;
        }
        *scope = ref->scope;
        return put(ref->name, text, capacity, length);
    }
    HRESULT GetMethodProps(mdMethodDef token, mdTypeDef* type, char16_t* text, uint32_t capacity,
                           uint32_t* length, uint32_t*, const uint8_t** blob, uint32_t* blob_bytes,
                           uint32_t*, uint32_t*) override {
        const Method* method = find(methods_, token, 0x0600'0000);
        if (method == nullptr) {
            return kInvalidArgument;
        }
        *type = method->type;
        *blob = method->signature.data();
        *blob_bytes = static_cast<uint32_t>(method->signature.size());
        return put(method->name, text, capacity, length);
    }
    HRESULT EnumMethodsWithName(void** enumerator, mdTypeDef type, const char16_t* name,
                                mdMethodDef* out, uint32_t capacity, uint32_t* count) override {
        std::vector<mdToken> found;
        for (uint32_t row = 1; row <= methods_.size(); ++row) {
            if (methods_[row - 1].type == type && methods_[row - 1].name == name) {
                found.push_back(0x0600'0000 | row);
            }
        }
        return next(enumerator, found, out, capacity, count);
    }
    HRESULT EnumGenericParams(void** enumerator, mdToken owner, mdGenericParam* out,
                              uint32_t capacity, uint32_t* count) override {
        std::vector<mdToken> found;
        for (size_t i = parameters_of(owner).size(); i > 0; --i) {  // any order is allowed
            parameters_.emplace_back(owner, i - 1);
            found.push_back(0x2a00'0000 | static_cast<uint32_t>(parameters_.size()));
        }
        return next(enumerator, found, out, capacity, count);
    }
    HRESULT GetGenericParamProps(mdGenericParam token, uint32_t* number, uint32_t*, mdToken*,
                                 uint32_t*, char16_t* text, uint32_t capacity,
                                 uint32_t* length) override {
        const auto& [owner, index] = *find(parameters_, token, 0x2a00'0000);
        *number = static_cast<uint32_t>(index);
        return put(parameters_of(owner).at(index), text, capacity, length);
    }
    HRESULT EnumParams(void** enumerator, mdMethodDef owner, mdParamDef* out, uint32_t capacity,
                       uint32_t* count) override {
        std::vector<mdToken> found;
        const Method* method = find(methods_, owner, 0x0600'0000);
        for (size_t i = 0; method != nullptr && i < method->parameters.size(); ++i) {
            params_.push_back(method->parameters[i]);
            found.push_back(0x0800'0000 | static_cast<uint32_t>(params_.size()));
        }
        return next(enumerator, found, out, capacity, count);
    }
    HRESULT GetParamProps(mdParamDef token, mdMethodDef*, uint32_t* number, char16_t*, uint32_t,
                          uint32_t*, uint32_t* flags, uint32_t*, const void**, uint32_t*) override {
        const Parameter* parameter = find(params_, token, 0x0800'0000);
        *number = parameter->number;
        *flags = parameter->flags;
        return kOk;
    }
    void CloseEnum(void* enumerator) override {
        --open_enumerations;
        delete static_cast<size_t*>(enumerator);
    }
    HRESULT GetCustomAttributeByName(mdToken token, const char16_t* name, const void** value,
                                     uint32_t* bytes) override {
        if (const Parameter* parameter = find(params_, token, 0x0800'0000)) {
            *value = "\x01\0\0\0";
            *bytes = 4;
            return parameter->attribute == name ? kOk : kFalse;
        }
        Method* method = find(methods_, token, 0x0600'0000);
        if (method == nullptr || method->attribute != name) {
            return kFalse;
        }
        attribute_value_ = std::string("\x01\0", 2) +
                           static_cast<char>(method->attribute_type.size()) +
                           method->attribute_type + std::string(2, '\0');
        *value = attribute_value_.data();
        *bytes = static_cast<uint32_t>(attribute_value_.size());
        return kOk;
    }

  private:
    template <typename Row>
    static mdToken add_to(std::vector<Row>& table, Row row, mdToken mark) {
        table.push_back(std::move(row));
        return mark | static_cast<uint32_t>(table.size());
    }
    template <typename Row>
    static Row* find(std::vector<Row>& table, mdToken token, mdToken mark) {
        const size_t row = token ^ mark;
        return row == 0 || row > table.size() ? nullptr : &table[row - 1];
    }
    static HRESULT put(const std::u16string& name, char16_t* text, uint32_t capacity,
                       uint32_t* length) {
        constexpr HRESULT kTruncated = 0x0013'1106;  // CLDB_S_TRUNCATION
        *length = static_cast<uint32_t>(name.size()) + 1;
        const size_t copied = std::min<size_t>(capacity, *length);
        std::memcpy(text, name.c_str(), copied * sizeof(char16_t));
        return copied < *length ? kTruncated : kOk;
    }
    HRESULT next(void** enumerator, const std::vector<mdToken>& all, mdToken* out,
                 uint32_t capacity, uint32_t* count) {
        if (*enumerator == nullptr) {
            *enumerator = new size_t(0);
            ++open_enumerations;
        }
        size_t& position = *static_cast<size_t*>(*enumerator);
        *count = static_cast<uint32_t>(std::min<size_t>(capacity, all.size() - position));
        std::copy_n(all.begin() + static_cast<long>(position), *count, out);
        position += *count;
        return *count > 0 ? kOk : kFalse;
    }
    const std::vector<std::u16string>& parameters_of(mdToken owner) {
        static const std::vector<std::u16string> kNone;
        if (const Type* type = find(types_, owner, 0x0200'0000)) {
            return type->generic_parameters;
        }
        const Method* method = find(methods_, owner, 0x0600'0000);
        return method != nullptr ? method->generic_parameters : kNone;
    }

    std::vector<Type> types_;
    std::vector<Parameter> params_;  ///< as many as were asked for
    std::vector<Method> methods_;
    std::vector<TypeRef> refs_;
    std::vector<std::pair<mdToken, size_t>> parameters_;  // those enumerated: owner, number
    std::string attribute_value_;
};

/// A runtime whose classes and functions the test declares; all lie in one module.
class FakeRuntime final : public InfoBase {
  public:
    static constexpr ModuleID kModule = 77;

    struct Class {
        mdTypeDef type = 0;
        std::vector<ClassID> arguments = {};
        CorElementType array_of = ELEMENT_TYPE_END;  ///< not END: an array
        ClassID element = 0;
        uint32_t rank = 0;
    };
    struct Function {
        ClassID class_id = 0;
        mdMethodDef token = 0;
        std::vector<ClassID> arguments = {};
    };

    FakeMetadata metadata;
    std::map<ClassID, Class> classes;
    std::map<FunctionID, Function> functions;

    HRESULT GetModuleMetaData(ModuleID module, uint32_t, const Guid& id, IUnknown** out) override {
        if (module != kModule || !(id == IMetaDataImport2::kIid)) {
            return kInvalidArgument;
        }
        *out = &metadata;
        return kOk;
    }
    HRESULT IsArrayClass(ClassID id, CorElementType* element_type, ClassID* element,
                         uint32_t* rank) override {
        const auto found = classes.find(id);
        if (found == classes.end() || found->second.array_of == ELEMENT_TYPE_END) {
            return kFalse;
        }
        *element_type = found->second.array_of;
        *element = found->second.element;
        *rank = found->second.rank;
        return kOk;
    }
    HRESULT GetClassIDInfo2(ClassID id, ModuleID* module, mdTypeDef* type, ClassID*,
                            uint32_t capacity, uint32_t* count, ClassID* arguments) override {
        const auto found = classes.find(id);
        if (found == classes.end()) {
            return kDataIncomplete;
        }
        if (found->second.array_of != ELEMENT_TYPE_END) {
            return kClassIdIsArray;
        }
        *module = kModule;
        *type = found->second.type;
        return put(found->second.arguments, capacity, count, arguments);
    }
    HRESULT GetFunctionInfo2(FunctionID id, COR_PRF_FRAME_INFO, ClassID* class_id, ModuleID* module,
                             mdToken* token, uint32_t capacity, uint32_t* count,
                             ClassID* arguments) override {
        const auto found = functions.find(id);
        if (found == functions.end()) {
            return kInvalidArgument;
        }
        *class_id = found->second.class_id;
        *module = kModule;
        *token = found->second.token;
        return put(found->second.arguments, capacity, count, arguments);
    }

  private:
    static HRESULT put(const std::vector<ClassID>& all, uint32_t capacity, uint32_t* count,
                       ClassID* out) {
        *count = static_cast<uint32_t>(all.size());
        std::copy_n(all.begin(), std::min<size_t>(capacity, all.size()), out);
        return kOk;
    }
};

}  // namespace umbra::clr
