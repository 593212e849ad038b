// SPDX-License-Identifier: MIT
// Names that the compiler of Visual Basic makes.
#pragma once

#include <cstddef>
#include <string_view>

namespace umbra {

/// What the type of a state machine begins with: "VB$StateMachine_7_AddAsync".
inline constexpr std::string_view kVisualBasicStateMachine = "VB$StateMachine_";

/// The method in the name of such a type: "AddAsync". Empty: the type has no such name.
constexpr std::string_view visual_basic_state_machine_method(std::string_view type) {
    if (!type.starts_with(kVisualBasicStateMachine)) {
        return {};
    }
    const std::size_t number_end = type.find('_', kVisualBasicStateMachine.size());
    return number_end == std::string_view::npos ? std::string_view() : type.substr(number_end + 1);
}

}  // namespace umbra
