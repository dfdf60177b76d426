// What compilers call differently. EBB_PLAIN says that one has none of it, for tests.
#ifndef EBBPOOL_COMPILER_HPP
#define EBBPOOL_COMPILER_HPP

#if defined(EBB_PLAIN)
#define EBB_COLD
#define EBB_NOINLINE
#define EBB_INLINE inline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) static_cast<void>(0)
#elif defined(__GNUC__)
#define EBB_COLD [[gnu::cold, gnu::noinline]]
#define EBB_NOINLINE [[gnu::noinline]]
#define EBB_INLINE [[gnu::always_inline]] inline
#define EBB_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), false)
#define EBB_PREFETCH(p) __builtin_prefetch((p), 1)
#define EBB_ASSUME(x) static_cast<void>((x) ? 0 : (__builtin_unreachable(), 0))
#elif defined(_MSC_VER)
#include <intrin.h>
#define EBB_COLD __declspec(noinline)
#define EBB_NOINLINE __declspec(noinline)
#define EBB_INLINE __forceinline
#define EBB_ASSUME(x) __assume(x)
// It has [[unlikely]] for statements only, and puts what ends in a call that is not
// inlined out of the way by itself.
#define EBB_UNLIKELY(x) (x)
#if defined(_M_X64) || defined(_M_IX86)
#define EBB_PREFETCH(p) _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0)
#elif defined(_M_ARM64)
#define EBB_PREFETCH(p) __prefetch(p)
#else
#define EBB_PREFETCH(p) static_cast<void>(p)
#endif
#else
#define EBB_COLD
#define EBB_NOINLINE
#define EBB_INLINE inline
#define EBB_UNLIKELY(x) (x)
#define EBB_PREFETCH(p) static_cast<void>(p)
#define EBB_ASSUME(x) static_cast<void>(0)
#endif

#endif  // EBBPOOL_COMPILER_HPP
