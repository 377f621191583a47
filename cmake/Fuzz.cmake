# The fuzz targets of tests/fuzz, and nothing else: core/config alone, with clang's libFuzzer and its address and
# undefined-behaviour sanitizers. `cmake --preset fuzz` configures them.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "libFuzzer needs clang: cmake --preset fuzz")
endif()
file(GLOB config_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/config/*.cpp)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzzer.cpp)
add_library(fuzzed_config STATIC ${config_sources} ${CMAKE_SOURCE_DIR}/core/nearest.cpp)
target_include_directories(fuzzed_config PUBLIC ${CMAKE_SOURCE_DIR})
target_compile_options(fuzzed_config PUBLIC -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
  -fno-sanitize-recover=undefined)
target_link_libraries(fuzzed_config PUBLIC Threads::Threads yaml-cpp fmt::fmt)
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE fuzzed_config)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined -fuse-ld=lld)
endforeach()
