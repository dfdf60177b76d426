// ebb::arena_resource: a std::pmr::memory_resource on an arena.
#ifndef EBBPOOL_ARENA_RESOURCE_HPP
#define EBBPOOL_ARENA_RESOURCE_HPP

#include <cstddef>
#include <memory_resource>

#include <ebbpool/arena.hpp>

namespace ebb::inline EBB_ABI {

/// A memory resource that allocates from an arena, which must outlive it.
///
///     ebb::arena_resource memory(a);
///     std::pmr::vector<std::pmr::string> words(&memory);
///
/// Containers must be destroyed before the arena's cycle ends; for containers that are never destroyed, call
/// abandon(). The following is misuse (`stranded`): using a resource that has blocks of an earlier cycle,
/// allocating from the arena after a release() under a block, and rewinding under a block.
///
/// Containers reuse blocks that containers have freed. Two resources are equal only if they are the same
/// object. Throws as arena::allocate. Freeing a block is O(1), or O(log chunks + marks after the block) while
/// there are marks.
/// \snippet reference.cpp arena_resource
template <class Checks = checks::trap>
class basic_arena_resource : public std::pmr::memory_resource {
public:
    /// Allocates from `a`, which must outlive it.
    explicit basic_arena_resource(basic_arena<Checks>& a) noexcept : arena_(&a) {}
    basic_arena_resource(const basic_arena_resource&) = delete;
    basic_arena_resource& operator=(const basic_arena_resource&) = delete;
    ~basic_arena_resource() override { abandon(); }

    /// Returns the arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

    /// Returns the number of allocated blocks.
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

    /// Promises that the allocated blocks will not be freed, or used after the end of the cycle.
    void abandon() noexcept {
        if (Checks::enabled && blocks_ != 0 && !is_stranded()) arena_->region_.abandon_blocks(blocks_);
        blocks_ = 0;
    }

private:
    [[nodiscard]] bool is_current() const noexcept { return cycle_ == arena_->region_.cycle(); }
    [[nodiscard]] bool is_stranded() const noexcept { return blocks_ != 0 && !is_current(); }

    // If the policy returns, the resource has no blocks.
    EBB_COLD void complain() noexcept {
        blocks_ = 0;
        if constexpr (Checks::enabled) arena_->complain(misuse::stranded, this);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        // Whether the alignment is 1, 2, 4 or 8. Without -march, clang compiles the usual power-of-2 test to 17
        // more instructions.
        const bool simple = alignment <= detail::unit && (0b1'0001'0110 >> alignment & 1) != 0;
        if (EBB_UNLIKELY(!simple || !is_current())) return allocate_apart(bytes, alignment);
        void* const p = arena_->region_.take_block_at_once(bytes);
        if (EBB_UNLIKELY(p == nullptr)) return allocate_apart(bytes, alignment);
        return add_block(), p;
    }

    // Not inlined, so that do_allocate saves no registers.
    EBB_NOINLINE void* allocate_apart(std::size_t bytes, std::size_t alignment) {
        if (EBB_UNLIKELY(is_stranded())) complain();
        void* const p = arena_->take_block(bytes, alignment);
        cycle_ = arena_->region_.cycle();
        return add_block(), p;
    }

    EBB_INLINE void add_block() noexcept {
        ++blocks_;
        if constexpr (Checks::enabled) arena_->region_.add_block();
    }

    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        if (EBB_UNLIKELY(blocks_ == 0 || !is_current())) return blocks_ != 0 ? complain() : void();  // else abandoned
        --blocks_;
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(arena_->region_.has_marks())) return give_under_marks(p, bytes);
            arena_->region_.remove_block();
        }
        arena_->region_.give_block(p, bytes);
    }
    EBB_NOINLINE void give_under_marks(void* p, std::size_t bytes) noexcept {
        arena_->region_.remove_block(p);
        arena_->region_.give_block(p, bytes);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    basic_arena<Checks>* arena_;
    std::size_t blocks_ = 0;
    std::size_t cycle_ = 0;  // the arena's cycle when the blocks were allocated
};

/// Sets std::pmr's default resource, for all threads, and restores the previous one at the end of the scope.
/// Scopes must nest.
/// \snippet reference.cpp default_resource
class default_resource_scope {
public:
    /// `memory` must outlive the scope and all blocks allocated from it.
    explicit default_resource_scope(std::pmr::memory_resource& memory) noexcept
        : before_(std::pmr::set_default_resource(&memory)) {}
    default_resource_scope(const default_resource_scope&) = delete;
    default_resource_scope& operator=(const default_resource_scope&) = delete;
    ~default_resource_scope() { std::pmr::set_default_resource(before_); }

private:
    std::pmr::memory_resource* before_;
};

/// A resource on an arena with the default policy.
/// \snippet reference.cpp arena_resource
using arena_resource = basic_arena_resource<>;

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_ARENA_RESOURCE_HPP
