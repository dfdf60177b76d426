#!/bin/sh
# run.sh COMPILER: links each pair of object files compiled with different options. With the same memory layout, the
# program must work. With different layouts, it must not link if a function between both files names a type of the
# library. If the files only share a class of the program, it links, because the class has one name, and nothing may be
# corrupted. AddressSanitizer may then report memory that the other file did not annotate.
set -eu
compiler=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

cat >builds <<-'END'
	O0 plain -std=c++20 -O0
	O2 plain -std=c++20 -O2 -DNDEBUG
	cxx23 plain -std=c++2b -O1
	nortti plain -std=c++20 -O1 -fno-rtti
	noexceptions bare -std=c++20 -O1 -fno-exceptions
	asan asan -std=c++20 -O1 -fsanitize=address
	valgrind valgrind -std=c++20 -O1 -DEBB_VALGRIND=1
END

names=
while read -r name layout flags; do
	header=cstddef
	[ "$name" != valgrind ] || header=valgrind/memcheck.h
	printf '#include <%s>\nint main() {}\n' "$header" >probe.cpp
	if ! "$compiler" $flags probe.cpp -o probe 2>/dev/null; then
		echo "SKIPPED: $name: $compiler can't build a program with $flags and <$header>"
		continue
	fi
	include=-I$here/../../include
	"$compiler" $flags $include -DHALF=a -c "$here/half.cpp" -o "a.$name.o"
	"$compiler" $flags $include -DHALF=b -c "$here/half.cpp" -o "b.$name.o"
	"$compiler" $flags $include -c "$here/main.cpp" -o "class.$name.o"
	"$compiler" $flags $include -DBY_NAME -c "$here/main.cpp" -o "name.$name.o"
	echo "$layout" >"layout.$name"
	names="$names $name"
done <builds

# try MAIN A B FLAGS links and runs a program.
try() {
	main=$1 first=$2 second=$3
	shift 3
	"$compiler" "$main.$first.o" "a.$first.o" "b.$second.o" -pthread "$@" -o program >link.txt 2>&1 || return 3
	./program >out.txt 2>&1
}

failed=0
bad() {
	echo "$a with $b: $1"
	cat link.txt out.txt
	failed=1
}
pairs=0
for a in $names; do
	for b in $names; do
		pairs=$((pairs + 1))
		sanitize=
		case "$a $b" in *asan*) sanitize=-fsanitize=address ;; esac
		: >link.txt >out.txt
		if cmp -s "layout.$a" "layout.$b"; then
			try name "$a" "$b" $sanitize || bad "it fails"
			continue
		fi
		code=0
		try name "$a" "$b" $sanitize || code=$?
		[ $code = 3 ] || bad "it links"
		try class "$a" "$b" $sanitize || {
			[ -n "$sanitize" ] && grep -q 'AddressSanitizer: use-after-poison' out.txt
		} || bad "it fails"
	done
done
echo "$pairs pairs of object files"
exit $failed
