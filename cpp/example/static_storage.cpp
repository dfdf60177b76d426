// A pool without a heap, as on a small device, and a pool in a constant expression.
#include <array>
#include <cstddef>
#include <cstdio>
#include <ebbpool/fixed_pool.hpp>

namespace {

struct packet {
    std::array<unsigned char, 60> data;
    unsigned length;
};

using packets = ebb::fixed_pool<packet>;
constexpr std::size_t capacity = 32;

alignas(64) std::array<std::byte, packets::bytes_needed(capacity)> memory;

constexpr bool last_in_first_out() {
    ebb::fixed_pool<int> pool(3);
    int* const a = pool.allocate();
    int* const b = pool.allocate();
    pool.deallocate(a);
    pool.deallocate(b);
    const bool right = pool.allocate() == b && pool.allocate() == a;
    return right && pool.high_water() == 2;
}
static_assert(last_in_first_out());

}  // namespace

int main() {
    packets pool(capacity, ebb::pool_options{.storage = memory});
    packet* const p = pool.allocate();
    const bool inside = reinterpret_cast<std::byte*>(p) >= memory.data();
    std::printf("%zu slots in %zu bytes\n", pool.capacity(), memory.size());
    pool.deallocate(p);
    return inside && pool.empty() ? 0 : 1;
}
