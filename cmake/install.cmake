# What is installed, by component: the library, what programs on it need (development), the program, the library for cards.

# -- the library ------------------------------------------------------------------------------

set(TROUPE_LAYERS base model messages actors extensions)
list(TRANSFORM TROUPE_LAYERS PREPEND troupe_ OUTPUT_VARIABLE targets)
set(as_library LIBRARY COMPONENT library NAMELINK_COMPONENT development ARCHIVE COMPONENT development)
install(TARGETS troupe_core EXPORT troupe_core ${as_library})
install(TARGETS ${targets} troupe_plugin EXPORT troupe ${as_library})
install(TARGETS troupe_net EXPORT troupe_net ${as_library})
foreach(processor IN LISTS TROUPE_PROCESSORS)
  install(TARGETS troupe_model_${processor} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${processor}
    COMPONENT library NAMELINK_SKIP)
endforeach()
install(TARGETS troupe_apps EXPORT troupe_main)

# The headers that a program may include, and what these include.
install(CODE "set(TROUPE_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/troupe)" COMPONENT development)
install(SCRIPT cmake/install_headers.cmake COMPONENT development)
install(FILES ${TROUPE_GENERATED}/troupe/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/troupe)
configure_package_config_file(cmake/troupe-config.cmake.in ${PROJECT_BINARY_DIR}/troupe-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/troupe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT troupe_core NAMESPACE troupe:: DESTINATION ${package} FILE troupe-core.cmake)
install(EXPORT troupe NAMESPACE troupe:: DESTINATION ${package} FILE troupe-targets.cmake)
install(EXPORT troupe_net NAMESPACE troupe:: DESTINATION ${package} FILE troupe-net.cmake)
install(EXPORT troupe_main NAMESPACE troupe:: DESTINATION ${package} FILE troupe-main.cmake)
install(FILES ${PROJECT_BINARY_DIR}/troupe-config.cmake ${PROJECT_BINARY_DIR}/troupe-config-version.cmake cmake/FindCAF.cmake
  DESTINATION ${package})

# For builds without CMake: pkg-config troupe
set(TROUPE_LIBRARIES "-ltroupe_extensions -ltroupe_actors -ltroupe_messages -ltroupe_model -ltroupe_base")
set(TROUPE_NEEDS "-lcaf_core -lsqlite3 -lz -lpng")
if(TROUPE_PRODUCT STREQUAL "dnnl")
  string(APPEND TROUPE_NEEDS " -ldnnl -fopenmp")
elseif(TROUPE_PRODUCT STREQUAL "openblas")
  string(APPEND TROUPE_NEEDS " -lopenblas")
endif()
if(BUILD_SHARED_LIBS)
  set(TROUPE_NEEDS "-lcaf_core")
else()
  set(TROUPE_LIBRARIES "-Wl,--whole-archive ${TROUPE_LIBRARIES} -Wl,--no-whole-archive")
endif()
file(RELATIVE_PATH TROUPE_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" TROUPE_PREFIX ${TROUPE_PREFIX})
configure_file(cmake/troupe.pc.in ${PROJECT_BINARY_DIR}/troupe.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/troupe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# -- the program ------------------------------------------------------------------------------

install(TARGETS troupe COMPONENT program)
install(DIRECTORY ${TROUPE_MANUAL}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
install(FILES ${TROUPE_MANUAL}/troupe DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${TROUPE_MANUAL}/_troupe DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${TROUPE_MANUAL}/troupe.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)

if(TARGET troupe_torch)
  install(TARGETS troupe_torch DESTINATION ${TROUPE_LOADED} COMPONENT program)
endif()
if(TARGET troupe_cuda)
  install(TARGETS troupe_cuda DESTINATION ${TROUPE_LOADED} COMPONENT cuda)
endif()
