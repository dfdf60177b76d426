// The free slots of a sync_fixed_pool, by index: a magazine for each thread, and a depot with a lock. (J.
// Bonwick and J. Adams, "Magazines and Vmem", USENIX 2001.)
#ifndef EBBPOOL_SYNC_DEPOT_HPP
#define EBBPOOL_SYNC_DEPOT_HPP

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <ebbpool/per_thread.hpp>
#include <ebbpool/storage.hpp>

namespace ebb::inline EBB_ABI::detail {

// libstdc++ with Windows threads has no std::mutex before gcc 13. The lock is held for some hundred
// instructions, so waiting threads yield.
#if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAS_GTHREADS)
extern "C" __declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
class mutex {
public:
    void lock() noexcept {
        while (flag_.test_and_set(std::memory_order_acquire)) Sleep(0);
    }
    void unlock() noexcept { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_;
};
#else
using std::mutex;
#endif

/// The number of slots in a run, whose state bytes share a cache line.
inline constexpr std::size_t run_length = 64;

class depot;

/// A thread's free slots, last in, first out. Only its thread changes it. Fields that used() reads in other
/// threads are atomic. It is aligned to two cache lines, because processors prefetch the neighbor of a line.
struct alignas(128) magazine {
    // One more than the limit of a thread, for the hot slot of a front that is evicted.
    static constexpr std::size_t max_slots = 2 * run_length;

    std::atomic<std::uint32_t> count{0};
    bool taken = false;                               // in use; guarded by the depot's lock, like the next fields
    const std::atomic<std::uint32_t>* hot = nullptr;  // of its front, or null
    depot* home = nullptr;
    magazine* next = nullptr;  // next magazine of the depot
    std::uint32_t slots[max_slots] = {};
};

/// The entry of a thread's cache for one pool, with the hot slot plus one. Alternating frees and allocations
/// only use the hot slot, without counters and without waiting for the previous call's stores. The key
/// identifies the pool and gives the position in the cache, so one load is enough to find the front.
struct alignas(32) front {
    static constexpr std::uint32_t none = 0;

    std::uint64_t key = 0;  // of the depot
    magazine* own = nullptr;
    std::atomic<std::uint32_t> hot{none};
};

/// The free slots that are in no magazine: a bit for each slot, and a stack of the runs with free slots. A
/// refill empties one run before the next, so that threads rarely share the cache line of a run's states.
class alignas(cache_line) depot {
public:
    /// `bits` and `stack` have one entry per run; bits are zero.
    depot(std::size_t capacity, std::size_t batch, std::uint64_t* bits, std::uint32_t* stack) noexcept
        : capacity_(capacity), batch_(batch == 0 ? 1 : batch), bits_(bits), stack_(stack) {}

    depot(const depot&) = delete;
    depot& operator=(const depot&) = delete;

    ~depot() {
        while (magazines_ != nullptr) {
            magazine* const m = magazines_;
            magazines_ = m->next;
            delete m;
        }
    }

    static constexpr std::uint32_t none = 0xffffffff;

    /// The largest number of slots in a magazine, without the hot slot.
    static constexpr std::uint32_t room(std::size_t batch) noexcept {
        return batch == 0 ? 0 : static_cast<std::uint32_t>(2 * batch - 1);
    }

    /// Takes a slot from the magazine, and refills it if it is empty. Returns `none` if there is no slot. Does
    /// not take the hot slot.
    std::uint32_t take(magazine& m) noexcept {
        std::uint32_t n = m.count.load(std::memory_order_relaxed);
        if (n == 0) n = refill(m);
        if (n == 0) return none;
        m.count.store(n - 1, std::memory_order_relaxed);
        return m.slots[n - 1];
    }

    /// Puts a slot into the magazine, and flushes its older half if it is full.
    void put(magazine& m, std::uint32_t slot) noexcept {
        std::uint32_t n = m.count.load(std::memory_order_relaxed);
        if (n >= room(batch_)) n = flush(m);
        m.slots[n] = slot;
        m.count.store(n + 1, std::memory_order_relaxed);
    }

    std::uint32_t take_one() noexcept {
        const std::lock_guard lock(mutex_);
        if (height_ == 0) return fresh_ < capacity_ ? static_cast<std::uint32_t>(fresh_++) : none;
        const std::uint32_t run = stack_[height_ - 1];
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits_[run]));
        bits_[run] &= bits_[run] - 1;
        if (bits_[run] == 0) --height_;
        --free_;
        return run * static_cast<std::uint32_t>(run_length) + bit;
    }

    void put_one(std::uint32_t slot) noexcept {
        const std::lock_guard lock(mutex_);
        put(slot);
    }

    /// Returns a magazine for a thread, or null if there is no memory for one.
    magazine* enter() noexcept {
        const std::lock_guard lock(mutex_);
        for (magazine* m = magazines_; m != nullptr; m = m->next) {
            if (!m->taken) {
                m->taken = true;
                return m;
            }
        }
        magazine* const m = new (std::nothrow) magazine;
        if (m != nullptr) {
            m->taken = true;
            m->home = this;
            m->next = magazines_;
            magazines_ = m;
        }
        return m;
    }

    /// Assigns the front, without a hot slot, to the magazine.
    void give_front(front& f, magazine& m, std::uint64_t key) noexcept {
        const std::lock_guard lock(mutex_);
        f.key = key;
        f.own = &m;
        m.hot = &f.hot;
    }

    /// Removes the front from the magazine. The hot slot goes into the magazine.
    void take_front(front& f, magazine& m) noexcept {
        const std::lock_guard lock(mutex_);
        lose_front(f, m);
    }

    /// Flushes the magazine of a thread that ends. `f` is its front, or null.
    void leave(magazine& m, front* f) noexcept {
        const std::lock_guard lock(mutex_);
        if (f != nullptr) lose_front(*f, m);
        if (closed()) return;  // bits and stack are in the pool's memory
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        for (std::uint32_t i = 0; i < n; ++i) put(m.slots[i]);
        m.count.store(0, std::memory_order_relaxed);
        m.taken = false;
    }

    /// Must be called when the pool is destroyed.
    void close() noexcept {
        const std::lock_guard lock(mutex_);
        closed_.store(true, std::memory_order_release);
    }
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }

    /// Returns the number of allocated slots.
    [[nodiscard]] std::size_t used() noexcept {
        const std::lock_guard lock(mutex_);
        std::size_t free = free_ + (capacity_ - fresh_);
        for (const magazine* m = magazines_; m != nullptr; m = m->next) {
            free += m->count.load(std::memory_order_relaxed);
            if (m->hot != nullptr && m->hot->load(std::memory_order_relaxed) != front::none) ++free;
        }
        // The sum can only be larger if other threads are in a call.
        return free < capacity_ ? capacity_ - free : 0;
    }

    [[nodiscard]] std::size_t fresh() noexcept {
        const std::lock_guard lock(mutex_);
        return fresh_;
    }

private:
    static void lose_front(front& f, magazine& m) noexcept {
        m.hot = nullptr;
        const std::uint32_t hot = f.hot.exchange(front::none, std::memory_order_relaxed);
        f.key = 0;
        if (hot == front::none) return;
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        m.slots[n] = hot - 1;
        m.count.store(n + 1, std::memory_order_relaxed);
    }

    // Refills an empty magazine and returns the number of its slots.
    std::uint32_t refill(magazine& m) noexcept {
        const std::lock_guard lock(mutex_);
        std::uint32_t n = 0;
        while (n < batch_ && height_ > 0) n = take_run(m, n);
        if (n == 0) {
            // Takes fresh slots, up to the end of a batch, with the lowest on top.
            std::size_t end = (fresh_ | (batch_ - 1)) + 1;  // a batch is a power of 2
            if (end > capacity_) end = capacity_;
            for (std::size_t i = end; i > fresh_; --i) {
                m.slots[n++] = static_cast<std::uint32_t>(i - 1);
            }
            fresh_ = end;
        }
        m.count.store(n, std::memory_order_relaxed);
        return n;
    }

    // Flushes the older half and returns the number of remaining slots.
    std::uint32_t flush(magazine& m) noexcept {
        const std::uint32_t n = m.count.load(std::memory_order_relaxed);
        const auto out = n < batch_ ? n : static_cast<std::uint32_t>(batch_);
        // Under the lock: used() in another thread must not count these slots twice.
        const std::lock_guard lock(mutex_);
        for (std::uint32_t i = 0; i < out; ++i) put(m.slots[i]);
        std::memmove(m.slots, m.slots + out, (n - out) * sizeof(std::uint32_t));
        m.count.store(n - out, std::memory_order_relaxed);
        return n - out;
    }

    void put(std::uint32_t slot) noexcept {
        std::uint64_t& bits = bits_[slot / run_length];
        const std::uint64_t bit = std::uint64_t{1} << (slot % run_length);
        // The bit is already set if two threads freed the slot at the same moment.
        if ((bits & bit) != 0) return;
        if (bits == 0) stack_[height_++] = static_cast<std::uint32_t>(slot / run_length);
        bits |= bit;
        ++free_;
    }

    // Takes the free slots of the top run, at most a batch in all.
    std::uint32_t take_run(magazine& m, std::uint32_t n) noexcept {
        const std::uint32_t run = stack_[height_ - 1];
        std::uint64_t bits = bits_[run];
        while (bits != 0 && n < batch_) {
            const auto bit = static_cast<std::uint32_t>(std::countl_zero(bits) ^ 63);
            bits &= ~(std::uint64_t{1} << bit);
            m.slots[n++] = run * static_cast<std::uint32_t>(run_length) + bit;
            --free_;
        }
        bits_[run] = bits;
        if (bits == 0) --height_;
        return n;
    }

    mutex mutex_;
    const std::size_t capacity_;
    const std::size_t batch_;  // a power of 2, 1 to run_length
    std::uint64_t* const bits_;
    std::uint32_t* const stack_;
    std::size_t height_ = 0;  // height of the stack
    std::size_t free_ = 0;    // number of set bits
    std::size_t fresh_ = 0;   // slots from here on were never allocated
    magazine* magazines_ = nullptr;
    std::atomic<bool> closed_{false};
};

/// A thread's magazines, one for each depot that it has used. A depot is identified by its address, because it
/// lives as long as its pool and all these threads. A counter might not be unique: shared libraries may have
/// separate ones.
class thread_magazines {
public:
    static constexpr std::size_t fronts = 64;

    /// Returns a key for a new depot: its address, shifted, with the offset of its place in the cache in the
    /// low bits. Successive pools get successive places, so 64 of them don't collide. Keys are unique, because
    /// the shift only drops bits that are zero in all addresses.
    static std::uint64_t new_key(const depot* d) noexcept {
        static std::atomic<std::size_t> last{0};
        const std::size_t place = last.fetch_add(1, std::memory_order_relaxed) % fronts * sizeof(front);
        return (std::uint64_t{reinterpret_cast<std::uintptr_t>(d)} << key_shift) | place;
    }
    /// Returns the calling thread's front at the place of a key. It may belong to another depot.
    static front& at(std::uint64_t key) noexcept { return per_thread<thread_magazines>::get().front_at(key); }

    /// Returns the calling thread's front for a depot, with a magazine. Returns null if there is no memory for
    /// one, or if the thread is ending.
    static front* find(std::uint64_t key, const std::shared_ptr<depot>& d) noexcept {
        thread_magazines* const mine = per_thread<thread_magazines>::make();
        if (mine == nullptr) return nullptr;
        front& f = mine->front_at(key);
        if (f.key == key) return &f;
        magazine* const own = mine->find_own(d);
        if (own == nullptr) return nullptr;
        if (f.key != 0) f.own->home->take_front(f, *f.own);
        d->give_front(f, *own, key);
        return &f;
    }

    /// Flushes all magazines of a thread that ends.
    void leave() noexcept {
        while (first_ != nullptr) {
            entry* const e = first_;
            first_ = e->next;
            e->home->leave(*e->own, front_of(*e->own));
            delete e;
        }
    }

private:
    struct entry {
        std::shared_ptr<depot> home;
        magazine* own;
        entry* next;
    };

    static constexpr int key_shift = 5;
    static constexpr std::uint64_t place_mask = fronts * sizeof(front) - 1;
    static_assert((alignof(depot) << key_shift) >= fronts * sizeof(front));

    front& front_at(std::uint64_t key) noexcept {
        const std::size_t place = key & place_mask;
        return *reinterpret_cast<front*>(reinterpret_cast<std::byte*>(cache_.data()) + place);
    }
    front* front_of(const magazine& m) noexcept {
        for (front& f : cache_) {
            if (f.key != 0 && f.own == &m) return &f;
        }
        return nullptr;
    }

    magazine* find_own(const std::shared_ptr<depot>& d) noexcept {
        for (entry** at = &first_; *at != nullptr; at = &(*at)->next) {
            entry* const e = *at;
            if (e->home != d) continue;
            *at = e->next;  // move to front, for the next search
            e->next = first_;
            first_ = e;
            return e->own;
        }
        forget_closed();
        entry* const e = new (std::nothrow) entry{d, nullptr, first_};
        if (e == nullptr) return nullptr;
        e->own = d->enter();
        if (e->own == nullptr) {
            delete e;
            return nullptr;
        }
        first_ = e;
        return e->own;
    }

    // Removes magazines of destroyed pools. Otherwise, a thread that outlives many pools would keep their
    // depots.
    void forget_closed() noexcept {
        for (entry** at = &first_; *at != nullptr;) {
            entry* const e = *at;
            if (!e->home->closed()) {
                at = &e->next;
                continue;
            }
            if (front* const f = front_of(*e->own); f != nullptr) e->home->take_front(*f, *e->own);
            *at = e->next;
            delete e;
        }
    }

    // Direct-mapped by the place in the key.
    std::array<front, fronts> cache_{};
    entry* first_ = nullptr;
};

}  // namespace ebb::inline EBB_ABI::detail

#endif  // EBBPOOL_SYNC_DEPOT_HPP
