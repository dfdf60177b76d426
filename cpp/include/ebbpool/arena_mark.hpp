// What arena::mark answers and arena::rewind takes.
#ifndef EBBPOOL_ARENA_MARK_HPP
#define EBBPOOL_ARENA_MARK_HPP

#include <cstddef>
#include <utility>

#include <ebbpool/compiler.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A moment in the life of an arena, for rewind. Move-only; a mark that was
/// moved from, or made by the default constructor, is none.
///
/// \snippet reference.cpp arena_mark
class arena_mark {
public:
    /// None.
    constexpr arena_mark() noexcept = default;
    /// The other one is none after it.
    constexpr arena_mark(arena_mark&& other) noexcept
        : arena_(std::exchange(other.arena_, nullptr)), serial_(other.serial_) {}
    /// The other one is none after it.
    constexpr arena_mark& operator=(arena_mark&& other) noexcept {
        arena_ = std::exchange(other.arena_, nullptr);
        serial_ = other.serial_;
        return *this;
    }
    arena_mark(const arena_mark&) = delete;
    arena_mark& operator=(const arena_mark&) = delete;
    ~arena_mark() = default;

private:
    template <class>
    friend class basic_arena;
    constexpr arena_mark(const void* arena, std::size_t serial) noexcept : arena_(arena), serial_(serial) {}

    const void* arena_ = nullptr;
    std::size_t serial_ = 0;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_MARK_HPP
