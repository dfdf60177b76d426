#pragma once
#include_next <_mingw.h>
// It takes attributes away from compilers other than gcc, and has its own where such compilers take none.
#undef __attribute__
#undef __MINGW_ATTRIB_CONST
#undef __MINGW_ATTRIB_DEPRECATED
#undef __MINGW_ATTRIB_MALLOC
#undef __MINGW_ATTRIB_NONNULL
#undef __MINGW_ATTRIB_NORETURN
#undef __MINGW_ATTRIB_PURE
#undef __MINGW_NOTHROW
#define __MINGW_ATTRIB_CONST
#define __MINGW_ATTRIB_DEPRECATED
#define __MINGW_ATTRIB_MALLOC
#define __MINGW_ATTRIB_NONNULL(x)
#define __MINGW_ATTRIB_NORETURN
#define __MINGW_ATTRIB_PURE
#define __MINGW_NOTHROW
