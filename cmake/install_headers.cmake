# Installs the public headers, which docs/site/public_headers.txt lists, and those that they include: a run of cmake --install.
cmake_policy(VERSION 3.22)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

file(STRINGS ${root}/docs/site/public_headers.txt waiting REGEX "\\.hpp$")
list(TRANSFORM waiting STRIP)
set(headers "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST headers OR NOT EXISTS ${root}/${header}) # the build makes troupe/version.hpp
    continue()
  endif()
  list(APPEND headers ${header})
  file(STRINGS ${root}/${header} includes REGEX "^ *# *include \"")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE ".*\"(.*)\".*" "\\1" include "${include}")
    list(APPEND waiting ${include})
  endforeach()
endwhile()

foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${root}/${header} DESTINATION ${CMAKE_INSTALL_PREFIX}/${TROUPE_HEADERS}/${folder})
endforeach()
