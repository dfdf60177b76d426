// ebb::sync_arena: a region for several threads.
//
// Each thread has a part, an arena of its own, and a thread-local cache of its parts. Only the first call of a
// thread takes a lock. When a thread ends, its part and the objects in it pass to the next new thread.
#ifndef EBBPOOL_SYNC_ARENA_HPP
#define EBBPOOL_SYNC_ARENA_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include <ebbpool/arena.hpp>
#include <ebbpool/per_thread.hpp>
#include <ebbpool/sync_depot.hpp>

namespace ebb::inline EBB_ABI {
namespace detail {

/// A thread's cache of its parts.
class thread_parts {
public:
    struct entry {
        const void* of = nullptr;  // a sync_arena
        std::size_t number = 0;    // of the sync_arena, because another one may get its address
        void* part = nullptr;
    };
    static constexpr std::size_t entries = 64;

    entry& at(std::size_t number) noexcept { return cache_[number % entries]; }
    /// A flag that is set when the thread ends. Throws std::bad_alloc.
    [[nodiscard]] const std::shared_ptr<std::atomic<bool>>& ended() {
        if (ended_ == nullptr) ended_ = std::make_shared<std::atomic<bool>>(false);
        return ended_;
    }
    void leave() noexcept {
        if (ended_ != nullptr) ended_->store(true, std::memory_order_release);
    }

private:
    std::array<entry, entries> cache_{};
    std::shared_ptr<std::atomic<bool>> ended_;
};

}  // namespace detail

/// A region that several threads may allocate from at the same time.
///
/// Any thread may use the objects; the program must synchronize access to them. reset, release, the destructor,
/// used_bytes and owns must not run while another thread uses the arena. The destructors of objects of one
/// thread run newest first. The order between threads is unspecified. It is neither copied nor moved.
///
/// Only a thread's first allocation takes a lock, and allocations of threads that alternate between more than
/// 64 arenas. Each thread has chunks of its own. If many threads make a few small objects each, an ebb::arena
/// under a lock needs less memory.
/// \snippet reference.cpp sync_arena
template <class Checks = checks::trap>
class basic_sync_arena {
public:
    using checks_type = Checks;  ///< The policy

    /// An arena whose first chunk in each thread has room for `chunk_size` bytes. After a reset, each thread
    /// keeps chunks of at most `max_retained` bytes, or ten times chunk_size if that is 0. A memory source must
    /// be safe for use by several threads. options.storage is ignored. Throws as ebb::arena.
    explicit basic_sync_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : first_(chunk_size, max_retained, without_storage(options)) {}
    /// An arena of ebb::arena's default_chunk_size.
    basic_sync_arena() : basic_sync_arena(basic_arena<Checks>::default_chunk_size) {}
    basic_sync_arena(const basic_sync_arena&) = delete;
    basic_sync_arena& operator=(const basic_sync_arena&) = delete;
    /// Runs the destructors and frees all memory.
    ~basic_sync_arena() {
        reset();  // before deleting a part, because destructors may use others
        while (parts_ != nullptr) {
            part* const p = parts_;
            parts_ = p->next;
            delete p;
        }
    }

    /// Returns the calling thread's part, for functions that only ebb::arena has. Only this thread may use it,
    /// until it ends. Throws std::bad_alloc at a thread's first call.
    [[nodiscard]] EBB_INLINE basic_arena<Checks>& local() {
        const auto& e = detail::per_thread<detail::thread_parts>::get().at(number_);
        if (EBB_UNLIKELY(e.of != this || e.number != number_)) return find();
        return static_cast<part*>(e.part)->arena;
    }

    /// As ebb::arena::make.
    template <class T, class... Args>
    T* make(Args&&... args) {
        return local().template make<T>(std::forward<Args>(args)...);
    }
    /// As ebb::arena::make_span.
    template <class T>
    std::span<T> make_span(std::size_t n) {
        return local().template make_span<T>(n);
    }
    /// As ebb::arena::copy.
    std::string_view copy(std::string_view text) { return local().copy(text); }
    /// As ebb::arena::allocate.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        return local().allocate(bytes, align);
    }

    /// Ends the cycle in all threads' parts, as ebb::arena::reset. O(threads).
    void reset() noexcept {
        for_each([](part& p) { p.arena.reset(); });
    }
    /// The same, and frees all chunks.
    void release() noexcept {
        for_each([](part& p) { p.arena.release(); });
    }

    /// Returns the bytes that all threads have allocated in this cycle. O(threads).
    [[nodiscard]] std::size_t used_bytes() const noexcept {
        std::size_t n = 0;
        for_each([&n](const part& p) { n += p.arena.used_bytes(); });
        return n;
    }
    /// Reports whether p points into memory that any thread has allocated in this cycle. O(threads * log
    /// chunks).
    [[nodiscard]] bool owns(const void* p) const noexcept {
        bool any = false;
        for_each([&any, p](const part& of) { any = any || of.arena.owns(p); });
        return any;
    }

private:
    struct part {
        explicit part(const basic_arena<Checks>& like) noexcept : arena(detail::region::fork_of{region_of(like)}) {}
        basic_arena<Checks> arena;
        std::shared_ptr<std::atomic<bool>> ended;  // of its thread
        part* next = nullptr;
    };
    static const detail::region& region_of(const basic_arena<Checks>& a) noexcept { return a.region_; }

    static pool_options without_storage(pool_options options) noexcept {
        options.storage = {};
        return options;
    }
    // Numbers start at an address, so that shared libraries with counters of their own don't return the same
    // ones.
    static std::size_t new_number() noexcept {
        static std::atomic<std::size_t> last{reinterpret_cast<std::size_t>(&last)};
        return last.fetch_add(1, std::memory_order_relaxed);
    }

    EBB_NOINLINE basic_arena<Checks>& find() {
        detail::thread_parts* const mine = detail::per_thread<detail::thread_parts>::make();
        if (mine == nullptr) detail::throw_bad_alloc();
        part* const p = part_of(mine->ended());
        if (p == nullptr) detail::throw_bad_alloc();
        mine->at(number_) = {this, number_, p};
        return p->arena;
    }
    // Returns the part of a thread, an ended thread's part, or a new one.
    part* part_of(const std::shared_ptr<std::atomic<bool>>& thread) {
        const std::lock_guard lock(mutex_);
        part* idle = nullptr;
        for (part* p = parts_; p != nullptr; p = p->next) {
            if (p->ended == thread) return p;
            if (p->ended->load(std::memory_order_acquire)) idle = p;
        }
        if (idle == nullptr) {
            idle = new (std::nothrow) part(first_);
            if (idle == nullptr) return nullptr;
            idle->next = std::exchange(parts_, idle);
        }
        idle->ended = thread;
        return idle;
    }

    // Without the lock, because destructors may use the arena.
    template <class F>
    void for_each(const F& f) const noexcept {
        for (part* p = parts_; p != nullptr; p = p->next) f(*p);
    }

    const std::size_t number_ = new_number();
    detail::mutex mutex_;
    part* parts_ = nullptr;
    basic_arena<Checks> first_;  // always empty; parts copy its parameters
};

/// A sync arena with the default policy.
/// \snippet reference.cpp sync_arena
using sync_arena = basic_sync_arena<>;

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_SYNC_ARENA_HPP
