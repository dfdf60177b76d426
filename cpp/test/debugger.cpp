// gdb prints it with debug/ebbpool_gdb.py at the call of stop.
#include <ebbpool/arena.hpp>

[[gnu::noinline]] static void stop(const ebb::arena& a) { asm volatile("" : : "r"(&a) : "memory"); }

int main() {
    ebb::arena a(1'000);
    a.allocate(100, 8);
    a.copy("text");
    a.allocate(50'000);
    stop(a);
}
