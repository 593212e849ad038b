# Compiled before, with the same sources and options in any clone: taken from ccache, where it is
# installed. Debug information names the build folder; its clones may share it all the same.
find_program(UMBRA_CCACHE ccache)
mark_as_advanced(UMBRA_CCACHE)
if(UMBRA_CCACHE)
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER
          ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${UMBRA_CCACHE})
    endif()
  endforeach()
endif()
