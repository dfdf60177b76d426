#!/bin/sh
# cpp-peers.sh: what others have written to test their memory resources, on ours by an
# adapter. libstdc++'s tests of std::pmr::monotonic_buffer_resource, of Debian's source of
# gcc, are fetched into _build/peers and never committed. Each test is a process of its own;
# what an arena does not promise is named here with its reason, and must fail.
set -eu
cd "$(dirname "$0")/.."
. scripts/skipped.sh
here=$(pwd)
work=$here/_build/peers
archive=gcc-12_12.2.0.orig.tar.gz
tests=$work/libstdc++-v3/testsuite
if [ ! -d "$tests/20_util/monotonic_buffer_resource" ]; then
	command -v curl >/dev/null || { skipped "libstdc++'s tests: no curl"; exit 0; }
	mkdir -p "$work"
	curl -sfL -o "$work/$archive" "http://deb.debian.org/debian/pool/main/g/gcc-12/$archive" ||
		{ skipped "libstdc++'s tests: Debian's $archive can't be fetched"; exit 0; }
	tar -xOf "$work/$archive" --wildcards '*/gcc-12.2.0-dfsg.tar.xz' |
		tar -xJ -C "$work" --strip-components=1 --wildcards '*libstdc++-v3/testsuite/util/*.h' \
			'*libstdc++-v3/testsuite/20_util/monotonic_buffer_resource/*'
	rm "$work/$archive"
fi

other() {
	case $1 in
	allocate:test03 | release:test04) echo "a buffer begins with the header of a chunk" ;;
	allocate:test04) echo "what allocate() answers are whole units of 8 bytes" ;;
	allocate:test07) echo "sizes that can't be are not asked for upstream" ;;
	deallocate:test01) echo "memory that was given back newest first is free again" ;;
	*) return 1 ;;
	esac
}

passed=0 differ=0 failed=0
for file in "$tests"/20_util/monotonic_buffer_resource/*.cc; do
	name=$(basename "$file" .cc)
	# Some only compile.
	functions=$(sed -n 's/^\(test[0-9]*\)()$/\1/p' "$file")
	{
		sed -e 's/std::pmr::monotonic_buffer_resource/peers::monotonic_buffer_resource/' \
			-e 's/^#include <memory_resource>/&\n#include "monotonic.hpp"/' -e 's/^main()/suite()/' "$file"
		echo '#include <cstdlib>'
		echo '#include <cstring>'
		echo 'int main(int, char** args) {'
		for function in $functions; do echo "if (std::strcmp(args[1], \"$function\") == 0) $function();"; done
		echo '}'
	} >"$work/$name.cpp"
	"${CXX:-g++}" -std=c++20 -w -include algorithm -I"$tests/util" -Icpp/include -Icpp/test/peers "$work/$name.cpp" \
		-o "$work/$name" -pthread || { failed=$((failed + 1)); echo "$name: it does not compile"; continue; }
	for function in ${functions:-compiles}; do
		if "$work/$name" "$function" >"$work/out" 2>&1; then
			passed=$((passed + 1))
			! reason=$(other "$name:$function") || { echo "$name $function passes, and is said not to: $reason"; exit 1; }
		elif reason=$(other "$name:$function"); then
			differ=$((differ + 1))
			echo "$name $function: not of an arena: $reason"
		else
			failed=$((failed + 1))
			echo "$name $function fails:"
			cat "$work/out"
		fi
	done
done
echo "libstdc++'s monotonic_buffer_resource: $passed as it should be, $differ of what an arena does not promise, $failed failed"
[ "$failed" = 0 ]
