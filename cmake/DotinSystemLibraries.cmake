# Libraries without a CMake file that can be used as it is: libzip's own insists on command line tools that Debian
# packages apart, OpenBLAS's differs between flavours. Used by the build and, installed beside it, by dotinConfig.cmake.
function(dotin_system_library name header library)
  string(TOUPPER ${name} prefix)
  find_path(${prefix}_INCLUDE ${header} REQUIRED)
  find_library(${prefix}_LIBRARY ${library} REQUIRED)
  if(NOT TARGET dotin_${name})
    add_library(dotin_${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(dotin_${name} INTERFACE ${${prefix}_INCLUDE})
    target_link_libraries(dotin_${name} INTERFACE ${${prefix}_LIBRARY})
  endif()
endfunction()

dotin_system_library(libzip zip.h zip)
dotin_system_library(blas cblas.h openblas)
