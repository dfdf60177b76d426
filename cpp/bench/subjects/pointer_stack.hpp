#pragma once

/// \file
/// A fixed pool as many programs have one.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "../object.hpp"

namespace bench {

/// One block, and a `vector` of pointers to what is free, last in, first out. It knows
/// when nothing is free, and checks nothing else.
template <std::size_t Size>
class pointer_stack {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "stack of pointers";
    static bool available() { return true; }

    explicit pointer_stack(std::size_t capacity)
        : block_(static_cast<value_type*>(::operator new(capacity* Size))), free_(capacity) {
        for (std::size_t i = 0; i < capacity; ++i) free_[i] = block_.get() + (capacity - 1 - i);
    }

    value_type* allocate() noexcept {
        if (free_.empty()) return nullptr;
        value_type* const p = free_.back();
        free_.pop_back();
        return p;
    }
    void deallocate(value_type* p) noexcept { free_.push_back(p); }

private:
    struct release {
        void operator()(value_type* p) const noexcept { ::operator delete(p); }
    };
    std::unique_ptr<value_type, release> block_;
    std::vector<value_type*> free_;
};

}  // namespace bench
