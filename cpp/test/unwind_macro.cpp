// Compiled with _CPPUNWIND as the only macro that says exceptions are enabled.
#include <cstdlib>
#include <ebbpool/arena.hpp>

int main() {
    ebb::arena a(1024);
    a.limit(4096);
    try {
        a.allocate(1 << 20);
    } catch (const ebb::limit_error&) {
        return 0;
    }
    return EXIT_FAILURE;
}
