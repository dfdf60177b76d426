// ebb::sync_arena: one region for several threads.
//
// Each thread has a part, which is an arena of its own. A thread finds its part by a look into its
// cache, without a lock; the lock is for the first call of a thread, and for the ends of cycles.
// A part whose thread has ended is the next new thread's, with what is in it.
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

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A thread's parts of the arenas that it has used last.
class thread_parts {
public:
    struct entry {
        const void* of = nullptr;  // a sync_arena
        std::size_t number = 0;    // which makes the address unique
        void* part = nullptr;
    };
    static constexpr std::size_t entries = 64;

    entry& at(std::size_t number) noexcept { return cache_[number % entries]; }
    /// Set when the thread ends. Throws std::bad_alloc.
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
/// Objects may be used by any thread, by the program's own rules. reset, release, the destructor,
/// used_bytes and owns may not run while another thread uses the arena. The destructors of a
/// thread's objects run newest first; nothing is promised of the order between threads.
///
/// An allocation takes no lock, but for a thread's first one, and for one in 64 arenas that a thread
/// uses by turns. Each thread takes chunks of its own: for a few small objects of many threads, an
/// ebb::arena under a lock takes less memory. Neither copied nor moved.
///
/// \snippet reference.cpp sync_arena
template <class Checks = checks::trap>
class basic_sync_arena {
public:
    /// The policy.
    using checks_type = Checks;

    /// An arena whose threads' chunks have room for `chunk_size` bytes at first. After a reset each
    /// thread keeps at most `max_retained` bytes; 0 is ten times chunk_size. Throws as ebb::arena.
    /// A source must be thread-safe, and there is no storage of the caller's.
    explicit basic_sync_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : first_(chunk_size, max_retained, without_storage(options)) {}
    /// An arena of ebb::arena's default_chunk_size.
    basic_sync_arena() : basic_sync_arena(basic_arena<Checks>::default_chunk_size) {}
    basic_sync_arena(const basic_sync_arena&) = delete;
    basic_sync_arena& operator=(const basic_sync_arena&) = delete;
    /// Runs the destructors and frees all memory.
    ~basic_sync_arena() {
        reset();  // before a part ends, because destructors may use each
        while (parts_ != nullptr) {
            part* const p = parts_;
            parts_ = p->next;
            delete p;
        }
    }

    /// The calling thread's part, for everything that an arena can do. No other thread may use it, and
    /// this one not after the thread's end. Throws std::bad_alloc at a thread's first call.
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

    /// Ends the cycle of all parts. O(threads), and as ebb::arena::reset for each.
    void reset() noexcept {
        for_each([](part& p) { p.arena.reset(); });
    }
    /// The same, and gives all memory back.
    void release() noexcept {
        for_each([](part& p) { p.arena.release(); });
    }

    /// Bytes allocated in this cycle, by all threads. O(threads).
    [[nodiscard]] std::size_t used_bytes() const noexcept {
        std::size_t n = 0;
        for_each([&n](const part& p) { n += p.arena.used_bytes(); });
        return n;
    }
    /// As ebb::arena::owns, for what any thread has allocated. O(threads * log chunks).
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
    // Two shared libraries that count apart count from different numbers.
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
    // The part of a thread: its own, an ended thread's, or a new one.
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

    // Without the lock, because a destructor that f runs may use the arena.
    template <class F>
    void for_each(const F& f) const noexcept {
        for (part* p = parts_; p != nullptr; p = p->next) f(*p);
    }

    const std::size_t number_ = new_number();
    detail::mutex mutex_;
    part* parts_ = nullptr;
    basic_arena<Checks> first_;  // stays empty: parts are made like it
};

/// The arena under its usual policy.
///
/// \snippet reference.cpp sync_arena
using sync_arena = basic_sync_arena<>;

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_SYNC_ARENA_HPP
