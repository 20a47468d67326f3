# Compiler settings that every target shares; the numeric contract lives here.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

# Contraction to FMA changes inlier counts, so it is off for every file: an fma is written where one is meant.
add_compile_options(-ffp-contract=off -fno-fast-math -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wno-psabi)
if(DATUM_WERROR)
  add_compile_options(-Werror)
endif()
include_directories(${CMAKE_SOURCE_DIR})

find_program(DATUM_CCACHE ccache)
if(DATUM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DATUM_CCACHE})
endif()

set(DATUM_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined' or 'thread'")
if(DATUM_SANITIZE)
  add_compile_options(-fsanitize=${DATUM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DATUM_SANITIZE})
endif()

# The code that makes a verdict is named in every result: the commit, or the release where there is no repository.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE DATUM_CODE_ID OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT DATUM_CODE_ID)
  set(DATUM_CODE_ID "release")
endif()

# datum_library(NAME SOURCES... ) : a static library of one folder.
function(datum_library name)
  add_library(${name} STATIC ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# datum_program(NAME SOURCES...) : a program that is built into bin/ and installed.
function(datum_program name)
  add_executable(${name} ${ARGN})
  add_dependencies(programs ${name})
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# datum_test(NAME SOURCES file... LIBS lib... [LABELS label...]) : one GoogleTest program; each case is one ctest test.
function(datum_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE DATUM_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             DATUM_REAL_DATA_DEFAULT="${CMAKE_SOURCE_DIR}/../shared/data")
  set(properties TIMEOUT 600)
  if(T_LABELS)
    list(APPEND properties LABELS "${T_LABELS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()
