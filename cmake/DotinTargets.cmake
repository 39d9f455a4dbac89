# One static library per folder of src/dotin, and one test program per folder of tests.

include(GNUInstallDirs)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

add_library(dotin_build_flags INTERFACE)
target_compile_options(dotin_build_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
if(DOTIN_SANITIZE)
  target_compile_options(dotin_build_flags INTERFACE -fsanitize=${DOTIN_SANITIZE} -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(dotin_build_flags INTERFACE -fsanitize=${DOTIN_SANITIZE})
endif()
if(DOTIN_COVERAGE)
  target_compile_options(dotin_build_flags INTERFACE --coverage)
  target_link_options(dotin_build_flags INTERFACE --coverage)
endif()

# dotin_library(name SOURCES a.cpp b.cpp PUBLIC libs... PRIVATE libs...)
# Makes the static library dotin_<name>, exported as dotin::<name>.
function(dotin_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(dotin_${name} STATIC ${ARG_SOURCES})
  add_library(dotin::${name} ALIAS dotin_${name})
  set_target_properties(dotin_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(dotin_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(dotin_${name} PUBLIC cxx_std_17)
  target_link_libraries(dotin_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:dotin_build_flags>)
  set_property(GLOBAL APPEND PROPERTY DOTIN_LIBRARIES dotin_${name})
endfunction()

# dotin_test(name SOURCES a.cpp b.cpp LINK libs... [PARTS n]): one GoogleTest program. ctest knows each of its tests, or
# with PARTS n shares of the program: a process with libtorch takes half a second to start, too much for each test.
function(dotin_test name)
  cmake_parse_arguments(ARG "" "PARTS" "SOURCES;LINK" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # compiling takes longer than running
  target_link_libraries(test_${name} PRIVATE ${ARG_LINK} dotin_test_support dotin_build_flags GTest::gtest_main)
  if(NOT ARG_PARTS)
    gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
    return()
  endif()
  math(EXPR last "${ARG_PARTS} - 1")
  foreach(part RANGE ${last})
    math(EXPR number "${part} + 1")
    add_test(NAME ${name}.part${number} COMMAND test_${name})
    set_tests_properties(${name}.part${number} PROPERTIES TIMEOUT 900
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_PARTS};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# dotin_bench(name LINK libs...): one Google Benchmark program from <name>.cpp.
function(dotin_bench name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(bench_${name} ${name}.cpp)
  target_link_libraries(bench_${name} PRIVATE ${ARG_LINK} dotin_build_flags benchmark::benchmark)
endfunction()
