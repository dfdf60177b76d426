#!/bin/sh
# cpp-compilers.sh [-all]: builds and runs one program that uses the whole library, with every installed gcc and clang:
# with default options, without exceptions and RTTI, without compiler builtins, from the module, and with libc++. -all
# first installs the compilers of Debian, if possible, and runs all tests with each clang. Programs for Windows run
# under wine.
set -eu
cd "$(dirname "$0")/../cpp"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

# Installed one by one, so that a missing package does not prevent the others.
if [ "${1-}" = -all ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	apt-get update -q >/dev/null 2>&1 || true
	for package in g++-12 g++-13 g++-14 g++-15 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 libc++-19-dev libc++abi-19-dev g++-mingw-w64-x86-64; do
		# apt-get would take an unknown name with + for a regular expression.
		if [ -z "$(apt-cache madison "$package")" ] ||
			! apt-get install -y -q --no-install-recommends "$package" >/dev/null 2>&1; then
			echo "Debian here has no $package"
		fi
	done
fi

# passes PROGRAM... runs the program and checks its last line, because under wine a program that crashes may print
# nothing and exit with 0.
passes() {
	timeout 1200 "$@" >"$work/output" || return 1
	tr -d '\r' <"$work/output" | tail -n 1 | grep -qx 'as it should be' || {
		echo "$*: did not run to its end" >&2
		return 1
	}
}

# run COMPILER FLAGS... builds and runs the program.
run() {
	"$@" -std=c++20 $warn -Iinclude test/anywhere.cpp -o "$work/anywhere" -pthread
	passes "$work/anywhere" ../traces
	echo "$*: passes"
}

tried=0
for compiler in g++-12 g++-13 g++-14 g++-15 clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19; do
	command -v "$compiler" >/dev/null || continue
	tried=$((tried + 1))
	run "$compiler" -O2
	run "$compiler" -O2 -fno-exceptions -fno-rtti
	run "$compiler" -O1 -DEBB_PLAIN
	case $compiler in clang++-1[789])
		"$compiler" -std=c++20 -O1 -pthread -Iinclude --precompile module/ebbpool.cppm -o "$work/ebbpool.pcm"
		"$compiler" -std=c++20 -O1 -pthread $warn -DANYWHERE_MODULE -fmodule-file=ebbpool="$work/ebbpool.pcm" \
			test/anywhere.cpp "$work/ebbpool.pcm" -o "$work/anywhere"
		passes "$work/anywhere"
		echo "$compiler, import ebbpool: passes"
		;;
	esac
	# MemorySanitizer detects reads of uninitialized memory.
	case $compiler in clang*)
		if "$compiler" -std=c++20 -O1 -fsanitize=memory -Iinclude test/uninitialized.cpp -o "$work/uninitialized" \
			-pthread 2>/dev/null; then
			passes "$work/uninitialized"
			for what in 1 2 3; do
				if "$work/uninitialized" $what >/dev/null 2>&1; then
					echo "$compiler: MemorySanitizer misses read $what" >&2
					exit 1
				fi
			done
			echo "$compiler -fsanitize=memory: passes"
		fi
		;;
	esac
	# The standard library of Apple's compiler.
	case $compiler in clang*)
		if echo '#include <vector>
			int main() { return static_cast<int>(std::vector<int>().size()); }' |
			"$compiler" -stdlib=libc++ -std=c++20 -Werror -x c++ -o "$work/probe" - 2>/dev/null && "$work/probe"; then
			run "$compiler" -O2 -stdlib=libc++
		fi
		;;
	esac
	case ${1-}$compiler in
	-allg++*) test/mixed/run.sh "$compiler" ;;
	-allclang*)
		cmake --preset release -B "build/$compiler" -DCMAKE_CXX_COMPILER="$compiler" -DEBBPOOL_BUILD_BENCH=OFF >/dev/null
		cmake --build "build/$compiler" -j "$(nproc 2>/dev/null || echo 2)"
		ctest --test-dir "build/$compiler" --output-on-failure
		;;
	esac
done
. ../scripts/skipped.sh

# Windows, with both thread models of Debian's compiler.
for compiler in x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++-win32; do
	command -v "$compiler" >/dev/null || continue
	"$compiler" -std=c++20 -O2 $warn -Iinclude test/anywhere.cpp -o "$work/anywhere.exe" -static
	if command -v wine >/dev/null; then
		(cd .. && WINEDEBUG=-all && export WINEDEBUG && passes wine "$work/anywhere.exe" traces)
		echo "$compiler: passes"
	else
		echo "$compiler: it compiles"
		skipped "the program of $compiler: no wine (on Debian: apt-get install wine)"
	fi
done
../scripts/cpp-msvc.sh
[ "$tried" -gt 0 ] || skipped "no compiler with its version in its name, such as g++-12 or clang++-14"
