// ebb::arena_mark: the result of arena::mark and the argument of arena::rewind.
#ifndef EBBPOOL_ARENA_MARK_HPP
#define EBBPOOL_ARENA_MARK_HPP

#include <cstddef>
#include <utility>

#include <ebbpool/compiler.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A point in the cycle of an arena, for rewind. Move-only. A mark that was moved from or default-constructed
/// is null.
///
/// \snippet reference.cpp arena_mark
class arena_mark {
public:
    /// Null.
    constexpr arena_mark() noexcept = default;
    /// Takes the mark of `other`, which becomes null.
    constexpr arena_mark(arena_mark&& other) noexcept
        : region_(std::exchange(other.region_, 0)), serial_(other.serial_) {}
    /// Takes the mark of `other`, which becomes null.
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

    std::size_t region_ = 0;  // its number, because arenas can move
    std::size_t serial_ = 0;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_MARK_HPP
