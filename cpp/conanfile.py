# The recipe for Conan 2. It packages the clone that contains it:
#
#     conan create cpp
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load


class Ebbpool(ConanFile):
    name = "ebbpool"
    description = "Regions and fixed-capacity object pools that catch misuse in release builds"
    homepage = "https://github.com/ebbpool/arena"
    license = "MIT"
    topics = ("arena", "memory-pool", "allocator", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "CMakeLists.txt", "include/*", "cmake/*"
    no_copy_source = True
    test_package_folder = "packaging/test_package"

    # The version has one home.
    def set_version(self):
        found = re.search(r"project\(ebbpool VERSION ([0-9.]+)", load(self, os.path.join(self.recipe_folder, "CMakeLists.txt")))
        self.version = found.group(1)

    def export_sources(self):
        copy(self, "LICENSE", os.path.join(self.recipe_folder, ".."), self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        tc = CMakeToolchain(self)
        tc.cache_variables["EBBPOOL_BUILD_TESTS"] = False
        tc.cache_variables["EBBPOOL_BUILD_BENCH"] = False
        tc.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # The files that CMake has installed are used as they are.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "ebbpool")]
        self.cpp_info.set_property("cmake_file_name", "ebbpool")
        self.cpp_info.set_property("cmake_target_name", "ebbpool::ebbpool")
        self.cpp_info.libdirs = []
        self.cpp_info.bindirs = []
        if self.settings.get_safe("os") in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
