# Programs built for another processor than this machine's, started by programs and scripts that know
# nothing of it. ctest puts CMAKE_CROSSCOMPILING_EMULATOR in front of a test by itself; whoever starts a
# program as a child needs something that the kernel can execute.

# umbra_program(variable target) sets it to what starts the target: itself, or a script that hands it to the
# emulator.
function(umbra_program variable target)
  if(NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(${variable} $<TARGET_FILE:${target}> PARENT_SCOPE)
    return()
  endif()
  set(script ${PROJECT_BINARY_DIR}/emulated/${target})
  set(${variable} ${script} PARENT_SCOPE)
  umbra_emulator_script(${script} ${target})
endfunction()

# umbra_emulator_script(file target) makes that script.
function(umbra_emulator_script script target)
  get_property(made GLOBAL PROPERTY UMBRA_EMULATOR_SCRIPTS)
  if(NOT script IN_LIST made)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nexec ${emulator} $<TARGET_FILE:${target}> \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set_property(GLOBAL APPEND PROPERTY UMBRA_EMULATOR_SCRIPTS ${script})
  endif()
endfunction()
