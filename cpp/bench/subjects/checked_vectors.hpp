#pragma once

/// \file
/// The usual checked design.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "../object.hpp"

namespace bench {

/// What one writes who wants a pool that reports misuse: a block, a `vector` of
/// pointers as the stack of free objects, a `vector` of flags for what is out,
/// and a division that finds the flag. It catches all that Ebbpool catches.
template <std::size_t Size>
class checked_vectors {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "checked vectors";
    static bool available() { return true; }

    explicit checked_vectors(std::size_t capacity)
        : capacity_(capacity), block_(static_cast<value_type*>(::operator new(capacity* Size))), out_(capacity, 0) {
        free_.reserve(capacity);
        for (std::size_t i = capacity; i-- > 0;) free_.push_back(block_.get() + i);
    }

    value_type* allocate() noexcept {
        if (free_.empty()) return nullptr;
        value_type* const p = free_.back();
        free_.pop_back();
        out_[static_cast<std::size_t>(p - block_.get())] = 1;
        return p;
    }

    void deallocate(value_type* p) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        const auto first = reinterpret_cast<std::uintptr_t>(block_.get());
        if (address < first || address >= first + capacity_ * Size) fail("not from this pool", p);
        const std::size_t offset = address - first;
        if (offset % Size != 0) fail("not the beginning of an object", p);
        if (out_[offset / Size] == 0) fail("not allocated", p);
        out_[offset / Size] = 0;
        free_.push_back(p);  // never grows: one entry for each object was reserved
    }

private:
    [[noreturn, gnu::cold, gnu::noinline]] static void fail(const char* what, void* p) {
        std::fprintf(stderr, "checked vectors: %p: %s\n", p, what);
        std::abort();
    }
    struct raw_delete {
        void operator()(value_type* p) const noexcept { ::operator delete(p); }
    };

    std::size_t capacity_;
    std::unique_ptr<value_type, raw_delete> block_;
    std::vector<value_type*> free_;
    std::vector<unsigned char> out_;
};

}  // namespace bench
