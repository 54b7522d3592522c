# How a chapter and a program are put together.

# What all our sources are compiled with. CI turns warnings into errors (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(project_options INTERFACE)
target_include_directories(project_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(project_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Before 13 it warns of `"text" + std::string` (GCC bug 105329).
  target_compile_options(project_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(FLASH_HAS_GPU)
  # nvcc's warning 445 is about template parameters of a lambda that its conversion to a pointer cannot deduce. We never
  # convert it.
  target_compile_options(project_options INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -Xcompiler=-Wall,-Wextra --diag-suppress=445>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${CMAKE_COMPILE_WARNING_AS_ERROR}>>:-Xcompiler=-Werror>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FLASH_RESOURCE_USAGE}>>:-Xptxas=-v>)
endif()

# Adds the program chapterN. Its kernels are in chapterN_simulator and, with a GPU, chapterN_gpu: object libraries,
# because a chapter registers itself before main and nothing refers to it.
function(add_chapter chapter)
  set(directory "${PROJECT_SOURCE_DIR}/${chapter}")

  # A file has one language to CMake, and chapter.cu is CUDA; through this one the host compiler reads it as C++.
  set(host_source "${PROJECT_BINARY_DIR}/chapters/${chapter}.cpp")
  file(CONFIGURE OUTPUT "${host_source}" CONTENT "#include \"${directory}/chapter.cu\"\n")
  add_library(${chapter}_simulator OBJECT "${host_source}")
  target_include_directories(${chapter}_simulator PRIVATE "${directory}")
  target_compile_options(${chapter}_simulator PRIVATE -Wno-unknown-pragmas)  # #pragma unroll
  target_link_libraries(${chapter}_simulator PRIVATE project_options)

  if(FLASH_HAS_GPU)
    add_library(${chapter}_gpu OBJECT "${directory}/chapter.cu")
    target_include_directories(${chapter}_gpu PRIVATE "${directory}")
    target_link_libraries(${chapter}_gpu PRIVATE project_options)
  endif()

  if(NOT TARGET chapter_main)
    add_library(chapter_main OBJECT common/harness/main/chapter.cpp)
    target_link_libraries(chapter_main PRIVATE harness)
  endif()
  add_executable(${chapter})
  target_link_libraries(${chapter} PRIVATE chapter_main)
  link_chapters(${chapter} ${chapter})
endfunction()

# Adds a program that has all chapters.
function(add_program name)
  add_executable(${name} ${ARGN})
  link_chapters(${name} ${chapters})
endfunction()

# Links chapters into a program, and what they need.
function(link_chapters target)
  foreach(chapter IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE ${chapter}_simulator)
    if(FLASH_HAS_GPU)
      target_link_libraries(${target} PRIVATE ${chapter}_gpu)
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE harness)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
