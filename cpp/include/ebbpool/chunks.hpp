// Chunks of an arena: search trees of them, their sizes, the spare chunks, and the limit.
#ifndef EBBPOOL_CHUNKS_HPP
#define EBBPOOL_CHUNKS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include <ebbpool/annotate.hpp>
#include <ebbpool/checks.hpp>
#include <ebbpool/storage.hpp>

namespace ebb::inline EBB_ABI {

/// The exception of an arena that needs more memory than its limit allows. The arena is unchanged and stays
/// usable.
/// \snippet reference.cpp limit_error
class limit_error : public std::bad_alloc {
public:
    /// Stores the values for the accessors.
    limit_error(std::size_t limit, std::size_t in_use, std::size_t asked) noexcept
        : limit_(limit), in_use_(in_use), asked_(asked) {}

    /// Returns the message.
    [[nodiscard]] const char* what() const noexcept override {
        return "ebb::arena: more memory is needed than limit() allows";
    }
    /// Returns the limit in bytes.
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    /// Returns the bytes of the arena's chunks.
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    /// Returns the bytes that the refused allocation would have added.
    [[nodiscard]] std::size_t asked() const noexcept { return asked_; }

private:
    std::size_t limit_, in_use_, asked_;
};

namespace detail {

/// An address as a number of its own type. Stores through the program's pointers can't alias it, so compilers
/// keep loaded values in registers.
enum class address : std::uintptr_t {};
constexpr std::uintptr_t operator+(address a) noexcept { return static_cast<std::uintptr_t>(a); }
inline address address_of(const void* p) noexcept { return address{reinterpret_cast<std::uintptr_t>(p)}; }
inline std::byte* pointer_to(std::uintptr_t a) noexcept { return reinterpret_cast<std::byte*>(a); }

/// The alignment of objects, and the granularity of their sizes.
inline constexpr std::size_t unit = 8;

/// The header of a chunk. The destructor of `memory` frees the chunk.
struct chunk {
    chunk* next;        // next older chunk in use
    std::size_t bytes;  // size, with the header
    address lo, hi;     // bounds of the free memory, unless the chunk is current
    std::uint32_t age;  // position among the chunks in use; newer chunks have larger ones
    bool borrowed;      // storage of the caller, kept until the store ends
    bool oversize;      // made for one large allocation
    bool in_use;
    chunk* children[2][2];  // see chunk_tree
    block memory;

    [[nodiscard]] inline std::uintptr_t begin() const noexcept;
    [[nodiscard]] std::uintptr_t end() const noexcept { return +address_of(this) + bytes; }
    [[nodiscard]] std::size_t room() const noexcept { return end() - begin(); }
};
/// A multiple of a cache line, so that objects as large as a line don't span two. It ends with a red zone.
inline constexpr std::size_t chunk_header = round_up(sizeof(chunk) + annotate::red_zone, cache_line);
inline std::uintptr_t chunk::begin() const noexcept { return +address_of(this) + chunk_header; }

/// A treap of chunks, ordered by address, or by room and then address. Priorities are hashes of addresses, so
/// operations take O(log n) expected steps in any order of calls.
enum class order { by_address, by_room };
template <order By>
class chunk_tree {
public:
    [[nodiscard]] bool empty() const noexcept { return root_ == nullptr; }

    void insert(chunk* c) noexcept {
        chunk** at = &root_;
        while (*at != nullptr && priority(*at) > priority(c)) at = child(*at, less(c, *at));
        // Splits the subtree at c's position into smaller and larger chunks.
        chunk* rest = *at;
        *at = c;
        chunk** smaller = child(c, true);
        chunk** larger = child(c, false);
        while (rest != nullptr) {
            const bool above = less(c, rest);
            chunk**& to = above ? larger : smaller;
            *to = rest;
            to = child(rest, above);
            rest = *to;
        }
        *smaller = *larger = nullptr;
    }

    void erase(chunk* c) noexcept {
        chunk** at = &root_;
        while (*at != c) at = child(*at, less(c, *at));
        chunk* smaller = *child(c, true);
        chunk* larger = *child(c, false);
        while (smaller != nullptr && larger != nullptr) {
            const bool first = priority(smaller) > priority(larger);
            chunk*& top = first ? smaller : larger;
            *at = top;
            at = child(top, !first);
            top = *at;
        }
        *at = smaller != nullptr ? smaller : larger;
    }

    /// Returns the chunk with the largest key up to `most`, or null.
    [[nodiscard]] chunk* last_up_to(std::uintptr_t most) const noexcept {
        chunk* found = nullptr;
        for (chunk* c = root_; c != nullptr;) {
            const bool fits = key(c) <= most;
            if (fits) found = c;
            c = *child(c, !fits);
        }
        return found;
    }

    /// Returns the chunk with the smallest key from `least` on, or null.
    [[nodiscard]] chunk* first_from(std::uintptr_t least) const noexcept {
        chunk* found = nullptr;
        for (chunk* c = root_; c != nullptr;) {
            const bool fits = key(c) >= least;
            if (fits) found = c;
            c = *child(c, fits);
        }
        return found;
    }

    /// Removes all chunks and calls f with each, in unspecified order. f may free the chunk.
    template <class F>
    void take_all(const F& f) noexcept {
        while (root_ != nullptr) {
            chunk* const c = root_;
            erase(c);
            f(c);
        }
    }

private:
    static chunk** child(chunk* c, bool smaller) noexcept { return &c->children[static_cast<int>(By)][smaller]; }
    static std::uintptr_t key(const chunk* c) noexcept { return By == order::by_room ? c->room() : +address_of(c); }
    static bool less(const chunk* a, const chunk* b) noexcept {
        return key(a) != key(b) ? key(a) < key(b) : +address_of(a) < +address_of(b);
    }
    static std::uint32_t priority(const chunk* c) noexcept {
        return static_cast<std::uint32_t>((std::uint64_t{+address_of(c)} * 0x9e3779b97f4a7c15u) >> 32);
    }

    chunk* root_ = nullptr;
};

/// Adding a size up to this to the end of a chunk can't overflow: chunks near the end of the address space are
/// refused.
inline constexpr std::size_t no_chunk_above = 4096;

/// Makes chunks, and keeps the spare ones, which are empty.
class chunk_store {
public:
    /// Sets the limit on the bytes of all chunks; 0 for none.
    void limit(std::size_t bytes) noexcept { limit_ = bytes == 0 ? no_limit : bytes; }

    static constexpr std::size_t bytes_needed(std::size_t bytes) noexcept {
        return chunk_header + round_up(bytes, unit) + cache_line - 1;
    }

    /// Sums of a few sizes up to this can't overflow.
    static constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max() / 4;

    /// Throws the exception for a size above max_bytes.
    [[noreturn]] EBB_COLD void too_large(std::size_t bytes) const {
        if (limit_ != no_limit) throw_limit(bytes);
        throw_bad_alloc();
    }

protected:
    chunk_store(std::size_t chunk_size, std::size_t max_retained, const pool_options& options)
        : chunk_size_(chunk_size), max_retained_(max_retained), options_(options) {
        if (chunk_size == 0) throw_length("ebb::arena: chunk_size is 0");
        if (chunk_size > max_bytes) throw_length("ebb::arena: chunk_size is too large");
        if (max_retained == 0) max_retained_ = chunk_size > max_bytes / 10 ? max_bytes : 10 * chunk_size;
        max_retained_ = std::max(max_retained_, chunk_header + round_up(chunk_size, unit));
        if (!options.storage.empty()) borrow();
    }

    /// Adapts a copy of a store for a fork. forget_chunks() must follow.
    void fork_limits() noexcept {
        options_.storage = {};
        if (limit_ != no_limit) limit_ = std::max(left(), std::size_t{1});
    }

    /// Copies refer to the same chunks; forget_chunks() must be called on one of both.
    chunk_store(const chunk_store&) = default;
    chunk_store& operator=(const chunk_store&) = default;

    ~chunk_store() {
        spare_.take_all([this](chunk* c) { free_chunk(c); });
    }

    /// Resets to the state of a new store, without the caller's storage, which now belongs to another store.
    void forget_chunks() noexcept {
        all_ = {};
        spare_ = {};
        found_ = nullptr;
        held_ = chunks_ = oversize_ = grown_ = 0;
    }

    /// Returns the chunk that contains the address, or null. O(log chunks), O(1) if it is in the same chunk as
    /// the last.
    [[nodiscard]] const chunk* chunk_of(std::uintptr_t p) const noexcept {
        if (found_ != nullptr && p - found_->begin() < found_->room()) return found_;
        const chunk* const c = all_.last_up_to(p);
        if (c == nullptr || p - c->begin() >= c->room()) return nullptr;
        found_ = c;
        return c;
    }

    /// Returns a chunk with room for `need` bytes: the smallest spare one, or a new one.
    chunk* next_chunk(std::size_t need) {
        if (chunk* const c = spare_.first_from(need); c != nullptr) {
            spare_.erase(c);
            return c;
        }
        if (chunk* const c = new_chunk(need); c != nullptr) return c;
        if (may_grow() && chunk_header + need > left()) throw_limit(chunk_header + need);
        throw_bad_alloc();
    }
    /// Makes sure that next_chunk(need) will not throw, by making a spare chunk if there is none. Returns false
    /// if that fails.
    bool reserve_chunk(std::size_t need) noexcept {
        if (spare_.first_from(need) != nullptr) return true;
        chunk* const c = new_chunk(need);
        if (c != nullptr) spare_.insert(c);
        return c != nullptr;
    }

    [[nodiscard]] bool may_grow() const noexcept { return options_.storage.empty() || options_.source != nullptr; }

    // Returns null if the limit or the system refuses.
    chunk* new_chunk(std::size_t need) noexcept {
        if (!may_grow()) return nullptr;
        // As large as all growth so far, but the first chunk has the size that the user asked for.
        const std::size_t most = chunk_size_ > max_bytes / max_growth ? max_bytes : chunk_size_ * max_growth;
        std::size_t room = std::clamp(grown_, chunk_size_, std::max(chunk_size_, most));
        if (limit_ != no_limit) {
            if (chunk_header + need > left()) free_spare();
            // need is a multiple of unit, so rounding down does not make it too large.
            if (chunk_header + need > left()) return nullptr;
            // At most a quarter of the rest, so that the arena can use the limit in several chunks.
            const std::size_t rest = (left() - chunk_header) & ~(unit - 1);
            room = std::min(std::max(std::min(room, rest / 4), chunk_size_), rest);
        }
        const bool is_oversize = need > room;
        chunk* const c = make_chunk(std::max(room, need));
        if (c == nullptr) return nullptr;
        c->oversize = is_oversize;
        is_oversize ? ++oversize_ : grown_ += c->bytes;
        return c;
    }

    [[nodiscard]] std::size_t left() const noexcept { return limit_ > held_ ? limit_ - held_ : 0; }

    chunk* make_chunk(std::size_t room) noexcept {
        std::size_t bytes = chunk_header + round_up(room, unit);
        pool_options options = options_;
        options.storage = {};
        if (options.huge_pages && bytes >= huge_page) {
            const std::size_t whole = round_up(bytes, huge_page);
            whole <= left() ? bytes = whole : options.huge_pages = false;
        }
        block memory{std::nothrow, bytes, cache_line, bytes, options};
        if (+address_of(memory.data()) - 1 >= std::numeric_limits<std::uintptr_t>::max() - no_chunk_above - bytes) {
            return nullptr;
        }
        return make(std::move(memory), bytes, false);
    }

    [[nodiscard]] bool is_as_asked(const chunk* c) const noexcept { return c->room() <= round_up(chunk_size_, unit); }

    void free_chunk(chunk* c) noexcept {
        held_ -= c->bytes;
        if (!c->oversize) grown_ -= c->bytes;
        --chunks_;
        all_.erase(c);
        found_ = nullptr;
        if constexpr (annotate::on) annotate::show(c + 1, c->bytes - sizeof(chunk));
        const block memory(std::move(c->memory));
        c->~chunk();
    }

    /// Frees spare chunks, largest first, until at most `most` bytes are held. Keeps the caller's storage.
    void free_spare(std::size_t most = 0) noexcept {
        chunk* borrowed = nullptr;
        while (held_ > most && !spare_.empty()) {
            chunk* const c = spare_.last_up_to(max_bytes);
            spare_.erase(c);
            c->borrowed ? void(borrowed = c) : free_chunk(c);
        }
        if (borrowed != nullptr) spare_.insert(borrowed);
    }

    chunk_tree<order::by_room> spare_;
    std::size_t chunk_size_, max_retained_;
    std::size_t held_ = 0;  // bytes of all chunks
    std::size_t chunks_ = 0, oversize_ = 0;

private:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
    // The largest chunk that growth makes, in chunk sizes. In larger chunks, the unused end would cost more
    // than the saved calls.
    static constexpr std::size_t max_growth = 64;

    void borrow() {
        const std::size_t size = options_.storage.size();
        const std::size_t skip = (0 - +address_of(options_.storage.data())) & (cache_line - 1);
        if (size < skip + chunk_header + unit) throw_length("ebb::arena: the storage is smaller than bytes_needed(1)");
        const std::size_t bytes = (size - skip) & ~(unit - 1);
        pool_options options = options_;
        options.source = nullptr;
        max_retained_ = std::max(max_retained_, bytes);
        spare_.insert(make(block{bytes, cache_line, bytes, options}, bytes, true));
        grown_ = bytes;
    }

    chunk* make(block&& memory, std::size_t bytes, bool borrowed) noexcept {
        std::byte* const data = memory.data();
        auto* const c = ::new (data) chunk{nullptr, bytes, {}, {}, 0, borrowed, false, false, {}, std::move(memory)};
        if constexpr (annotate::on) annotate::hide(c + 1, bytes - sizeof(chunk));
        all_.insert(c);
        held_ += bytes;
        ++chunks_;
        return c;
    }

    [[noreturn]] EBB_COLD void throw_limit([[maybe_unused]] std::size_t asked) const {
#if EBB_EXCEPTIONS
        throw limit_error(limit_, held_, asked);
#else
        std::abort();
#endif
    }

    chunk_tree<order::by_address> all_;
    mutable const chunk* found_ = nullptr;  // the last result of chunk_of
    std::size_t grown_ = 0;                 // bytes of chunks that growth made
    std::size_t limit_ = no_limit;
    pool_options options_;
};

}  // namespace detail
}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_CHUNKS_HPP
