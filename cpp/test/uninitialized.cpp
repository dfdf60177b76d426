// Reads uninitialized memory under MemorySanitizer. The first argument selects the memory.
#include <cstdio>
#include <cstdlib>
#include <ebbpool/arena.hpp>
#include <ebbpool/fixed_pool.hpp>

int main(int argc, char** argv) {
    const int what = argc > 1 ? std::atoi(argv[1]) : 0;
    ebb::arena a(1'000);
    ebb::fixed_pool<int> pool(10);
    for (int i = 0; i < 3; ++i) {
        int* const p = a.make<int>(1);
        const auto zero = a.make_span<int>(300);
        const auto text = a.copy("text");
        int* const slot = pool.allocate();
        *slot = 2;
        if (*p != 1 || zero[299] != 0 || *slot != 2 || text[3] != 't') std::abort();
        pool.deallocate(slot);
        if (what == 1 && a.make_span_uninit<int>(4)[2] == 17) std::puts("made");
        if (what == 2 && *pool.allocate() == 2) std::puts("allocated");
        a.reset();
        if (what == 3 && *p == 1) std::puts("reset");
    }
    std::puts("as it should be");
}
