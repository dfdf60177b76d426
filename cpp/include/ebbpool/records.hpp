// Records of destructors, stored in the arena: one for each run of adjacent objects of one type.
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

/// The record of a run of adjacent objects of one type. The objects follow it.
struct alignas(unit) record {
    record* older;
    void (*destroy)(record*) noexcept;
    std::uintptr_t end;  // of the last object. Not used while the run can grow; see region_state::run_end_
};

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

/// If the constructor of an array's element throws, destroys the elements before it, newest first.
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
