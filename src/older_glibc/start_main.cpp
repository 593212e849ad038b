// SPDX-License-Identifier: MIT
// __libc_start_main of glibc 2.34, by the one that programs ask for until then. That one runs no
// constructors: a program hands it a function that does.
extern "C" {

using Main = int(int argc, char** argv, char** environment);
using Initializer = void(int argc, char** argv, char** environment);

int start_main_of_2_2_5(Main* main, int argc, char** argv, Initializer* initialize,
                        void (*finish)(), void (*finish_linker)(), void* stack_end);
__asm__(".symver start_main_of_2_2_5, __libc_start_main@GLIBC_2.2.5");

// The linker's, of the program itself.
extern Initializer* const kInitArrayStart[] __asm__("__init_array_start");
extern Initializer* const kInitArrayEnd[] __asm__("__init_array_end");
void init_section() __asm__("_init");

__attribute__((visibility("hidden"))) int libc_start_main(
    Main* main, int argc, char** argv, Initializer* initialize, void (*finish)(),
    void (*finish_linker)(), void* stack_end) __asm__("__libc_start_main");

}  // extern "C"

namespace {

/// What the dynamic linker does not run of a program, in the order of the gABI. What is to run at
/// the end it does run.
void run_constructors(int argc, char** argv, char** environment) {
    init_section();
    for (Initializer* const* each = kInitArrayStart; each != kInitArrayEnd; ++each) {
        (*each)(argc, argv, environment);
    }
}

}  // namespace

/// Called by the C library's part of a program (crt1.o), with `initialize` nullptr.
int libc_start_main(Main* main, int argc, char** argv, Initializer* /*initialize*/,
                    void (*finish)(), void (*finish_linker)(), void* stack_end) {
    return start_main_of_2_2_5(main, argc, argv, run_constructors, finish, finish_linker,
                               stack_end);
}
