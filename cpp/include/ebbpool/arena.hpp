// ebb::arena: a region of memory whose objects are freed together.
//
//     ebb::arena a(64 << 10);
//     for (request r; next(r);) {
//         auto* const tree = a.make<node>(r);      // its destructor runs in reset()
//         std::string_view name = a.copy(r.name());
//         answer(*tree, name);
//         a.reset();                               // keeps the chunks
//     }
//
// Nontrivial destructors are recorded in the arena itself. Adjacent objects of one type share a record, so
// destroying them is a loop without indirect calls.
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

#include <ebbpool/checks.hpp>
#include <ebbpool/objects.hpp>
#include <ebbpool/region.hpp>

namespace ebb::inline EBB_ABI {

/// A point in the cycle of an arena, for rewind. Move-only. A mark that was moved from or default-constructed
/// is null.
/// \snippet reference.cpp arena_mark
class arena_mark {
public:
    /// Null.
    constexpr arena_mark() noexcept = default;
    /// Takes the mark of `other`, which becomes null.
    constexpr arena_mark(arena_mark&& other) noexcept
        : region_(std::exchange(other.region_, 0)), serial_(other.serial_) {}
    /// Takes the mark of `other`, which becomes null.
    constexpr arena_mark& operator=(arena_mark&& other) noexcept {
        region_ = std::exchange(other.region_, 0);
        serial_ = other.serial_;
        return *this;
    }
    arena_mark(const arena_mark&) = delete;
    arena_mark& operator=(const arena_mark&) = delete;
    ~arena_mark() = default;

private:
    template <class>
    friend class basic_arena;
    constexpr arena_mark(std::size_t region, std::size_t serial) noexcept : region_(region), serial_(serial) {}

    std::size_t region_ = 0;  // its number, because arenas can move
    std::size_t serial_ = 0;
};

/// A region: allocations of any type, freed together by reset().
///
/// It is for one thread at a time; see fork and sync_arena for several. It can be moved, not copied. Addresses
/// are stable until the end of the cycle: reset(), release() or the destructor.
///
/// An object whose type takes an allocator, such as std::pmr::string or a std::pmr::vector of them, gets the
/// arena's, unless it is constructed with one. This includes objects in std::optional, std::variant,
/// std::array, std::pair and std::tuple, and members of an aggregate that an argument initializes.
///
/// Misuse is detected and changes nothing, unless the policy is checks::none: rewinding to a mark that is
/// stale, moved from, or of another arena; rewind, reset, release and move in a constructor or destructor that
/// the arena runs; use of a memory resource that has blocks of an earlier cycle; rewind or move under a block
/// of a memory resource. AddressSanitizer and Valgrind detect accesses to objects of earlier cycles and to the
/// 16 bytes between allocations, and make retained_bytes larger.
///
/// Without exceptions, functions that would throw call std::abort.
///
/// Allocation bumps a pointer in a chunk. When a chunk is full, the next one is as large as all chunks before
/// it, up to 64 times chunk_size. An object takes its size, rounded up to 8 bytes, and text takes its length.
/// Each run of adjacent objects of one type with a destructor takes 24 more bytes, and a mark takes 128.
/// \snippet reference.cpp arena
template <class Checks = checks::trap>
class basic_arena : detail::objects<Checks> {
    using base = detail::objects<Checks>;
    using base::region_;
    using typename base::allocator;

public:
    using checks_type = Checks;    ///< The policy
    using mark_type = arena_mark;  ///< The result of mark()

    /// An arena whose first chunk has room for `chunk_size` bytes. It takes no memory before the first
    /// allocation. After a reset, it keeps chunks of at most `max_retained` bytes, or ten times chunk_size if
    /// that is 0. It always keeps options.storage and one chunk of chunk_size if it has one.
    ///
    /// options.storage becomes the first chunk. When it is full, further chunks come from options.source;
    /// without a source, std::bad_alloc is thrown. huge_pages and prefault apply to each chunk. Throws
    /// std::length_error if chunk_size is 0 or more than a quarter of the address space, or if options.storage
    /// is too small for an object.
    explicit basic_arena(std::size_t chunk_size, std::size_t max_retained = 0, const pool_options& options = {})
        : base(chunk_size, max_retained, options) {}

    /// An arena of default_chunk_size.
    basic_arena() : basic_arena(default_chunk_size) {}
    static constexpr std::size_t default_chunk_size = std::size_t{16} << 10;  ///< The default size of the first chunk

    /// Takes the memory, objects and marks of `other`, which becomes empty and loses the caller's storage.
    /// Allocators of objects in the arena move along. Every arena_allocator and arena_resource still refers to
    /// `other`, so their containers must have been destroyed. O(1).
    basic_arena(basic_arena&& other) noexcept : base(detail::region::like{other.region_}) {
        if (may_move(other)) take_over(other);
    }
    /// The same, after ending this arena's cycle and freeing its memory.
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

    /// Returns a new T, constructed from args, or value-initialized without args. Its destructor runs at the
    /// end of the cycle and must not throw. Throws std::bad_alloc, limit_error and exceptions of T's
    /// constructor. If the constructor throws, the memory is freed, unless the constructor has allocated from
    /// the arena. O(1).
    /// \snippet reference.cpp arena_make
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

    /// Returns n value-initialized objects. If n is 0, it allocates nothing. Otherwise as make. O(n).
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

    /// Returns n copies of `value`. Otherwise as make_span.
    template <class T>
    std::span<T> make_span(std::size_t n, const T& value) {
        check_element<T>();
        return this->template make_equal<T>(n, value);
    }

    /// Returns the results of f(0) to f(n - 1), constructed in place, so T need not be movable. f may allocate
    /// from the arena. Otherwise as make_span.
    /// \snippet reference.cpp arena_copy
    template <class T, class F>
    std::span<T> make_span_with(std::size_t n, F&& f) {
        check_element<T>();
        return this->template make_each<T>(n, [&](T* at, std::size_t i) { ::new (static_cast<void*>(at)) T(f(i)); });
    }

    /// Returns n objects of a trivial type without initializing them. Otherwise as make_span. O(1).
    template <class T>
    std::span<T> make_span_uninit(std::size_t n) {
        static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>,
                      "ebb::arena::make_span_uninit<T>: T must be trivial; use make_span");
        if (n == 0) return {};
        // Arrays of trivial types are created implicitly.
        return {reinterpret_cast<T*>(region_.take(this->template bytes_of<T>(n, 0), alignof(T))), n};
    }

    /// Returns a copy of `text`, without a terminating zero or padding.
    std::string_view copy(std::string_view text) {
        if (text.empty()) return {};
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size()));
        detail::copy_text(at, text.data(), text.size());
        return {at, text.size()};
    }

    /// Returns a copy of `text` with a terminating zero. Never null.
    char* copy_c_str(std::string_view text) {
        auto* const at = reinterpret_cast<char*>(region_.take_text(text.size() + 1));
        if (!text.empty()) std::memcpy(at, text.data(), text.size());
        at[text.size()] = '\0';
        return at;
    }

    /// Returns copies of objects. Otherwise as make_span. O(n).
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
    /// Returns copies of the elements of a list.
    /// \snippet reference.cpp arena_copy
    template <class T>
    std::span<T> copy(std::initializer_list<T> all) {
        return copy(std::span<const T>(all.begin(), all.size()));
    }
    /// Returns copies of the elements of a range. It must have a size or be a forward range.
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
    /// As copy.
    template <class T>
    std::span<T> make_span(std::initializer_list<T> all) {
        return copy(all);
    }
    /// As copy.
    template <detail::countable R>
    requires(!std::is_convertible_v<R, std::string_view>) auto make_span(R&& all) { return copy(std::forward<R>(all)); }

    /// As make, but returns null if the limit or the system refuses memory for the object. Throws exceptions of
    /// T's constructor, which may need more memory. An object with a destructor takes 24 more bytes.
    /// \snippet reference.cpp arena_try
    template <class T, class... Args>
    [[nodiscard]] T* try_make(Args&&... args) {
        if (!this->template reserve_objects<T>(1)) return nullptr;
        region_.close_run();
        return make<T>(std::forward<Args>(args)...);
    }
    /// As allocate, but returns null if the limit or the system refuses the memory, or if align is not a power
    /// of 2.
    /// \snippet reference.cpp arena_try
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) noexcept {
        if (align == 0 || (align & (align - 1)) != 0 || !region_.reserve(bytes, align)) return nullptr;
        return region_.take(bytes, align);
    }
    /// As copy, but returns a view with a null data() if the limit or the system refuses the memory.
    /// \snippet reference.cpp arena_try
    [[nodiscard]] std::string_view try_copy(std::string_view text) noexcept {
        return region_.reserve_text(text.size()) ? copy(text) : std::string_view();
    }
    /// The same for objects. Throws exceptions of their constructors, which may need more memory.
    template <class T, std::size_t Extent>
    [[nodiscard]] std::span<std::remove_const_t<T>> try_copy(std::span<T, Extent> all) {
        if (!this->template reserve_objects<std::remove_const_t<T>>(all.size())) return {};
        return copy(all);
    }

    /// Calls f when the cycle ends, or in a rewind to an earlier mark. Such functions and destructors run in
    /// one order, newest first. f must not throw. Throws as make.
    /// \snippet reference.cpp arena_on_end
    template <class F>
    void on_end(F&& f) {
        make<detail::at_end<std::decay_t<F>>>(std::forward<F>(f));
    }
    /// Takes ownership from `p`, deletes the object when the cycle ends, and returns it. Throws as make; then p
    /// keeps the object.
    /// \snippet reference.cpp arena_on_end
    template <class T, class Delete>
    typename std::unique_ptr<T, Delete>::pointer adopt(std::unique_ptr<T, Delete>&& p) {
        return p == nullptr ? nullptr : make<std::unique_ptr<T, Delete>>(std::move(p))->get();
    }

    /// Reports whether p points into memory that the arena has allocated in this cycle, including padding and
    /// blocks that containers have freed. O(log chunks).
    /// \snippet reference.cpp arena_owns
    [[nodiscard]] bool owns(const void* p) const noexcept { return region_.owns(p); }

    /// Returns an arena for another thread. It is an object in this arena, so it ends with the cycle; then no
    /// thread may use it. It has its own chunks, from the same source, which must be safe for use by several
    /// threads. Its limit is the unused rest of this arena's. Throws as make.
    /// \snippet reference.cpp arena_fork
    [[nodiscard]] basic_arena& fork() { return *make<basic_arena>(detail::region::fork_of{region_}); }
    /// For fork.
    explicit basic_arena(detail::region::fork_of parent) noexcept : base(parent) {}

    /// Returns `bytes` bytes, or 1 if that is 0, uninitialized. Throws std::bad_alloc, limit_error, and
    /// std::length_error if align is not a power of 2.
    void* allocate(std::size_t bytes, std::size_t align = alignof(std::max_align_t)) {
        if (EBB_UNLIKELY(!region_.is_small(bytes, align) || (align & (align - 1)) != 0)) {
            return allocate_large(bytes, align);
        }
        return region_.take(bytes, align);
    }

    /// Frees the result p of allocate(bytes) if it is the newest allocation. Otherwise does nothing. O(1).
    EBB_INLINE void give_back(void* p, std::size_t bytes) noexcept { region_.give_back(p, bytes); }

    /// Returns a mark for rewind. Marks nest. A mark takes 128 bytes, and 512 more if containers have freed
    /// blocks, but none if nothing was allocated since the last mark. Throws as allocate.
    [[nodiscard]] arena_mark mark() {
        const std::size_t serial = region_.mark()->time;
        return {region_.id(), serial};
    }

    /// Frees all allocations since `m` was taken, after running their destructors, newest first. m stays valid.
    /// Marks taken after it become stale.
    ///
    /// Rewinding to a mark that is stale, moved from, or of another arena is misuse. So is rewinding under a
    /// block of an arena_resource that was allocated since m; then the destructors have run, but no memory is
    /// freed. O(chunks, destructors and marks since m).
    void rewind(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m); p != nullptr) region_.rewind(p);
    }

    /// Ends the cycle: runs the destructors, newest object first, and frees all allocations. All marks become
    /// stale. Without destructors, marks, freed blocks and further chunks it takes a few instructions.
    EBB_INLINE void reset() noexcept {
        if (EBB_UNLIKELY(is_busy() || !region_.empty_at_once())) end_cycle(region_.max_retained_);
    }
    /// The same, but keeps at most `retained` bytes of chunks instead of max_retained.
    /// \snippet reference.cpp arena_reset
    void reset(std::size_t retained) noexcept { end_cycle(retained); }

    /// Ends the cycle and frees all chunks.
    void release() noexcept { end_cycle(0, true); }

    /// Limits the bytes of the arena's chunks, used or not. An allocation that needs a chunk beyond the limit
    /// throws limit_error. 0 removes the limit. Chunks that already exceed it are kept until reset.
    void limit(std::size_t bytes) noexcept { region_.limit(bytes); }

    /// Returns the bytes allocated in this cycle: the sizes of objects, rounded up to 8 bytes, padding for
    /// larger alignments, and the lengths of text. O(1).
    [[nodiscard]] std::size_t used_bytes() const noexcept { return region_.used(); }

    /// Returns statistics. O(1).
    [[nodiscard]] arena_stats stats() noexcept { return region_.stats(); }

    /// Returns a size of pool_options::storage that is enough for `bytes` bytes of objects, at any address.
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
        // std::has_single_bit would be a function call without -march.
        if (align == 0 || (align & (align - 1)) != 0) {
            detail::throw_length("ebb::arena::allocate: the alignment is no power of 2");
        }
        return region_.take(bytes, align);
    }

    void unwind(const detail::record* to) noexcept {
        const detail::address before = Checks::enabled ? region_.lock() : detail::address{};
        region_.unwind(to);
        if constexpr (Checks::enabled) region_.unlock(before);
    }

    [[nodiscard]] bool is_busy() const noexcept { return Checks::enabled && region_.busy() != 0; }

    EBB_NOINLINE void end_cycle(std::size_t retained, bool release = false) noexcept {
        if (is_busy()) return complain(misuse::reentrant, nullptr);
        unwind(nullptr);
        region_.empty(retained, release);
    }

    // For arena_scope.
    arena_mark new_mark() {
        const std::size_t serial = region_.add_place()->time;
        return {region_.id(), serial};
    }
    void remove(const arena_mark& m) noexcept {
        if (detail::place* const p = find(m, true); p != nullptr) region_.remove(p);
    }
    // Runs the destructors since the mark and returns its place, or reports misuse and returns null. A scope
    // may end in the constructor or destructor that began it.
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
        Checks::on_misuse(misuse_info{kind, this, pointer});
    }

    // Whether the memory of `other` may move: no constructor or destructor uses it, and no resource has blocks
    // of it.
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

    // Allocates a block of an arena_resource. Throws length_error if the alignment is not a power of 2.
    EBB_INLINE void* take_block(std::size_t bytes, std::size_t align) {
        if (EBB_UNLIKELY((align & (align - 1)) != 0 || align == 0)) return allocate_large(bytes, align);
        return region_.take_block(bytes, align);
    }

    // Allocate and free blocks of the arena's own resources.
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

    // Returns the arena's own resource, for objects that take one; see within.hpp. It ends with the cycle or a
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

/// An arena with the default policy.
/// \snippet reference.cpp arena
using arena = basic_arena<>;

/// Frees the allocations of a scope at its end, also after an exception, and runs their destructors. Scopes
/// nest.
///
///     ebb::arena_scope scope(a);
///
/// In a scope, it is misuse to end the arena's cycle, to move the arena, or to rewind to an older mark; the end
/// of the scope detects it (stale_mark, foreign_mark). Blocks of an arena_resource must be freed before the
/// end, as with rewind. A constructor or destructor that the arena runs may use a scope that ends in it. Throws
/// as arena::mark.
/// \snippet reference.cpp arena_scope
template <class Checks = checks::trap>
class [[nodiscard]] arena_scope {
public:
    /// Begins a scope of `a`, which must outlive it. O(1).
    explicit arena_scope(basic_arena<Checks>& a) : arena_(&a), start_(a.new_mark()) {}
    arena_scope(const arena_scope&) = delete;
    arena_scope& operator=(const arena_scope&) = delete;
    /// Frees the allocations of the scope. O(chunks, destructors and marks in it).
    ~arena_scope() { arena_->remove(start_); }

    /// Returns the arena.
    [[nodiscard]] basic_arena<Checks>& arena() const noexcept { return *arena_; }

private:
    basic_arena<Checks>* arena_;
    arena_mark start_;
};

}  // namespace ebb::inline EBB_ABI

#include <ebbpool/arena_allocator.hpp>

#endif  // EBBPOOL_ARENA_HPP
