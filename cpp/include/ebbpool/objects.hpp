// Construction of objects in an arena: their memory, the records of their destructors, and cleanup if a
// constructor throws.
#ifndef EBBPOOL_OBJECTS_HPP
#define EBBPOOL_OBJECTS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/region.hpp>
#include <ebbpool/within.hpp>

namespace ebb::inline EBB_ABI {

template <class>
class basic_arena;
template <class, class>
class arena_allocator;

namespace detail {

/// A range that has a size or allows several passes.
template <class R>
concept countable = requires(R& r) {
    std::begin(r) != std::end(r);
    requires std::forward_iterator<decltype(std::begin(r))> || requires { std::size(r); };
};

/// Copies n bytes, at least 1. Copies of up to 32 bytes make no call.
EBB_INLINE void copy_text(char* to, const char* from, std::size_t n) noexcept {
    const auto ends = [=]<std::size_t Bytes>() {
        // Reads both parts before it writes, so that the bytes stay in registers.
        std::array<char, Bytes> first, last;
        std::memcpy(first.data(), from, Bytes);
        std::memcpy(last.data(), from + n - Bytes, Bytes);
        std::memcpy(to, first.data(), Bytes);
        std::memcpy(to + n - Bytes, last.data(), Bytes);
    };
    if (n > 32) {
        std::memcpy(to, from, n);
    } else if (n >= 16) {
        ends.template operator()<16>();
    } else if (n >= 8) {
        ends.template operator()<8>();
    } else if (n >= 4) {
        ends.template operator()<4>();
    } else {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

template <class T>
struct run {
    static constexpr std::size_t alignment = std::max(alignof(T), alignof(record));
    /// The offset of the first object from the record.
    static constexpr std::size_t first = round_up(sizeof(record) + annotate::red_zone, std::max(alignof(T), unit));
    /// Whether a run can have more than one object: not if there is padding or a red zone between objects. For
    /// large objects, a record each is cheap.
    static constexpr bool can_grow = sizeof(T) % unit == 0 && sizeof(T) <= no_chunk_above && !annotate::on;

    static T* objects(record* r) noexcept { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(r) + first); }
    static void destroy(record* r) noexcept {
        T* const first_one = objects(r);
        for (T* p = reinterpret_cast<T*>(r->end); p != first_one;) std::destroy_at(--p);
    }
};

/// A record that is not followed by its object.
struct loose_record : record {
    void* object;
};
template <class T>
void destroy_loose(record* r) noexcept {
    std::destroy_at(static_cast<T*>(static_cast<loose_record*>(r)->object));
}

template <class F>
struct at_end {
    F f;
    explicit at_end(const F& g) : f(g) {}
    explicit at_end(F&& g) : f(std::move(g)) {}
    at_end(const at_end&) = delete;
    at_end& operator=(const at_end&) = delete;
    ~at_end() { f(); }
};

/// Frees the memory of an object and restores the busy bit if the constructor throws.
struct memory_guard {
    region& from;
    std::byte* begin;
    std::byte* end;
    std::size_t overhead;
    std::uintptr_t busy = from.busy();
    bool kept = false;
    ~memory_guard() {
        if (EBB_UNLIKELY(!kept)) {
            from.take_back(begin, end, overhead);
            from.lo_ = address{from.low() | busy};
        }
    }
};

/// If the constructor of an array's element throws, destroys the elements before it, newest first.
template <class T>
struct object_guard {
    T* first;
    std::size_t count;
    ~object_guard() {
        while (EBB_UNLIKELY(count > 0)) std::destroy_at(first + --count);
    }
};

/// The part of basic_arena<Checks> that makes objects.
template <class Checks>
class objects {
protected:
    explicit objects(std::size_t chunk_size, std::size_t max_retained, const pool_options& options)
        : region_(chunk_size, max_retained, options, &report_stranded) {}
    explicit objects(region::like r) noexcept : region_(r) {}
    explicit objects(region::fork_of r) noexcept : region_(r) {}

    using allocator = arena_allocator<std::byte, Checks>;

    // For types without a destructor to run.
    template <class T, class... Args>
    EBB_INLINE T* make_plain(Args&&... args) {
        std::byte* const at = region_.take(sizeof(T), alignof(T));
        return construct<T>(at, at, 0, std::forward<Args>(args)...);
    }

    // For types with a destructor. construct is called in one place, so that the constructor is inlined once.
    template <class T, class... Args>
    EBB_INLINE T* make_recorded(Args&&... args) {
        using run = detail::run<T>;
        const address end = region_.run_end_;
        const bool grows = run::can_grow && end == region_.lo_ && region_.last_->destroy == &run::destroy &&
                           region_.low() + sizeof(T) <= +region_.hi_;
        std::byte* at = nullptr;
        if (grows) {
            at = pointer_to(region_.low());
            region_.lo_ = address{+end + sizeof(T)};
        } else {
            at = take_run<T>(run::first + sizeof(T)) + run::first;
        }
        const std::size_t before = grows ? 0 : run::first;
        T* const object = construct<T>(at - before, at, before, std::forward<Args>(args)...);
        if (!grows) {
            add<T>(at - run::first, 1);
        } else if (EBB_UNLIKELY(region_.run_end_ != end)) {
            add_loose(object);  // the constructor has made objects itself
        } else {
            region_.run_end_ = address{+end + sizeof(T)};
        }
        return object;
    }

    // Makes n objects. f(first, made) constructs them, and increments made after each.
    template <class T, class F>
    std::span<T> make_objects(std::size_t n, const F& f) {
        if (n == 0) return {};
        constexpr bool recorded = !std::is_trivially_destructible_v<T>;
        constexpr std::size_t before = recorded ? run<T>::first : 0;
        const std::size_t bytes = bytes_of<T>(n, before);
        std::byte* const at = recorded ? take_run<T>(bytes) : region_.take(bytes, alignof(T));
        memory_guard memory{region_, at, at + round_up(bytes, unit), before};
        object_guard<T> made{reinterpret_cast<T*>(at + before), 0};
        f(made.first, made.count);
        made.count = 0;
        memory.kept = true;
        if constexpr (recorded) add<T>(at, n);
        return {made.first, n};
    }
    // Makes n objects, each by f(its address, its index).
    template <class T, bool RunsCode = true, class F>
    std::span<T> make_each(std::size_t n, const F& f) {
        return make_objects<T>(n, [&](T* first, std::size_t& made) {
            constructing<RunsCode>([&] {
                for (; made < n; ++made) f(first + made, made);
            });
        });
    }
    template <class T, class... Args>
    std::span<T> make_equal(std::size_t n, const Args&... args) {
        return make_each<T, !std::is_trivially_constructible_v<T, const Args&...>>(
            n, [&](T* at, std::size_t) { construct_within<allocator>(at, own(), args...); });
    }
    template <class T, class Iterator>
    std::span<T> make_copies(std::size_t n, Iterator from) {
        return make_each<T>(n, [&](T* at, std::size_t) { construct_within<allocator>(at, own(), *from), ++from; });
    }

    // Makes sure that make or copy of n objects needs no other chunk, with the resource for objects that take
    // an allocator. Returns false if the limit or the system refuses the memory.
    template <class T>
    [[nodiscard]] bool reserve_objects(std::size_t n) noexcept {
        using run = detail::run<T>;
        constexpr bool recorded = !std::is_trivially_destructible_v<T>;
        constexpr bool may_use_resource = recorded && (takes<T, allocator>::value || std::is_aggregate_v<T>);
        constexpr std::size_t more = (recorded ? run::first : 0) + (may_use_resource ? resident_bytes : 0);
        if (n > (region::max_bytes - more) / sizeof(T)) return false;
        return n == 0 || region_.reserve(more + n * sizeof(T), recorded ? run::alignment : alignof(T));
    }

    template <class T>
    std::size_t bytes_of(std::size_t n, std::size_t before) const {
        if (EBB_UNLIKELY(n > (region::max_bytes - before) / sizeof(T))) {
            region_.too_large(region::max_bytes);
        }
        return before + n * sizeof(T);
    }

    template <class T>
    std::byte* take_run(std::size_t bytes) {
        using run = detail::run<T>;
        std::byte* const at = region_.take(bytes, run::alignment);
        region_.overhead_ += run::first;
        if constexpr (annotate::on) {
            annotate::hide(at + sizeof(record), run::first - sizeof(record));
        }
        return at;
    }

    // Records n objects. Their record precedes them.
    template <class T>
    void add(std::byte* at, std::size_t n) noexcept {
        using run = detail::run<T>;
        const address end = address_of(at + run::first + n * sizeof(T));
        region_.close_run();
        auto* const made = ::new (static_cast<void*>(at)) record{region_.last_, &run::destroy, +end};
        if (region_.is_marked(at)) return region_.add_before_marks(made, at);
        region_.last_ = made;
        if constexpr (run::can_grow) region_.run_end_ = address{+end | region_.busy()};
    }

    // Records an object without memory for a record before it. If there is no memory for a record, destroys the
    // object and throws.
    template <class T>
    EBB_NOINLINE void add_loose(T* object) {
        constexpr std::size_t size = round_up(sizeof(T), unit);
        auto* const begin = reinterpret_cast<std::byte*>(object);
        memory_guard memory{region_, begin, begin + size, 0};
        object_guard<T> guard{object, 1};  // destroyed before `memory`
        const bool marked = region_.is_marked(object);
        void* at = nullptr;
        constructing<true>([&] {  // also protects ~T if take throws
            constexpr std::size_t bytes = sizeof(loose_record);
            at = marked ? region_.take_before_marks(bytes, object) : region_.take(bytes, alignof(loose_record));
        });
        if (!marked) region_.overhead_ += sizeof(loose_record);
        region_.close_run();
        auto* const made = ::new (at) loose_record{{region_.last_, &destroy_loose<T>, 0}, object};
        marked ? region_.add_before_marks(made, object) : void(region_.last_ = made);
        memory.kept = true;
        guard.count = 0;
    }

    // Calls f, which runs code of the program, with the busy bit set. If f throws, the caller's memory_guard
    // restores the bit: a guard in this function would keep compilers from inlining constructors.
    template <bool RunsCode, class F>
    EBB_INLINE void constructing(const F& f) {
        if constexpr (Checks::enabled && RunsCode) {
            const address before = region_.lock();
            f();
            region_.unlock(before);
        } else {
            f();
        }
    }
    // If the constructor throws, frees the memory from `begin` on, of which `overhead` bytes are overhead.
    template <class T, class... Args>
    EBB_INLINE T* construct(std::byte* begin, std::byte* at, std::size_t overhead, Args&&... args) {
        memory_guard guard{region_, begin, at + round_up(sizeof(T), unit), overhead};
        T* object = reinterpret_cast<T*>(at);
        constructing<!std::is_trivially_constructible_v<T, Args...>>(
            [&] { object = construct_within<allocator>(object, own(), std::forward<Args>(args)...); });
        guard.kept = true;
        return object;
    }
    auto own() noexcept {
        return [this] { return allocator(static_cast<basic_arena<Checks>&>(*this)); };
    }

    static void report_stranded(const region* r) noexcept {
        if constexpr (Checks::enabled) {
            Checks::on_misuse(misuse_info{misuse::stranded, r, nullptr});
        }
    }

    region region_;  // first, so that its address is the arena's
};

}  // namespace detail
}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_OBJECTS_HPP
