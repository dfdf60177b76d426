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

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ebbpool/arena_mark.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/objects.hpp>
#include <ebbpool/region.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// A region: allocations of any type, freed all at once by reset().
///
/// Allocation is a bump of a pointer in a chunk; when it is full, a further one
/// comes, as large as all before together, up to 64 times chunk_size. An object
/// takes its size, rounded up to 8 bytes; text takes its length; a type whose
/// destructor is not trivial 24 bytes more for each row of objects that are made
/// one after the other; a mark 128.
///
/// An object whose type takes an allocator, such as std::pmr::string or a
/// std::pmr::vector of them, gets the arena's, unless it is constructed with one.
/// Inside std::optional, std::variant, std::array, std::pair and std::tuple, and as a member
/// of an aggregate that an argument initializes, it does so too.
///
/// One thread at a time. Movable, not copyable: addresses of what it has made are
/// stable until the end of the epoch, which is reset(), release() or the
/// destructor.
///
/// Misuse is detected with every policy but checks::none, and changes nothing:
/// a stale mark, another arena's, one that was moved from; rewind, reset, release
/// and a move from a constructor or destructor that the arena runs; memory
/// resources whose blocks went with an earlier epoch, or would go with a rewind or
/// a move. Use of an object after its epoch is found under
/// AddressSanitizer and Valgrind: what is not handed out is poisoned, and so are
/// 16 bytes between allocations. (There objects are further apart: used_bytes is
/// the same, retained_bytes and what fits in a limit are not.)
///
/// Without exceptions, what is thrown here is std::abort.
///
/// \snippet reference.cpp arena
template <class Checks = checks::trap>
class basic_arena : detail::objects<Checks> {
    using base = detail::objects<Checks>;
    using base::region_;
    using typename base::allocator;

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
        : base(chunk_size, max_retained, options) {}

    /// An arena of default_chunk_size.
    basic_arena() : basic_arena(default_chunk_size) {}
    /// Bytes of the first chunk where none are asked for.
    static constexpr std::size_t default_chunk_size = std::size_t{16} << 10;

    /// Takes over all memory, objects and marks of the other one, which is as new then
    /// (on the caller's storage alone: without memory). O(1). An arena_allocator or
    /// arena_resource made of the other one stays with it: containers that have memory
    /// from one must be gone. What the arena itself gave its objects goes along.
    basic_arena(basic_arena&& other) noexcept : base(detail::region::like{other.region_}) {
        if (may_move(other)) take_over(other);
    }
    /// Ends the epoch and frees the memory of this one before.
    basic_arena& operator=(basic_arena&& other) noexcept {
        if (this == &other) return *this;
        if (is_busy()) {
            complain(misuse::reentrant, &other);
        } else if (may_move(other)) {
            unwind(nullptr);
            take_over(other);
        }
        return *this;
    }

    basic_arena(const basic_arena&) = delete;
    basic_arena& operator=(const basic_arena&) = delete;

    /// Runs the destructors, newest object first, and frees all memory.
    ~basic_arena() { unwind(nullptr); }

    /// A T, constructed from args; without any, value-initialized: zero where it
    /// has no constructor. O(1). Its destructor runs at the end of the epoch,
    /// unless it is trivial, and must not throw. Throws what T's constructor
    /// does, std::bad_alloc, and limit_error; then nothing is recorded, and the
    /// memory is taken back if the constructor took none itself.
    template <class T, class... Args>
    T* make(Args&&... args) {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make<T>: T must be an object type without const and volatile; make_span for arrays");
        if constexpr (std::is_trivially_destructible_v<T>) {
            return this->template make_plain<T>(std::forward<Args>(args)...);
        } else {
            return this->template make_recorded<T>(std::forward<Args>(args)...);
        }
    }

    /// n objects of type T, value-initialized. O(n). Otherwise as make. For n = 0
    /// an empty span, and nothing is allocated.
    template <class T>
    std::span<T> make_span(std::size_t n) {
        check_element<T>();
        if constexpr (std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>) {
            return this->template make_objects<T>(
                n, [n](T* first, std::size_t&) { std::uninitialized_value_construct_n(first, n); });
        } else {
            return this->template make_equal<T>(n);
        }
    }

    /// n copies of `value`. Otherwise as make_span.
    template <class T>
    std::span<T> make_span(std::size_t n, const T& value) {
        check_element<T>();
        return this->template make_equal<T>(n, value);
    }

    /// n objects, of which number i is the result of f(i), in the order of their
    /// numbers: for types without a default constructor, which need not be movable.
    /// f may allocate from the arena. Otherwise as make_span.
    template <class T, class F>
    std::span<T> make_span_with(std::size_t n, F&& f) {
        check_element<T>();
        return this->template make_generated<T>(n, f);
    }

    /// n objects of a type that needs neither constructor nor destructor, with
    /// values that nobody has set. O(1). Otherwise as make_span.
    template <class T>
    std::span<T> make_span_uninit(std::size_t n) {
        static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                      "ebb::arena::make_span_uninit<T>: T must be trivial; use make_span");
        if (n == 0) return {};
        // An array of a trivial type begins to exist where memory for it does.
        return {reinterpret_cast<T*>(region_.take(this->template bytes_of<T>(n, 0), alignof(T))), n};
    }

    /// A copy of `text`, without a terminating zero. Takes its length in bytes,
    /// no padding.
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size()));
        detail::copy_text(at, text.data(), text.size());
        return {at, text.size()};
    }

    /// The same with a terminating zero, which is not counted in text.size() but
    /// taken: for C's functions. Never null.
    char* copy_c_str(std::string_view text) {
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size() + 1));
        if (!text.empty()) std::memcpy(at, text.data(), text.size());
        at[text.size()] = '\0';
        return at;
    }

    /// Returns copies of objects. O(their number). Otherwise as make_span.
    template <class T, std::size_t Extent>
    std::span<std::remove_const_t<T>> copy(std::span<T, Extent> all) {
        using element = std::remove_const_t<T>;
        check_element<element>();
        if constexpr (std::is_trivially_copyable_v<element> && std::is_trivially_destructible_v<element>) {
            return this->template make_objects<element>(all.size(), [all](element* first, std::size_t&) {
                std::memcpy(static_cast<void*>(first), all.data(), all.size_bytes());
            });
        } else {
            return this->template make_copies<element>(all.size(), all.begin());
        }
    }
    /// Returns copies of the objects of a list.
    ///
    /// \snippet reference.cpp arena_copy
    template <class T>
    std::span<T> copy(std::initializer_list<T> all) {
        return copy(std::span<const T>(all.begin(), all.size()));
    }
    /// Returns copies of the elements of a range that has a size or allows several passes.
    ///
    /// \snippet reference.cpp arena_copy
    template <detail::countable R>
    requires(!std::is_convertible_v<R, std::string_view>) auto copy(R&& all) {
        using element = std::iter_value_t<decltype(std::begin(all))>;
        check_element<element>();
        std::size_t n = 0;
        if constexpr (requires { std::size(all); }) {
            n = std::size(all);
        } else {
            for (auto at = std::begin(all); at != std::end(all); ++at) ++n;
        }
        return this->template make_copies<element>(n, std::begin(all));
    }
    /// The same under the name of the functions that make spans.
    template <class T>
    std::span<T> make_span(std::initializer_list<T> all) {
        return copy(all);
    }
    /// The same.
    template <detail::countable R>
    requires(!std::is_convertible_v<R, std::string_view>) auto make_span(R&& all) { return copy(std::forward<R>(all)); }

    /// As make, but returns null if the limit or the system refuses memory for the object. An object
    /// with a destructor has a record of its own. Throws what T's constructor throws, which may need
    /// more memory.
    ///
    /// \snippet reference.cpp arena_try
    template <class T, class... Args>
    [[nodiscard]] T* try_make(Args&&... args) {
        if (!this->template reserve_objects<T>(1)) return nullptr;
        region_.close_run();
        return make<T>(std::forward<Args>(args)...);
    }
    /// As allocate, but returns null if the limit or the system refuses, or if align is no power of 2.
    ///
    /// \snippet reference.cpp arena_try
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) noexcept {
        if (align == 0 || (align & (align - 1)) != 0 || !region_.reserve(bytes, align)) return nullptr;
        return region_.take(bytes, align);
    }
    /// As copy, but the copy is empty, with a null data(), if the limit or the system refuses.
    ///
    /// \snippet reference.cpp arena_try
    [[nodiscard]] std::string_view try_copy(std::string_view text) noexcept {
        return region_.reserve_text(text.size()) ? copy(text) : std::string_view();
    }
    /// The same for objects. Throws what their constructors throw, which may need more memory.
    template <class T, std::size_t Extent>
    [[nodiscard]] std::span<std::remove_const_t<T>> try_copy(std::span<T, Extent> all) {
        if (!this->template reserve_objects<std::remove_const_t<T>>(all.size())) return {};
        return copy(all);
    }

    /// Calls f when the cycle ends, by reset, release, the destructor, or a rewind to an earlier mark.
    /// Among f and destructors the newest comes first. f must not throw. Throws as make.
    ///
    /// \snippet reference.cpp arena_on_end
    template <class F>
    void on_end(F&& f) {
        make<detail::at_end<std::decay_t<F>>>(std::forward<F>(f));
    }
    /// Takes over what `p` owns, deletes it when the cycle ends, and returns it. If this throws, as
    /// make does, p keeps it.
    ///
    /// \snippet reference.cpp arena_on_end
    template <class T, class Delete>
    typename std::unique_ptr<T, Delete>::pointer adopt(std::unique_ptr<T, Delete>&& p) {
        return p == nullptr ? nullptr : make<std::unique_ptr<T, Delete>>(std::move(p))->get();
    }

    /// Reports whether p points into memory that the arena has handed out in this cycle. Blocks that
    /// containers have given back, and padding, count as handed out. O(log chunks).
    ///
    /// \snippet reference.cpp arena_owns
    [[nodiscard]] bool owns(const void* p) const noexcept { return region_.owns(p); }

    /// Makes an arena for another thread, which ends with this one's cycle: it is an object of this
    /// arena. It has chunks of its own, from the same source, which must be safe for use by several
    /// threads, and a limit of its own: at first the rest of this arena's. Throws as make. No thread
    /// may use it when the cycle ends.
    ///
    /// \snippet reference.cpp arena_fork
    [[nodiscard]] basic_arena& fork() { return *make<basic_arena>(detail::region::fork_of{region_}); }
    /// For fork.
    explicit basic_arena(detail::region::fork_of parent) noexcept : base(parent) {}

    /// Raw memory, never null; for 0 bytes as for 1. Throws std::bad_alloc, and
    /// std::length_error when align is no power of 2.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        if (EBB_UNLIKELY(!region_.is_small(bytes, align) || (align & (align - 1)) != 0)) {
            return allocate_large(bytes, align);
        }
        return region_.take_small(bytes, align);
    }

    /// Memory of allocate() that is needed no more: if it is the newest it is free
    /// again, else at the end of the epoch. `bytes` as they were asked for. O(1).
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept { region_.give_back(p, bytes); }

    /// A mark at this moment: rewind takes back what comes after it. Marks nest.
    /// It takes 128 bytes of the arena, and 512 more if containers have given
    /// blocks back; none if nothing was allocated since the last one, and throws as an allocation does.
    [[nodiscard]] arena_mark mark() {
        const std::size_t serial = region_.mark()->time;
        return {region_.id(), serial};
    }

    /// Takes back what was allocated since `m` was taken, and runs its
    /// destructors, newest first. m stays good; marks taken after it are stale.
    /// A mark that is stale, another arena's or moved from is misuse, and changes
    /// nothing. An outstanding block of an arena_resource that came after m is
    /// misuse, too; then the destructors have run, and the memory stays taken.
    /// O(chunks, destructors and marks taken back).
    void rewind(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m); p != nullptr) region_.rewind(p);
    }

    /// Ends the cycle: runs the destructors, newest object first, and takes back everything. All
    /// marks are stale then. It is a few instructions if there are no destructors, marks, blocks
    /// given back or further chunks.
    EBB_INLINE void reset() noexcept {
        if (EBB_UNLIKELY(is_busy() || !region_.empty_at_once())) end_cycle(region_.max_retained_);
    }
    /// The same, but keeps at most that many bytes of chunks this time, instead of max_retained.
    ///
    /// \snippet reference.cpp arena_reset
    void reset(std::size_t retained) noexcept { end_cycle(retained); }

    /// The same as reset, and gives all memory back. The arena is as if new.
    void release() noexcept { end_cycle(0, true); }

    /// Bounds the memory of the arena's chunks, all of which counts, used or
    /// not: an allocation that needs a chunk beyond it throws limit_error. 0
    /// lifts the limit. An arena that has more already keeps it until reset.
    void limit(std::size_t bytes) noexcept { region_.limit(bytes); }

    /// Returns the bytes allocated in this cycle: the sizes of objects, rounded up to 8, with the
    /// padding before those aligned to more, and the lengths of text. O(1).
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
    template <class>
    friend class arena_scope;
    template <class>
    friend class basic_sync_arena;
    template <class, class>
    friend class arena_allocator;
    friend base;

    template <class T>
    static constexpr void check_element() noexcept {
        static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && !std::is_array_v<T>,
                      "ebb::arena::make_span<T>: T must be an object type without const and volatile, and no array");
    }

    EBB_NOINLINE void* allocate_large(std::size_t bytes, std::size_t align) {
        // Not std::has_single_bit: it is a call for processors of which nothing is known.
        if (align == 0 || (align & (align - 1)) != 0) {
            detail::throw_length("ebb::arena::allocate: the alignment is no power of 2");
        }
        return region_.take(bytes, align);
    }

    void unwind(const detail::record* to) noexcept {
        const std::uintptr_t mine = Checks::enabled ? region_.lock() : 0;
        region_.unwind(to);
        region_.unlock(mine);
    }

    [[nodiscard]] bool is_busy() const noexcept { return Checks::enabled && region_.busy() != 0; }

    EBB_NOINLINE void end_cycle(std::size_t retained, bool release = false) noexcept {
        if (is_busy()) return complain(misuse::reentrant, nullptr);
        unwind(nullptr);
        release ? region_.release() : region_.empty(retained);
    }

    // The beginning and the end of an arena_scope.
    arena_mark new_mark() {
        const std::size_t serial = region_.add_place()->time;
        return {region_.id(), serial};
    }
    void remove(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m, true); p != nullptr) region_.remove(p);
    }
    // The place of a mark, after the destructors have run, or null if it is misused. A scope may end in
    // the constructor or destructor that has begun it.
    detail::place* find(const arena_mark& m, bool of_scope = false) noexcept {
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(m.region_ == 0)) return complain(misuse::moved_mark, &m), nullptr;
            if (EBB_UNLIKELY(m.region_ != region_.id())) return complain(misuse::foreign_mark, &m), nullptr;
        }
        detail::place* const p = region_.find(m.serial_);
        if (EBB_UNLIKELY(p == nullptr)) return complain(misuse::stale_mark, &m), nullptr;
        if (EBB_UNLIKELY(is_busy() && !(of_scope && p->within()))) return complain(misuse::reentrant, &m), nullptr;
        if (region_.last_ != p->last) unwind(p->last);
        if constexpr (Checks::enabled) {
            if (EBB_UNLIKELY(region_.has_blocks_since(p))) return complain(misuse::stranded, &m), nullptr;
        }
        return p;
    }

    EBB_COLD void complain(misuse kind, const void* pointer) const noexcept {
        Checks::on_misuse(misuse_info{kind, this, pointer, nullptr, misuse_info::no_slot, 0, 0});
    }

    // Whether the other one's memory may become another's: no more while a constructor
    // writes it, or a resource has blocks of it.
    static bool may_move(const basic_arena& other) noexcept {
        if (other.is_busy()) return other.complain(misuse::reentrant, nullptr), false;
        if (Checks::enabled && other.region_.has_blocks()) {
            return other.complain(misuse::stranded, nullptr), false;
        }
        return true;
    }
    void take_over(basic_arena& other) noexcept {
        region_ = std::move(other.region_);
        for (auto* r = region_.residents(); r != nullptr; r = r->older) r->arena = this;
    }

    // A block of an arena_resource, or a length_error for an alignment that is no power of 2.
    EBB_INLINE void* take_block(std::size_t bytes, std::size_t align) {
        if (EBB_UNLIKELY((align & (align - 1)) != 0 || align == 0)) return allocate_large(bytes, align);
        return region_.take_block(bytes, align);
    }

    // Blocks of the arena's own resources.
    template <class, class>
    friend class detail::resident_resource;
    void* take_own_block(std::size_t bytes, std::size_t align) {
        void* const p = take_block(bytes, align);
        if constexpr (Checks::enabled) region_.add_block_since_mark();
        return p;
    }
    void give_own_block(void* p, std::size_t bytes) noexcept {
        if constexpr (Checks::enabled) region_.remove_block_since_mark(p);
        region_.give_block(p, bytes);
    }

    // The arena's resource for what takes one; see within.hpp. It goes with the epoch, or a
    // rewind.
    template <class Resource>
    Resource* resident() {
        using own = detail::resident_resource<Resource, basic_arena>;
        for (auto* r = region_.residents(); r != nullptr; r = r->older) {
            if (r->kind == &own::kind) return static_cast<own*>(r);
        }
        void* const at = region_.take(sizeof(own), alignof(own));
        region_.overhead_ += sizeof(own);
        auto* const made = ::new (at) own(detail::resident{region_.residents(), &own::kind, this});
        region_.add_resident(made);
        return made;
    }
};

/// The arena under its usual policy.
///
/// \snippet reference.cpp arena
using arena = basic_arena<>;

/// Takes back what an arena has allocated during a scope, and runs its destructors, also if the scope
/// is left by an exception. Afterwards the arena is as before. Scopes nest.
///
///     ebb::arena_scope scope(a);
///
/// Inside a scope, ending the arena's cycle, moving the arena and rewinding to an older mark are
/// misuse, which the end of the scope detects: stale_mark, foreign_mark. An outstanding block of an
/// arena_resource is misuse as with rewind. A constructor or destructor that the arena runs may use a
/// scope if it also ends it. Throws as arena::mark.
///
/// \snippet reference.cpp arena_scope
template <class Checks = checks::trap>
class [[nodiscard]] arena_scope {
public:
    /// Begins a scope of `a`, which must outlive it. O(1).
    explicit arena_scope(basic_arena<Checks>& a) : arena_(&a), start_(a.new_mark()) {}
    arena_scope(const arena_scope&) = delete;
    arena_scope& operator=(const arena_scope&) = delete;
    /// Ends it. O(chunks, destructors and marks taken back).
    ~arena_scope() { arena_->remove(start_); }

    /// The arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

private:
    basic_arena<Checks>* arena_;
    arena_mark start_;
};

}  // namespace EBB_ABI
}  // namespace ebb

#include <ebbpool/arena_allocator.hpp>

#endif  // EBBPOOL_ARENA_HPP
