#!/bin/sh
# cpp-peers.sh [SUITE...]: runs the tests of other memory resources, arenas and pools on Ebbpool, with the adapters in
# cpp/test/peers: libstdc++, libc++, Boost.Container, Boost.Pool, protobuf. Their Debian sources are fetched into
# _build/peers and not committed. Each test is a process. Tests that require more than Ebbpool promises are listed here
# with the reason, and must fail. UPDATE=1 writes the table of cpp/README.md.
set -eu
cd "$(dirname "$0")/.."
. scripts/skipped.sh
work=$(pwd)/_build/peers
release=bookworm

get() {
	apt-get -q -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/apt/lists" \
		-o Dir::Cache="$work/apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@" >"$work/apt/log" 2>&1
}

# fetched FOLDER PACKAGE FILE... extracts files of Debian's source package to $work/FOLDER.
fetched() {
	folder=$work/$1 package=$2
	shift 2
	[ ! -e "$folder/complete" ] || return 0
	command -v apt-get >/dev/null || { skipped "tests of $package: no apt-get"; return 1; }
	mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$folder"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" >"$work/apt/sources.list"
	get update && (cd "$folder" && get source --download-only --tar-only "$package") ||
		{ skipped "tests of $package: Debian's source can't be fetched"; return 1; }
	case $package in
	gcc-*) tar -xOf "$folder"/*.orig.tar.* --wildcards '*/gcc-*-dfsg.tar.xz' | tar -xJ -C "$folder" --strip-components=1 --wildcards "$@" ;;
	*) tar -xf "$(ls "$folder"/*.orig.tar.*)" -C "$folder" --strip-components=1 --wildcards "$@" ;;
	esac
	rm "$folder"/*.orig.tar.*
	touch "$folder/complete"
}

# boost extracts Boost's tests, and the headers that they and the adapters include.
boost() {
	fetched boost1.81 boost1.81 '*/libs/container/test' '*/libs/container/src/global_resource.cpp' '*/libs/pool/test' '*/libs/*/include' || return 1
	CPLUS_INCLUDE_PATH=$(printf '%s:' "$work"/boost1.81/libs/*/include)
	export CPLUS_INCLUDE_PATH
}

# of SUITE:FILE:FUNCTION prints why Ebbpool does not pass the test.
of() {
	case $1 in
	*monotonic*:allocate:test03 | *monotonic*:release:test04 | *:allocate_exception_safety:* | *:allocate_from_initial_buffer:*)
		echo "a buffer begins with the header of a chunk" ;;
	*monotonic*:allocate:test04 | *:allocate_with_initial_size:*) echo "allocations are multiples of 8 bytes" ;;
	*monotonic*:allocate:test07) echo "impossible sizes are not passed to upstream" ;;
	*monotonic*:deallocate:test01) echo "the newest allocation can be freed" ;;
	*d_pool_resource:allocate:test03 | *d_pool_resource:release:test03 | libc++:*sync_allocate:*) echo "requests passed to upstream are not counted, and release() does not free them" ;;
	*d_pool_resource:allocate:test0[67]) echo "requests are passed to upstream unchanged, and the pool's memory is aligned to a cache line" ;;
	*d_pool_resource:allocate-max-chunks:*) echo "a pool does not grow" ;;
	*d_pool_resource:multithreaded:*) echo "a pool is one block" ;;
	boost:*:test_do_allocate | boost:*:test_release) echo "an arena does not report the remaining bytes, and its chunks have a header" ;;
	boost:*:test_upstream_resource | libc++:allocate_overaligned_request:*) echo "upstream gets requests aligned to cache lines" ;;
	boost:test_bug_2696:*) echo "chunks have a header, and grow from more than one element" ;;
	boost:test_bug_3349:*) echo "memory is freed only if no block is allocated" ;;
	protobuf:*:SpaceAllocated_and_Used) echo "storage counts from its first aligned cache line" ;;
	protobuf:*:BlockSizeDoubling) echo "a chunk is as large as all earlier ones, plus its header" ;;
	*) return 1 ;;
	esac
}

passed=0 differ=0 failed=0 suites=
# ran SUITE:FILE:FUNCTION COMMAND... runs a test and counts its result.
ran() {
	which=$1
	shift
	if timeout 120 "$@" >"$work/out" 2>&1; then
		passed=$((passed + 1))
		! reason=$(of "$which") || { echo "$which passes, but is listed as different: $reason"; exit 1; }
	elif reason=$(of "$which"); then
		differ=$((differ + 1))
		echo "$which: different: $reason"
	else
		failed=$((failed + 1))
		echo "$which fails:"
		tail -5 "$work/out"
	fi
}
built() {
	"${CXX:-g++}" -std=c++20 -w -Icpp/include -Icpp/test/peers "$@" -pthread 2>"$work/out" ||
		{ failed=$((failed + 1)); echo "$name does not compile:"; head -5 "$work/out"; return 1; }
}
# said SUITE WHAT NOT_BUILT writes the row of a suite.
said() {
	echo "$1: $passed passed, $differ different, $failed failed"
	echo "| $2 | $passed | $differ | $3 |" >>"$work/table"
	suites="$suites $failed"
	passed=0 differ=0 failed=0
}

# functions SUITE FILE FLAG... runs each function void test...() in its own process, or the program if there is none.
functions() {
	name=$1:$(basename "$2" | sed 's/\..*//') file=$2
	shift 2
	sed -e 's/std::pmr::\(monotonic_buffer\|unsynchronized_pool\|synchronized_pool\)_resource/peers::\1_resource/' \
		-e 's|^#include <memory_resource>|&\n#include "resources.hpp"|' \
		-e 's|^#include <boost/container/pmr/monotonic.*|#include "boost_resource.hpp"|' \
		-e 's!^#include <boost/\(pool\|thread\).*!#include "boost_pool.hpp"!' "$file" >"$work/test.cpp"
	# block_slist is an internal part of Boost's resource.
	sed -i '/^namespace test_block_chain/,/^}  .*namespace/d; /test_block_chain::/d' "$work/test.cpp"
	all=$(sed -n 's/^\(void \)\{0,1\}\(test[a-z0-9_]*\)()$/\2/p' "$work/test.cpp")
	grep -q '"\(resources\|boost_[a-z]*\).hpp"' "$work/test.cpp" || { echo "$name would not run on ours"; exit 1; }
	if [ -n "$all" ]; then
		sed -i 's/^\(int \)\{0,1\}main()/\1suite()/' "$work/test.cpp"
		{
			printf '#include <cstring>\nint main(int, char** args) {\n'
			for f in $all; do echo "if (!std::strcmp(args[1], \"$f\")) $f();"; done
			case $name in boost*) echo 'return boost::report_errors();' ;; esac
			echo '}'
		} >>"$work/test.cpp"
	elif ! grep -q 'main(' "$file"; then
		echo 'int main() {}' >>"$work/test.cpp"
	fi
	built "$work/test.cpp" -o "$work/test" -I"$(dirname "$file")" "$@" || return 0
	for f in ${all:-main}; do ran "$name:$f" "$work/test" "$f"; done
}

# The tests of protobuf's Arena without messages and hooks.
arena_tests='BasicCreate CreateAndConstCopy CreateAndNonConstCopy CreateAndMove CreateWithFourConstructorArguments
	CreateWithEightConstructorArguments CreateWithMoveArguments InitialBlockTooSmall SpaceAllocated_and_Used
	BlockSizeDoubling Alignment BlockSizeSmallerThanAllocation AddCleanup'

mkdir -p "$work"
printf '| tests of | pass | require more than Ebbpool promises | not built |\n| --- | ---: | ---: | --- |\n' >"$work/table"
for suite in ${*:-libstdc++ libc++ container pool protobuf}; do
	case $suite in
	libstdc++)
		t=libstdc++-v3/testsuite
		fetched gcc gcc-12 "*$t/util/*.h" "*$t/20_util/*_resource/*" || continue
		for file in "$work/gcc/$t"/20_util/*[cd]_*_resource/*.cc; do
			case $file in *_single.cc) continue ;; esac
			functions "$(basename "$(dirname "$file")")" "$file" -include algorithm -I"$work/gcc/$t/util"
		done
		;;
	libc++)
		fetched llvm llvm-toolchain-19 '*/libcxx/test/support' '*/libcxx/test/std/utilities/utility/mem.res' || continue
		for file in "$work"/llvm/libcxx/test/std/utilities/utility/mem.res/mem.res.*[rl]/*/*.pass.cpp; do
			functions libc++ "$file" -I"$work/llvm/libcxx/test/support"
		done
		;;
	container)
		boost || continue
		functions boost "$work/boost1.81/libs/container/test/monotonic_buffer_resource_test.cpp" "$work/boost1.81/libs/container/src/global_resource.cpp"
		;;
	pool)
		boost || continue
		for file in pool_alloc bug_1252 bug_2696 bug_3349 bug_4960 threading; do
			functions boost "$work/boost1.81/libs/pool/test/test_$file.cpp"
		done
		;;
	protobuf)
		fetched protobuf protobuf '*/src/google/protobuf/arena_unittest.cc' || continue
		{
			printf '#include "protobuf.hpp"\nnamespace google::protobuf {\n'
			sed -n -e '/^class Notifier/,/^TEST/{/^TEST/!p}' -e '/^class PleaseMoveMe/,/^};/p' -e '/^uint64_t Align8/p' \
				"$work/protobuf/src/google/protobuf/arena_unittest.cc"
			for test in $arena_tests; do
				sed -n "/^TEST(ArenaTest, $test)/,/^}/p" "$work/protobuf/src/google/protobuf/arena_unittest.cc"
			done
			echo '}'
		} >"$work/test.cpp"
		name=protobuf
		built "$work/test.cpp" -o "$work/test" -lgtest -lgtest_main &&
			for test in $arena_tests; do ran "protobuf:arena_unittest:$test" "$work/test" --gtest_filter="ArenaTest.$test"; done
		;;
	*) echo "cpp-peers.sh: no suite $suite" >&2; exit 2 ;;
	esac
	case $suite in
	libstdc++) said "$suite" "libstdc++ 12: \`monotonic_buffer_resource\`, pool resources" "the base class: 2 files" ;;
	libc++) said "$suite" "libc++ 19: the same" "\`polymorphic_allocator\`, aliases, the base class: 55 files" ;;
	container) said "$suite" "Boost.Container 1.81: \`monotonic_buffer_resource\`" "Boost's list of blocks, pool resources that count theirs, aliases: 18 files" ;;
	pool) said "$suite" "Boost.Pool 1.81" "its lists, singletons and macros: 9 files" ;;
	protobuf) said "$suite" "protobuf 3.21: \`arena_unittest\`" "messages, hooks, the list of free arrays: 49 tests" ;;
	esac
done
case $suites in *[1-9]*) exit 1 ;; esac

# The table of cpp/README.md needs all five suites.
[ "$(wc -l <"$work/table")" = 7 ] || exit 0
sed '/^<!-- peers:begin -->/,/^<!-- peers:end -->/{/^|/d}; /^<!-- peers:begin -->/r '"$work/table" cpp/README.md >"$work/README.md"
if [ "${UPDATE-}" = 1 ]; then
	cp "$work/README.md" cpp/README.md
else
	diff cpp/README.md "$work/README.md" || { echo "the table of cpp/README.md is another: UPDATE=1 make test-cpp-peers"; exit 1; }
fi
