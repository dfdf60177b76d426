// ebb::handle<T> and its pool. A handle has the index of a slot and the slot's generation, which is incremented
// when the object is destroyed. So each use of a stale handle is detected, even if the slot has a new object,
// which no check of a pointer can do.
#ifndef EBBPOOL_HANDLE_POOL_HPP
#define EBBPOOL_HANDLE_POOL_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/iterate.hpp>
#include <ebbpool/make.hpp>

namespace ebb::inline EBB_ABI {

namespace detail {
struct generations;  // access for a test, which can't make 2^31 objects
}

/// Refers to an object in a handle_pool<T>, in 8 bytes. The default handle is null. A handle does not identify
/// its pool: in another pool of the same type, it may refer to an unrelated object.
/// \snippet reference.cpp handle_pool
template <class T>
struct handle {
    /// The index of the slot.
    std::uint32_t index = 0;
    std::uint32_t generation = 0;  ///< odd for a handle to an object; 0 for none

    /// Reports whether the handle isn't null. The object may have been destroyed.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return generation != 0; }
    /// Reports whether both refer to the same object.
    friend constexpr bool operator==(const handle&, const handle&) noexcept = default;
    /// An arbitrary order, for containers.
    friend constexpr auto operator<=>(const handle&, const handle&) noexcept = default;
};

/// A pool of a fixed number of objects that are accessed by handles. It is for one thread at a time.
///
/// The destructor destroys the remaining objects, including objects that their destructors create, so
/// with_leaks reports nothing.
///
/// Generations don't wrap, so a stale handle never becomes valid: after 2,147,483,647 objects, a slot is
/// retired and not used again. Calls are O(1). The pool takes the memory of a fixed_pool<T> and 4 bytes per
/// slot.
/// \snippet reference.cpp handle_pool
template <class T, class Checks = checks::trap>
class handle_pool {
public:
    using value_type = T;           ///< T
    using handle_type = handle<T>;  ///< The result of create()

    /// Throws as fixed_pool's constructor. It makes two allocations, or none with options.storage.
    explicit handle_pool(std::size_t capacity, const pool_options& options = {})
        : pool_(capacity, for_objects(capacity, options)),
          generations_(generation_bytes(capacity), alignof(std::uint32_t), 0, for_generations(capacity, options)) {}

    handle_pool(const handle_pool&) = delete;
    handle_pool& operator=(const handle_pool&) = delete;

    ~handle_pool() {
        // Repeated, because a destructor may create objects.
        while (!empty()) {
            for (std::size_t i = 0; i < pool_.high_water(); ++i) {
                if (slot_is_live(i)) drop(i);
            }
        }
        // Retired slots are not leaks.
        for (std::size_t i = 0; i < pool_.high_water(); ++i) {
            if (generation(i) == retired_generation) pool_.deallocate(pool_.slot(i));
        }
    }

    /// Constructs a T from `args`. Returns the null handle if the pool is full. If the constructor throws,
    /// the pool is unchanged.
    template <class... Args>
    [[nodiscard]] handle_type create(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
        T* const p = construct(pool_, std::forward<Args>(args)...);
        if (p == nullptr) return {};
        const std::size_t i = pool_.index_of(p);
        return {static_cast<std::uint32_t>(i), ++generation(i)};
    }

    /// Returns the object, or nullptr if it was destroyed.
    [[nodiscard]] T* get(handle_type h) const noexcept {
        // Even generations belong to no object, but a forged handle may have one.
        return h.index < pool_.capacity() && is_odd(h.generation) && h.generation != retired_generation &&
                       generation(h.index) == h.generation
                   ? pool_.slot(h.index)
                   : nullptr;
    }

    /// Destroys the object and frees its slot. Returns false, and does nothing, if the handle is stale or
    /// null.
    bool destroy(handle_type h) noexcept {
        if (get(h) == nullptr) return false;
        drop(h.index);
        return true;
    }

    /// Returns the handle of an object, or the null handle if p is not an object of this pool.
    [[nodiscard]] handle_type handle_of(const T* p) const noexcept {
        const std::size_t i = pool_.index_of(p);
        if (i >= pool_.capacity()) return {};
        const handle_type h{static_cast<std::uint32_t>(i), generation(i)};
        return get(h) != nullptr ? h : handle_type{};
    }

    /// Returns the number of slots.
    [[nodiscard]] std::size_t capacity() const noexcept { return pool_.capacity(); }
    /// Returns the number of objects.
    [[nodiscard]] std::size_t used() const noexcept { return pool_.used() - retired_; }
    /// Returns the number of objects that can still be created.
    [[nodiscard]] std::size_t available() const noexcept { return pool_.available(); }
    /// Reports whether used() == 0.
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Reports whether create() returns the null handle. Retired slots count as used.
    [[nodiscard]] bool full() const noexcept { return pool_.full(); }
    /// Returns the number of retired slots.
    [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

    /// Returns the largest number of slots that were allocated or retired at one time. O(log capacity).
    [[nodiscard]] std::size_t high_water() const noexcept { return pool_.high_water(); }
    /// Returns the address of a slot. The index must be less than capacity().
    [[nodiscard]] T* slot(std::size_t index) const noexcept { return pool_.slot(index); }
    /// Reports whether a slot has an object whose constructor and destructor are not running. The index
    /// must be less than high_water().
    [[nodiscard]] bool slot_is_live(std::size_t index) const noexcept {
        const std::uint32_t g = generation(index);
        return is_odd(g) && g != retired_generation;
    }

    /// Returns a size of pool_options::storage that is enough, at any address.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return fixed_pool<T, Checks>::bytes_needed(capacity) + storage_of_generations(capacity);
    }

private:
    friend struct detail::generations;

    // The largest generation, which no handle has.
    static constexpr std::uint32_t retired_generation = std::numeric_limits<std::uint32_t>::max();

    static constexpr bool is_odd(std::uint32_t g) noexcept { return g % 2 != 0; }

    // At least one entry. The pool's constructor has checked for overflow.
    static constexpr std::size_t generation_bytes(std::size_t capacity) noexcept {
        return (capacity + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::size_t storage_of_generations(std::size_t capacity) noexcept {
        return generation_bytes(capacity) + alignof(std::uint32_t) - 1;
    }

    // Splits the caller's storage. The generations are at its end.
    static pool_options for_objects(std::size_t capacity, const pool_options& options) {
        pool_options own = options;
        if (!options.storage.empty()) {
            const std::size_t all = options.storage.size();
            if (all < bytes_needed(capacity)) {
                detail::throw_length("ebb::handle_pool: the storage handed in is smaller than bytes_needed()");
            }
            own.storage = options.storage.first(all - storage_of_generations(capacity));
        }
        return own;
    }
    static pool_options for_generations(std::size_t capacity, const pool_options& options) noexcept {
        pool_options own = options;
        if (!options.storage.empty()) own.storage = options.storage.last(storage_of_generations(capacity));
        return own;
    }

    [[nodiscard]] std::uint32_t& generation(std::size_t i) const noexcept {
        return reinterpret_cast<std::uint32_t*>(generations_.data())[i];
    }

    void drop(std::size_t i) noexcept {
        // Before the destructor runs, so that handles are stale in it.
        T* const p = pool_.slot(i);
        if (++generation(i) == retired_generation - 1) {
            generation(i) = retired_generation;
            ++retired_;
            std::destroy_at(p);
            return;
        }
        std::destroy_at(p);
        pool_.deallocate(p);
    }

    fixed_pool<T, Checks> pool_;
    detail::block generations_;
    std::size_t retired_ = 0;
};

/// Returns a range of the objects of `pool` in the order of their addresses; see live_range. The handle
/// of an object is pool.handle_of(&object).
/// \snippet reference.cpp handle_pool
template <class T, class Checks>
[[nodiscard]] live_range<handle_pool<T, Checks>> live(const handle_pool<T, Checks>& pool) noexcept {
    return live_range<handle_pool<T, Checks>>(pool);
}

}  // namespace ebb::inline EBB_ABI

template <class T>
struct std::hash<ebb::handle<T>> {
    std::size_t operator()(const ebb::handle<T>& h) const noexcept {
        return std::hash<std::uint64_t>{}(std::uint64_t{h.generation} << 32 | h.index);
    }
};

#endif  // EBBPOOL_HANDLE_POOL_HPP
