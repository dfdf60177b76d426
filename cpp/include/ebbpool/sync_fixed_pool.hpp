// ebb::sync_fixed_pool<T>: fixed_pool for threads.
//
// Each thread has a magazine of free slots, which it uses without a lock or an
// atomic read-modify-write; magazines are filled from and emptied into a depot
// under a lock, a batch at a time. Why not a lock-free stack: its one head is
// written by every call of every thread, and with the tag that it needs against
// reuse it was 20 times slower with two threads already.
#ifndef EBBPOOL_SYNC_FIXED_POOL_HPP
#define EBBPOOL_SYNC_FIXED_POOL_HPP

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include <ebbpool/annotate.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/fixed_pool.hpp>
#include <ebbpool/storage.hpp>
#include <ebbpool/sync_depot.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// Options of a sync_fixed_pool: those of the memory, and the batch.
///
/// \snippet reference.cpp sync_options
struct sync_options {
    /// What says that the pool chooses.
    static constexpr std::size_t automatic = static_cast<std::size_t>(-1);

    /// Where the memory comes from.
    pool_options memory{};
    /// Slots that move between a thread and the depot at a time: 0 to 64,
    /// rounded down to a power of 2. A thread holds back at most twice as
    /// many. 0: none are held back, each call takes the lock. automatic:
    /// capacity / 64, at most 64, so that a thread holds back 1/32 at most.
    std::size_t batch = automatic;
};

/// A pool of `capacity` objects of type T that any thread may use at any time;
/// an object may be given back by another thread than took it.
///
/// allocate() answers nullptr when neither the thread's magazine nor the depot
/// has a slot: up to 2 * batch() free slots in each other thread's magazine are
/// out of reach. The order of slots is last in, first out for a thread as long
/// as its magazine serves, and no other promise is made. A thread's magazine
/// goes back to the depot when the thread ends.
///
/// Misuse is checked as in fixed_pool. A double free is seen when the second
/// call comes after the first. Of two that race with each other both may pass;
/// then the copy is dropped, and reported, when it is about to be handed out,
/// unless another thread is handed the other copy at that very moment.
///
/// Cost: a look-up in the thread's cache and no lock, in all but one call of
/// batch() or so; near exhaustion, when a refill finds few slots or none, more
/// calls take it. A thread that uses more than 64 pools by turns searches the
/// list of those it has used for some. Memory: sizeof(T) + 1.2 bytes a slot,
/// 640 bytes a thread, and 2 KiB a thread for all pools; of a pool that is gone a thread keeps its magazine and
/// the depot, about 800 bytes, until it uses a new pool or ends.
///
/// Construction and destruction are not thread-safe; when the pool is destroyed
/// no thread may be in a call of it. After fork() only the calling thread goes
/// on: free slots in the magazines of others are lost to the child, and if one
/// of them was in a call, the child may wait for its lock for ever. Use a pool
/// in the child only if the parent had one thread.
///
/// Under AddressSanitizer free slots are poisoned if sizeof(T) is a multiple of
/// 8.
///
/// \snippet reference.cpp sync_fixed_pool
template <class T, class Checks = checks::trap>
class sync_fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::sync_fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    /// T.
    using value_type = T;
    /// The policy.
    using checks_type = Checks;

    /// As fixed_pool's: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// As fixed_pool's: std::length_error, std::bad_alloc; nothing is left
    /// behind.
    explicit sync_fixed_pool(std::size_t capacity, const sync_options& options = {})
        : capacity_{capacity},
          batch_(batch_of(capacity, options)),
          room_(detail::depot::room(batch_)),
          block_(block_bytes(capacity), block_alignment, states_at(capacity) - detail::cache_line, options.memory) {
        std::byte* const data = block_.data();
        before_ = reinterpret_cast<std::uintptr_t>(data) - sizeof(T);
        states_ = reinterpret_cast<state*>(data + states_at(capacity)) - 1;
        depot_ = std::make_shared<detail::depot>(capacity, batch_,
                                                 reinterpret_cast<std::uint64_t*>(data + bits_at(capacity)),
                                                 reinterpret_cast<std::uint32_t*>(data + stack_at(capacity)));
        key_ = key{detail::thread_magazines::new_key(depot_.get())};
        if constexpr (annotated) annotate::begin(this, data, capacity * sizeof(T));
    }

    sync_fixed_pool(const sync_fixed_pool&) = delete;
    sync_fixed_pool& operator=(const sync_fixed_pool&) = delete;

    ~sync_fixed_pool() {
        if constexpr (requires(const leak_info& info) { Checks::on_leaks(info); }) {
            if (!empty()) Checks::on_leaks(leak_info{this, used(), capacity()});
        }
        depot_->close();
        if constexpr (annotated) annotate::end(this, block_.data(), +capacity_ * sizeof(T));
    }

    /// Hands out a slot, or nullptr when there is none within reach. Raw
    /// memory, as from fixed_pool.
    [[nodiscard]] EBB_INLINE T* allocate() noexcept {
        detail::front& f = front();
        if (EBB_UNLIKELY(f.key != +key_)) return allocate_slowly();
        const std::uint32_t hot = f.hot.load(std::memory_order_relaxed);
        if constexpr (Checks::enabled) {
            // One look at the state says that there is a hot slot, and that it is free.
            if (EBB_UNLIKELY(!is(hot, detail::slot_state::free))) return allocate_counted(f);
            states_[hot].store(detail::slot_state::live, std::memory_order_relaxed);
        } else {
            if (EBB_UNLIKELY(hot == detail::front::none)) return allocate_counted(f);
        }
        f.hot.store(detail::front::none, std::memory_order_relaxed);
        return hand_out(hot);
    }

    /// Takes a slot back, from any thread; otherwise as fixed_pool's.
    EBB_INLINE void deallocate(T* p) noexcept {
        const std::size_t name = name_of(p);
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(name > +capacity_ || !is(name, detail::slot_state::live))) return complain(p);
            states_[name].store(detail::slot_state::free, std::memory_order_relaxed);
        }
        if constexpr (annotated) annotate::given_back(this, p, sizeof(T));
        detail::front& f = front();
        if (EBB_UNLIKELY(f.key != +key_)) return deallocate_slowly(name);
        const std::uint32_t hot = f.hot.load(std::memory_order_relaxed);
        if (hot != detail::front::none) {
            detail::magazine& m = *f.own;
            const std::uint32_t n = m.count.load(std::memory_order_relaxed);
            if (EBB_UNLIKELY(n >= room_)) return deallocate_slowly(name);
            m.slots[n] = hot - 1;
            m.count.store(n + 1, std::memory_order_relaxed);
        }
        f.hot.store(static_cast<std::uint32_t>(name), std::memory_order_relaxed);
    }

    /// Slots in all. O(1).
    [[nodiscard]] std::size_t capacity() const noexcept { return +capacity_; }

    /// Slots that are out. O(threads), takes the lock. While other threads are
    /// in calls, a value that was right at some moment, give or take one a
    /// thread; so are the next three.
    [[nodiscard]] std::size_t used() const noexcept { return depot_->used(); }
    /// capacity() - used(), magazines of other threads counted.
    [[nodiscard]] std::size_t available() const noexcept { return capacity() - used(); }
    /// Whether none is out: as used().
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Whether all are out: as used().
    [[nodiscard]] bool full() const noexcept { return used() == capacity(); }

    /// As fixed_pool's.
    [[nodiscard]] bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Slots that were ever out or in a magazine: not less than the most that
    /// were out at a time.
    [[nodiscard]] std::size_t high_water() const noexcept { return depot_->fresh(); }

    /// Slots that move between a thread and the depot at a time; 0 when each
    /// call takes the lock.
    [[nodiscard]] std::size_t batch() const noexcept { return batch_; }

    /// As fixed_pool's, and true with checks::none.
    [[nodiscard]] bool verify(const T* p) const noexcept {
        if constexpr (Checks::enabled) {
            const std::size_t name = name_of(p);
            if (EBB_UNLIKELY(name > +capacity_ || !is(name, detail::slot_state::live))) {
                complain(p);
                return false;
            }
        }
        return true;
    }

    /// As fixed_pool's.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    using state = std::atomic<detail::slot_state>;
    // A number of a type of its own: a store to the user's objects can't change it.
    enum class key : std::uint64_t {};
    friend constexpr std::uint64_t operator+(key k) noexcept { return static_cast<std::uint64_t>(k); }
    // Loads and stores are all that is asked of it. They are plain instructions also
    // where, as on riscv64, an exchange of a byte is none and is_always_lock_free false.
    static_assert(sizeof(state) == 1, "states are bytes of memory that is zero");

    // AddressSanitizer keeps one byte for 8 of the program's: where slots share
    // one, two threads would change it at the same time.
    static constexpr bool annotated = annotate::on && (EBB_ASAN == 0 || sizeof(T) % 8 == 0);

    static constexpr std::size_t block_alignment = alignof(T) > detail::cache_line ? alignof(T) : detail::cache_line;

    static constexpr std::size_t runs(std::size_t capacity) noexcept {
        return (capacity + detail::run_length - 1) / detail::run_length;
    }
    // A line begins with the states of a run. The byte before is the state of the name
    // that no slot has, and so a line more is there for it.
    static constexpr std::size_t states_at(std::size_t capacity) noexcept {
        return detail::round_up(capacity * sizeof(T), detail::cache_line) + detail::cache_line;
    }
    static constexpr std::size_t bits_at(std::size_t capacity) noexcept {
        return states_at(capacity) + runs(capacity) * detail::run_length;
    }
    static constexpr std::size_t stack_at(std::size_t capacity) noexcept {
        return bits_at(capacity) + runs(capacity) * sizeof(std::uint64_t);
    }
    static constexpr std::size_t block_bytes(std::size_t capacity) {
        constexpr std::size_t limit = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
        constexpr std::size_t slack = 2 * detail::huge_page + 2 * block_alignment;
        if (capacity > max_capacity || capacity > (limit - slack) / (sizeof(T) + 2)) {
            detail::throw_length("ebb::sync_fixed_pool: capacity is too large");
        }
        // At least something, for a capacity of 0.
        return stack_at(capacity) + (runs(capacity) + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::uint32_t batch_of(std::size_t capacity, const sync_options& options) noexcept {
        const std::size_t wanted = options.batch == sync_options::automatic ? capacity / 64 : options.batch;
        return static_cast<std::uint32_t>(std::bit_floor(std::min(wanted, detail::run_length)));
    }

    // What most calls need holds no other call, in an executable: a function
    // that might call another one saves its registers first, which was a third
    // of the time. In a shared library the thread's cache is found by a call.
    [[nodiscard]] detail::front& front() const noexcept { return detail::thread_magazines::at(+key_); }
    [[nodiscard]] detail::front* find_front() noexcept {
        return batch_ == 0 ? nullptr : detail::thread_magazines::find(+key_, depot_);
    }

    // No hot slot, or one that is out already.
    EBB_NOINLINE T* allocate_counted(detail::front& f) noexcept {
        if (f.hot.load(std::memory_order_relaxed) == detail::front::none) {
            detail::magazine& m = *f.own;
            const std::uint32_t n = m.count.load(std::memory_order_relaxed);
            if (n != 0) {
                const std::size_t name = m.slots[n - 1] + std::size_t{1};
                m.count.store(n - 1, std::memory_order_relaxed);
                if (claim(name)) return hand_out(name);
            }
        }
        return allocate_slowly();
    }
    EBB_NOINLINE T* allocate_slowly() noexcept {
        detail::front* const f = find_front();
        for (;;) {
            const std::size_t name = f != nullptr ? next_of(*f) : depot_->take_one() + std::size_t{1};
            if (name == detail::depot::none + std::size_t{1}) return nullptr;
            if (claim(name)) return hand_out(name);
        }
    }
    std::size_t next_of(detail::front& f) noexcept {
        const std::uint32_t hot = f.hot.exchange(detail::front::none, std::memory_order_relaxed);
        if (hot != detail::front::none) return hot;
        const bool refills = f.own->count.load(std::memory_order_relaxed) == 0;
        const std::uint32_t slot = depot_->take(*f.own);
        if (refills) fetch(*f.own);
        return slot + std::size_t{1};
    }
    // What a magazine was refilled with was last used long ago, or by another
    // thread: the first line of each object is fetched while the first is used.
    void fetch(const detail::magazine& m) const noexcept {
        for (std::uint32_t i = m.count.load(std::memory_order_relaxed); i-- > 0;) {
            EBB_PREFETCH(named(m.slots[i] + std::size_t{1}));
        }
    }
    EBB_NOINLINE void deallocate_slowly(std::size_t name) noexcept {
        detail::front* const f = find_front();
        if (f == nullptr) return depot_->put_one(static_cast<std::uint32_t>(name - 1));
        const std::uint32_t hot = f->hot.load(std::memory_order_relaxed);
        if (hot != detail::front::none) depot_->put(*f->own, hot - 1);
        f->hot.store(static_cast<std::uint32_t>(name), std::memory_order_relaxed);
    }

    // False when the slot is out already: it was freed twice at the same
    // moment. This copy is dropped. Two threads that claim two copies at the
    // same moment both succeed: an exchange of the state in every call would
    // see that, and costs as much as the rest of the call.
    [[nodiscard]] bool claim(std::size_t name) noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(is(name, detail::slot_state::live))) {
                complain_late(name);
                return false;
            }
            states_[name].store(detail::slot_state::live, std::memory_order_relaxed);
        }
        return true;
    }
    T* hand_out(std::size_t name) noexcept {
        T* const p = named(name);
        EBB_ASSUME(p != nullptr);
        if constexpr (annotated) annotate::handed_out(this, p, sizeof(T));
        return p;
    }

    // Slots have names here: their numbers, plus one. No slot has the name 0, whose
    // state is always `never`: what is neither out nor free.
    [[nodiscard]] T* named(std::size_t name) const noexcept { return reinterpret_cast<T*>(before_ + name * sizeof(T)); }
    [[nodiscard]] bool is(std::size_t name, detail::slot_state s) const noexcept {
        return states_[name].load(std::memory_order_relaxed) == s;
    }
    [[nodiscard]] std::size_t name_of(const T* p) const noexcept {
        return detail::slot_finder<sizeof(T)>::quotient(p, before_);
    }
    [[nodiscard]] std::size_t slot_of(const T* p) const noexcept { return name_of(p) - 1; }

    EBB_COLD void complain(const T* p) const noexcept {
        const std::size_t slot = slot_of(p);
        Checks::on_misuse(detail::classify(this, p, named(1), sizeof(T), alignof(T), +capacity_, slot,
                                           slot < +capacity_ && is(slot + 1, detail::slot_state::never)));
    }
    EBB_COLD void complain_late(std::size_t name) const noexcept {
        Checks::on_misuse(
            misuse_info{misuse::double_free, this, named(name), named(1), name - 1, sizeof(T), +capacity_});
    }

    detail::counter capacity_;
    std::uint32_t batch_;
    std::uint32_t room_;  // slots that a magazine may hold
    detail::block block_;
    key key_{};                  // of the depot, for every thread's fronts
    std::uintptr_t before_ = 0;  // where a slot before the first would be
    state* states_ = nullptr;    // by names
    std::shared_ptr<detail::depot> depot_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_SYNC_FIXED_POOL_HPP
