# Every dependency by its Debian package; `datum` installs them.
include(GoogleTest)
find_package(Threads REQUIRED)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)            # libeigen3-dev
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  # Else its lanes contract products and sums on their own, and a verdict's last digits are not those of an x86.
  target_compile_options(Eigen3::Eigen INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-U__ARM_FEATURE_FMA>)
endif()
if(DATUM_TESTS)
  find_package(GTest REQUIRED)                         # libgtest-dev, libgmock-dev
endif()
if(DATUM_BENCH)
  find_package(benchmark REQUIRED)                     # libbenchmark-dev
endif()
if(DATUM_DAEMON)
  find_package(PkgConfig REQUIRED)
  find_package(fmt REQUIRED)                           # libfmt-dev
  find_package(nlohmann_json 3.9 REQUIRED)             # nlohmann-json3-dev
  # Ubuntu 22.04's defines what the header assumes anyway, so that precompiled headers would not fit those without it.
  set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_COMPILE_DEFINITIONS "")
  find_package(CLI11 REQUIRED)                         # libcli11-dev
  find_package(TIFF REQUIRED)                          # libtiff-dev
  find_package(PNG REQUIRED)                           # libpng-dev
  find_package(ZLIB REQUIRED)                          # zlib1g-dev
  find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)  # libssl-dev
  find_package(SQLite3 REQUIRED)                       # libsqlite3-dev
  pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)        # libsystemd-dev
  pkg_check_modules(SERIALPORT REQUIRED IMPORTED_TARGET libserialport)  # libserialport-dev
  if(DATUM_TESTS)
    pkg_check_modules(MODBUS REQUIRED IMPORTED_TARGET libmodbus)        # libmodbus-dev, the hosts of tests
  endif()
  pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)          # libpcre2-dev
  pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)             # libzip-dev
  find_package(pugixml REQUIRED)                       # libpugixml-dev
  pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo-ft cairo-pdf cairo-svg)  # libcairo2-dev
  pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)        # libfreetype-dev
  if(DATUM_OFFLINE)
    find_package(Boost 1.74 REQUIRED NO_MODULE)          # libboost-dev
    # Of another compiler; it would have what a first demo compiled compiled again.
    set_target_properties(Boost::headers PROPERTIES INTERFACE_COMPILE_DEFINITIONS "")
    pkg_check_modules(LIBARCHIVE REQUIRED IMPORTED_TARGET libarchive)     # libarchive-dev
    find_path(MUSTACHE_INCLUDE kainjow/mustache.hpp REQUIRED)           # libkainjow-mustache-dev
    pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)  # libmicrohttpd-dev
  endif()
  find_package(ZXing 1.4 QUIET CONFIG)                   # libzxing-dev; DataMatrix codes, which a build without it refuses
  foreach(newer 2 3)
    if(NOT ZXing_FOUND)
      find_package(ZXing ${newer} QUIET CONFIG)
    endif()
  endforeach()
  if(NOT ZXing_FOUND)
    message(STATUS "DataMatrix codes: not read (no libzxing-dev 1.4 or newer)")
  elseif(DATUM_TESTS)
    find_library(ZINT_LIBRARY zint REQUIRED)             # libzint-dev, which makes the codes of tests
  endif()
  if(DATUM_PLANT)
    # Its engine: connections and TLS are datumd's own.
    find_path(PROTON_CORE_INCLUDE proton/connection_driver.h REQUIRED)       # libqpid-proton11-dev
    find_library(PROTON_CORE_LIBRARY qpid-proton REQUIRED)
    add_library(datum_proton_core INTERFACE)
    target_include_directories(datum_proton_core SYSTEM INTERFACE ${PROTON_CORE_INCLUDE})
    target_link_libraries(datum_proton_core INTERFACE ${PROTON_CORE_LIBRARY})
  endif()
  if(DATUM_PLANT)  # of datumd-collect
    pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)                  # libpq-dev, of datumd-plant-view
    pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)              # libpqxx-dev
    pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)         # libsimdjson-dev
  endif()
  # Its own pkg-config file asks for the headers of a library that it only links.
  pkg_check_modules(GIO REQUIRED IMPORTED_TARGET gio-2.0 gobject-2.0)
  find_path(ARAVIS_INCLUDE arv.h PATH_SUFFIXES aravis-0.8 REQUIRED)     # libaravis-dev
  find_library(ARAVIS_LIBRARY aravis-0.8 REQUIRED)
  add_library(datum_aravis INTERFACE)
  target_include_directories(datum_aravis SYSTEM INTERFACE ${ARAVIS_INCLUDE})
  target_link_libraries(datum_aravis INTERFACE ${ARAVIS_LIBRARY} PkgConfig::GIO)
  pkg_check_modules(TOMLPP IMPORTED_TARGET tomlplusplus)                # libtomlplusplus-dev
  if(NOT TOMLPP_FOUND)  # Ubuntu 22.04: the headers alone, which the script datum takes from 24.04
    find_path(TOMLPP_INCLUDE toml++/toml.h HINTS ${CMAKE_SOURCE_DIR}/build/tomlplusplus/usr/include REQUIRED)
    add_library(PkgConfig::TOMLPP INTERFACE IMPORTED)
    target_include_directories(PkgConfig::TOMLPP SYSTEM INTERFACE ${TOMLPP_INCLUDE})
  endif()
endif()

if(DATUM_PRECOMPILE AND DATUM_DAEMON)
  datum_headers(computing FILES <Eigen/Geometry>)
  datum_headers(light)
  datum_headers(light JSON)
  if(DATUM_TESTS)
    datum_headers(test LIBS GTest::gtest GTest::gmock FILES <gmock/gmock.h> <gtest/gtest.h> <random> <Eigen/Geometry>)
    foreach(json "" JSON)
      datum_headers(light_test ${json} LIBS GTest::gtest GTest::gmock FILES <gmock/gmock.h> <gtest/gtest.h> <Eigen/Geometry>)
    endforeach()
  endif()
endif()
