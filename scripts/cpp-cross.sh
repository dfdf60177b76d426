#!/bin/sh
# cpp-cross.sh [-quick] ARCH...: builds the C++ tests for other processors and runs them in qemu. ARCH is aarch64,
# riscv64, s390x or i686. i686 runs without qemu, in which its threads hardly make progress. With -quick, it is one
# program that also replays the shared traces. If the compiler, the emulator or GoogleTest's sources are missing, it
# prints one line.
set -eu
cd "$(dirname "$0")/../cpp"
. ../scripts/skipped.sh
gtest=/usr/src/googletest/googletest
quick=
if [ "${1-}" = -quick ]; then
	quick=yes
	shift
fi
for arch in "$@"; do
	compiler=$arch-linux-gnu-g++
	emulator="qemu-$arch -L /usr/$arch-linux-gnu"
	[ "$arch" != i686 ] || emulator="/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib"
	if ! command -v "$compiler" >/dev/null; then
		skipped "C++ on $arch: no $compiler (on Debian: apt-get install g++-$arch-linux-gnu)"
		continue
	fi
	if ! command -v "${emulator%% *}" >/dev/null; then
		skipped "C++ on $arch: no ${emulator%% *} (on Debian: apt-get install qemu-user)"
		continue
	fi
	if [ -n "$quick" ]; then
		mkdir -p "build/$arch"
		"$compiler" -std=c++20 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude \
			test/anywhere.cpp -o "build/$arch/anywhere" -pthread
		timeout 1200 $emulator "build/$arch/anywhere" ../traces >/dev/null
		echo "C++ on $arch: as it should be"
		continue
	fi
	if [ ! -d "$gtest" ]; then
		skipped "C++ on $arch: no sources of GoogleTest in $gtest (on Debian: apt-get install googletest)"
		continue
	fi
	cmake --preset cross -B "build/$arch" -DCMAKE_SYSTEM_PROCESSOR="$arch" -DCMAKE_CXX_COMPILER="$compiler" \
		-DCMAKE_CROSSCOMPILING_EMULATOR="$(echo "$emulator" | tr ' ' ';')" -DEBBPOOL_GTEST_SOURCE="$gtest" >/dev/null
	cmake --build "build/$arch" -j "$(nproc 2>/dev/null || echo 2)"
	ctest --test-dir "build/$arch" --output-on-failure --timeout 3600
done
