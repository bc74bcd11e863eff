# Finds the C++ Actor Framework 0.17.6, which ships neither a CMake package nor a .pc file.
#
#   find_package(CAF 0.17.6 REQUIRED COMPONENTS core io)
#
# Defines CAF::<component> for each component found, CAF_VERSION and CAF_<component>_FOUND. The headers are SYSTEM
# headers, because CAF's own code does not pass -Wall -Wextra -Wpedantic in every configuration.
find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_package(Threads REQUIRED)

if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _caf_line REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE "^#define CAF_VERSION ([0-9]+).*" "\\1" _caf_number "${_caf_line}")
  if(_caf_number)
    math(EXPR _caf_major "${_caf_number} / 10000")
    math(EXPR _caf_minor "(${_caf_number} / 100) % 100")
    math(EXPR _caf_patch "${_caf_number} % 100")
    set(CAF_VERSION "${_caf_major}.${_caf_minor}.${_caf_patch}")
  endif()
endif()

set(_caf_required CAF_INCLUDE_DIR)
foreach(_component IN ITEMS core ${CAF_FIND_COMPONENTS})
  find_library(CAF_${_component}_LIBRARY caf_${_component})
  mark_as_advanced(CAF_${_component}_LIBRARY)
  if(CAF_${_component}_LIBRARY)
    set(CAF_${_component}_FOUND TRUE)
    if(NOT TARGET CAF::${_component})
      add_library(CAF::${_component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${_component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${_component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}")
      if(_component STREQUAL "core")
        set_property(TARGET CAF::core PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads)
      else()
        set_property(TARGET CAF::${_component} PROPERTY INTERFACE_LINK_LIBRARIES CAF::core)
      endif()
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_core_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION HANDLE_COMPONENTS)
mark_as_advanced(CAF_INCLUDE_DIR)
