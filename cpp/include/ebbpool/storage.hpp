// Blocks of memory: one for each pool, and one for each chunk of an arena. Large blocks are mapped, so the
// system provides their pages on first use.
#ifndef EBBPOOL_STORAGE_HPP
#define EBBPOOL_STORAGE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <ebbpool/compiler.hpp>

#if defined(__unix__) || defined(__APPLE__)
#define EBB_HAS_MMAP 1
#include <sys/mman.h>
#else
#define EBB_HAS_MMAP 0
#endif

namespace ebb::inline EBB_ABI {

/// A source of memory, for programs with their own allocator.
/// \snippet reference.cpp memory_source
struct memory_source {
    /// Returns `bytes` zero bytes at a multiple of `alignment`, a power of 2, or null.
    void* (*take)(std::size_t bytes, std::size_t alignment, void* context) noexcept;
    /// Frees a result of take.
    void (*give)(void* data, std::size_t bytes, std::size_t alignment, void* context) noexcept;
    void* context = nullptr;  ///< passed to both
};

/// Options for the memory of a pool or an arena.
/// \snippet reference.cpp pool_options
struct pool_options {
    /// Requests huge pages for blocks of at least 2 MiB (on Linux, by madvise), whose size is rounded up to 2
    /// MiB. They can avoid TLB misses in random access to much memory. Measure first: in a virtual machine they
    /// may have no effect.
    bool huge_pages = false;
    /// Touches each page of a block when it is allocated (for a pool, in the constructor), so that later calls
    /// cause no page faults. It takes about 0.25 us per 4 KiB.
    bool prefault = false;
    /// Memory to use instead of the heap. It must outlive the pool or arena; see bytes_needed for its size. A
    /// pool throws std::length_error if it is too small. Ignored if empty.
    std::span<std::byte> storage{};
    /// The source of blocks, which must outlive the pool or arena. Ignored if null.
    const memory_source* source = nullptr;
};

namespace detail {

/// Blocks of at least this size are mapped. For smaller blocks, a system call and page faults take longer than
/// clearing a pool's tables. glibc's malloc has the same threshold.
inline constexpr std::size_t map_from = std::size_t{128} << 10;
inline constexpr std::size_t huge_page = std::size_t{2} << 20;
inline constexpr std::size_t small_page = std::size_t{4} << 10;  // the smallest of all systems; for prefault
inline constexpr std::size_t cache_line = 64;

#if EBB_EXCEPTIONS
[[noreturn]] inline void throw_length(const char* what) { throw std::length_error(what); }
[[noreturn]] inline void throw_bad_alloc() { throw std::bad_alloc(); }
#else
[[noreturn]] inline void throw_length(const char*) { std::abort(); }
[[noreturn]] inline void throw_bad_alloc() { std::abort(); }
#endif

constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept { return (n + to - 1) & ~(to - 1); }

inline std::byte* align_up(void* p, std::size_t to) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return static_cast<std::byte*>(p) + (round_up(address, to) - address);
}

/// A block of memory, freed by the destructor. A literal type, for pools in constant expressions.
class block {
public:
    constexpr block() noexcept = default;

    /// Allocates `bytes` bytes at a multiple of `alignment`, zero from offset `clear_from` on. Throws
    /// std::bad_alloc, or std::length_error if the caller's storage is too small.
    block(std::size_t bytes, std::size_t alignment, std::size_t clear_from, const pool_options& options)
        : block(std::nothrow, bytes, alignment, clear_from, options) {
        if (data_ != nullptr) return;
        if (options.storage.empty()) throw_bad_alloc();
        throw_length("ebbpool: the storage handed in is smaller than bytes_needed()");
    }
    /// The same, but data() is null if there is no memory.
    block(std::nothrow_t, std::size_t bytes, std::size_t alignment, std::size_t clear_from, const pool_options& options)
        : bytes_(bytes), alignment_(alignment) {
        if (!options.storage.empty()) {
            void* at = options.storage.data();
            std::size_t space = options.storage.size();
            data_ = std::align(alignment, bytes, at, space);
        } else if (options.source != nullptr) {
            source_ = options.source;
            data_ = source_->take(bytes, alignment, source_->context);
            clear_from = bytes;
        } else if (EBB_HAS_MMAP && bytes >= map_from) {
            map(options);
            clear_from = bytes;
        } else {
            kind_ = kind::heap;
            data_ = ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
        }
        if (data_ == nullptr) return;
        if (clear_from < bytes) clear(clear_from);
        if (options.prefault) touch();
    }

    /// For chunks of an arena, which are stored in their own block.
    // NOLINTNEXTLINE(cert-oop11-cpp,performance-move-constructor-init): the fields are scalars
    block(block&& other) noexcept : block(std::as_const(other)) { other.data_ = nullptr; }
    block& operator=(block&&) = delete;

    constexpr ~block() {
        if (!std::is_constant_evaluated()) give_back();
    }

    [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

private:
    enum class kind : unsigned char { borrowed, heap, mapped };

    block(const block&) = default;

    void clear(std::size_t from) noexcept { std::memset(data() + from, 0, bytes_ - from); }

    void touch() noexcept {
        // Writes the value back, because a read would map the shared zero page.
        const auto touch_at = [this](std::size_t i) {
            volatile std::byte* const at = data() + i;
            *at = *at;  // NOLINT(clang-analyzer-core.uninitialized.Assign): whatever it is
        };
        for (std::size_t i = 0; i < bytes_; i += small_page) touch_at(i);
        if (bytes_ > 0) touch_at(bytes_ - 1);  // of another page if the block starts inside a page
    }

    void map([[maybe_unused]] const pool_options& options) noexcept {
#if EBB_HAS_MMAP
        const bool huge = options.huge_pages && bytes_ >= huge_page;
        const std::size_t align = huge && alignment_ < huge_page ? huge_page : alignment_;
        if (huge) bytes_ = round_up(bytes_, huge_page);
        // mmap aligns to pages only. The slack at both ends stays reserved and unused.
        const std::size_t slack = align > small_page ? align : 0;
        mapped_bytes_ = bytes_ + slack;
        int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
        flags |= MAP_NORESERVE;
#endif
        mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (mapped_ == MAP_FAILED) return;
        kind_ = kind::mapped;
        data_ = align_up(mapped_, align);
#ifdef MADV_HUGEPAGE
        // madvise may fail: a system without huge pages uses small ones.
        if (huge) static_cast<void>(::madvise(data_, bytes_, MADV_HUGEPAGE));
#endif
#endif
    }

    void give_back() noexcept {
        if (data_ == nullptr) return;
        if (source_ != nullptr) {
            source_->give(data_, bytes_, alignment_, source_->context);
        } else if (kind_ == kind::heap) {
            // clang-format would insert a space before the parenthesis.
            // clang-format off
            ::operator delete(data_, std::align_val_t{alignment_});
            // clang-format on
        }
#if EBB_HAS_MMAP
        else if (kind_ == kind::mapped) {
            ::munmap(mapped_, mapped_bytes_);
        }
#endif
    }

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t alignment_ = 1;
    const memory_source* source_ = nullptr;
#if EBB_HAS_MMAP
    void* mapped_ = nullptr;
    std::size_t mapped_bytes_ = 0;
#endif
    kind kind_ = kind::borrowed;
};

/// Finds the index of the slot at an address in an array of slots of Size bytes, with one multiplication.
/// For d = p - base,
///
///     q = rotate_right(d * inverse(Size's odd part), log2(Size's even part))
///
/// is d / Size if Size divides d. Otherwise it is at least 2^(bits of a word) / Size, because the map is a
/// bijection of words and all smaller values are quotients. So `q < capacity` tests at once that p is
/// not null, in the array, and at the start of a slot. (Granlund and Montgomery, "Division by Invariant
/// Integers using Multiplication", 1994, section 9; H. S. Warren, "Hacker's Delight", 2nd edition,
/// 10-17.)
template <std::size_t Size>
struct slot_finder {
    static constexpr int shift = std::countr_zero(Size);
    static constexpr std::uintptr_t odd = Size >> shift;

    // Newton's iteration. Each step doubles the number of correct bits; odd is its own inverse to 3
    // bits, and 3 * 2^5 > 64.
    static constexpr std::uintptr_t inverse = [] {
        std::uintptr_t x = odd;
        for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
        return x;
    }();
    static_assert(odd * inverse == 1);

    [[nodiscard]] static std::uintptr_t quotient(const void* p, const void* base) noexcept {
        return quotient(p, reinterpret_cast<std::uintptr_t>(base));
    }
    [[nodiscard]] static std::uintptr_t quotient(const void* p, std::uintptr_t base) noexcept {
        const std::uintptr_t d = reinterpret_cast<std::uintptr_t>(p) - base;
        return std::rotr(d * inverse, shift);
    }
};

}  // namespace detail
}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_STORAGE_HPP
