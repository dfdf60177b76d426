// What arena::mark answers and arena::rewind takes.
#ifndef EBBPOOL_ARENA_MARK_HPP
#define EBBPOOL_ARENA_MARK_HPP

#include <cstddef>
#include <utility>

#include <ebbpool/compiler.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A moment in the epoch of an arena, for rewind. Move-only; a mark that was
/// moved from, or made by the default constructor, is none.
///
/// \snippet reference.cpp arena_mark
class arena_mark {
public:
    /// None.
    constexpr arena_mark() noexcept = default;
    /// The other one is none after it.
    constexpr arena_mark(arena_mark&& other) noexcept
        : region_(std::exchange(other.region_, 0)), serial_(other.serial_) {}
    /// The other one is none after it.
    constexpr arena_mark& operator=(arena_mark&& other) noexcept {
        region_ = std::exchange(other.region_, 0);
        serial_ = other.serial_;
        return *this;
    }
    arena_mark(const arena_mark&) = delete;
    arena_mark& operator=(const arena_mark&) = delete;
    ~arena_mark() = default;

private:
    template <class>
    friend class basic_arena;
    constexpr arena_mark(std::size_t region, std::size_t serial) noexcept : region_(region), serial_(serial) {}

    std::size_t region_ = 0;  // a number and no address: an arena may move
    std::size_t serial_ = 0;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_MARK_HPP
