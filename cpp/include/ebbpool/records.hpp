// How an arena records destructors: in itself, one record for a row of objects of
// one type that lie one behind the other.
#ifndef EBBPOOL_RECORDS_HPP
#define EBBPOOL_RECORDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/chunks.hpp>

namespace ebb {
inline namespace EBB_ABI {
namespace detail {

/// A run of objects of one type that lie one behind the other, whose
/// destructors are to run. It lies before them in the arena.
struct alignas(unit) record {
    record* older;
    void (*destroy)(record*) noexcept;
    std::uintptr_t end;  // of the last object; of the newest run, while it may grow, see region_state::run_end_
};

/// How objects of type T lie behind their record, and how they end.
template <class T>
struct run {
    static constexpr std::size_t alignment = std::max(alignof(T), alignof(record));
    /// From the record to the first object.
    static constexpr std::size_t first = round_up(sizeof(record) + annotate::red_zone, std::max(alignof(T), unit));
    /// Whether the next object lies where the last one ends: not in units that
    /// end in padding, nor with a red zone between them. (Large ones don't need it.)
    static constexpr bool can_grow = sizeof(T) % unit == 0 && sizeof(T) <= no_chunk_above && !annotate::on;

    static T* objects(record* r) noexcept { return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(r) + first); }
    static void destroy(record* r) noexcept {
        T* const first_one = objects(r);
        for (T* p = reinterpret_cast<T*>(r->end); p != first_one;) std::destroy_at(--p);
    }
};

/// The record of one object that lies elsewhere.
struct loose_record : record {
    void* object;
};
template <class T>
void destroy_loose(record* r) noexcept {
    std::destroy_at(static_cast<T*>(static_cast<loose_record*>(r)->object));
}

/// Calls f when it is destroyed.
template <class F>
struct at_end {
    F f;
    template <class G>
    explicit at_end(G&& g) : f(std::forward<G>(g)) {}
    at_end(const at_end&) = delete;
    at_end& operator=(const at_end&) = delete;
    ~at_end() { f(); }
};

/// Memory that goes back unless it is kept, and the arena is then busy or not, as it was: for
/// a constructor that throws.
template <class Region>
struct memory_guard {
    Region& from;
    std::byte* begin;
    std::byte* end;
    std::size_t overhead;
    std::uintptr_t busy = from.busy();
    bool kept = false;
    ~memory_guard() {
        if (EBB_UNLIKELY(!kept)) {
            from.take_back(begin, end, overhead);
            from.unlock(from.busy() - busy);
        }
    }
};

/// Objects that are destroyed, newest first, unless they are kept.
template <class T>
struct object_guard {
    T* first;
    std::size_t count;
    ~object_guard() {
        while (EBB_UNLIKELY(count > 0)) std::destroy_at(first + --count);
    }
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_RECORDS_HPP
