// A boost::unordered_flat_map that allocates from an arena.
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdlib>
#include <ebbpool/arena.hpp>
#include <functional>
#include <string_view>

using entry = std::pair<const std::string_view, int>;
using counts = boost::unordered_flat_map<std::string_view, int, std::hash<std::string_view>, std::equal_to<>,
                                         ebb::arena_allocator<entry>>;

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
