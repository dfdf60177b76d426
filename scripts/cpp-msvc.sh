#!/bin/sh
# cpp-msvc.sh: compiles the library, and a program that uses all of it, in clang's MSVC mode with Microsoft's standard
# library, to find code without a branch for MSVC, and names that Windows headers lack. It does not link.
#
# STL is a checkout of github.com/microsoft/STL; without it, one is fetched into _build/tools. The C library's headers
# are mingw's, and cpp/test/msvc replaces headers that only Visual Studio has.
set -eu
cd "$(dirname "$0")/.."
. scripts/skipped.sh

clang=
for name in clang++-19 clang++-20 clang++-21 clang++; do
	command -v "$name" >/dev/null && clang=$name && break
done
mingw=/usr/share/mingw-w64/include
[ -n "$clang" ] || { skipped "MSVC mode: no clang (on Debian: apt-get install clang-19)" && exit; }
[ -d "$mingw" ] || { skipped "MSVC mode: no headers of Windows (on Debian: apt-get install mingw-w64-common)" && exit; }
stl=${STL:-_build/tools/STL}
if [ -z "${STL-}" ] && [ ! -d "$stl/stl/inc" ]; then
	rm -rf "$stl"
	git clone -q --depth 1 --filter=blob:none --no-checkout https://github.com/microsoft/STL "$stl" 2>/dev/null &&
		git -C "$stl" checkout -q HEAD -- stl/inc ||
		{ skipped "MSVC mode: Microsoft's standard library can't be fetched" && exit; }
fi

# mingw's headers don't declare abort as noreturn in this mode.
for source in anywhere.cpp fuzz_long.cpp; do
	"$clang" --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.44 -std=c++20 -fsyntax-only -nostdlibinc \
		-D_ALLOW_COMPILER_AND_STL_VERSION_MISMATCH -D_UCRT -D_CRT_PACKING=8 \
		-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-invalid-noreturn -Icpp/include \
		-isystem "$stl/stl/inc" -isystem cpp/test/msvc -isystem "$mingw" "cpp/test/$source"
	echo "$clang, MSVC mode: $source compiles"
done
