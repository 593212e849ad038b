# The page that shows a profile, built from web/ with node and npm.

set(UMBRA_PAGE AUTO CACHE STRING
  "Page of umbra export --html: AUTO where node and npm are, ON (or the build fails), OFF")
set_property(CACHE UMBRA_PAGE PROPERTY STRINGS AUTO ON OFF)

# umbra_build_page(variable) sets it to the path of the built page: one HTML file, empty where it is
# not wanted or cannot be built.
function(umbra_build_page variable)
  set(folder ${PROJECT_BINARY_DIR}/page)
  set(page ${folder}/page.html)
  set(${variable} ${page} PARENT_SCOPE)
  find_program(UMBRA_NODE NAMES node)
  find_program(UMBRA_NPM NAMES npm)
  if(UMBRA_PAGE STREQUAL "OFF" OR NOT UMBRA_NODE OR NOT UMBRA_NPM)
    if(UMBRA_PAGE STREQUAL "ON")
      message(FATAL_ERROR "UMBRA_PAGE is ON, but there is no node or no npm")
    endif()
    message(STATUS "umbra export --html and umbra view: left out, they take node and npm")
    file(WRITE ${page} "")
    return()
  endif()

  set(web ${PROJECT_SOURCE_DIR}/web)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*)
  set(common -DWEB=${web} -DFOLDER=${folder} -DNODE=${UMBRA_NODE} -DNPM=${UMBRA_NPM}
    -DREQUIRED=${UMBRA_PAGE} -DDEVELOPER=${UMBRA_DEVELOPER_MODE})
  add_custom_command(OUTPUT ${folder}/packages.txt
    COMMAND ${CMAKE_COMMAND} ${common} -DSTEP=packages -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${web}/package.json ${web}/package-lock.json ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "Installing the packages of the page" VERBATIM)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} ${common} -DSTEP=page -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${folder}/packages.txt ${sources} ${web}/index.html ${web}/build.mjs ${web}/tsconfig.json
    COMMENT "Building the page" VERBATIM)
endfunction()
