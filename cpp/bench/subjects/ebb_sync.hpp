#pragma once

/// \file
/// Ebbpool's pool for threads, with its checks on, and what one would write
/// with a lock instead.

#include <cstddef>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <mutex>

#include "../object.hpp"

namespace bench {

template <std::size_t Size>
class ebb_sync {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "ebb sync";
    static bool available() { return true; }

    explicit ebb_sync(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept { return pool_.allocate(); }
    void deallocate(value_type* p) noexcept { pool_.deallocate(p); }

private:
    ebb::sync_fixed_pool<value_type> pool_;
};

/// The pool for one thread, behind one mutex.
template <std::size_t Size>
class ebb_mutex {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "ebb + mutex";
    static bool available() { return true; }

    explicit ebb_mutex(std::size_t capacity) : pool_(capacity) {}
    value_type* allocate() noexcept {
        const std::lock_guard lock(mutex_);
        return pool_.allocate();
    }
    void deallocate(value_type* p) noexcept {
        const std::lock_guard lock(mutex_);
        pool_.deallocate(p);
    }

private:
    std::mutex mutex_;
    ebb::fixed_pool<value_type> pool_;
};

}  // namespace bench
