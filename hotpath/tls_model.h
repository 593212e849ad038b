// SPDX-License-Identifier: MIT
// UMBRA_TLS_MODEL: how code of the hot path finds this thread's variables.
#pragma once

// glibc keeps room in each thread for initial-exec variables of libraries that are loaded late: one
// load, no call. musl's dlopen refuses such libraries; there a TLS descriptor is called, which
// keeps every register but its result (-mtls-dialect=gnu2), as the stubs of that build do.
#ifdef UMBRA_TLS_DESCRIPTORS
#    define UMBRA_TLS_MODEL __attribute__((tls_model("global-dynamic")))
#else
#    define UMBRA_TLS_MODEL __attribute__((tls_model("initial-exec")))
#endif
