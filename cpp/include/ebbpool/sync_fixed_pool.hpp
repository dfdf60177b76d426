// ebb::sync_fixed_pool<T>: a fixed_pool for several threads.
//
// Each thread has a magazine of free slots, which it uses without a lock or an atomic read-modify-write.
// Magazines are refilled from, and flushed to, a depot with a lock, one batch at a time. A lock-free stack was
// 20 times slower with two threads, because each call writes its head.
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

namespace ebb::inline EBB_ABI {

/// Options of a sync_fixed_pool.
/// \snippet reference.cpp sync_options
struct sync_options {
    static constexpr std::size_t automatic = static_cast<std::size_t>(-1);  ///< The pool chooses the batch

    /// The options of the memory.
    pool_options memory{};
    /// The number of slots that a refill or flush moves: 0 to 64, rounded down to a power of 2. A thread caches
    /// at most twice as many. With 0, it caches none, and each call takes the lock. The default is capacity /
    /// 64, at most 64, so that a thread caches at most 1/32 of the slots.
    std::size_t batch = automatic;
};

/// A pool of `capacity` slots for objects of type T that several threads may use at the same time. Any thread
/// may free a slot.
///
/// allocate() returns nullptr if neither the thread's magazine nor the depot has a free slot. The magazine of
/// each other thread may have up to 2 * batch() free slots. When a thread ends, its magazine is flushed. The
/// order of slots is unspecified.
///
/// Misuse is detected as by fixed_pool. Two racing frees of one slot may both succeed. Then the second copy is
/// dropped and reported when it is about to be allocated, unless another thread allocates the first copy at the
/// same moment.
///
/// No thread may be in a call when the pool is destroyed. After fork(), the child may use the pool only if the
/// parent had one thread: slots in the magazines of other threads are lost, and a lock that another thread held
/// stays locked.
///
/// About one call in batch() takes the lock, more if the pool is nearly full. A thread that alternates between
/// more than 64 pools searches a list of them. The pool takes sizeof(T) + 1.2 bytes per slot and 640 bytes per
/// thread. Each thread takes 2 KiB for all pools, and keeps about 800 bytes of a destroyed pool until it uses a
/// new one or ends.
///
/// Under AddressSanitizer, free slots are poisoned if sizeof(T) is a multiple of 8.
/// \snippet reference.cpp sync_fixed_pool
template <class T, class Checks = checks::trap>
class sync_fixed_pool {
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                  "ebb::sync_fixed_pool<T>: T must be an object type without const and volatile, and no array");

public:
    using value_type = T;        ///< T
    using checks_type = Checks;  ///< The policy

    /// As fixed_pool's: 2^32 - 2 slots.
    static constexpr std::size_t max_capacity = static_cast<std::size_t>(std::numeric_limits<std::uint32_t>::max()) - 1;

    /// Throws as fixed_pool's constructor.
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

    /// Allocates a slot. Returns nullptr if the thread can reach no free slot. Otherwise as fixed_pool's.
    [[nodiscard]] EBB_INLINE T* allocate() noexcept {
        detail::front& f = front();
        if (EBB_UNLIKELY(f.key != +key_)) return allocate_slowly();
        const std::uint32_t hot = f.hot.load(std::memory_order_relaxed);
        if constexpr (Checks::enabled) {
            // The name `none` has a state other than free, so this also tests for it.
            if (EBB_UNLIKELY(!is(hot, detail::slot_state::free))) return allocate_counted(f);
            states_[hot].store(detail::slot_state::live, std::memory_order_relaxed);
        } else {
            if (EBB_UNLIKELY(hot == detail::front::none)) return allocate_counted(f);
        }
        f.hot.store(detail::front::none, std::memory_order_relaxed);
        return hand_out(hot);
    }

    /// Frees a slot, which any thread may have allocated. Otherwise as fixed_pool's.
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

    /// Returns the number of slots.
    [[nodiscard]] std::size_t capacity() const noexcept { return +capacity_; }

    /// Returns the number of allocated slots. While other threads use the pool, it may be off by one for each;
    /// this also applies to available, empty and full. It takes the lock, and O(threads) time.
    [[nodiscard]] std::size_t used() const noexcept { return depot_->used(); }
    /// Returns capacity() - used(), which includes slots in the magazines of other threads.
    [[nodiscard]] std::size_t available() const noexcept { return capacity() - used(); }
    /// Reports whether used() == 0.
    [[nodiscard]] bool empty() const noexcept { return used() == 0; }
    /// Reports whether used() == capacity().
    [[nodiscard]] bool full() const noexcept { return used() == capacity(); }

    /// As fixed_pool::owns.
    [[nodiscard]] bool owns(const T* p) const noexcept { return slot_of(p) < +capacity_; }

    /// Returns the number of slots that were ever allocated or in a magazine, an upper bound of the slots
    /// allocated at one time.
    [[nodiscard]] std::size_t high_water() const noexcept { return depot_->fresh(); }

    /// Returns the number of slots that a refill or flush moves, or 0 if each call takes the lock.
    [[nodiscard]] std::size_t batch() const noexcept { return batch_; }

    /// As fixed_pool::verify.
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

    /// As fixed_pool::bytes_needed.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t capacity) {
        return block_bytes(capacity) + block_alignment - 1;
    }

private:
    using state = std::atomic<detail::slot_state>;
    // Its own type, for the reason given at detail::counter.
    enum class key : std::uint64_t {};
    friend constexpr std::uint64_t operator+(key k) noexcept { return static_cast<std::uint64_t>(k); }
    // It is only loaded and stored, with plain instructions even if is_always_lock_free is false, as on
    // riscv64.
    static_assert(sizeof(state) == 1, "states are bytes of memory that is zero");

    // AddressSanitizer has one shadow byte for 8 bytes. Threads would race for the shadow bytes of slots that
    // share one.
    static constexpr bool annotated = annotate::on && (EBB_ASAN == 0 || sizeof(T) % 8 == 0);

    static constexpr std::size_t block_alignment = alignof(T) > detail::cache_line ? alignof(T) : detail::cache_line;

    static constexpr std::size_t runs(std::size_t capacity) noexcept {
        return (capacity + detail::run_length - 1) / detail::run_length;
    }
    // The states of each run start at a cache line. The line before has the state of the name without a slot.
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
        // Not 0 for a capacity of 0.
        return stack_at(capacity) + (runs(capacity) + 1) * sizeof(std::uint32_t);
    }
    static constexpr std::uint32_t batch_of(std::size_t capacity, const sync_options& options) noexcept {
        const std::size_t wanted = options.batch == sync_options::automatic ? capacity / 64 : options.batch;
        return static_cast<std::uint32_t>(std::bit_floor(std::min(wanted, detail::run_length)));
    }

    // In an executable, this makes no call. A call would make the function save registers, a third of its time. In a
    // shared library, finding the thread's cache is a call.
    [[nodiscard]] detail::front& front() const noexcept { return detail::thread_magazines::at(+key_); }
    [[nodiscard]] detail::front* find_front() noexcept {
        return batch_ == 0 ? nullptr : detail::thread_magazines::find(+key_, depot_);
    }

    // For a thread without a hot slot, or whose hot slot is already allocated.
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
    // Prefetches the first line of each slot of a refill, because these slots were used long ago, or by another
    // thread.
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

    // Returns false if the slot is already allocated: two threads freed it at the same moment, and this copy is
    // dropped. If two threads claim both copies at the same moment, both succeed. An exchange of the state
    // would detect that, but take as long as the rest of the call.
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

    // The name of a slot is its index plus one. No slot has the name 0, whose state is always `never`.
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
    std::uint32_t room_;  // of a magazine, in slots
    detail::block block_;
    key key_{};                  // of the depot in each thread's cache
    std::uintptr_t before_ = 0;  // the address of the name 0
    state* states_ = nullptr;    // by name
    std::shared_ptr<detail::depot> depot_;
};

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_SYNC_FIXED_POOL_HPP
