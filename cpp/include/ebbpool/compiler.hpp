// Compiler-specific attributes and builtins, and the inline namespace of the library. Tests define EBB_PLAIN to
// disable the attributes and builtins.
#ifndef EBBPOOL_COMPILER_HPP
#define EBBPOOL_COMPILER_HPP

#if defined(__SANITIZE_ADDRESS__)
#define EBB_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EBB_ASAN 1
#endif
#if __has_feature(memory_sanitizer)
#define EBB_MSAN 1
#endif
#endif
#ifndef EBB_ASAN
#define EBB_ASAN 0
#endif
#ifndef EBB_MSAN
#define EBB_MSAN 0
#endif

#ifndef EBB_VALGRIND
#define EBB_VALGRIND 0
#endif

// Whether exceptions are enabled. Some compilers define only the second macro.
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define EBB_EXCEPTIONS 1
#define EBB_ABI_OF(tool) abi_##tool
#else
#define EBB_EXCEPTIONS 0
#define EBB_ABI_OF(tool) abi_##tool##_no_exceptions
#endif

// The inline namespace of everything in ebb. Sanitizers change the memory layout, and without exceptions
// functions abort instead of throwing. Object files that differ in this have different symbols, so they don't
// link if they share an arena or a pool.
#if EBB_ASAN
#define EBB_ABI EBB_ABI_OF(asan)
#elif EBB_MSAN
#define EBB_ABI EBB_ABI_OF(msan)
#elif EBB_VALGRIND
#define EBB_ABI EBB_ABI_OF(valgrind)
#else
#define EBB_ABI EBB_ABI_OF(plain)
#endif

#if defined(__GNUC__) && !defined(EBB_PLAIN)
#define EBB_COLD [[gnu::cold, gnu::noinline]]
#define EBB_NOINLINE [[gnu::noinline]]
#define EBB_INLINE [[gnu::always_inline]] inline
#define EBB_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EBB_PREFETCH(p) __builtin_prefetch((p), 1)
#define EBB_ASSUME(x) static_cast<void>((x) ? 0 : (__builtin_unreachable(), 0))
#elif defined(_MSC_VER) && !defined(EBB_PLAIN)
#define EBB_COLD __declspec(noinline)
#define EBB_NOINLINE __declspec(noinline)
#define EBB_INLINE __forceinline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) __assume(x)
#else
#define EBB_COLD
#define EBB_NOINLINE
#define EBB_INLINE inline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) static_cast<void>(0)
#endif

// Whether x is a compile-time constant. Always false for clang, whose inliner would count the code of both
// cases.
#if defined(__GNUC__) && !defined(__clang__) && !defined(EBB_PLAIN)
#define EBB_CONSTANT(x) __builtin_constant_p(x)
#else
#define EBB_CONSTANT(x) false
#endif

#endif  // EBBPOOL_COMPILER_HPP
