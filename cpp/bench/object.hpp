#pragma once

/// \file
/// The objects in the pools of the benchmark.

#include <cstddef>
#include <cstdint>

namespace bench {

/// An object of exactly `Size` bytes. The workloads write `first` after an allocation and read it before the
/// free. They don't touch the rest, as most programs do with large objects.
template <std::size_t Size>
struct object {
    static_assert(Size > sizeof(std::uint64_t));
    std::uint64_t first;
    std::byte rest[Size - sizeof(std::uint64_t)];
};

// Smaller objects would make all subjects look faster.
static_assert(sizeof(object<16>) == 16 && sizeof(object<256>) == 256);

/// Hides the origin of a pointer from the compiler, as other code in between would. Otherwise, a free and the
/// next allocation could cancel out. It does not clobber memory, so members of all subjects may stay in
/// registers.
template <class T>
[[gnu::always_inline]] inline void opaque(T*& p) noexcept {
    asm volatile("" : "+r"(p));
}

/// The same for an object in memory.
template <class T>
[[gnu::always_inline]] inline void keep(T& value) noexcept {
    asm volatile("" : : "r"(&value) : "memory");
}

/// xorshift64*: three shifts and a multiplication, much cheaper than the calls measured.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_(seed * 2 + 1) {}

    /// Returns a number below `bound`, which must be less than 2^32.
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
