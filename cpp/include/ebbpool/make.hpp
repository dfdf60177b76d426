// Objects in a pool, instead of raw slots: construct and destroy, and a handle
// that does the second by itself.
//
//     ebb::fixed_pool<order> orders(10'000);
//     if (auto o = ebb::make(orders, 17, "ACME")) o->fill(3);   // destroyed and given back here
#ifndef EBBPOOL_MAKE_HPP
#define EBBPOOL_MAKE_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <ebbpool/fixed_pool.hpp>

namespace ebb {
inline namespace EBB_ABI {

namespace detail {

// A slot that goes back to the pool unless it is kept: for a constructor that
// throws. Works without try, so without exceptions, too.
template <class T, class Pool>
struct slot_guard {
    Pool& pool;
    T* slot;
    constexpr ~slot_guard() {
        if (slot != nullptr) pool.deallocate(slot);
    }
};

// A number, an enumerator or a pointer that becomes what the member of an aggregate is, as
// between parentheses: between braces an int is refused where the member is a double.
template <class Scalar>
struct converted {
    Scalar value;
    template <class Member>
    requires std::is_convertible_v<Scalar, Member>
    constexpr operator Member() const noexcept(std::is_nothrow_convertible_v<Scalar, Member>) {
        return static_cast<Member>(value);
    }
};
template <class Arg>
constexpr decltype(auto) in_braces(std::remove_reference_t<Arg>& arg) noexcept {
    if constexpr (std::is_scalar_v<std::remove_cvref_t<Arg>>) {
        return converted<std::remove_cvref_t<Arg>>{arg};
    } else {
        return std::forward<Arg>(arg);
    }
}

// std::construct_at; and with braces for aggregates, which clang initializes
// with parentheses from version 16 on only.
template <class T, class... Args>
constexpr T* construct_in(T* slot, Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>) {
        return std::construct_at(slot, std::forward<Args>(args)...);
    } else {
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#endif
        if constexpr (requires { T{std::forward<Args>(args)...}; }) {
            return ::new (static_cast<void*>(slot)) T{std::forward<Args>(args)...};
        } else {
            return ::new (static_cast<void*>(slot)) T{in_braces<Args>(args)...};
        }
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
    }
}

}  // namespace detail

/// Takes a slot of `pool` and constructs a T in it from `args`. Answers nullptr
/// when the pool is full; no constructor runs then. When the constructor
/// throws, the slot goes back and the exception goes on.
///
/// \snippet reference.cpp construct
template <class Pool, class... Args>
[[nodiscard]] constexpr typename Pool::value_type* construct(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    using T = typename Pool::value_type;
    T* const slot = pool.allocate();
    if (slot == nullptr) return nullptr;
    if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
        return std::construct_at(slot, std::forward<Args>(args)...);
    } else {
        detail::slot_guard<T, Pool> guard{pool, slot};
        T* const object = detail::construct_in(slot, std::forward<Args>(args)...);
        guard.slot = nullptr;
        return object;
    }
}

/// Runs the destructor of the object at `p` and gives its slot back. A misuse
/// is found before the destructor runs: the policy is called, and nothing else
/// happens.
///
/// \snippet reference.cpp construct
template <class Pool>
constexpr void destroy(Pool& pool, typename Pool::value_type* p) noexcept {
    if (!pool.verify(p)) return;
    std::destroy_at(p);
    pool.deallocate(p);
}

/// Owns one object in a pool: move-only, two words. Empty when it was made from
/// a full pool, moved from, or released. The pool must outlive it.
///
/// \snippet reference.cpp pooled
template <class Pool>
class pooled {
public:
    /// The pool's type of object.
    using element_type = typename Pool::value_type;

    /// Empty.
    constexpr pooled() noexcept = default;
    /// Empty.
    constexpr pooled(std::nullptr_t) noexcept {}

    /// Takes over `p`, which construct(pool, ...) has answered; null is empty.
    constexpr pooled(Pool& pool, element_type* p) noexcept : pool_(&pool), object_(p) {}

    /// The other one is empty after it.
    constexpr pooled(pooled&& other) noexcept : pool_(other.pool_), object_(std::exchange(other.object_, nullptr)) {}

    /// Destroys what it had; the other one is empty after it.
    constexpr pooled& operator=(pooled&& other) noexcept {
        pooled old(std::move(other));
        swap(old);
        return *this;
    }

    pooled(const pooled&) = delete;
    pooled& operator=(const pooled&) = delete;

    /// As reset().
    constexpr ~pooled() { reset(); }

    /// Destroys the object now and gives its slot back. No-op when empty.
    constexpr void reset() noexcept {
        // Emptied first: a destructor that reaches this handle finds it so.
        if (element_type* const p = std::exchange(object_, nullptr); p != nullptr) destroy(*pool_, p);
    }

    /// Gives up the object: the caller calls destroy(pool, p).
    [[nodiscard]] constexpr element_type* release() noexcept { return std::exchange(object_, nullptr); }

    /// The object, or null.
    [[nodiscard]] constexpr element_type* get() const noexcept { return object_; }
    /// Undefined when empty, as with std::unique_ptr.
    [[nodiscard]] constexpr element_type& operator*() const noexcept { return *object_; }
    /// Undefined when empty.
    [[nodiscard]] constexpr element_type* operator->() const noexcept { return object_; }
    /// Whether there is an object.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

    /// Each gets the other's object. O(1).
    constexpr void swap(pooled& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(object_, other.object_);
    }
    /// The same.
    friend constexpr void swap(pooled& a, pooled& b) noexcept { a.swap(b); }
    /// Whether both are of one object.
    friend constexpr bool operator==(const pooled& a, const pooled& b) noexcept { return a.object_ == b.object_; }
    /// Whether it is empty.
    friend constexpr bool operator==(const pooled& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

private:
    Pool* pool_ = nullptr;
    element_type* object_ = nullptr;
};

/// construct() with a handle around it; empty when the pool is full.
///
/// \snippet reference.cpp pooled
template <class Pool, class... Args>
[[nodiscard]] constexpr pooled<Pool> make(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    return pooled<Pool>(pool, construct(pool, std::forward<Args>(args)...));
}

}  // namespace EBB_ABI
}  // namespace ebb

#endif  // EBBPOOL_MAKE_HPP
