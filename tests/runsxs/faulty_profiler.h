// SPDX-License-Identifier: MIT
// The profilers of the harness' tests: one that is right, and others with one fault each.
#pragma once

#include <cstdint>

#include "src/clr/com.h"

namespace umbra::runsxs {

/// What is wrong with it. It is asked for by its class id.
enum class Wrong : uint32_t {
    kNothing,
    kFirstInfo,          ///< calls the info of the first instance, whoever calls back
    kOthersId,           ///< asks an instance about another one's FunctionID
    kOneClientData,      ///< one for all mappers
    kNoClientId,         ///< answers 0
    kInfoAfterShutdown,  ///< goes on as before
    kInfoAfterDetach,    ///< has a thread that goes on
    kKeepsRefusedInfo,   ///< does not release the info of an instance it refuses
    kReleasesTooOften,   ///< the info
    kKeepsDetachedInfo,  ///< does not release it as it goes
    kUncounted,          ///< QueryInterface without AddRef
    kHasEverything,      ///< answers every interface
    kTouchesRefused,     ///< sets an event mask, then refuses
    kThrows,             ///< out of JITCompilationStarted
    kPrints,             ///< a line
    kFirstOnly,          ///< refuses the second instance, which it should take
    kCrashes,            ///< in the second Initialize
    kWaits,              ///< there for ever
    kExits,              ///< there, with the whole process
};

/// Of the right one, refusing nobody but what blind instances leave it no choice with.
constexpr Guid clsid_of(Wrong wrong) {
    return {static_cast<uint32_t>(wrong), 0x6661, 0x756c, {'t', 'y', 0, 0, 0, 0, 0, 0}};
}

}  // namespace umbra::runsxs
