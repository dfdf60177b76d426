// ebb::fixed_pool<T>: a fixed number of slots for objects of one type, allocated and freed in any order. Misuse
// is detected in release builds.
//
//     block    slot 0 | slot 1 | ... | slot N-1 || order: N + 8 x 4 B || states: N x 1 B
//
// The pool stores nothing in the slots, so a stray write to a free slot can't corrupt it, and AddressSanitizer
// can poison whole slots.
//
// `order` is a permutation of the slots: entries below `top` are unused, and the rest are the free slots in the
// order of allocation. Entry i holds (slot XOR i), so zeroed memory reads as "slot i at entry i". A new pool
// needs no initialization, and never-allocated slots come last, lowest first, without a branch of their own.
//
// `states` has a byte per slot. To check a pointer, one comparison tests null, range and stride (slot_finder),
// and one tests the state.
//
// The slot that was freed last is the hot slot, a member. It enters the tables only when the next slot is
// freed, so a loop that alternates between allocate and deallocate does not write to them.
#ifndef EBBPOOL_FIXED_POOL_HPP
#define EBBPOOL_FIXED_POOL_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include <ebbpool/annotate.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/storage.hpp>

namespace ebb::inline EBB_ABI {

namespace detail {

/// The state of a slot. An enumeration, because a store through a char may alias the pool's members, and
/// compilers would reload them.
enum class slot_state : unsigned char { never = 0, live = 1, free = 2 };

/// A number with its own type, because a store to a std::size_t may alias the pool's members.
enum class counter : std::size_t {};
constexpr std::size_t operator+(counter c) noexcept { return static_cast<std::size_t>(c); }

/// Returns a description of the misuse. `slot` is the result of slot_finder.
EBB_COLD constexpr misuse_info classify(const void* pool, const void* p, const void* base, std::size_t size,
                                        std::size_t alignment, std::size_t capacity, std::size_t slot,
                                        bool never) noexcept {
    misuse_info info{misuse::foreign, pool, p, base, misuse_info::no_slot, size, capacity};
    if (slot < capacity) {
        info.slot = slot;
        info.kind = never ? misuse::never_allocated : misuse::double_free;
    } else if (p == nullptr) {
        info.kind = misuse::null;
    } else if (!std::is_constant_evaluated()) {
        const auto at = reinterpret_cast<std::uintptr_t>(p);
        const std::uintptr_t offset = at - reinterpret_cast<std::uintptr_t>(base);
        if (offset < capacity * size) {
            info.slot = offset / size;
            info.kind = at % alignment != 0 ? misuse::misaligned : misuse::interior;
        }
    }
    return info;
}

/// The number of allocations by which a slot is prefetched ahead: at 10 ns per object, they take the 100 ns of
/// a load from memory.
inline constexpr std::size_t prefetch_ahead = 8;

/// The smallest size of slots that are prefetched when they become hot. Smaller slots often share a cached
/// line.
inline constexpr std::size_t prefetch_hot_from = 64;

}  // namespace detail

/// A pool of `capacity` slots for objects of type T, in one block of memory.
///
/// It is for one thread at a time; see sync_fixed_pool for several. It can't be copied or moved, and addresses
/// are stable. The destructor frees the memory without running destructors of T; make.hpp has handles that run
/// them.
///
/// Misuse of deallocate is detected and changes nothing, unless the policy is checks::none. One case is not
/// detected: a double free after the slot was allocated again frees the new owner's object. handle_pool detects
/// it.
///
/// Slots are reused last in, first out. A slot that was never allocated is used only if no other is free,
/// lowest first. Calls are O(1), except the constructor and high_water(). The pool takes sizeof(T) + 5 bytes
/// per slot (4 with checks::none), and pages of a mapped block only on first use.
/// \snippet reference.cpp fixed_pool
template <class T, class Checks = checks::trap>
class fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    using value_type = T;        ///< T
    using checks_type = Checks;  ///< The policy

    /// The largest capacity of a pool: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// A pool of `capacity` slots. With 0 slots it is both empty and full.
    ///
    /// It makes one allocation. Throws std::bad_alloc, and std::length_error if capacity > max_capacity or the
    /// block would exceed PTRDIFF_MAX bytes. Blocks of at least 128 KiB are mapped, which takes microseconds.
    /// In smaller blocks and in pool_options::storage, 5 bytes per slot are cleared.
    constexpr explicit fixed_pool(std::size_t capacity) : fixed_pool(capacity, pool_options{}) {}

    /// The same with options.
    constexpr fixed_pool(std::size_t capacity, const pool_options& options)
        : block_(checked_block(capacity, options)), capacity_{capacity} {
        if (std::is_constant_evaluated()) {
            base_ = std::allocator<T>{}.allocate(capacity);
            order_ = new std::uint32_t[capacity + detail::prefetch_ahead]{};
            states_ = new detail::slot_state[capacity + 1]{};
        } else {
            std::byte* const data = block_.data();
            base_ = reinterpret_cast<T*>(data);
            order_ = reinterpret_cast<std::uint32_t*>(data + order_at(capacity));
            states_ = reinterpret_cast<detail::slot_state*>(data + states_at(capacity));
            if constexpr (annotate::on) annotate::begin(this, base_, capacity * sizeof(T));
        }
    }

    fixed_pool(const fixed_pool&) = delete;
    fixed_pool& operator=(const fixed_pool&) = delete;

    constexpr ~fixed_pool() {
        if constexpr (requires(const leak_info& info) { Checks::on_leaks(info); }) {
            if (!empty()) Checks::on_leaks(leak_info{this, used(), capacity()});
        }
        if (std::is_constant_evaluated()) {
            std::allocator<T>{}.deallocate(base_, +capacity_);
            delete[] order_;
            delete[] states_;
        } else if constexpr (annotate::on) {
            annotate::end(this, base_, +capacity_ * sizeof(T));
        }
    }

    /// Allocates a slot, without clearing it or running a constructor. Returns nullptr if the pool is full.
    [[nodiscard]] constexpr T* allocate() noexcept {
        if (hot_ != no_slot) {
            const std::size_t slot = +hot_;
            hot_ = no_slot;
            return hand_out(slot);
        }
        const std::size_t top = +top_;
        if (EBB_UNLIKELY(top == +capacity_)) return nullptr;
        const std::size_t slot = order_[top] ^ static_cast<std::uint32_t>(top);
        top_ = detail::counter{top + 1};
        if constexpr (Checks::enabled) states_[slot] = detail::slot_state::live;
        if (!std::is_constant_evaluated()) {
            // The table has 8 extra entries. They are zero and name slots that don't exist, whose prefetch has
            // no effect.
            const std::size_t ahead = top + detail::prefetch_ahead;
            EBB_PREFETCH(address(order_[ahead] ^ static_cast<std::uint32_t>(ahead)));
        }
        return hand_out(slot);
    }

    /// Frees a slot. p must be a result of allocate() that was not freed since, and its object must have been
    /// destroyed. Otherwise the policy is called, and the pool is unchanged.
    constexpr void deallocate(T* p) noexcept {
        const std::size_t slot = slot_of(p);
        const detail::counter hot = hot_;
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(slot >= +capacity_ || !is_out(slot, hot))) {
                complain(p, slot);
                return;
            }
        }
        if constexpr (annotate::on) {
            if (!std::is_constant_evaluated()) annotate::given_back(this, p, sizeof(T));
        }
        hot_ = detail::counter{slot};
        if (hot == no_slot) {
            // After an allocation, the next call is likely to allocate this slot.
            if constexpr (sizeof(T) >= detail::prefetch_hot_from) {
                if (!std::is_constant_evaluated()) EBB_PREFETCH(p);
            }
            if constexpr (!Checks::enabled) {
                if (EBB_UNLIKELY(+top_ > +high_)) high_ = top_;
            }
        } else {
            // No prefetch, because after several frees most slots are not needed soon.
            const std::size_t top = +top_ - 1;
            order_[top] = static_cast<std::uint32_t>(+hot) ^ static_cast<std::uint32_t>(top);
            top_ = detail::counter{top};
            if constexpr (Checks::enabled) states_[+hot] = detail::slot_state::free;
        }
    }

    /// Returns the number of slots.
    [[nodiscard]] constexpr std::size_t capacity() const noexcept { return +capacity_; }

    /// Returns the number of allocated slots.
    [[nodiscard]] constexpr std::size_t used() const noexcept {
        return +top_ - static_cast<std::size_t>(hot_ != no_slot);
    }

    /// Returns capacity() - used().
    [[nodiscard]] constexpr std::size_t available() const noexcept { return capacity() - used(); }

    /// Reports whether used() == 0.
    [[nodiscard]] constexpr bool empty() const noexcept { return used() == 0; }

    /// Reports whether used() == capacity(), so that allocate() returns nullptr.
    [[nodiscard]] constexpr bool full() const noexcept { return used() == capacity(); }

    /// Reports whether p is the address of a slot, allocated or not. It is false for null, an address
    /// inside a slot, and the end of the block.
    [[nodiscard]] constexpr bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Returns the largest number of slots that were allocated at one time. O(log capacity).
    [[nodiscard]] constexpr std::size_t high_water() const noexcept {
        if constexpr (!Checks::enabled) {
            return +high_ > +top_ ? +high_ : +top_;
        } else {
            // Slots that were ever allocated come first.
            std::size_t low = 0;
            std::size_t high = +capacity_;
            while (low < high) {
                const std::size_t middle = low + (high - low) / 2;
                if (states_[middle] == detail::slot_state::never) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            return low;
        }
    }

    /// Reports whether p is an allocated slot. It does not call the policy.
    [[nodiscard]] constexpr bool is_live(const T* p) const noexcept requires(Checks::enabled) {
        const std::size_t slot = slot_of(p);
        return slot < +capacity_ && slot_is_live(slot);
    }

    /// Checks p as deallocate does: if p is not an allocated slot, it calls the policy and returns false. It is
    /// for callers that must do something before the free, such as running a destructor. With checks::none it
    /// returns true.
    [[nodiscard]] constexpr bool verify(const T* p) const noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(!is_live(p))) {
                complain(p, slot_of(p));
                return false;
            }
        }
        return true;
    }

    /// Returns the index of p's slot in address order, or a number of at least capacity() if !owns(p).
    [[nodiscard]] constexpr std::size_t index_of(const T* p) const noexcept { return slot_of(p); }

    /// Returns the address of a slot, allocated or not. The index must be less than capacity(), which is not
    /// checked.
    [[nodiscard]] constexpr T* slot(std::size_t index) const noexcept { return base_ + index; }

    /// Reports whether a slot is allocated. The index must be less than capacity().
    [[nodiscard]] constexpr bool slot_is_live(std::size_t index) const noexcept requires(Checks::enabled) {
        return is_out(index, hot_);
    }

    /// Returns a size of pool_options::storage that is enough for `capacity` slots, at any address. Throws
    /// std::length_error as the constructor.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    static constexpr detail::counter no_slot{misuse_info::no_slot};
    // At least a cache line, so that objects of that size don't span two.
    static constexpr std::size_t block_alignment = alignof(T) > detail::cache_line ? alignof(T) : detail::cache_line;
    static constexpr std::size_t state_bytes = Checks::enabled ? 1 : 0;

    static constexpr std::size_t order_at(std::size_t capacity) noexcept {
        return detail::round_up(capacity * sizeof(T), detail::cache_line);
    }
    static constexpr std::size_t states_at(std::size_t capacity) noexcept {
        const std::size_t entries = capacity + detail::prefetch_ahead;
        return detail::round_up(order_at(capacity) + entries * sizeof(std::uint32_t), detail::cache_line);
    }

    static constexpr std::size_t block_bytes(std::size_t capacity) {
        constexpr std::size_t limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
        constexpr std::size_t slack = 2 * detail::huge_page + 2 * block_alignment;
        if (capacity > max_capacity || capacity > (limit - slack) / (sizeof(T) + sizeof(std::uint32_t) + 1)) {
            detail::throw_length("ebb::fixed_pool: capacity is too large");
        }
        return states_at(capacity) + capacity * state_bytes;
    }

    static constexpr detail::block checked_block(std::size_t capacity, const pool_options& options) {
        if (std::is_constant_evaluated()) return detail::block{};
        return detail::block{block_bytes(capacity), block_alignment, order_at(capacity), options};
    }

    [[nodiscard]] constexpr std::size_t slot_of(const T* p) const noexcept {
        if (std::is_constant_evaluated()) {
            // Constant expressions can compare addresses only for equality.
            for (std::size_t i = 0; i < +capacity_; ++i) {
                if (p == base_ + i) return i;
            }
            return misuse_info::no_slot;
        }
        return detail::slot_finder<sizeof(T)>::quotient(p, base_);
    }

    // The slot need not exist.
    [[nodiscard]] const void* address(std::size_t slot) const noexcept {
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base_) + slot * sizeof(T));
    }

    // The state of the hot slot is not up to date.
    [[nodiscard]] constexpr bool is_out(std::size_t slot, detail::counter hot) const noexcept {
        return states_[slot] == detail::slot_state::live && slot != +hot;
    }

    constexpr T* hand_out(std::size_t slot) noexcept {
        T* const p = base_ + slot;
        if constexpr (annotate::on) {
            if (!std::is_constant_evaluated()) annotate::handed_out(this, p, sizeof(T));
        }
        return p;
    }

    EBB_COLD constexpr void complain(const T* p, std::size_t slot) const noexcept {
        const bool never = slot < +capacity_ && states_[slot] == detail::slot_state::never;
        Checks::on_misuse(detail::classify(this, p, base_, sizeof(T), alignof(T), +capacity_, slot, never));
    }

    detail::block block_;
    T* base_ = nullptr;
    std::uint32_t* order_ = nullptr;
    detail::slot_state* states_ = nullptr;
    detail::counter capacity_{};
    detail::counter top_{};         // allocated slots, plus the hot one
    detail::counter hot_{no_slot};  // the slot that was freed last, if it is still free
    detail::counter high_{};        // the largest top_ at a free; with checks::none only
};

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_FIXED_POOL_HPP
