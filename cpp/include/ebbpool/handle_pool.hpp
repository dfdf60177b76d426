// ebb::handle<T> and its pool: names of objects that know when they are stale.
//
// A pointer to an object that was given back, whose slot was handed out again,
// looks like the new object's: no check of a pointer can tell them apart. A
// handle carries the slot's generation, which every give-back raises, so a
// stale handle is known for what it is at every use.
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

namespace ebb {
inline namespace EBB_ABI {

namespace detail {
struct generations;  // of a test, which can't wait for 2^31 objects
}

/// A name of an object in a handle_pool<T>: 8 bytes, copied freely, never
/// dangling. The default one names nothing. It does not know its pool: one of
/// another pool's of the same type may name an object by accident.
///
/// \snippet reference.cpp handle_pool
template <class T>
struct handle {
    /// The slot.
    std::uint32_t index = 0;
    std::uint32_t generation = 0;  ///< odd for a handle to an object; 0 for none

    /// Whether it was ever a name of an object, which may be gone.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return generation != 0; }
    /// Whether both are of one object.
    friend constexpr bool operator==(const handle&, const handle&) noexcept = default;
    /// An order without meaning, for containers.
    friend constexpr auto operator<=>(const handle&, const handle&) noexcept = default;
};

/// A fixed number of slots, used by handles. All calls O(1). Memory: that of
/// fixed_pool<T> and 4 bytes a slot. One thread at a time.
///
/// A slot's generation does not wrap: after 2,147,483,647 objects the slot is
/// retired, stays out for ever (see retired()), and the capacity that is of use
/// is one less. So no handle ever becomes valid again.
///
/// The destructor destroys the objects that are left, and what their destructors
/// create, so with_leaks has nothing to say here.
///
/// \snippet reference.cpp handle_pool
template <class T, class Checks = checks::trap>
class handle_pool {
public:
    /// T.
    using value_type = T;
    /// What create() answers.
    using handle_type = handle<T>;

    /// As fixed_pool's constructor: std::length_error, std::bad_alloc; nothing
    /// is left behind. Two allocations, for the objects and the generations;
    /// none with options.storage.
    explicit handle_pool(std::size_t capacity, const pool_options& options = {})
        : pool_(capacity, for_objects(capacity, options)),
          generations_(generation_bytes(capacity), alignof(std::uint32_t), 0, for_generations(capacity, options)) {}

    handle_pool(const handle_pool&) = delete;
    handle_pool& operator=(const handle_pool&) = delete;

    ~handle_pool() {
        // A destructor may create objects in slots that were passed.
        while (!empty()) {
            for (std::size_t i = 0; i < pool_.high_water(); ++i) {
                if (slot_is_live(i)) drop(i);
            }
        }
        // Retired slots are no leaks.
        for (std::size_t i = 0; i < pool_.high_water(); ++i) {
            if (generation(i) == retired_generation) pool_.deallocate(pool_.slot(i));
        }
    }

    /// Constructs a T from `args`; the null handle when the pool is full. When
    /// the constructor throws, the pool is as before.
    template <class... Args>
    [[nodiscard]] handle_type create(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
        T* const p = construct(pool_, std::forward<Args>(args)...);
        if (p == nullptr) return {};
        const std::size_t i = pool_.index_of(p);
        return {static_cast<std::uint32_t>(i), ++generation(i)};
    }

    /// The object, or nullptr when it was destroyed since. Valid until the
    /// object is destroyed.
    [[nodiscard]] T* get(handle_type h) const noexcept {
        // An even generation names nothing, though a forged handle may match.
        return h.index < pool_.capacity() && is_odd(h.generation) && h.generation != retired_generation &&
                       generation(h.index) == h.generation
                   ? pool_.slot(h.index)
                   : nullptr;
    }

    /// Destroys the object and makes its slot free. False, and nothing
    /// happens, when the handle is stale or null: the double free is seen even
    /// when the slot was handed out again.
    bool destroy(handle_type h) noexcept {
        if (get(h) == nullptr) return false;
        drop(h.index);
        return true;
    }

    /// The handle of an object of this pool; null when `p` is none.
    [[nodiscard]] handle_type handle_of(const T* p) const noexcept {
        const std::size_t i = pool_.index_of(p);
        if (i >= pool_.capacity()) return {};
        const handle_type h{static_cast<std::uint32_t>(i), generation(i)};
        return get(h) != nullptr ? h : handle_type{};
    }

    /// Slots in all.
    [[nodiscard]] std::size_t capacity() const noexcept { return pool_.capacity(); }
    /// Objects that exist.
    [[nodiscard]] std::size_t used() const noexcept { return pool_.used() - retired_; }
    /// So many calls of create() will succeed.
    [[nodiscard]] std::size_t available() const noexcept { return pool_.available(); }
    /// Whether there is no object.
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Whether the next create() will answer the null handle.
    [[nodiscard]] bool full() const noexcept { return pool_.full(); }
    /// Slots whose generations are used up.
    [[nodiscard]] std::size_t retired() const noexcept { return retired_; }

    /// Most slots that were ever out at a time, with those that are retired. O(log
    /// capacity).
    [[nodiscard]] std::size_t high_water() const noexcept { return pool_.high_water(); }
    /// The address of slot `index`, which must be less than capacity().
    [[nodiscard]] T* slot(std::size_t index) const noexcept { return pool_.slot(index); }
    /// Whether there is an object in slot `index`, which must be less than high_water().
    /// None while its constructor or destructor runs.
    [[nodiscard]] bool slot_is_live(std::size_t index) const noexcept {
        const std::uint32_t g = generation(index);
        return is_odd(g) && g != retired_generation;
    }

    /// How many bytes of pool_options::storage are enough, at any address.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return fixed_pool<T, Checks>::bytes_needed(capacity) + storage_of_generations(capacity);
    }

private:
    friend struct detail::generations;

    // The generation at which a slot is out of use: odd, so that it is above
    // every other, and given to no handle.
    static constexpr std::uint32_t retired_generation = std::numeric_limits<std::uint32_t>::max();

    static constexpr bool is_odd(std::uint32_t g) noexcept { return g % 2 != 0; }

    // At least one, since operator new of no bytes is of no use. The pool's
    // constructor has seen to it that this does not overflow.
    static constexpr std::size_t generation_bytes(std::size_t capacity) noexcept {
        return (capacity + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::size_t storage_of_generations(std::size_t capacity) noexcept {
        return generation_bytes(capacity) + alignof(std::uint32_t) - 1;
    }

    // Storage that is handed in is split: the generations' part comes last.
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
        // Raised before the destructor runs: handles are stale inside it.
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

/// The objects of `pool`, in the order of their addresses, as of a fixed_pool; see
/// live_range. `pool.handle_of(&object)` is an object's handle.
///
/// \snippet reference.cpp handle_pool
template <class T, class Checks>
[[nodiscard]] live_range<handle_pool<T, Checks>> live(const handle_pool<T, Checks>& pool) noexcept {
    return live_range<handle_pool<T, Checks>>(pool);
}

}  // namespace EBB_ABI
}  // namespace ebb

template <class T>
struct std::hash<ebb::handle<T>> {
    std::size_t operator()(const ebb::handle<T>& h) const noexcept {
        return std::hash<std::uint64_t>{}(std::uint64_t{h.generation} << 32 | h.index);
    }
};

#endif  // EBBPOOL_HANDLE_POOL_HPP
