#!/bin/sh
# cpp-bench.sh: measures the C++ half and its peers, with gcc and clang if installed, and writes the tables of
# docs/generated/cpp-speed.md. It takes ten minutes, more with valgrind, on an idle machine. Installed peers are
# measured: Debian has them in libboost-dev, libfoonathan-memory-dev, libjemalloc2, libmimalloc2.0, libprotobuf-dev,
# libtbbmalloc2 and libtcmalloc-minimal4.
set -eu
cd "$(dirname "$0")/.."
# named COMPILER prints its name and version.
named() {
	echo "$1 $("$2" -dumpfullversion -dumpversion | cut -d. -f1,2)"
}
scripts/cpp.sh bench -N
set -- "$(named gcc "${CXX:-c++}")=../cpp/build/release/bench"
if scripts/cpp.sh clang -N && [ -x cpp/build/clang/bench ]; then
	clang=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' cpp/build/clang/CMakeCache.txt)
	set -- "$@" "$(named clang "$clang")=../cpp/build/clang/bench"
fi
mkdir -p lab/results
# Without valgrind, or if it can't run the program, the old counts stay.
if cpp/bench/bench_callgrind.sh cpp/build/release/bench >lab/results/instructions.txt && [ -s lab/results/instructions.txt ]; then
	set -- -instructions results/instructions.txt "$@"
fi
cd lab
${GO:-go} run ./cmd/lab cpp -publish "$@"
