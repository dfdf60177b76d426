#include <cstdio>

#include "half.hpp"

int main() {
    mixed::state s;
    std::size_t n = 0;
    for (int i = 0; i < 50; ++i) {
#ifdef BY_NAME
        mixed::a_makes(s.a, s);
        mixed::b_makes(s.a, s);
#else
        mixed::a_makes(s);
        mixed::b_makes(s);
#endif
        mixed::a_makes(s);
        n += i % 2 == 0 ? mixed::a_reads(s) : mixed::b_reads(s);
    }
    // 60 nodes, 60 words and 30 objects of each pool, of 40 bytes each, 50 times.
    if (n != std::size_t{50} * 40 * (60 + 60 + 3 * 30)) return 1;
    std::puts("as it should be");
    return 0;
}
