#!/bin/sh
# cpp-style.sh: runs clang-format and clang-tidy on the C++ half. Results depend on the version, so only version 14 is
# used: the system's, or one that pip installs into _build/tools (unless INSTALL=0).
set -eu
cd "$(dirname "$0")/../cpp"
. ../scripts/skipped.sh
tools=$(cd .. && pwd)/_build/tools

tool14() {
	for name in "$1-14" "$1" "$tools/style/bin/$1"; do
		if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
			echo "$name"
			return
		fi
	done
}

for tool in clang-format clang-tidy; do
	if [ -z "$(tool14 $tool)" ] && [ "${INSTALL-1}" != 0 ]; then
		echo "installing $tool 14 into _build/tools"
		mkdir -p "$tools"
		{ [ -x "$tools/style/bin/pip" ] || python3 -m venv "$tools/style"; } >"$tools/log" 2>&1 &&
			"$tools/style/bin/pip" install -q "$tool==14.0.6" >>"$tools/log" 2>&1 || true
	fi
done

format=$(tool14 clang-format)
if [ -n "$format" ]; then
	find include test bench example \( -name '*.hpp' -o -name '*.cpp' \) -exec "$format" --dry-run --Werror {} +
	echo "clang-format: all files are as it would write them"
else
	skipped "no clang-format 14"
fi

tidy=$(tool14 clang-tidy)
if [ -n "$tidy" ]; then
	# The tool of pip lacks the compiler's own headers.
	own=
	case $tidy in */*) own="-isystem$("${CXX:-c++}" -print-file-name=include)" ;; esac
	# All headers in one program, because the standard library is most of the work. The analyzer checks headers only
	# with an option.
	all=$(mktemp --suffix=.cpp)
	trap 'rm "$all"' EXIT
	for header in include/ebbpool/*.hpp; do
		echo "#include <ebbpool/${header##*/}>"
	done >"$all"
	"$tidy" --quiet --config-file=.clang-tidy "$all" -- \
		-std=c++20 -Iinclude -Xclang -analyzer-opt-analyze-headers ${own:+"$own"} 2>/dev/null
	echo "clang-tidy: nothing found in the headers"
else
	skipped "no clang-tidy 14"
fi
