#!/bin/sh
# cpp.sh PRESET [ctest arguments]: builds the C++ half in one of its presets
# and runs its tests.
set -eu
preset=$1
shift
cd "$(dirname "$0")/../cpp"

# missing PACKAGE WHAT: installs a Debian package where that can be done, else
# says in one line what is needed.
missing() {
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "installing $1, for $2"
		apt-get install -y -q "$1" >/dev/null 2>&1 && return
		apt-get update -q >/dev/null 2>&1 && apt-get install -y -q "$1" >/dev/null 2>&1 && return
	fi
	echo "the C++ half needs $2: install it (on Debian: apt-get install $1)" >&2
	exit 1
}

command -v cmake >/dev/null || missing cmake "CMake 3.22 or newer"
command -v "${CXX:-c++}" >/dev/null || missing g++ "a C++20 compiler"
echo '#include <gtest/gtest.h>' | "${CXX:-c++}" -x c++ -std=c++20 -E - >/dev/null 2>&1 || missing libgtest-dev GoogleTest

if [ "$preset" = tsan ] && ! echo 'int main() {}' | "${CXX:-c++}" -x c++ -fsanitize=thread -o /dev/null - 2>/dev/null; then
	echo "SKIPPED: this compiler has no ThreadSanitizer"
	exit 0
fi
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -j "$(nproc 2>/dev/null || echo 2)"
ctest --preset "$preset" "$@"
