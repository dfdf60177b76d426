#pragma once

/// \file
/// The floor: the least that a fixed pool can do.

#include <cstddef>
#include <new>

#include "../object.hpp"

namespace bench {

/// A free list that is threaded through the free objects themselves, linked up
/// beforehand over one block, and not checked at all: not even for being empty
/// when given back to. It has no count and no capacity.
template <std::size_t Size>
class floor_pool {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "floor";
    static bool available() { return true; }

    explicit floor_pool(std::size_t capacity) : block_(static_cast<node*>(::operator new(capacity* Size))) {
        for (std::size_t i = capacity; i-- > 0;) {
            node* const n = at(i);
            n->next = head_;
            head_ = n;
        }
    }
    ~floor_pool() { ::operator delete(block_); }
    floor_pool(const floor_pool&) = delete;
    floor_pool& operator=(const floor_pool&) = delete;

    value_type* allocate() noexcept {
        node* const n = head_;
        if (n == nullptr) return nullptr;
        head_ = n->next;
        return reinterpret_cast<value_type*>(n);
    }
    void deallocate(value_type* p) noexcept {
        node* const n = reinterpret_cast<node*>(p);
        n->next = head_;
        head_ = n;
    }

private:
    struct node {
        node* next;
    };
    node* at(std::size_t i) noexcept {
        return reinterpret_cast<node*>(reinterpret_cast<std::byte*>(block_) + i * Size);
    }

    node* block_;
    node* head_ = nullptr;
};

}  // namespace bench
