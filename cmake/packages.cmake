# Packages: `cpack -G DEB` and `cpack -G TZST` in a build folder. docs/how-to/packages.md shows both.
set(CPACK_PACKAGE_NAME troupe)
set(CPACK_PACKAGE_CONTACT "Troupe's developers <troupe@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "trains machine-learning models with a troupe of actors")
set(CPACK_PACKAGE_DESCRIPTION
  "Trainer, parameter holder, evaluator, timer and logger are actors that exchange
typed messages, on one machine, on a cluster, or under virtual time.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL program development)
set(packages troupe libtroupe-dev) # their names, in the same order
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
  "Headers, libraries and the CMake package, for programs that use single
actors, and for plugins of the program troupe.")
if(BUILD_SHARED_LIBS)
  set(library libtroupe${PROJECT_VERSION_MAJOR})
  list(APPEND CPACK_COMPONENTS_ALL library)
  list(APPEND packages ${library})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  # CPack's own shlibs has a line for each build of a library, and its scripts call ldconfig, for which Debian has a trigger.
  set(names ${TROUPE_LAYERS} net)
  list(TRANSFORM names REPLACE "(.+)" "libtroupe_\\1 ${PROJECT_VERSION_MAJOR} ${library} (= ${PROJECT_VERSION}-1)\n")
  list(JOIN names "" shlibs)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/control/shlibs CONTENT "${shlibs}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/control/triggers CONTENT "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/control/shlibs ${PROJECT_BINARY_DIR}/control/triggers)
  # One package for all layers: they have one version, and each needs those below it.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/control/overrides CONTENT "${library}: package-name-doesnt-match-sonames *\n")
  install(FILES ${PROJECT_BINARY_DIR}/control/overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
    RENAME ${library} COMPONENT library)
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "Problems, models, actors and extensions as shared libraries. The numerics
come in three builds, of which the system loads the one for its processor.")
  set(this_library "${library} (= ${PROJECT_VERSION}-1), ")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${library} (= ${PROJECT_VERSION}-1)")
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/build/site/index.html)
  list(APPEND CPACK_COMPONENTS_ALL documentation)
  list(APPEND packages troupe-doc)
  set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME troupe-doc)
  set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
  set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION
    "The site of Troupe for a browser without a network: tutorial, how-to guides,
reference, and the API of the library.")
  install(DIRECTORY build/site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/troupe-doc/html COMPONENT documentation)
else()
  message(STATUS "The package troupe-doc is left out; to have it: ./check docs, which makes build/site")
endif()
if(TARGET troupe_cuda)
  list(APPEND CPACK_COMPONENTS_ALL cuda)
  list(APPEND packages troupe-cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_NAME troupe-cuda)
  set(CPACK_DEBIAN_CUDA_PACKAGE_DEPENDS "troupe, libc6")
  set(CPACK_DEBIAN_CUDA_DESCRIPTION
    "The library with which the program troupe trains on NVIDIA's graphics cards.
It needs the driver and cuBLAS, which are no packages of Debian, where the
system's loader finds them.")
endif()
if(TARGET troupe_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  list(APPEND packages python3-troupe)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-troupe)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${TROUPE_PYTHON_VERSION}), python3 (<< ${TROUPE_PYTHON_NEXT_VERSION}), ${this_library}python3-numpy")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION
    "The package troupe for Python, with the whole program in it: it trains on
NumPy arrays without a copy, reads, follows and steers runs, and takes Python
callables as extensions of training.")
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME troupe)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtroupe-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# What troupe-config.cmake looks for, and the CMake modules need.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "${this_library}libcaf-dev, libeigen3-dev, libfmt-dev, libspdlog-dev, libyaml-cpp-dev, nlohmann-json3-dev, libdnnl-dev, libxxhash-dev, libssl-dev, zlib1g-dev, libpng-dev, libsqlite3-dev, libcairo2-dev, libcpp-httplib-dev, pkg-config")
include(CPack)

# What Debian requires of each package: its license, and a list of its versions.
string(TIMESTAMP TROUPE_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/changelog.in ${PROJECT_BINARY_DIR}/changelog.Debian @ONLY)
install(CODE "execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/changelog.Debian)" ALL_COMPONENTS)
foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL packages)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endforeach()
