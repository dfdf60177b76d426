# An overlay port. It installs the clone that contains it:
#
#     vcpkg install ebbpool --overlay-ports=cpp/packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # headers only
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DEBBPOOL_BUILD_TESTS=OFF -DEBBPOOL_BUILD_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/ebbpool)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib/cmake")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/../LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
