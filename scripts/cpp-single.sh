#!/bin/sh
# cpp-single.sh [-check]: writes cpp/single/ebbpool.hpp, all headers as one file, for
# those who copy one into their project. With -check it compares, and writes nothing.
# Each header keeps its guard, so that a program may include both forms.
set -eu
cd "$(dirname "$0")/../cpp"

single() {
	cat <<-'END'
		// Ebbpool as one header, made by scripts/cpp-single.sh from cpp/include/ebbpool:
		// change those, not this. https://github.com/ebbpool/arena
	END
	echo "//"
	sed 's|^|// |; s| *$||' ../LICENSE
	# A header of the library stands where it is first included, and nowhere else.
	(cd include && awk '
		function put(file,    line) {
			if (file in done) return
			done[file] = 1
			while ((getline line < file) > 0) {
				if (match(line, /^#include <ebbpool\/[a-z_]+\.hpp>/)) put(substr(line, 11, RLENGTH - 11))
				else print line
			}
			close(file)
		}
		BEGIN { for (i = 1; i < ARGC; i++) put(ARGV[i]) }
	' ebbpool/*.hpp)
}

new=$(mktemp)
trap 'rm "$new"' EXIT
single >"$new"
if [ "${1-}" = -check ]; then
	cmp "$new" single/ebbpool.hpp || { echo "cpp/single/ebbpool.hpp is not what the headers are: run scripts/cpp-single.sh" >&2; exit 1; }
else
	mkdir -p single
	cp "$new" single/ebbpool.hpp
fi
