# What is built for: the line of arch/abis.txt for this processor and system. UMBRA_ABI is its folder's
# name, UMBRA_ABI_ROOT the folder. It mirrors the source tree and is an include directory, so that
# "hotpath/counter.h" is the one of this ABI.

file(STRINGS ${PROJECT_SOURCE_DIR}/arch/abis.txt lines REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/arch/abis.txt)
set(UMBRA_ABI)
foreach(line IN LISTS lines)
  separate_arguments(fields UNIX_COMMAND "${line}")
  list(GET fields 0 folder)
  list(GET fields 1 processor)
  list(GET fields 2 system)
  list(GET fields 3 kind)
  if(processor STREQUAL CMAKE_SYSTEM_PROCESSOR AND system STREQUAL CMAKE_SYSTEM_NAME)
    set(UMBRA_ABI ${folder})
    set(UMBRA_ABI_KIND ${kind})
  endif()
endforeach()
if(NOT UMBRA_ABI)
  message(FATAL_ERROR "umbra has no probes for ${CMAKE_SYSTEM_PROCESSOR} under ${CMAKE_SYSTEM_NAME}: "
                      "arch/abis.txt lists what it has them for, and arch/README.md says how to add an ABI.")
endif()
set(UMBRA_ABI_ROOT ${PROJECT_SOURCE_DIR}/arch/${UMBRA_ABI})
