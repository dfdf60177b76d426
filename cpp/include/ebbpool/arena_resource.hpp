// ebb::arena_resource: the containers of std::pmr in an arena.
#ifndef EBBPOOL_ARENA_RESOURCE_HPP
#define EBBPOOL_ARENA_RESOURCE_HPP

#include <cstddef>
#include <memory_resource>

#include <ebbpool/arena.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A memory resource that takes from an arena. What it gets back is free at once if
/// it is the newest of the arena's, else at the end of its epoch.
///
///     ebb::arena_resource memory(a);
///     std::pmr::vector<std::pmr::string> words(&memory);
///
/// It must not outlive the arena. Containers must be destroyed before the end of
/// the arena's epoch in which they were filled: use of the resource while blocks
/// of an earlier epoch are outstanding is misuse (`stranded`), and so are an
/// allocation from the arena after release() while there are, and a rewind() that
/// would take back an outstanding block. Containers that are never destroyed,
/// since the arena frees their memory, need abandon().
///
/// Throws as arena::allocate. A block goes back in O(1), or O(marks and chunks that
/// came after it) where the arena has marks. Two resources are equal when they are
/// one: containers of two resources copy what they move to each other, also where
/// the arena is the same.
///
/// \snippet reference.cpp arena_resource
template <class Checks = checks::trap>
class basic_arena_resource : public std::pmr::memory_resource {
public:
    /// Takes from `a`, which must outlive it. O(1).
    explicit basic_arena_resource(basic_arena<Checks>& a) noexcept : arena_(&a) {}
    basic_arena_resource(const basic_arena_resource&) = delete;
    basic_arena_resource& operator=(const basic_arena_resource&) = delete;
    ~basic_arena_resource() override { abandon(); }

    /// The arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

    /// Outstanding blocks.
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

    /// Says that none of the blocks will be given back or used after the end of
    /// the epoch.
    void abandon() noexcept {
        if (Checks::enabled && blocks_ != 0 && !is_stranded()) arena_->region_.abandon_blocks(blocks_);
        blocks_ = 0;
    }

private:
    [[nodiscard]] bool is_stranded() const noexcept { return blocks_ != 0 && epoch_ != arena_->region_.epochs(); }

    // Counts as a new resource where the policy goes on.
    EBB_COLD void complain() noexcept {
        blocks_ = 0;
        if constexpr (Checks::enabled) arena_->complain(misuse::stranded, this);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        const bool simple = alignment - 1 < detail::unit && (alignment & (alignment - 1)) == 0 && !is_stranded();
        void* const p = simple ? arena_->region_.take_block_at_once(bytes) : nullptr;
        if (EBB_UNLIKELY(p == nullptr)) return allocate_apart(bytes, alignment);
        return add_block(), p;
    }

    // Apart, so that do_allocate saves no registers.
    EBB_NOINLINE void* allocate_apart(std::size_t bytes, std::size_t alignment) {
        if (EBB_UNLIKELY(is_stranded())) complain();
        void* const p = arena_->take_block(bytes, alignment);
        return add_block(), p;
    }

    EBB_INLINE void add_block() noexcept {
        if (blocks_++ == 0) epoch_ = arena_->region_.epochs();
        if constexpr (Checks::enabled) arena_->region_.add_block();
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        if (EBB_UNLIKELY(blocks_ == 0)) return;  // abandoned
        if (EBB_UNLIKELY(is_stranded())) return complain();
        --blocks_;
        if constexpr (Checks::enabled) arena_->region_.remove_block(p);
        arena_->region_.give_block(p, bytes);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    basic_arena<Checks>* arena_;
    std::size_t blocks_ = 0;
    std::size_t epoch_ = 0;  // of the arena, in which they were taken
};

/// While it lives, std::pmr::get_default_resource() returns the resource given, for all
/// threads of the program; then the one before is again. Scopes must nest.
///
/// \snippet reference.cpp default_resource
class default_resource_scope {
public:
    /// `memory` must outlive it, and all that takes from it meanwhile.
    explicit default_resource_scope(std::pmr::memory_resource& memory) noexcept
        : before_(std::pmr::set_default_resource(&memory)) {}
    default_resource_scope(const default_resource_scope&) = delete;
    default_resource_scope& operator=(const default_resource_scope&) = delete;
    ~default_resource_scope() { std::pmr::set_default_resource(before_); }

private:
    std::pmr::memory_resource* before_;
};

/// On an arena with the usual policy.
///
/// \snippet reference.cpp arena_resource
using arena_resource = basic_arena_resource<>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_ARENA_RESOURCE_HPP
