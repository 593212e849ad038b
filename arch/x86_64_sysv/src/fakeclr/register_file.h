// SPDX-License-Identifier: MIT
// The registers of x86-64, as the register check sets and compares them.
#pragma once

#include "arch/x86_64_register_file.h"
