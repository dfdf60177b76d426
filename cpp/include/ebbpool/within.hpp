// Construction with the arena's allocator: objects whose type takes an allocator, such as std::pmr::string or a
// std::pmr::vector of them, allocate from the arena that contains them. This is uses-allocator construction, as
// in std::pmr.
#ifndef EBBPOOL_WITHIN_HPP
#define EBBPOOL_WITHIN_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <ebbpool/annotate.hpp>
#include <ebbpool/make.hpp>
#include <ebbpool/region_state.hpp>

namespace ebb::inline EBB_ABI::detail {

/// A std::pmr::polymorphic_allocator, or a type of the same form: constructed from the result of resource(), a
/// pointer to a polymorphic class. It is recognized by its form so that programs without std::pmr need not
/// include <memory_resource>.
template <class A>
concept polymorphic = requires(const A& a) {
    typename A::value_type;
    requires std::is_polymorphic_v<std::remove_reference_t<decltype(*a.resource())>>;
    A(a.resource());
};
template <class A>
using resource_of = std::remove_pointer_t<decltype(std::declval<const A&>().resource())>;

/// A memory resource stored in the arena that it allocates from.
template <class Resource, class Arena>
class resident_resource final : public Resource, public resident {
public:
    explicit resident_resource(resident r) noexcept : resident(r) {}
    static constexpr char kind = 0;  // only the address matters

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        return static_cast<Arena*>(arena)->take_own_block(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t) override {
        static_cast<Arena*>(arena)->give_own_block(p, bytes);
    }
    bool do_is_equal(const Resource& other) const noexcept override { return this == &other; }
};

/// An upper bound of the size of a resident_resource.
inline constexpr std::size_t resident_bytes = sizeof(resident) + 2 * sizeof(void*) + annotate::red_zone;

struct no_allocator {
    using value_type = std::byte;
};

/// Whether T takes an allocator like A. Types that take any allocator, such as std::promise, are excluded,
/// because they share their memory with other objects.
template <class T, class A>
struct takes : std::bool_constant<std::uses_allocator_v<T, A> && !std::uses_allocator_v<T, no_allocator>> {};
template <class T, class U, class A>
struct takes<std::pair<T, U>, A>
    : std::bool_constant<takes<std::remove_cv_t<T>, A>::value || takes<std::remove_cv_t<U>, A>::value> {};
template <class... Ts, class A>
struct takes<std::tuple<Ts...>, A> : std::bool_constant<(takes<std::remove_cv_t<Ts>, A>::value || ...)> {};

template <class T, class A>
struct takes<std::optional<T>, A> : takes<std::remove_cv_t<T>, A> {};
template <class T, std::size_t N, class A>
struct takes<std::array<T, N>, A> : std::bool_constant<N != 0 && takes<T, A>::value> {};
template <class... Ts, class A>
struct takes<std::variant<Ts...>, A> : std::bool_constant<(takes<Ts, A>::value || ...)> {};

template <class T>
inline constexpr bool is_pair = false;
template <class T, class U>
inline constexpr bool is_pair<std::pair<T, U>> = true;

template <class Arg, class T>
concept value_of = std::is_same_v<std::remove_cvref_t<Arg>, T>;
template <class T, std::size_t N, class... Args>
concept elements_of = sizeof...(Args) <= N && (std::is_constructible_v<T, Args> && ...);

/// Constructs optionals, arrays and variants, passing the allocator to their elements. Objects with other
/// arguments are constructed as usual.
template <class T>
struct holder : std::false_type {};
template <class T>
struct holder<std::optional<T>> : std::true_type {
    template <class A, class... Args>
    static void construct(std::optional<T>* at, const A& allocator, std::in_place_t, Args&&... args) {
        std::apply([&](auto&&... all) { std::construct_at(at, std::in_place, std::forward<decltype(all)>(all)...); },
                   std::uses_allocator_construction_args<T>(allocator, std::forward<Args>(args)...));
    }
    template <class A, class Arg>
    requires std::is_constructible_v<T, Arg> || value_of<Arg, std::optional<T>>
    static void construct(std::optional<T>* at, const A& allocator, Arg&& arg) {
        if constexpr (value_of<Arg, std::optional<T>>) {
            arg ? construct(at, allocator, std::in_place, *std::forward<Arg>(arg)) : void(std::construct_at(at));
        } else {
            construct(at, allocator, std::in_place, std::forward<Arg>(arg));
        }
    }
};
template <class T, std::size_t N>
struct holder<std::array<T, N>> : std::true_type {
    template <class A, class... Args>
    requires elements_of<T, N, Args...>
    static void construct(std::array<T, N>* at, const A& allocator, Args&&... args) {
        auto all = std::forward_as_tuple(std::forward<Args>(args)...);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ::new (static_cast<void*>(at)) std::array<T, N>{{element<I>(allocator, all)...}};
        }
        (std::make_index_sequence<N>());
    }

private:
    template <std::size_t I, class A, class... Args>
    static T element(const A& allocator, std::tuple<Args...>& all) {
        if constexpr (I < sizeof...(Args)) {
            return std::make_obj_using_allocator<T>(allocator, std::get<I>(std::move(all)));
        } else {
            return std::make_obj_using_allocator<T>(allocator);
        }
    }
};
template <class... Ts>
struct holder<std::variant<Ts...>> : std::true_type {
    using variant = std::variant<Ts...>;
    template <class A, std::size_t I, class... Args>
    static void construct(variant* at, const A& allocator, std::in_place_index_t<I> index, Args&&... args) {
        std::apply([&](auto&&... all) { std::construct_at(at, index, std::forward<decltype(all)>(all)...); },
                   std::uses_allocator_construction_args<std::variant_alternative_t<I, variant>>(
                       allocator, std::forward<Args>(args)...));
    }
    template <class A, class T, class... Args>
    static void construct(variant* at, const A& allocator, std::in_place_type_t<T>, Args&&... args) {
        constexpr std::size_t index = [] {
            constexpr bool same[] = {std::is_same_v<T, Ts>...};
            std::size_t i = 0;
            while (!same[i]) ++i;
            return i;
        }();
        construct(at, allocator, std::in_place_index<index>, std::forward<Args>(args)...);
    }
    template <class A>
    static void construct(variant* at, const A& allocator) {
        construct(at, allocator, std::in_place_index<0>);
    }
    template <class A, class Arg>
    requires std::is_constructible_v<variant, Arg>
    static void construct(variant* at, const A& allocator, Arg&& arg) {
        if constexpr (!value_of<Arg, variant>) {
            construct(at, allocator, std::in_place_index<chosen<Arg>()>, std::forward<Arg>(arg));
        } else {
            const auto is = [&]<std::size_t I>(std::in_place_index_t<I> index) {
                if (arg.index() == I) construct(at, allocator, index, std::get<I>(std::forward<Arg>(arg)));
                return arg.index() == I;
            };
            const bool found = [&]<std::size_t... I>(std::index_sequence<I...>) {
                return (is(std::in_place_index<I>) || ...);
            }
            (std::index_sequence_for<Ts...>());
            if (!found) std::construct_at(at, std::forward<Arg>(arg));
        }
    }

private:
    // The index of the alternative that the variant's constructor selects for an argument: overload resolution
    // among one function for each alternative that the argument initializes without narrowing.
    template <std::size_t I, class T>
    struct candidate {
        struct array {
            T element[1];
        };
        template <class Arg>
        static auto pick(T, Arg&& arg) -> decltype(array{{std::forward<Arg>(arg)}}, std::in_place_index<I>);
    };
    template <class>
    struct candidates;
    template <std::size_t... I>
    struct candidates<std::index_sequence<I...>> : candidate<I, Ts>... {
        using candidate<I, Ts>::pick...;
    };
    template <std::size_t I>
    static constexpr std::size_t number(std::in_place_index_t<I>) {
        return I;
    }
    template <class Arg>
    static constexpr std::size_t chosen() {
        using all = candidates<std::index_sequence_for<Ts...>>;
        return number(decltype(all::pick(std::declval<Arg>(), std::declval<Arg>())){});
    }
};

/// An argument for a member of an aggregate. It converts to the member, constructed with the allocator. If a
/// member accepts any argument, the conversion is ambiguous, and the aggregate is constructed as usual.
template <class A, class F, class Arg>
struct for_member {
    const F& allocator;
    Arg&& arg;
    template <class Member>
    requires std::is_convertible_v<Arg, Member>
    operator Member() && {
        if constexpr (takes<Member, A>::value) {
            return std::make_obj_using_allocator<Member>(allocator(), std::forward<Arg>(arg));
        } else if constexpr (std::is_same_v<Member, std::remove_cvref_t<Arg>>) {
            return std::forward<Arg>(arg);
        } else {
            return static_cast<Member>(std::forward<Arg>(arg));
        }
    }
};
/// Whether T is an aggregate whose first members can be initialized from such arguments.
template <class T, class A, class F, class... Args>
concept aggregate_of = std::is_aggregate_v<T> && sizeof...(Args) != 0 && !(value_of<Args, T> || ...) &&
                       !std::is_trivially_destructible_v<T> && requires {
    T{std::declval<for_member<A, F, Args>>()...};
};

/// Constructs a T at `at` from args. If T takes an allocator, it gets the result of allocator(), unless args
/// contain one.
template <class A, class T, class F, class... Args>
T* construct_within(T* at, [[maybe_unused]] const F& allocator, Args&&... args) {
    if constexpr (takes<T, A>::value && is_pair<T>) {
        return std::apply([at](auto&&... all) { return std::construct_at(at, std::forward<decltype(all)>(all)...); },
                          std::uses_allocator_construction_args<T>(allocator(), std::forward<Args>(args)...));
    } else if constexpr (takes<T, A>::value && holder<T>::value) {
        if constexpr (requires { holder<T>::construct(at, allocator(), std::forward<Args>(args)...); }) {
            holder<T>::construct(at, allocator(), std::forward<Args>(args)...);
            return at;
        } else {
            return construct_in(at, std::forward<Args>(args)...);
        }
    } else if constexpr (std::conjunction_v<takes<T, A>, std::is_constructible<T, std::allocator_arg_t, A, Args...>>) {
        return std::construct_at(at, std::allocator_arg, allocator(), std::forward<Args>(args)...);
    } else if constexpr (std::conjunction_v<takes<T, A>, std::is_constructible<T, Args..., A>>) {
        return std::construct_at(at, std::forward<Args>(args)..., allocator());
    } else if constexpr (aggregate_of<T, A, F, Args...>) {
        return construct_members(at, for_member<A, F, Args>{allocator, std::forward<Args>(args)}...);
    } else {
        return construct_in(at, std::forward<Args>(args)...);
    }
}

}  // namespace ebb::inline EBB_ABI::detail

#endif  // EBBPOOL_WITHIN_HPP
