// Compares slot_finder with division: for every size up to 300 and some larger ones, around every slot, at both
// ends, and at random addresses.
#include <gtest/gtest.h>

#include <ebbpool/storage.hpp>
#include <random>
#include <utility>

namespace finder_test {

template <std::size_t Size>
void check() {
    constexpr std::uint64_t base = 0x7f12'3456'7000;
    constexpr std::uint64_t capacity = 1'000;
    const auto quotient = [&](std::uint64_t p) {
        return ebb::detail::slot_finder<Size>::quotient(reinterpret_cast<const void*>(p),
                                                        reinterpret_cast<const void*>(base));
    };
    const auto expect = [&](std::uint64_t p) {
        const std::uint64_t d = p - base;
        const std::uint64_t q = quotient(p);
        if (d % Size == 0 && d / Size < capacity) {
            ASSERT_EQ(q, d / Size) << Size;
        } else {
            ASSERT_GE(q, capacity) << Size << ' ' << d;
        }
    };
    for (std::uint64_t slot = 0; slot < capacity; slot += slot < 4 || slot > capacity - 4 ? 1 : 37) {
        for (std::uint64_t inside = 0; inside < Size; inside += inside < 16 ? 1 : Size / 16 + 1) {
            expect(base + slot * Size + inside);
        }
    }
    for (std::uint64_t i = 1; i < 20; ++i) expect(base - i);
    for (std::uint64_t i = 1; i < 5; ++i) expect(base - i * Size);
    for (std::uint64_t i = 0; i < 5; ++i) expect(base + (capacity + i) * Size);
    expect(0);
    expect(UINT64_MAX);
    std::mt19937_64 random(Size);
    for (int i = 0; i < 200; ++i) expect(random());
}

template <std::size_t... Size>
void check_all(std::index_sequence<Size...>) {
    (check<Size + 1>(), ...);
}

TEST(SlotFinder, AgreesWithDivision) {
    check_all(std::make_index_sequence<100>());
    check<192>();
    check<255>();
    check<256>();
    check<257>();
    check<1'000>();
    check<4'096>();
    check<65'535>();
    check<1'048'576>();
    check<3 * 1'048'576>();
}

}  // namespace finder_test
