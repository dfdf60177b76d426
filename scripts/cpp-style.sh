#!/bin/sh
# cpp-style.sh: clang-format and clang-tidy over the C++ half. Both answer
# differently from version to version, so only the one that the configuration
# was written for is asked: 14.
set -eu
cd "$(dirname "$0")/../cpp"

tool14() {
	for name in "$1-14" "$1"; do
		if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
			echo "$name"
			return
		fi
	done
}

format=$(tool14 clang-format)
if [ -n "$format" ]; then
	find include test bench misuse example \( -name '*.hpp' -o -name '*.cpp' \) -exec "$format" --dry-run --Werror {} +
	echo "clang-format: all files are as it would write them"
else
	echo "SKIPPED: no clang-format 14"
fi

tidy=$(tool14 clang-tidy)
if [ -n "$tidy" ]; then
	for header in include/ebbpool/*.hpp; do
		"$tidy" --quiet "$header" -- -x c++ -std=c++20 -Iinclude 2>/dev/null
	done
	echo "clang-tidy: nothing found in the headers"
else
	echo "SKIPPED: no clang-tidy 14"
fi
