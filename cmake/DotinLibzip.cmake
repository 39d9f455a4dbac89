# Defines dotin_libzip. libzip's own CMake file insists on command line tools that Debian packages apart.
# Used by the build and, installed beside it, by dotinConfig.cmake.
find_path(LIBZIP_INCLUDE zip.h REQUIRED)
find_library(LIBZIP_LIBRARY zip REQUIRED)
if(NOT TARGET dotin_libzip)
  add_library(dotin_libzip INTERFACE IMPORTED)
  target_include_directories(dotin_libzip INTERFACE ${LIBZIP_INCLUDE})
  target_link_libraries(dotin_libzip INTERFACE ${LIBZIP_LIBRARY})
endif()
