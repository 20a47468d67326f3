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
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off;-fno-fast-math;-Wall;-Wextra;-Wpedantic;-Wconversion;-Wno-sign-conversion;-Wno-psabi;-pthread>")
if(DATUM_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
include_directories(${CMAKE_SOURCE_DIR})

# Collecting its garbage takes the compiler a tenth of its time, more with precompiled headers.
if(DATUM_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-expand=500 --param ggc-min-heapsize=1000000>")
  # Precompiled headers lose the pragmas by which the standard library silences these (GCC bug 64117); the dev preset has them.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()

find_program(DATUM_CCACHE ccache)
if(DATUM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DATUM_CCACHE})
  if(DATUM_PRECOMPILE)  # as ccache's manual asks for them
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${DATUM_CCACHE})
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

set(DATUM_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined' or 'thread'")
if(DATUM_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${DATUM_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  add_link_options(-fsanitize=${DATUM_SANITIZE})
endif()

# What Debian builds its packages with (dpkg-buildflags, hardening=+all), for programs that strangers' bytes reach. Programs are
# position-independent by the compilers' own default; a test looks at what was built. Not beside sanitizers, which bring their own.
option(DATUM_HARDEN "Stack protectors, checked library calls, protected branches, read-only relocations" OFF)
if(DATUM_HARDEN AND NOT DATUM_SANITIZE)
  set(hardening -fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    list(APPEND hardening -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND hardening -mbranch-protection=standard)
  endif()
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${hardening}>")
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  add_link_options("LINKER:-z,relro,-z,now,-z,noexecstack")
endif()

# CUDA: C++17 for the oldest toolkit (JetPack 5's 11.4); contraction off as on the host. Machine code for the
# controllers that are sold with this processor (x86: Hopper 9.0; Arm: Orin 8.7, Hopper 9.0, Thor 11.0), as far as this
# toolkit knows them, and PTX of 8.0 for every other card since Ampere, translated at the first start.
set(DATUM_HAVE_CUDA OFF)
if(NOT DATUM_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(DATUM_NVCC nvcc PATHS /usr/local/cuda/bin)
    if(DATUM_NVCC)
      set(CMAKE_CUDA_COMPILER ${DATUM_NVCC})
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER OR DEFINED ENV{CUDACXX})
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE codes ERROR_QUIET)
      set(CMAKE_CUDA_ARCHITECTURES "")
      set(sold 87 90 110)
      if(codes MATCHES "sm_90\n" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        set(sold 90)
      endif()
      foreach(code ${sold})
        if(codes MATCHES "sm_${code}\n")
          list(APPEND CMAKE_CUDA_ARCHITECTURES ${code}-real)
        endif()
      endforeach()
      list(APPEND CMAKE_CUDA_ARCHITECTURES 80-virtual)
    endif()
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
    set(DATUM_HAVE_CUDA ON)
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-ffp-contract=off,-Wall,-Wextra>")
  elseif(DATUM_CUDA STREQUAL "ON")
    message(FATAL_ERROR "DATUM_CUDA=ON, but nvcc was not found; name it by -DCMAKE_CUDA_COMPILER=/usr/local/cuda/bin/nvcc")
  endif()
endif()
message(STATUS "CUDA backend: ${DATUM_HAVE_CUDA} (${CMAKE_CUDA_ARCHITECTURES})")

# datum_cuda_sources(LIBRARY CUDA file... [ABSENT file...]): the first where there is a CUDA compiler, else the second: what a program
# without CUDA names.
function(datum_cuda_sources library)
  cmake_parse_arguments(S "" "" "CUDA;ABSENT" ${ARGN})
  if(DATUM_HAVE_CUDA)
    target_sources(${library} PRIVATE ${S_CUDA})
    set_target_properties(${library} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  else()
    target_sources(${library} PRIVATE ${S_ABSENT})
  endif()
endfunction()

# datum_instruction_sets(LIBRARY STEM [SETS set...]): adds STEM.cpp, compiled once for each instruction set of this processor, where
# there is no such file STEM_<set>.cpp. DATUM_ISA is the set's name there (gpu/core/simd.h). SETS: fewer of them.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(DATUM_SETS scalar avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(DATUM_SETS scalar neon)
else()
  set(DATUM_SETS scalar)
endif()
# A first demo runs where it is built: without the widest loops where this processor has none.
set(DATUM_WITHOUT_AVX512 OFF)
if(NOT DATUM_OFFLINE AND "avx512" IN_LIST DATUM_SETS AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo processor REGEX "^flags.* avx512vl" LIMIT_COUNT 1)
  if(NOT processor)
    list(REMOVE_ITEM DATUM_SETS avx512)
    set(DATUM_WITHOUT_AVX512 ON)
  endif()
endif()
if("avx2" IN_LIST DATUM_SETS)
  set(DATUM_FLAGS_scalar -mfma)
  set(DATUM_FLAGS_avx2 -mavx2 -mfma)
  set(DATUM_FLAGS_avx512 -Wno-maybe-uninitialized -Wno-uninitialized -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
endif()
function(datum_instruction_sets library stem)
  cmake_parse_arguments(I "" "" "SETS" ${ARGN})
  foreach(set ${DATUM_SETS})
    if(NOT I_SETS OR set IN_LIST I_SETS)
      set(file ${stem}.cpp)
      if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
        set(file ${stem}_${set}.cpp)
      endif()
      string(TOUPPER ${set} upper)
      add_library(${library}_${set} OBJECT ${file})
      target_compile_options(${library}_${set} PRIVATE ${DATUM_FLAGS_${set}})
      target_compile_definitions(${library}_${set} PRIVATE DATUM_ISA=${set} DATUM_ISA_${upper})
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${library}_${set}>)
    endif()
  endforeach()
  if(DATUM_WITHOUT_AVX512)  # for the one source that names the loops: the others need not be compiled again later
    get_target_property(sources ${library} SOURCES)
    foreach(source ${sources})
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})
        file(STRINGS ${source} names REGEX "_avx512[;,]" LIMIT_COUNT 1)
        if(names)
          set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS DATUM_WITHOUT_AVX512)
        endif()
      endif()
    endforeach()
  endif()
endfunction()

# The code that makes a verdict is named in every result: the commit, or the release where there is no repository.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE DATUM_CODE_ID OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT DATUM_CODE_ID)
  set(DATUM_CODE_ID "release")
endif()

# datum_compile(TARGET KIND) : with the options and the precompiled headers of its kind. Release: `computing` at -O2, `light`
# (reads options and texts, waits for links and people) at -O1, where -O2 would cost a third more of the compilers' time and gain
# nothing. Tests that loop over pixels and points (`test`) at -O1, others (`light_test`) at -O0: two thirds of the time of -O1.
# gpu/ and daemon/gpu_worker are of no kind: -O3, an instruction set for each file, no header but the standard's. The JSON library
# is parsed once for the targets whose sources name it; each of the others would instantiate its parser for nothing.
set(DATUM_LEVEL_computing -O2)
set(DATUM_LEVEL_light -O1)
set(DATUM_LEVEL_test -O1)
# Without optimisation the C library has no checked calls, and says so. A wrong format string of a test throws where it runs; the
# dev preset finds it in the compiler, for a twelfth of the time.
set(DATUM_LEVEL_light_test "-O0;-DFMT_CONSTEVAL=;SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0")
function(datum_compile target kind)
  target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${DATUM_LEVEL_${kind}}>")
  set(headers datum_${kind}_headers)
  if(TARGET datum_${kind}_json_headers)
    get_target_property(sources ${target} SOURCES)
    foreach(source ${sources})
      file(STRINGS ${source} json REGEX "^#include <nlohmann/json.hpp>" LIMIT_COUNT 1)
      if(json)
        set(headers datum_${kind}_json_headers)
        break()
      endif()
    endforeach()
  endif()
  if(TARGET ${headers})
    target_link_libraries(${target} PRIVATE fmt::fmt)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# datum_library(NAME [LIGHT] SOURCES... ) : a static library of one folder. The release build compiles 54 of its files at
# once (CMAKE_UNITY_BUILD), so that two files of a library share no name.
function(datum_library name)
  cmake_parse_arguments(L "LIGHT" "" "" ${ARGN})
  add_library(${name} STATIC ${L_UNPARSED_ARGUMENTS})
  if(L_LIGHT)
    datum_compile(${name} light)
  elseif(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/(daemon/)?gpu")
    datum_compile(${name} computing)
  endif()
endfunction()

# Packages (systemd/packages.cmake): programs that a machine may have alone have one of their own name; all the rest is datumd's.
set(DATUM_PACKAGES datumd-view datumd-plant datumd-collect datumd-plant-view datumd-batch)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME datumd)

# datum_program(NAME SOURCES...) : a program that is built into bin/ and installed; what it computes is in its libraries.
function(datum_program name)
  add_executable(${name} ${ARGN})
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/daemon/gpu")
    datum_compile(${name} light)
  endif()
  add_dependencies(programs ${name})
  set(package datumd)
  if(name IN_LIST DATUM_PACKAGES)
    set(package ${name})
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT ${package})
endfunction()

# Tests are linked by gold where binutils has it: a third of the time. Programs keep the compiler's own linker.
include(CheckLinkerFlag)
if(NOT DATUM_SANITIZE)
  check_linker_flag(CXX -fuse-ld=gold DATUM_HAVE_GOLD)
endif()

# datum_test(NAME [LIGHT] SOURCES file... LIBS lib... [LABELS label...] [SHARED suite...]) : one GoogleTest program; each case is one
# ctest test. LIGHT: of a folder that computes, but running it at -O1 would gain less than compiling it so costs. `statistics` keep
# every processor busy and start first; most of the time of a `scenario` it waits for links and devices.
# SHARED: suites whose SetUpTestSuite is dear (a database server, R): one ctest test for all cases of a suite, in one process.
set(DATUM_COMPUTING_TESTS "(gpu|calib|statistics|virtual_cell|drivers/(codes|frame|fringe|genicam|gocator|model|profile|scanner|sensor|volume)|\
daemon/(batch|calibration|cell|charts|codes|ctl|design|fringe|gpu_worker|holes|inspection|parse|pictures|quality|report|teach|view|volume))")
cmake_host_system_information(RESULT DATUM_PROCESSORS QUERY NUMBER_OF_LOGICAL_CORES)
function(datum_test name)
  cmake_parse_arguments(T "LIGHT" "" "SOURCES;LIBS;LABELS;SHARED" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT T_LIGHT AND ("statistics" IN_LIST T_LABELS OR CMAKE_CURRENT_SOURCE_DIR MATCHES "^${CMAKE_SOURCE_DIR}/tests/${DATUM_COMPUTING_TESTS}(/|$)"))
    datum_compile(${name} test)
  else()
    datum_compile(${name} light_test)
  endif()
  if(DATUM_HAVE_GOLD)
    target_link_options(${name} PRIVATE -fuse-ld=gold)
  endif()
  target_compile_definitions(${name} PRIVATE DATUM_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                             DATUM_REAL_DATA_DEFAULT="${CMAKE_SOURCE_DIR}/../shared/data")
  set(properties TIMEOUT 600)
  if(name MATCHES "_cuda_test$")
    list(APPEND properties RESOURCE_LOCK cuda_device)  # one of them takes all of its memory
  endif()
  if(T_LABELS)
    list(APPEND properties LABELS "${T_LABELS}")
  endif()
  if("statistics" IN_LIST T_LABELS)
    list(APPEND properties PROCESSORS ${DATUM_PROCESSORS} COST 2)
  elseif("scenario" IN_LIST T_LABELS)
    list(APPEND properties COST 1)
  endif()
  set(alone)
  foreach(suite ${T_SHARED})
    string(APPEND alone ":${suite}.*")
    add_test(NAME ${suite} COMMAND ${name} --gtest_filter=${suite}.*)
    # SKIPPED where every case was: a failure among them is told behind their names. A suite that is not there fails.
    set_tests_properties(${suite} PROPERTIES ${properties} FAIL_REGULAR_EXPRESSION "Running 0 tests"
      SKIP_REGULAR_EXPRESSION "PASSED  . 0 tests\\.\n.  SKIPPED . [0-9]+ tests?, listed below:\n(.  SKIPPED . [^\n]*\n)+$")
  endforeach()
  string(REGEX REPLACE "^:" "-" alone "${alone}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "${alone}" PROPERTIES ${properties})
endfunction()

# datum_headers(KIND [JSON] LIBS lib... FILES header...) : parsed once for all targets of a kind; JSON: those that name the library.
function(datum_headers kind)
  cmake_parse_arguments(H "JSON" "" "LIBS;FILES" ${ARGN})
  set(name datum_${kind}_headers)
  if(H_JSON)
    set(name datum_${kind}_json_headers)
    list(APPEND H_LIBS nlohmann_json::nlohmann_json)
    list(APPEND H_FILES <nlohmann/json.hpp>)
  endif()
  set(nothing ${CMAKE_BINARY_DIR}/headers/${name}.cpp)
  file(GENERATE OUTPUT ${nothing} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${nothing})
  target_link_libraries(${name} PRIVATE Eigen3::Eigen fmt::fmt ${H_LIBS})
  target_compile_options(${name} PRIVATE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${DATUM_LEVEL_${kind}}>")
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <chrono> <cmath> <cstdint> <cstring> <filesystem> <fstream>
    <functional> <map> <memory> <optional> <set> <sstream> <stdexcept> <string> <string_view> <utility> <vector>
    <fmt/format.h> <Eigen/Core> ${H_FILES})
endfunction()
