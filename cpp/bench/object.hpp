#pragma once

/// \file
/// What the pools of this benchmark hold.

#include <cstddef>
#include <cstdint>

namespace bench {

/// An object of exactly `Size` bytes. The workloads write `first` when they
/// are handed an object and read it before they give it back; the rest is
/// never touched, as in most programs' large objects.
template <std::size_t Size>
struct object {
    static_assert(Size > sizeof(std::uint64_t));
    std::uint64_t first;
    std::byte rest[Size - sizeof(std::uint64_t)];
};

// A benchmark of "256 B" that moves fewer bytes flatters everyone.
static_assert(sizeof(object<16>) == 16 && sizeof(object<256>) == 256);

/// Hides where a pointer came from, as passing it through other code would:
/// otherwise the compiler sees that a free and an allocation after it cancel
/// out. Memory is left alone, so what the pool keeps in members may stay in
/// registers, in every subject.
template <class T>
[[gnu::always_inline]] inline void opaque(T*& p) noexcept {
    asm volatile("" : "+r"(p));
}

/// The same for what lies in memory.
template <class T>
[[gnu::always_inline]] inline void keep(T& value) noexcept {
    asm volatile("" : : "r"(&value) : "memory");
}

/// xorshift64*: three shifts and a product, so that the choice of a victim
/// costs much less than the calls measured.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_(seed * 2 + 1) {}

    /// A number below `bound`, which must be less than 2^32.
    std::uint32_t below(std::size_t bound) noexcept {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        const std::uint64_t high = (state_ * 0x2545F4914F6CDD1Dull) >> 32;
        return static_cast<std::uint32_t>((high * bound) >> 32);
    }

private:
    std::uint64_t state_;
};

}  // namespace bench
