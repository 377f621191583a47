# Finds the LibTorch that cmake/setup.sh unpacked, as the target canvaslab::torch. The wheel's own CMake package is not
# used: it insists on the CUDA Toolkit even for programs that only need the CPU libraries.
set(libtorch_root "${CMAKE_SOURCE_DIR}/.deps/libtorch")
if(NOT EXISTS "${libtorch_root}/torch/lib/libtorch_cpu.so")
  message(FATAL_ERROR "LibTorch is not unpacked in ${libtorch_root}: run ./lab build (or cmake/setup.sh PRESET) first")
endif()

add_library(canvaslab_torch INTERFACE)
add_library(canvaslab::torch ALIAS canvaslab_torch)
target_include_directories(canvaslab_torch SYSTEM INTERFACE
  "${libtorch_root}/torch/include" "${libtorch_root}/torch/include/torch/csrc/api/include")
target_link_libraries(canvaslab_torch INTERFACE
  "${libtorch_root}/torch/lib/libtorch_cpu.so" "${libtorch_root}/torch/lib/libc10.so")
# at::parallel_for is a template: without OpenMP its loops run on one thread. Not for the thread sanitizer, to which
# the barriers of a libgomp that it did not compile look like races.
if(NOT CANVASLAB_SANITIZE STREQUAL "thread")
  target_compile_options(canvaslab_torch INTERFACE -fopenmp)
  target_link_libraries(canvaslab_torch INTERFACE "${libtorch_root}/torch/lib/libgomp.so.1")
endif()
# The wheel's libraries name each other by relative paths; only the two CUDA libraries need a hint at link time.
target_link_options(canvaslab_torch INTERFACE
  "-Wl,-rpath,${libtorch_root}/torch/lib" "-Wl,-rpath-link,${libtorch_root}/nvidia/cu13/lib")

if(CANVASLAB_CUDA)
  find_package(CUDAToolkit 13 REQUIRED)
  # --no-as-needed: libtorch_cuda registers its kernels when it is loaded, although no symbol of it is named.
  target_link_libraries(canvaslab_torch INTERFACE
    "-Wl,--no-as-needed" "${libtorch_root}/torch/lib/libtorch_cuda.so" "${libtorch_root}/torch/lib/libc10_cuda.so"
    "-Wl,--as-needed" CUDA::cudart)
  # cuDNN, NCCL and the like are found on the machine that runs it, not on the one that builds it.
  target_link_options(canvaslab_torch INTERFACE "-Wl,--unresolved-symbols=ignore-in-shared-libs")
endif()
