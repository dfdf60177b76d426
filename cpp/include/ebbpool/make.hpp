// Objects in a pool: construct, destroy, and a handle that owns an object.
//
//     ebb::fixed_pool<order> orders(10'000);
//     if (auto o = ebb::make(orders, 17, "ACME")) o->fill(3);   // destroyed here
#ifndef EBBPOOL_MAKE_HPP
#define EBBPOOL_MAKE_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <ebbpool/fixed_pool.hpp>

namespace ebb::inline EBB_ABI {

namespace detail {

// Frees a slot if the constructor throws. A try block would not compile without exceptions.
template <class T, class Pool>
struct slot_guard {
    Pool& pool;
    T* slot;
    constexpr ~slot_guard() {
        if (slot != nullptr) pool.deallocate(slot);
    }
};

// A scalar argument for a member of an aggregate. It allows the conversions of parentheses, because braces
// would refuse an int for a double as narrowing.
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

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
template <class T, class... Members>
constexpr T* construct_members(T* at, Members&&... members) {
    return ::new (static_cast<void*>(at)) T{std::forward<Members>(members)...};
}
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC diagnostic pop
#endif

// Like std::construct_at, but with braces for aggregates: clang before 16 can't initialize them with
// parentheses.
template <class T, class... Args>
constexpr T* construct_in(T* at, Args&&... args) {
    if constexpr (std::is_constructible_v<T, Args...>) {
        return std::construct_at(at, std::forward<Args>(args)...);
    } else if constexpr (requires { T{std::forward<Args>(args)...}; }) {
        return construct_members(at, std::forward<Args>(args)...);
    } else {
        return construct_members(at, in_braces<Args>(args)...);
    }
}

}  // namespace detail

/// Allocates a slot of `pool` and constructs an object in it from `args`. Returns nullptr if the pool is full.
/// If the constructor throws, the slot is freed and the exception is passed on.
/// \snippet reference.cpp construct
template <class Pool, class... Args>
[[nodiscard]] constexpr typename Pool::value_type* construct(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    using T = typename Pool::value_type;
    T* const slot = pool.allocate();
    if (slot == nullptr) return nullptr;
    detail::slot_guard<T, Pool> guard{pool, slot};
    T* const object = detail::construct_in(slot, std::forward<Args>(args)...);
    guard.slot = nullptr;
    return object;
}

/// Destroys the object at p and frees its slot. Misuse is detected before the destructor runs: then the policy
/// is called, and nothing else happens.
/// \snippet reference.cpp construct
template <class Pool>
constexpr void destroy(Pool& pool, typename Pool::value_type* p) noexcept {
    if (!pool.verify(p)) return;
    std::destroy_at(p);
    pool.deallocate(p);
}

/// Owns an object in a pool, which must outlive it. Move-only. It is empty if the pool was full, and after a
/// move or release().
/// \snippet reference.cpp pooled
template <class Pool>
class pooled {
public:
    using element_type = typename Pool::value_type;  ///< The type of the pool's objects

    /// Empty.
    constexpr pooled() noexcept = default;
    /// Empty.
    constexpr pooled(std::nullptr_t) noexcept {}

    /// Owns p, which is a result of construct(pool, ...) or null.
    constexpr pooled(Pool& pool, element_type* p) noexcept : pool_(&pool), object_(p) {}

    /// Takes the object of `other`.
    constexpr pooled(pooled&& other) noexcept : pool_(other.pool_), object_(std::exchange(other.object_, nullptr)) {}

    /// Destroys its object and takes the object of `other`.
    constexpr pooled& operator=(pooled&& other) noexcept {
        pooled old(std::move(other));
        swap(old);
        return *this;
    }

    pooled(const pooled&) = delete;
    pooled& operator=(const pooled&) = delete;

    /// As reset().
    constexpr ~pooled() { reset(); }

    /// Destroys the object and frees its slot. Does nothing if empty.
    constexpr void reset() noexcept {
        // Cleared first, because the destructor may use this handle.
        if (element_type* const p = std::exchange(object_, nullptr); p != nullptr) destroy(*pool_, p);
    }

    /// Returns the object without destroying it. The caller must call destroy(pool, p).
    [[nodiscard]] constexpr element_type* release() noexcept { return std::exchange(object_, nullptr); }

    /// Returns the object, or null.
    [[nodiscard]] constexpr element_type* get() const noexcept { return object_; }
    /// Returns the object. Undefined if empty.
    [[nodiscard]] constexpr element_type& operator*() const noexcept { return *object_; }
    /// Returns the object. Undefined if empty.
    [[nodiscard]] constexpr element_type* operator->() const noexcept { return object_; }
    /// Reports whether it owns an object.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

    /// Exchanges the objects.
    constexpr void swap(pooled& other) noexcept {
        std::swap(pool_, other.pool_);
        std::swap(object_, other.object_);
    }
    /// The same.
    friend constexpr void swap(pooled& a, pooled& b) noexcept { a.swap(b); }
    /// Reports whether both have the same object.
    friend constexpr bool operator==(const pooled& a, const pooled& b) noexcept { return a.object_ == b.object_; }
    /// Reports whether a is empty.
    friend constexpr bool operator==(const pooled& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

private:
    Pool* pool_ = nullptr;
    element_type* object_ = nullptr;
};

/// Constructs an object in `pool` and returns a handle that owns it, empty if the pool is full. Otherwise
/// as construct.
/// \snippet reference.cpp pooled
template <class Pool, class... Args>
[[nodiscard]] constexpr pooled<Pool> make(Pool& pool, Args&&... args) noexcept(
    std::is_nothrow_constructible_v<typename Pool::value_type, Args...>) {
    return pooled<Pool>(pool, construct(pool, std::forward<Args>(args)...));
}

}  // namespace ebb::inline EBB_ABI

#endif  // EBBPOOL_MAKE_HPP
