# cmake -DSTEP=packages|page -DWEB=... -DFOLDER=... -DNODE=... -DNPM=... -DREQUIRED=AUTO|ON
#       -DDEVELOPER=... -P BuildPage.cmake
# packages: puts what package-lock.json names into FOLDER/node_modules and answers in packages.txt.
# page:     makes FOLDER/page.html. Where packages could not be had it is empty, unless REQUIRED.

function(copy_sources)
  file(REMOVE_RECURSE ${FOLDER}/src)
  file(COPY ${WEB}/src ${WEB}/index.html ${WEB}/build.mjs ${WEB}/tsconfig.json DESTINATION ${FOLDER})
endfunction()

if(STEP STREQUAL "packages")
  file(COPY ${WEB}/package.json ${WEB}/package-lock.json DESTINATION ${FOLDER})
  set(omitted)
  if(NOT DEVELOPER)
    set(omitted --omit=dev)
  endif()
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline ${omitted}
    WORKING_DIRECTORY ${FOLDER}
    OUTPUT_FILE ${FOLDER}/npm.log ERROR_FILE ${FOLDER}/npm.log
    RESULT_VARIABLE status)
  if(status EQUAL 0)
    file(WRITE ${FOLDER}/packages.txt "installed\n")
  elseif(REQUIRED STREQUAL "ON")
    message(FATAL_ERROR "the packages of the page cannot be had; see ${FOLDER}/npm.log")
  else()
    message(WARNING "umbra export --html and umbra view are left out: the packages of the page "
      "cannot be had; see ${FOLDER}/npm.log. To try again: remove ${FOLDER}")
    file(WRITE ${FOLDER}/packages.txt "none\n")
  endif()
elseif(STEP STREQUAL "page")
  file(READ ${FOLDER}/packages.txt packages)
  copy_sources()
  if(packages MATCHES installed)
    execute_process(COMMAND ${NODE} build.mjs page.html WORKING_DIRECTORY ${FOLDER}
      COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(WRITE ${FOLDER}/page.html "")
  endif()
else()
  message(FATAL_ERROR "STEP is packages or page")
endif()
