# Programs that need nothing but the C library, as packages want them. Included before any layer:
# each library that the layers look for later is found already, and is its static archive.

set(UMBRA_STATIC_LIBRARIES ${PROJECT_BINARY_DIR}/../packages/static CACHE PATH
  "Folder of libfmt.a: packaging/static-libraries makes it")

find_package(fmt REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)

# umbra_find_archive(variable lib/libz.a ...): the path of a static archive, the first that is there.
function(umbra_find_archive variable)
  find_library(UMBRA_ARCHIVE_${variable} NAMES ${ARGN} PATHS ${UMBRA_STATIC_LIBRARIES} REQUIRED)
  set(${variable} ${UMBRA_ARCHIVE_${variable}} PARENT_SCOPE)
endfunction()

umbra_find_archive(fmt libfmt.a)
umbra_find_archive(jemalloc libjemalloc.a)
umbra_find_archive(hdf5 libhdf5_serial.a libhdf5.a)
umbra_find_archive(zlib libz.a)
umbra_find_archive(szip libsz.a)
umbra_find_archive(aec libaec.a)
umbra_find_archive(utf8proc libutf8proc.a)

set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION ${fmt} IMPORTED_LOCATION_NONE ${fmt})
set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION ${zlib} IMPORTED_LOCATION_RELEASE ${zlib})
# What reads HDF5 over the network, and would need curl, is in no program that does not ask for it.
set_target_properties(hdf5::hdf5 PROPERTIES IMPORTED_LOCATION ${hdf5} IMPORTED_LOCATION_RELEASE ${hdf5}
  INTERFACE_LINK_LIBRARIES "${szip};${aec};${zlib};${CMAKE_DL_LIBS};m")
set_target_properties(PkgConfig::JEMALLOC PROPERTIES INTERFACE_LINK_LIBRARIES ${jemalloc})
set_target_properties(PkgConfig::UTF8PROC PROPERTIES INTERFACE_LINK_LIBRARIES ${utf8proc})

# Only what is used of the archives; addresses are resolved before anything runs.
add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,-z,relro,-z,now)
set(CMAKE_SKIP_BUILD_RPATH ON)
