// ebb::arena: a region of memory. Objects are made one after the other and freed
// all at once.
//
//     ebb::arena a(64 << 10);
//     for (request r; next(r);) {
//         auto* const tree = a.make<node>(r);      // its destructor runs in reset()
//         std::string_view name = a.copy(r.name());
//         answer(*tree, name);
//         a.reset();                               // nothing is given to the heap
//     }
//
// A destructor that is not trivial is recorded in the arena itself. Objects of one
// type that follow each other share one record: then a destructor costs a step of
// a loop and no indirect call.
#ifndef EBBPOOL_ARENA_HPP
#define EBBPOOL_ARENA_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ebbpool/arena_mark.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/records.hpp>
#include <ebbpool/region.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A region: allocations of any type, freed all at once by reset().
///
/// Allocation is a bump of a pointer in a chunk; when it is full, a further one
/// comes, as large as all before together, up to 64 times chunk_size. An object
/// takes its size, rounded up to 8 bytes; text takes its length; a type whose
/// destructor is not trivial 24 bytes more for each row of objects that are made
/// one after the other; a mark 80.
///
/// One thread at a time. Not copyable, not movable: addresses are stable until
/// the end of the life, which is reset(), release() or the destructor.
///
/// Misuse is detected with every policy but checks::none, and changes nothing:
/// a stale mark, another arena's, one that was moved from; rewind, reset and
/// release from a constructor or destructor that the arena runs; memory resources
/// whose blocks went with an earlier life, or would go with a rewind. Use of an object after its life is found under
/// AddressSanitizer and Valgrind: what is not handed out is poisoned, and so are
/// 16 bytes between allocations. (There objects are further apart: used_bytes is
/// the same, retained_bytes and what fits in a limit are not.)
///
/// Without exceptions, what is thrown here is std::abort.
///
/// \snippet reference.cpp arena
template <class Checks = checks::trap>
class basic_arena {
public:
    /// The policy.
    using checks_type = Checks;
    /// What mark() answers.
    using mark_type = arena_mark;

    /// An arena whose chunks have room for `chunk_size` bytes at first. After a
    /// reset it keeps chunks of at most `max_retained` bytes together, 0 for ten
    /// times chunk_size, but always one of chunk_size if it had one. Nothing is
    /// allocated before the first object. Throws std::length_error when
    /// chunk_size is 0 or more than a quarter of the address space, and when
    /// options.storage is too small for one object.
    ///
    /// options.storage is the first chunk, and the only one unless options.source
    /// is there for more; when it is full std::bad_alloc is thrown. huge_pages
    /// and prefault hold for each chunk.
    explicit basic_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : region_(chunk_size, max_retained, options, &report_stranded) {}

    basic_arena(const basic_arena&) = delete;
    basic_arena& operator=(const basic_arena&) = delete;

    /// Runs the destructors, newest object first, and frees all memory.
    ~basic_arena() { unwind(nullptr); }

    /// A T, constructed from args; without any, value-initialized: zero where it
    /// has no constructor. O(1). Its destructor runs at the end of the life,
    /// unless it is trivial, and must not throw. Throws what T's constructor
    /// does, std::bad_alloc, and limit_error; then nothing is recorded, and the
    /// memory is taken back if the constructor took none itself.
    template <class T, class... Args>
    T* make(Args&&... args) {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make<T>: T must be an object type without const and volatile; make_span for arrays");
        if constexpr (!std::is_trivially_destructible_v<T>) {
            return make_recorded<T>(std::forward<Args>(args)...);
        } else {
            std::byte* const at = region_.take_one<T>();
            T* const p = reinterpret_cast<T*>(at);
            if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
                return construct(p, std::forward<Args>(args)...);
            } else {
                detail::memory_guard<detail::region> guard{region_, at, at + detail::round_up(sizeof(T), detail::unit),
                                                           0, busy_};
                T* const object = construct(p, std::forward<Args>(args)...);
                guard.kept = true;
                return object;
            }
        }
    }

    /// n objects of type T, value-initialized. O(n). Otherwise as make. For n = 0
    /// an empty span, and nothing is allocated.
    template <class T>
    std::span<T> make_span(std::size_t n) {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make_span<T>: T must be an object type without const and volatile, and no array");
        if (n == 0) return {};
        if constexpr (std::is_trivially_destructible_v<T>) {
            const std::size_t bytes = bytes_of<T>(n, 0);
            std::byte* const at = region_.take(bytes, alignof(T));
            detail::memory_guard<detail::region> guard{region_, at, at + detail::round_up(bytes, detail::unit), 0,
                                                       busy_};
            constructing<T>([&] { std::uninitialized_value_construct_n(reinterpret_cast<T*>(at), n); });
            guard.kept = true;
            return {reinterpret_cast<T*>(at), n};
        } else {
            using run = detail::run<T>;
            const std::size_t bytes = bytes_of<T>(n, run::first);
            std::byte* const at = take_run<T>(bytes);
            detail::memory_guard<detail::region> memory{region_, at, at + detail::round_up(bytes, detail::unit),
                                                        run::first, busy_};
            T* const objects = reinterpret_cast<T*>(at + run::first);
            detail::object_guard<T> made{objects, 0};
            constructing<T>([&] {
                for (; made.count < n; ++made.count) ::new (static_cast<void*>(objects + made.count)) T();
            });
            made.count = 0;
            memory.kept = true;
            add<T>(at, n);
            return {objects, n};
        }
    }

    /// n objects of a type that needs neither constructor nor destructor, with
    /// values that nobody has set. O(1). Otherwise as make_span.
    template <class T>
    std::span<T> make_span_uninit(std::size_t n) {
        static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                      "ebb::arena::make_span_uninit<T>: T must be trivial; use make_span");
        if (n == 0) return {};
        // An array of a trivial type begins to exist where memory for it does.
        return {reinterpret_cast<T*>(region_.take(bytes_of<T>(n, 0), alignof(T))), n};
    }

    /// A copy of `text`, without a terminating zero. Takes its length in bytes,
    /// no padding.
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size()));
        std::memcpy(at, text.data(), text.size());
        return {at, text.size()};
    }

    /// Raw memory, never null; for 0 bytes as for 1. Throws std::bad_alloc, and
    /// std::length_error when align is no power of 2.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        if (EBB_UNLIKELY(!std::has_single_bit(align))) {
            detail::throw_length("ebb::arena::allocate: the alignment is no power of 2");
        }
        return region_.take(bytes, align);
    }

    /// A mark at this moment: rewind takes back what comes after it. Marks nest.
    /// It takes 80 bytes of the arena, none when nothing was allocated since the
    /// last one, and throws as an allocation does.
    [[nodiscard]] arena_mark mark() { return {this, region_.mark()->serial}; }

    /// Takes back what was allocated since `m` was taken, and runs its
    /// destructors, newest first. m stays good; marks taken after it are stale.
    /// A mark that is stale, another arena's or moved from is misuse, and changes
    /// nothing. An outstanding block of an arena_resource that came after m is
    /// misuse, too; then the destructors have run, and the memory stays taken.
    /// O(chunks, destructors and marks taken back).
    void rewind(const arena_mark& m) noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(m.arena_ != this)) {
                return complain(m.arena_ == nullptr ? misuse::moved_mark : misuse::foreign_mark, &m);
            }
            if (EBB_UNLIKELY(busy_)) return complain(misuse::reentrant, &m);
        }
        detail::place* const p = region_.find(m.serial_);
        if (EBB_UNLIKELY(p == nullptr)) return complain(misuse::stale_mark, &m);
        if (region_.last_ != p->last) unwind(p->last);
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(region_.has_blocks_since(p))) return complain(misuse::stranded, &m);
        }
        region_.rewind(p);
    }

    /// Ends the life: runs the destructors, newest object first, and takes back
    /// everything. All marks are stale then. Where there are no destructors,
    /// marks or further chunks it is a few instructions.
    EBB_INLINE void reset() noexcept {
        if (EBB_UNLIKELY(is_busy() || !region_.empty_at_once())) end_life(false);
    }

    /// The same, and gives all memory back. The arena is as if new.
    void release() noexcept { end_life(true); }

    /// Bounds the memory of the arena's chunks, which is what counts, used or
    /// not: an allocation that needs a chunk beyond it throws limit_error. 0
    /// lifts the limit. An arena that has more already keeps it until reset.
    void limit(std::size_t bytes) noexcept { region_.limit(bytes); }

    /// Bytes handed out in this life: of objects their size, rounded up to 8, of
    /// text its length. O(1).
    [[nodiscard]] std::size_t used_bytes() const noexcept { return region_.used(); }

    /// O(1).
    [[nodiscard]] arena_stats stats() noexcept { return region_.stats(); }

    /// Bytes of pool_options::storage that are enough for so many bytes of
    /// objects, at any address.
    [[nodiscard]] static constexpr std::size_t bytes_needed(std::size_t bytes) noexcept {
        return detail::region::bytes_needed(bytes);
    }

private:
    template <class>
    friend class basic_arena_resource;

    template <class T>
    std::size_t bytes_of(std::size_t n, std::size_t before) const {
        if (EBB_UNLIKELY(n > (detail::region::max_bytes - before) / sizeof(T))) {
            region_.too_large(detail::region::max_bytes);
        }
        return before + n * sizeof(T);
    }

    // One path for all, so that the constructor is inlined once.
    template <class T, class... Args>
    EBB_INLINE T* make_recorded(Args&&... args) {
        using run = detail::run<T>;
        const detail::address end = region_.run_end_;
        const bool grows = run::can_grow && end == region_.lo_ && region_.last_->destroy == &run::destroy &&
                                   region_.fits < run::can_grow
                               ? sizeof(T)
                               : 0 > ();
        std::byte* at = nullptr;
        if (grows) {
            at = detail::pointer_to(+end);
            region_.lo_ = detail::address{+end + sizeof(T)};
        } else {
            at = take_run<T>(run::first + sizeof(T)) + run::first;
        }
        T* object = reinterpret_cast<T*>(at);
        constexpr std::size_t size = detail::round_up(sizeof(T), detail::unit);
        if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
            object = construct(object, std::forward<Args>(args)...);
        } else {
            const std::size_t before = grows ? 0 : run::first;
            detail::memory_guard<detail::region> memory{region_, at - before, at + size, before, busy_};
            object = construct(object, std::forward<Args>(args)...);
            memory.kept = true;
        }
        if (!grows) {
            add<T>(at - run::first, 1);
        } else if (EBB_UNLIKELY(region_.run_end_ != end)) {
            add_loose(object);  // the constructor has made objects itself
        } else {
            region_.run_end_ = detail::address{+end + sizeof(T)};
        }
        return object;
    }

    // Memory for a record and what follows it.
    template <class T>
    std::byte* take_run(std::size_t bytes) {
        using run = detail::run<T>;
        std::byte* const at = region_.take(bytes, run::alignment);
        region_.overhead_ += run::first;
        if constexpr (annotate::on) {
            annotate::hide(at + sizeof(detail::record), run::first - sizeof(detail::record));
        }
        return at;
    }

    // Records n objects behind the memory for their record.
    template <class T>
    void add(std::byte* at, std::size_t n) noexcept {
        using run = detail::run<T>;
        const detail::address end = detail::address_of(at + run::first + n * sizeof(T));
        region_.close_run();
        region_.last_ = ::new (static_cast<void*>(at)) detail::record{region_.last_, &run::destroy, +end};
        if constexpr (run::can_grow) region_.run_end_ = end;
    }

    // Records an object that has no memory for a record before it; destroys it
    // where there is none for another.
    template <class T>
    EBB_NOINLINE void add_loose(T* object) {
        constexpr std::size_t size = detail::round_up(sizeof(T), detail::unit);
        auto* const begin = reinterpret_cast<std::byte*>(object);
        detail::memory_guard<detail::region> memory{region_, begin, begin + size, 0, busy_};
        detail::object_guard<T> guard{object, 1};  // goes first
        void* const at = region_.take(sizeof(detail::loose_record), alignof(detail::loose_record));
        region_.overhead_ += sizeof(detail::loose_record);
        region_.close_run();
        region_.last_ = ::new (at) detail::loose_record{{region_.last_, &detail::destroy_loose<T>, 0}, object};
        memory.kept = true;
        guard.count = 0;
    }

    void unwind(const detail::record* to) noexcept {
        busy_ = true;
        region_.unwind(to);
        busy_ = false;
    }

    // Runs constructors of the program's, which must not end the life of the memory that
    // they write. When one throws, a memory_guard of the caller's restores the flag: a
    // guard here, too, keeps compilers from inlining the constructor.
    template <class T, class... Args, class F>
    EBB_INLINE void constructing(const F& f) {
        if constexpr (Checks::enabled && !std::is_trivially_constructible_v<T, Args...>) {
            const bool before = std::exchange(busy_, true);
            f();
            busy_ = before;
        } else {
            f();
        }
    }
    template <class T, class... Args>
    EBB_INLINE T* construct(T* at, Args&&... args) {
        constructing<T, Args...>([&] { at = detail::construct_in(at, std::forward<Args>(args)...); });
        return at;
    }

    [[nodiscard]] bool is_busy() const noexcept { return Checks::enabled && busy_; }

    EBB_NOINLINE void end_life(bool release) noexcept {
        if constexpr (Checks::enabled) {
            if (busy_) return complain(misuse::reentrant, nullptr);
        }
        unwind(nullptr);
        release ? region_.release() : region_.empty();
    }

    EBB_COLD void complain(misuse kind, const void* pointer) const noexcept {
        Checks::on_misuse(misuse_info{kind, this, pointer, nullptr, misuse_info::no_slot, 0, 0});
    }

    static void report_stranded(const detail::region* r) noexcept {
        if constexpr (Checks::enabled) {
            Checks::on_misuse(misuse_info{misuse::stranded, r, nullptr, nullptr, misuse_info::no_slot, 0, 0});
        }
    }

    detail::region region_;  // first, so that its address is the arena's
    bool busy_ = false;      // it runs a constructor or destructor of the program's
};

/// The arena under its usual policy.
///
/// \snippet reference.cpp arena
using arena = basic_arena<>;

}  // namespace EBB_ABI
}  // namespace ebb

#include <ebbpool/arena_allocator.hpp>
#include <ebbpool/arena_resource.hpp>

#endif  // EBBPOOL_ARENA_HPP
