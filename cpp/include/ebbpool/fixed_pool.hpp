// ebb::fixed_pool<T>: a fixed number of slots for objects of one type, handed
// out and given back in any order, with every misuse that can be told from
// right use caught in release builds.
//
//     block    slot 0 | slot 1 | ... | slot N-1 || order: N + 8 x 4 B || states: N x 1 B
//
// Nothing is kept inside the slots, so that a stray write into a free one can't
// break the pool, and so that AddressSanitizer can poison all of it.
//
// `order` is a permutation of the slots, as a stack that grows downwards: the
// first `top` entries stand for slots that are out, the rest are the free ones
// in the order in which they will be handed out. Entry i holds (slot XOR i), so
// that memory which is still zero reads as "slot i": a new pool needs no
// filling, fresh slots come lowest first and only when all others are out, and
// there is no branch between "fresh" and "used before".
//
// `states` holds one of three values a slot; the check of a pointer is one
// compare for null, range and stride (slot_finder) and one for the state.
//
// The slot that was freed last is "hot": it is kept in a member, and goes to
// the stack, and its state from live to free, only when the next one is freed.
// While frees and allocations alternate neither table is written: stores are
// what such a loop waits for.
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

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

/// What has become of a slot. An enumeration of its own and not a char: a
/// store through a char may change anything, and the compiler would load the
/// pool's members anew after each.
enum class slot_state : unsigned char { never = 0, live = 1, free = 2 };

/// The pool's numbers, for the same reason: the user's objects often begin with
/// a std::size_t, and a store to one can't change a `counter`.
enum class counter : std::size_t {};
constexpr std::size_t operator+(counter c) noexcept { return static_cast<std::size_t>(c); }

/// Tells the kinds of misuse apart, which the check itself does not: cold, and
/// one for all types. `slot` is the result of slot_finder.
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

/// So many hand-outs ahead the slot is fetched into the cache. At 8 the fetch
/// (about 100 ns from memory) is under way long enough at 10 ns an object.
inline constexpr std::size_t prefetch_ahead = 8;

/// From this size on (a cache line) a slot that becomes hot is fetched; smaller
/// ones are often in a line that is there already.
inline constexpr std::size_t prefetch_hot_from = 64;

}  // namespace detail

/// A pool of `capacity` objects of type T, in one block of memory.
///
/// Every call takes O(1) time, except the constructor (see there) and
/// high_water(). Memory: sizeof(T) + 5 bytes a slot (4 with checks::none), held
/// page by page from the first use on where it is mapped. Reuse is last in,
/// first out; a slot that was never out is handed out only when every other one
/// is, lowest first.
///
/// One thread at a time; for several see sync_fixed_pool.hpp. Not copyable, not
/// movable: addresses are stable until the destructor. The destructor frees the
/// memory and runs no destructor of T: see make.hpp for handles that do.
///
/// Misuse of deallocate is detected with every policy but checks::none, and
/// leaves the pool as it was. What can't be seen: a second free of an address
/// after the slot was handed out again, which looks like the new owner's. For
/// that use handle_pool.hpp, whose handles carry generations.
///
/// \snippet reference.cpp fixed_pool
template <class T, class Checks = checks::trap>
class fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    /// T.
    using value_type = T;
    /// The policy.
    using checks_type = Checks;

    /// The largest capacity of any pool: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// A pool of `capacity` slots; 0 is legal, and always both empty and full.
    /// Throws std::length_error when capacity > max_capacity, or when the
    /// memory would be more than PTRDIFF_MAX bytes; std::bad_alloc when there
    /// is none. One allocation, so that nothing can be left behind by a throw.
    /// Takes microseconds at any size where the block is mapped, from 128 KiB
    /// on; smaller ones, and pool_options::storage, have 5 bytes a slot cleared.
    /// No slot is touched.
    constexpr explicit fixed_pool(std::size_t capacity) : fixed_pool(capacity, pool_options{}) {}

    /// The same with options: huge pages, prefault, storage of the caller's.
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

    /// Hands out a slot, or nullptr when all are out. Raw memory: no
    /// constructor runs, and the bytes are those that were left there.
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
            // Behind the last slot there are 8 more entries, all zero. They
            // name slots that do not exist: to prefetch those does nothing.
            const std::size_t ahead = top + detail::prefetch_ahead;
            EBB_PREFETCH(address(order_[ahead] ^ static_cast<std::uint32_t>(ahead)));
        }
        return hand_out(slot);
    }

    /// Takes a slot back; `p` must be what allocate() answered, and T's
    /// destructor must have run if a constructor had. Otherwise the policy is
    /// called, and the pool stays as it was.
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
            // A free after an allocation: the slot will be wanted at once.
            if constexpr (sizeof(T) >= detail::prefetch_hot_from) {
                if (!std::is_constant_evaluated()) EBB_PREFETCH(p);
            }
            if constexpr (!Checks::enabled) {
                if (EBB_UNLIKELY(+top_ > +high_)) high_ = top_;
            }
        } else {
            // Frees in a row: nothing is fetched, since most is not needed soon.
            const std::size_t top = +top_ - 1;
            order_[top] = static_cast<std::uint32_t>(+hot) ^ static_cast<std::uint32_t>(top);
            top_ = detail::counter{top};
            if constexpr (Checks::enabled) states_[+hot] = detail::slot_state::free;
        }
    }

    /// Slots in all.
    [[nodiscard]] constexpr std::size_t capacity() const noexcept { return +capacity_; }

    /// Slots that are out.
    [[nodiscard]] constexpr std::size_t used() const noexcept {
        return +top_ - static_cast<std::size_t>(hot_ != no_slot);
    }

    /// capacity() - used(): so many calls of allocate() will succeed.
    [[nodiscard]] constexpr std::size_t available() const noexcept { return capacity() - used(); }

    /// Whether no slot is out. A pool of capacity 0 is empty and full.
    [[nodiscard]] constexpr bool empty() const noexcept { return used() == 0; }

    /// Whether the next allocate() will answer nullptr.
    [[nodiscard]] constexpr bool full() const noexcept { return used() == capacity(); }

    /// Whether `p` is the address of one of the pool's slots, out or not.
    /// False for null, for addresses inside a slot, and one past the end.
    [[nodiscard]] constexpr bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Most slots that were ever out at a time. O(log capacity): it is the
    /// number of slots whose state is not `never`, and these come first.
    [[nodiscard]] constexpr std::size_t high_water() const noexcept {
        if constexpr (!Checks::enabled) {
            return +high_ > +top_ ? +high_ : +top_;
        } else {
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

    /// Whether `p` is a slot that is out, which is whether deallocate(p) would
    /// be right. No misuse, and so no report, when it is not.
    [[nodiscard]] constexpr bool is_live(const T* p) const noexcept requires(Checks::enabled) {
        const std::size_t slot = slot_of(p);
        return slot < +capacity_ && slot_is_live(slot);
    }

    /// The check of deallocate(p) without the rest: true when p is out, else
    /// the policy is called. For callers that must act before the slot is
    /// given back, such as to run a destructor. True with checks::none.
    [[nodiscard]] constexpr bool verify(const T* p) const noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(!is_live(p))) {
                complain(p, slot_of(p));
                return false;
            }
        }
        return true;
    }

    /// The number of p's slot, 0 to capacity() - 1 in the order of addresses.
    /// Not less than capacity() when !owns(p).
    [[nodiscard]] constexpr std::size_t index_of(const T* p) const noexcept { return slot_of(p); }

    /// The address of slot `index`, out or not; `index` must be less than
    /// capacity(), which is not checked.
    [[nodiscard]] constexpr T* slot(std::size_t index) const noexcept { return base_ + index; }

    /// Whether slot `index` is out; `index` must be less than capacity().
    [[nodiscard]] constexpr bool slot_is_live(std::size_t index) const noexcept requires(Checks::enabled) {
        return is_out(index, hot_);
    }

    /// How many bytes of pool_options::storage are enough for `capacity`
    /// slots, at any address. Throws std::length_error as the constructor.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    static constexpr detail::counter no_slot{misuse_info::no_slot};
    // At least a line, so that objects of a line's size do not lie across two.
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
            // Addresses are no numbers there; equality is all there is.
            for (std::size_t i = 0; i < +capacity_; ++i) {
                if (p == base_ + i) return i;
            }
            return misuse_info::no_slot;
        }
        return detail::slot_finder<sizeof(T)>::quotient(p, base_);
    }

    // Address of a slot that need not exist.
    [[nodiscard]] const void* address(std::size_t slot) const noexcept {
        return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base_) + slot * sizeof(T));
    }

    // The hot slot's state is not written yet.
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
    detail::counter top_{};         // entries of order_ for slots that are out, or hot
    detail::counter hot_{no_slot};  // the slot that was freed last, if no allocation came since
    detail::counter high_{};        // with checks::none: the largest top at a free
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_FIXED_POOL_HPP
