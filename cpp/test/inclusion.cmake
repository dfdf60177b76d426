# Ways to include the headers: installed, fetched, each alone, as a single header.

# A project that uses the installed package.
if(NOT CMAKE_CROSSCOMPILING)
  add_test(NAME consumer
    COMMAND ${CMAKE_COMMAND}
      -DBUILD=${PROJECT_BINARY_DIR}
      -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/consumer
      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer
      -DCXX=${CMAKE_CXX_COMPILER}
      -DGENERATOR=${CMAKE_GENERATOR}
      -DVERSION=${PROJECT_VERSION}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.cmake)
endif()

# A project that uses the repository by FetchContent.
if(EXISTS ${PROJECT_SOURCE_DIR}/../CMakeLists.txt AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME fetch
    COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test
      ${CMAKE_CURRENT_SOURCE_DIR}/fetch ${CMAKE_CURRENT_BINARY_DIR}/fetch
      --build-generator ${CMAKE_GENERATOR}
      --build-options -DEBBPOOL_ROOT=${PROJECT_SOURCE_DIR}/.. -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
      --test-command fetcher)
endif()

# Every header alone, with all warnings.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/ebbpool/*.hpp)
set(header_sources)
foreach(header ${headers})
  string(MAKE_C_IDENTIFIER ${header} id)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${id}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <@header@>\n#include <@header@>\n" @ONLY)
  list(APPEND header_sources ${source})
endforeach()
add_library(headers_alone OBJECT ${header_sources})
target_link_libraries(headers_alone PRIVATE ebbpool_dev)

# A program that uses the whole library. Scripts also build it for other compilers and processors.
add_executable(anywhere anywhere.cpp)
target_link_libraries(anywhere PRIVATE ebbpool_dev)
# Some users enable this warning. The other tests need such casts for types of the standard library.
if(CMAKE_SIZEOF_VOID_P EQUAL 8) # elsewhere casts between std::size_t and std::uint32_t are useless
  target_compile_options(anywhere PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wuseless-cast>)
endif()
add_test(NAME anywhere COMMAND anywhere ${EBBPOOL_TRACES})

# The same program with the single header.
if(EXISTS ${PROJECT_SOURCE_DIR}/../scripts/cpp-single.sh AND UNIX)
  add_test(NAME single_is_fresh COMMAND ${PROJECT_SOURCE_DIR}/../scripts/cpp-single.sh -check)
endif()
add_executable(anywhere_single anywhere.cpp)
target_link_libraries(anywhere_single PRIVATE ebbpool_dev)
target_compile_definitions(anywhere_single PRIVATE ANYWHERE_SINGLE)
target_include_directories(anywhere_single PRIVATE ${PROJECT_SOURCE_DIR}/single)
add_test(NAME anywhere_single COMMAND anywhere_single)

# Object files compiled with different options.
if(UNIX AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME mixed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mixed/run.sh ${CMAKE_CXX_COMPILER})
endif()

# Without exceptions and RTTI.
if(NOT MSVC)
  add_library(headers_bare OBJECT bare.cpp)
  target_link_libraries(headers_bare PRIVATE ebbpool_dev)
  target_compile_options(headers_bare PRIVATE -fno-exceptions -fno-rtti)
endif()
