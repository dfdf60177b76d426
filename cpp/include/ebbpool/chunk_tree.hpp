// A search tree of an arena's chunks, by address or by size.
#ifndef EBBPOOL_CHUNK_TREE_HPP
#define EBBPOOL_CHUNK_TREE_HPP

#include <cstddef>
#include <cstdint>

#include <ebbpool/compiler.hpp>

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A treap whose nodes are the chunks. Priorities are hashes of addresses, so operations take O(log n) expected
/// steps in any order of calls.
///
/// Order has two functions: links(chunk&), and key(const chunk&), an integer. Equal keys are ordered by
/// address.
template <class Chunk, class Order>
class chunk_tree {
public:
    /// The children: chunks with smaller and with larger keys.
    struct links {
        Chunk* smaller;
        Chunk* larger;
    };

    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

    void insert(Chunk* c) noexcept {
        Chunk** at = &root_;
        while (*at != nullptr && priority(*at) > priority(c)) at = child(*at, less(c, *at));
        // Splits the subtree at c's position into smaller and larger chunks.
        Chunk* rest = *at;
        *at = c;
        Chunk** smaller = child(c, true);
        Chunk** larger = child(c, false);
        while (rest != nullptr) {
            const bool above = less(c, rest);
            Chunk**& to = above ? larger : smaller;
            *to = rest;
            to = child(rest, above);
            rest = *to;
        }
        *smaller = *larger = nullptr;
    }

    void erase(Chunk* c) noexcept {
        Chunk** at = &root_;
        while (*at != c) at = child(*at, less(c, *at));
        Chunk* smaller = *child(c, true);
        Chunk* larger = *child(c, false);
        while (smaller != nullptr && larger != nullptr) {
            const bool first = priority(smaller) > priority(larger);
            Chunk*& top = first ? smaller : larger;
            *at = top;
            at = child(top, !first);
            top = *at;
        }
        *at = smaller != nullptr ? smaller : larger;
    }

    /// Returns the chunk with the largest key up to `key`, or null.
    [[nodiscard]] Chunk* last_up_to(std::uintptr_t key) const noexcept {
        Chunk* found = nullptr;
        for (Chunk* c = root_; c != nullptr;) {
            const bool fits = Order::key(*c) <= key;
            if (fits) found = c;
            c = *child(c, !fits);
        }
        return found;
    }

    /// Returns the chunk with the smallest key from `key` on, or null.
    [[nodiscard]] Chunk* first_from(std::uintptr_t key) const noexcept {
        Chunk* found = nullptr;
        for (Chunk* c = root_; c != nullptr;) {
            const bool fits = Order::key(*c) >= key;
            if (fits) found = c;
            c = *child(c, fits);
        }
        return found;
    }

    /// Removes all chunks and calls f with each, in unspecified order. f may free the chunk.
    template <class F>
    void take_all(const F& f) noexcept {
        while (root_ != nullptr) {
            Chunk* const c = root_;
            erase(c);
            f(c);
        }
    }

private:
    static Chunk** child(Chunk* c, bool smaller) noexcept {
        links& l = Order::links(*c);
        return smaller ? &l.smaller : &l.larger;
    }
    static std::uintptr_t address(const Chunk* c) noexcept { return reinterpret_cast<std::uintptr_t>(c); }
    static bool less(const Chunk* a, const Chunk* b) noexcept {
        const std::uintptr_t x = Order::key(*a), y = Order::key(*b);
        return x != y ? x < y : address(a) < address(b);
    }
    static std::uint32_t priority(const Chunk* c) noexcept {
        return static_cast<std::uint32_t>((std::uint64_t{address(c)} * 0x9e3779b97f4a7c15u) >> 32);
    }

    Chunk* root_ = nullptr;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_CHUNK_TREE_HPP
