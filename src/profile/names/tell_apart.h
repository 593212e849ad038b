// SPDX-License-Identifier: MIT
// Different functions of a profile that would be shown by one name: what tells them apart is put
// behind it.
#pragma once

#include "src/profile/profile.h"

namespace umbra::profile {

/// Gives each function of a profile a name of its own; those that have one keep it. Behind the
/// others stands, in brackets, the least that tells them apart:
///   in one module     "Get() [returns int]", then a number in the order of their tokens: "[#2]",
///                     "[returns int, #2]"
///   between modules   "[app.dll]", the runtime where there are several, "[app.dll, 9.0.18]", and
///                     the number of the module among those of its name in the order of their
///                     loads, "[copy 2]"
/// The body of an async method or iterator is called after the function that starts it, where that
/// is known: "FetchAsync() [body]"; another function of a method that returns a task, which has the
/// same token, after the first: "Load() [async variant]".
void tell_apart(Profile& profile);

/// To be done once, when all names of a profile are known: those of modules, threads, types and
/// arguments become as seen_text() has them, which functions' are already, and these are told
/// apart.
void settle_names(Profile& profile);

}  // namespace umbra::profile
