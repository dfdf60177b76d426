// The chunks that an arena takes memory by: their sizes, the spare ones, and the limit.
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
#include <ebbpool/chunk_tree.hpp>
#include <ebbpool/storage.hpp>

namespace ebb {
inline namespace EBB_ABI {

/// Thrown by an arena that would need more memory than its limit allows. The arena is
/// unchanged and can still be used.
///
/// \snippet reference.cpp limit_error
class limit_error : public std::bad_alloc {
public:
    /// An error with the values that the functions below return.
    limit_error(std::size_t limit, std::size_t in_use, std::size_t asked) noexcept
        : limit_(limit), in_use_(in_use), asked_(asked) {}

    /// The message.
    [[nodiscard]] const char* what() const noexcept override {
        return "ebb::arena: more memory is needed than limit() allows";
    }
    /// Bytes that are allowed.
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    /// Bytes of chunks that the arena has.
    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    /// Bytes that the allocation needs in addition.
    [[nodiscard]] std::size_t asked() const noexcept { return asked_; }

private:
    std::size_t limit_, in_use_, asked_;
};

namespace detail {

/// An address, as a number of a type of its own: no store through a pointer of
/// the program's can change one, so the compiler keeps what it has loaded.
enum class address : std::uintptr_t {};
constexpr std::uintptr_t operator+(address a) noexcept { return static_cast<std::uintptr_t>(a); }
inline address address_of(const void* p) noexcept { return address{reinterpret_cast<std::uintptr_t>(p)}; }
inline std::byte* pointer_to(std::uintptr_t a) noexcept { return reinterpret_cast<std::byte*>(a); }

/// Objects begin at multiples of this.
inline constexpr std::size_t unit = 8;

/// The header of a chunk. The destructor of `memory` gives the chunk back.
struct chunk {
    struct by_address;
    struct by_size;

    chunk* next;        // the next older one in use
    std::size_t bytes;  // of all of it, the header included
    address lo, hi;     // of its free memory, unless it is the current chunk
    std::uint32_t age;  // position among those in use: larger is newer
    bool borrowed;      // the caller's storage, which stays to the end
    bool oversize;      // made for one large allocation
    bool in_use;
    chunk_tree<chunk, by_address>::links addresses;
    chunk_tree<chunk, by_size>::links sizes;
    block memory;

    [[nodiscard]] inline std::uintptr_t begin() const noexcept;
    [[nodiscard]] inline std::uintptr_t end() const noexcept;
    [[nodiscard]] std::size_t room() const noexcept { return end() - begin(); }
};
struct chunk::by_address {
    static auto& links(chunk& c) noexcept { return c.addresses; }
    static std::uintptr_t key(const chunk& c) noexcept { return +address_of(&c); }
};
struct chunk::by_size {
    static auto& links(chunk& c) noexcept { return c.sizes; }
    static std::uintptr_t key(const chunk& c) noexcept { return c.room(); }
};
/// Whole cache lines, so that an object of a line's size lies in one; with a red zone at its end.
inline constexpr std::size_t chunk_header = round_up(sizeof(chunk) + annotate::red_zone, cache_line);
inline std::uintptr_t chunk::begin() const noexcept { return +address_of(this) + chunk_header; }
inline std::uintptr_t chunk::end() const noexcept { return +address_of(this) + bytes; }

/// Sizes up to this can be added to the end of a chunk: none is so near to the
/// end of the address space.
inline constexpr std::size_t no_chunk_above = 4096;

/// Makes chunks, and keeps the spare ones, which hold nothing.
class chunk_store {
public:
    /// Bounds the bytes of all chunks; 0: no bound.
    void limit(std::size_t bytes) noexcept { limit_ = bytes == 0 ? no_limit : bytes; }

    static constexpr std::size_t bytes_needed(std::size_t bytes) noexcept {
        return chunk_header + round_up(bytes, unit) + cache_line - 1;
    }

    /// Far below where sizes that are added overflow.
    static constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max() / 4;

    /// Throws what a size beyond max_bytes is answered with.
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

    /// For a copy whose chunks are then forgotten.
    void fork_limits() noexcept {
        options_.storage = {};
        if (limit_ != no_limit) limit_ = std::max(left(), std::size_t{1});
    }

    /// The same chunks. One of both must then forget_chunks().
    chunk_store(const chunk_store&) = default;
    chunk_store& operator=(const chunk_store&) = default;

    ~chunk_store() {
        spare_.take_all([this](chunk* c) { free_chunk(c); });
    }

    /// As if new, but without the caller's storage, which belongs to another store now.
    void forget_chunks() noexcept {
        all_ = {};
        spare_ = {};
        found_ = nullptr;
        held_ = chunks_ = oversize_ = grown_ = 0;
    }

    /// The chunk that holds the address, or null. O(log chunks); O(1) for neighbors.
    [[nodiscard]] const chunk* chunk_of(std::uintptr_t p) const noexcept {
        if (found_ != nullptr && p - found_->begin() < found_->room()) return found_;
        const chunk* const c = all_.last_up_to(p);
        if (c == nullptr || p - c->begin() >= c->room()) return nullptr;
        found_ = c;
        return c;
    }

    /// A chunk with room for `need` bytes: the smallest spare one, or a new one.
    chunk* next_chunk(std::size_t need) {
        if (chunk* const c = spare_.first_from(need); c != nullptr) {
            spare_.erase(c);
            return c;
        }
        if (chunk* const c = new_chunk(need); c != nullptr) return c;
        if (may_grow() && chunk_header + need > left()) throw_limit(chunk_header + need);
        throw_bad_alloc();
    }
    /// Whether next_chunk will not throw: if there is no such chunk yet, makes one.
    bool reserve_chunk(std::size_t need) noexcept {
        if (spare_.first_from(need) != nullptr) return true;
        chunk* const c = new_chunk(need);
        if (c != nullptr) spare_.insert(c);
        return c != nullptr;
    }

    [[nodiscard]] bool may_grow() const noexcept { return options_.storage.empty() || options_.source != nullptr; }

    // Null if the limit or the system refuses.
    chunk* new_chunk(std::size_t need) noexcept {
        if (!may_grow()) return nullptr;
        // As much again as growth has made, so that the first is of the size asked for.
        const std::size_t most = chunk_size_ > max_bytes / max_growth ? max_bytes : chunk_size_ * max_growth;
        std::size_t room = std::clamp(grown_, chunk_size_, std::max(chunk_size_, most));
        if (limit_ != no_limit) {
            if (chunk_header + need > left()) free_spare();
            // need is whole units, and so fits in rest if it fits at all.
            if (chunk_header + need > left()) return nullptr;
            // So that many chunks are possible, down to the end of what is allowed.
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

    /// Whether it is no larger than what the user has asked for.
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

    /// Frees the spare chunks, largest first, until at most `most` bytes are held. The
    /// caller's storage stays.
    void free_spare(std::size_t most = 0) noexcept {
        chunk* borrowed = nullptr;
        while (held_ > most && !spare_.empty()) {
            chunk* const c = spare_.last_up_to(max_bytes);
            spare_.erase(c);
            c->borrowed ? void(borrowed = c) : free_chunk(c);
        }
        if (borrowed != nullptr) spare_.insert(borrowed);
    }

    chunk_tree<chunk, chunk::by_size> spare_;
    std::size_t chunk_size_, max_retained_;
    std::size_t held_ = 0;  // bytes of all chunks
    std::size_t chunks_ = 0, oversize_ = 0;

private:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
    // Growth makes no chunk of more than this many times the chunk size: the
    // unused end of the last one would be worth more than the calls it saves.
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
        auto* const c =
            ::new (data) chunk{nullptr, bytes, {}, {}, 0, borrowed, false, false, {}, {}, std::move(memory)};
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

    chunk_tree<chunk, chunk::by_address> all_;
    mutable const chunk* found_ = nullptr;  // by chunk_of
    std::size_t grown_ = 0;                 // bytes of the chunks that growth made
    std::size_t limit_ = no_limit;
    pool_options options_;
};

}  // namespace detail
}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_CHUNKS_HPP
