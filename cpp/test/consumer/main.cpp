// A program that uses the installed package. It exits with 0 if all is well.
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <string>

int main() {
    ebb::fixed_pool<std::string> pool(2);
    auto a = ebb::make(pool, "a string that is too long for the small one");
    auto b = ebb::make(pool, "b");
    auto c = ebb::make(pool, "no room");
    ebb::sync_fixed_pool<int> shared(100);
    int* const i = shared.allocate();
    shared.deallocate(i);
    return a && b && !c && pool.full() && shared.empty() ? 0 : 1;
}
