# Finds the installed packages. One that is missing is downloaded, in the version and with the hash given here; nothing
# is downloaded when all are installed.
include(FetchContent)

# find_or_download(name url sha256 [arguments of find_package])
macro(find_or_download name url sha256)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(STATUS "${name}: not installed, downloading ${url} (common/tools/setup installs all packages)")
    FetchContent_Declare(${name} SYSTEM URL ${url} URL_HASH SHA256=${sha256})
    FetchContent_MakeAvailable(${name})
  endif()
endmacro()

# Someone else's warnings are not our errors.
set(warnings_as_errors "${CMAKE_COMPILE_WARNING_AS_ERROR}")
set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)

find_package(Threads REQUIRED)

set(BOOST_INCLUDE_LIBRARIES context)
set(BOOST_SKIP_INSTALL_RULES ON)
find_or_download(Boost
  https://github.com/boostorg/boost/releases/download/boost-1.87.0/boost-1.87.0-cmake.tar.xz
  7da75f171837577a52bbf217e17f8ea576c7c246e4594d617bfde7fafd408be5
  CONFIG COMPONENTS context)

find_or_download(CLI11
  https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
  f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)

find_or_download(nlohmann_json
  https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)

if(FLASH_TESTS)
  set(INSTALL_GTEST OFF)
  find_or_download(GTest
    https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
  include(GoogleTest)
endif()

if(FLASH_BENCHMARKS)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  set(BENCHMARK_ENABLE_WERROR OFF)
  find_or_download(benchmark
    https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
endif()

set(CMAKE_COMPILE_WARNING_AS_ERROR "${warnings_as_errors}")
