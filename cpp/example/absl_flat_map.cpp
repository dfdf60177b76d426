// An absl::flat_hash_map that allocates from an arena.
#include <absl/container/flat_hash_map.h>

#include <cstdlib>
#include <ebbpool/arena.hpp>
#include <string>
#include <string_view>

using entry = std::pair<const std::string_view, int>;
using counts =
    absl::flat_hash_map<std::string_view, int, absl::container_internal::hash_default_hash<std::string_view>,
                        absl::container_internal::hash_default_eq<std::string_view>, ebb::arena_allocator<entry>>;

int main() {
    ebb::arena a;
    for (int request = 0; request < 3; ++request) {
        {
            counts words{ebb::arena_allocator<entry>(a)};
            for (int i = 0; i < 1'000; ++i) ++words[a.copy(std::to_string(i % 100))];
            if (words.size() != 100 || words["7"] != 10) return EXIT_FAILURE;
        }  // destroyed before the reset
        a.reset();
    }
}
