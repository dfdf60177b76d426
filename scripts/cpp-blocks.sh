#!/bin/sh
# cpp-blocks.sh: compiles and runs each C++ block of cpp/README.md as a program, outside of the repository. Declarations
# that the blocks assume are here.
set -eu
cd "$(dirname "$0")/.."
here=$(pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
awk -v to="$work" '/^```cpp$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print >(to "/" n ".block") }
	END { if (n < 6) exit 1 }' cpp/README.md
cd "$work"
cat >before <<'END'
#include <array>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/pool_resource.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
END
cat >order <<'END'
struct order { int id; int quantity; };
[[maybe_unused]] static void* take(std::size_t n, std::size_t align, void*) noexcept {
    void* const p = std::aligned_alloc(align, (n + align - 1) / align * align);
    return p ? std::memset(p, 0, n) : p;
}
[[maybe_unused]] static void give(void* p, std::size_t, std::size_t, void*) noexcept { std::free(p); }
[[maybe_unused]] static ebb::memory_source my_source{take, give};
END
cat >requests <<'END'
struct request {
    int left;
    explicit operator bool() const { return left > 0; }
    int id() const { return left; }
    std::string_view name() const { return "name"; }
    std::size_t n() const { return 3; }
};
struct source { int left = 3; request next() { return {left--}; } };
struct node { explicit node(int i) : id(i) {} int id; };
static void scratch(ebb::arena& a) { a.make<int>(1); }
static void answer(node*, std::string_view, std::span<int>, std::pmr::vector<std::pmr::string>& words) { words.emplace_back("a"); }
END
for block in *.block; do
	program=${block%.block}.cpp
	if grep -q 'int main' "$block"; then
		cat "$block"
	elif grep -q '^void serve' "$block"; then
		cat before requests "$block"
		echo 'int main() { source s; serve(s); return s.left == -1 ? 0 : 1; }'
	else
		cat before order
		echo 'int main() {'
		cat "$block"
		echo '}'
	fi >"$program"
	"${CXX:-c++}" -std=c++20 -Wall -Wextra -Werror -Wno-unused-variable -I"$here/cpp/include" "$program" -o program -pthread
	if ! ./program; then
		echo "cpp/README.md: this program fails:" >&2
		cat "$program" >&2
		exit 1
	fi
done
echo "cpp/README.md: all blocks pass"
