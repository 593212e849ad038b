# Toolchain of the aarch64 preset: Debian's cross compiler, the libraries of build/sysroot-aarch64
# (scripts/make-sysroot), and qemu-user to run what was built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(UMBRA_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-aarch64)
cmake_path(NORMAL_PATH UMBRA_SYSROOT)
set(CMAKE_SYSROOT ${UMBRA_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${UMBRA_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${UMBRA_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${UMBRA_SYSROOT}/usr/share/pkgconfig)

# FindHDF5 would ask the compiler wrapper of the machine that it runs on.
set(HDF5_C_COMPILER_EXECUTABLE false CACHE STRING "")
set(HDF5_ROOT ${UMBRA_SYSROOT}/usr/lib/aarch64-linux-gnu/hdf5/serial)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${UMBRA_SYSROOT})
