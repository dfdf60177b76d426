# Installs BUILD below WORK, then builds SOURCE against it and runs it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config Release)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build --config Release)
find_program(consumer NAMES consumer PATHS ${WORK}/build ${WORK}/build/Release NO_DEFAULT_PATH REQUIRED)
run(${consumer})

# The same without CMake.
find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  file(GLOB_RECURSE file ${WORK}/prefix/*/ebbpool.pc)
  get_filename_component(folder "${file}" DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  execute_process(COMMAND ${pkg_config} --cflags --libs ebbpool RESULT_VARIABLE result
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "pkg-config does not find ebbpool in ${folder}")
  endif()
  separate_arguments(flags)
  run(${CXX} -std=c++20 ${SOURCE}/main.cpp -o ${WORK}/by_pkg_config ${flags})
  run(${WORK}/by_pkg_config)
  run(${pkg_config} --exact-version=${VERSION} ebbpool)
else()
  message("SKIPPED: no pkg-config")
endif()
