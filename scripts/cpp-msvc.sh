#!/bin/sh
# cpp-msvc.sh: compiles the library, and a program that uses all of it, in clang's MSVC mode with Microsoft's standard
# library, to find code without a branch for MSVC, and names that Windows headers lack. It does not link.
#
# STL is a checkout of github.com/microsoft/STL; without it, one is fetched into _build/tools. The C library's headers
# are mingw's, and cpp/test/msvc replaces headers that only Visual Studio has. If it can't be fetched, mingw's standard
# library takes its place.
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
		git -C "$stl" checkout -q HEAD -- stl/inc || rm -rf "$stl"
fi

if [ -d "$stl/stl/inc" ]; then
	library="Microsoft's"
	# mingw's headers don't declare abort as noreturn in this mode.
	set -- --target=x86_64-pc-windows-msvc -fms-compatibility-version=19.44 -nostdlibinc \
		-D_ALLOW_COMPILER_AND_STL_VERSION_MISMATCH -D_UCRT -D_CRT_PACKING=8 -Wno-invalid-noreturn \
		-isystem "$stl/stl/inc" -isystem cpp/test/msvc -isystem "$mingw"
elif command -v x86_64-w64-mingw32-g++ >/dev/null; then
	library="mingw's"
	# The standard headers come first, so that only ours see MSVC's macro instead of gcc's.
	before=$(mktemp)
	trap 'rm "$before"' EXIT
	grep -hoE '^#include <[a-z_]+>' cpp/include/ebbpool/*.hpp cpp/test/*.hpp cpp/test/anywhere.cpp cpp/test/fuzz_long.cpp |
		sort -u >"$before"
	printf '#undef __GNUC__\n#define _MSC_VER 1944\n' >>"$before"
	set -- --target=x86_64-w64-mingw32 -fms-extensions -Wno-builtin-macro-redefined -include "$before"
else
	skipped "MSVC mode: Microsoft's standard library can't be fetched, and there is no mingw (on Debian: apt-get install g++-mingw-w64-x86-64)"
	exit
fi
for source in anywhere.cpp fuzz_long.cpp; do
	"$clang" "$@" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Icpp/include \
		"cpp/test/$source"
	echo "$clang, MSVC mode, $library standard library: $source compiles"
done
