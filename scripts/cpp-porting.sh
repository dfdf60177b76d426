#!/bin/sh
# cpp-porting.sh: builds and runs each piece of C++ of docs/cpp-porting.md.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
{
	cat <<-'END'
		#include <list>
		#include <memory_resource>
		#include <string>
		#include <vector>
		#include <ebbpool/arena.hpp>
		#include <ebbpool/fixed_pool.hpp>
		#include <ebbpool/iterate.hpp>
		#include <ebbpool/make.hpp>
		#include <ebbpool/pool_resource.hpp>
		struct order { int id; int quantity; };
		[[maybe_unused]] static void wait() { std::abort(); }
		static int idle = 0;
		static void report_idle() { ++idle; }
		int main() {
	END
	awk '/^```cpp$/ { print "{"; n++; on = 1; next } /^```$/ { if (on) print "}"; on = 0; next } on
		END { if (n < 5) exit 1 }' docs/cpp-porting.md
	# A new pool is idle, and not full: the two that are mistaken for each other.
	echo 'ebb::fixed_pool<order> p(1); return idle == 1 && p.empty() && !p.full() ? 0 : 1; }'
} >"$work/pieces.cpp"
"${CXX:-c++}" -std=c++20 -Wall -Wextra -Werror -Wno-unused-variable -Icpp/include "$work/pieces.cpp" -o "$work/pieces" -pthread
"$work/pieces"
echo "docs/cpp-porting.md: all pieces as they should be"
