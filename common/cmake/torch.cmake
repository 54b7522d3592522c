# PyTorch's C++ library, an optional reference to compare the chapters with on a GPU.
#
# In:  FLASH_TORCH (AUTO, ON, OFF)
# Out: the function link_reference(target), which does nothing where PyTorch is not found
#
# PyTorch's own CMake package is not used: it changes the CUDA flags and architectures of whoever looks for it. Headers
# and libraries are all that the one file that includes them needs, so the rest of the build does not notice.

set(FLASH_TORCH AUTO CACHE STRING "PyTorch as a reference: ON, OFF, or AUTO, which is ON where it is found")
set_property(CACHE FLASH_TORCH PROPERTY STRINGS AUTO ON OFF)

# Sets `reason` to why PyTorch cannot be used, or defines the target reference_torch_libraries.
function(find_torch reason)
  set(${reason} "" PARENT_SCOPE)
  if(NOT FLASH_HAS_GPU)
    set(${reason} "this build has no GPU kernels" PARENT_SCOPE)
    return()
  endif()

  # Where `python3` would import it from. Importing it would take seconds.
  execute_process(COMMAND python3 -c "import importlib.util; print(importlib.util.find_spec('torch').origin)"
                  OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(python_torch "${python_torch}" DIRECTORY)
  find_path(FLASH_TORCH_INCLUDE ATen/ATen.h HINTS "${python_torch}/include")
  mark_as_advanced(FLASH_TORCH_INCLUDE)
  if(NOT FLASH_TORCH_INCLUDE)
    set(${reason} "it was not found (python3 cannot import it, and it is not below CMAKE_PREFIX_PATH)" PARENT_SCOPE)
    return()
  endif()

  # Before 2.6, binaries came with the old ABI of the C++ library.
  set(version 0)
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(EXISTS "${FLASH_TORCH_INCLUDE}/${header}")
      file(READ "${FLASH_TORCH_INCLUDE}/${header}" text)
      if(text MATCHES "define TORCH_VERSION_MAJOR ([0-9]+).*define TORCH_VERSION_MINOR ([0-9]+)")
        set(version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
      endif()
    endif()
  endforeach()
  if(version VERSION_LESS 2.6)
    set(${reason} "the version in ${FLASH_TORCH_INCLUDE} is ${version}, and 2.6 or later is needed" PARENT_SCOPE)
    return()
  endif()

  foreach(library torch torch_cpu torch_cuda c10 c10_cuda)
    find_library(FLASH_LIBRARY_${library} ${library} HINTS "${FLASH_TORCH_INCLUDE}/../lib" NO_DEFAULT_PATH)
    mark_as_advanced(FLASH_LIBRARY_${library})
    if(NOT FLASH_LIBRARY_${library})
      set(${reason} "lib${library} is not beside ${FLASH_TORCH_INCLUDE}, so it has no CUDA" PARENT_SCOPE)
      return()
    endif()
    list(APPEND libraries "${FLASH_LIBRARY_${library}}")
  endforeach()

  # The kernels in libtorch_cuda register themselves: nothing refers to it, yet it must be loaded.
  get_filename_component(directory "${FLASH_LIBRARY_torch}" DIRECTORY)
  add_library(reference_torch_libraries INTERFACE)
  target_link_libraries(reference_torch_libraries INTERFACE
    -Wl,--push-state,--no-as-needed ${libraries} -Wl,--pop-state)
  target_link_options(reference_torch_libraries INTERFACE "-Wl,-rpath,${directory}" -Wl,--allow-shlib-undefined)
  message(STATUS "PyTorch reference: version ${version} in ${directory}.")
endfunction()

if(NOT FLASH_TORCH MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "FLASH_TORCH is '${FLASH_TORCH}', and must be AUTO, ON or OFF.")
elseif(FLASH_TORCH STREQUAL "OFF")
  set(reason "FLASH_TORCH is OFF")
else()
  find_torch(reason)
endif()
if(reason AND FLASH_TORCH STREQUAL "ON")
  message(FATAL_ERROR "FLASH_TORCH is ON, but PyTorch cannot be used: ${reason}.")
elseif(reason AND FLASH_HAS_GPU)
  message(STATUS "PyTorch reference: none, because ${reason}.")
endif()

# Adds the reference to a program.
function(link_reference target)
  if(NOT TARGET reference_torch_libraries)
    return()
  endif()
  if(NOT TARGET reference_torch)
    add_library(reference_torch OBJECT common/harness/reference_torch.cpp)
    target_link_libraries(reference_torch PRIVATE harness)
    target_include_directories(reference_torch SYSTEM PRIVATE
      "${FLASH_TORCH_INCLUDE}" "${FLASH_TORCH_INCLUDE}/torch/csrc/api/include")
  endif()
  target_link_libraries(${target} PRIVATE reference_torch reference_torch_libraries)
endfunction()
