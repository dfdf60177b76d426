#!/bin/sh
# cpp.sh PRESET [ctest arguments]: builds the C++ half with a preset and runs its tests. Presets for clang are skipped
# if it is not installed. "bench" builds and runs only the benchmarks of the preset release.
set -eu
preset=$1
shift
only=
if [ "$preset" = bench ]; then
	preset=release
	only=bench
fi
cd "$(dirname "$0")/../cpp"
. ../scripts/skipped.sh
PATH=$(cd .. && pwd)/_build/tools/bin:$PATH # for tools that setup.sh installs

skip() {
	skipped "$1"
	exit 0
}

# newest TOOL prints the name of the newest installed version from 14 on, or nothing. Distributions install clang's
# tools with and without the version in the name.
newest() {
	for version in "" -21 -20 -19 -18 -17 -16 -15 -14; do
		if command -v "$1$version" >/dev/null && "$1$version" --version 2>/dev/null |
			awk 'match($0, /version [0-9]+/) { exit substr($0, RSTART + 8, RLENGTH - 8) < 14 }'; then
			echo "$1$version"
			return
		fi
	done
}

compiles() {
	echo 'int main() {}' | "$compiler" "$@" -x c++ -o /dev/null - 2>/dev/null
}

../scripts/setup.sh "${only:-test}"
command -v cmake >/dev/null || skip "preset $preset: no CMake 3.22 or newer (on Debian: apt-get install cmake)"
case $preset in
clang* | fuzz)
	compiler=$(newest clang++)
	[ -n "$compiler" ] || skip "preset $preset: no clang 14 or newer (on Debian: apt-get install clang)"
	compiles || skip "preset $preset: $compiler can't link a program"
	;;
*)
	compiler=${CXX:-c++}
	command -v "$compiler" >/dev/null || skip "preset $preset: no C++20 compiler (on Debian: apt-get install g++)"
	;;
esac
gtest=
if ! echo '#include <gtest/gtest.h>' | "$compiler" -x c++ -std=c++20 -E - >/dev/null 2>&1; then
	gtest=$(cd .. && pwd)/_build/tools/googletest
	[ -d "$gtest" ] || skip "preset $preset: no GoogleTest (on Debian: apt-get install libgtest-dev)"
fi
[ "$preset" != tsan ] || compiles -fsanitize=thread || skip "preset tsan: $compiler has no ThreadSanitizer"
[ "$preset" != fuzz ] || echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
	"$compiler" -fsanitize=fuzzer -x c++ -o /dev/null - 2>/dev/null || skip "preset fuzz: $compiler has no libFuzzer"

cmake --preset "$preset" -DCMAKE_CXX_COMPILER="$compiler" -DEBBPOOL_GTEST_SOURCE="$gtest" >/dev/null
case $only$preset in
benchrelease)
	echo '#include <benchmark/benchmark.h>' | "$compiler" -x c++ -std=c++20 -E - >/dev/null 2>&1 ||
		skip "the benchmarks: no google/benchmark (on Debian: apt-get install libbenchmark-dev)"
	cmake --build --preset "$preset" -j "$(nproc 2>/dev/null || echo 2)" --target bench
	set -- -R '^bench' "$@"
	;;
# ThreadSanitizer needs tests with threads only.
tsan)
	cmake --build --preset "$preset" -j "$(nproc 2>/dev/null || echo 2)" --target tests example_threads
	set -- -R '^(tests|example_threads)$' "$@"
	;;
*) cmake --build --preset "$preset" -j "$(nproc 2>/dev/null || echo 2)" ;;
esac
if [ "$preset" = fuzz ]; then
	build/fuzz/fuzz_trace -max_total_time="${FUZZSECONDS:-30}" -print_final_stats=1 "$@"
else
	ctest --preset "$preset" "$@"
fi
