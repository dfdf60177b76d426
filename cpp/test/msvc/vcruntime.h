#pragma once
#define _VCRUNTIME_H
#define _HAS_CXX17 1
#define _HAS_CXX20 1
#define _HAS_CXX23 0
#define _HAS_CXX26 0
#define _HAS_EXCEPTIONS 1
#define _HAS_NODISCARD 1
#define _NODISCARD [[nodiscard]]
#define _MSVC_CONSTEXPR [[msvc::constexpr]]
#define _VCRTIMP
#define _ACRTIMP
#define _CONST_RETURN const
#define _CRT_GUARDOVERFLOW
#define _CRT_SATELLITE_1
#define _CRT_SATELLITE_2
#define _CRT_SATELLITE_CODECVT_IDS
#define _CRT_SATELLITE_CODECVT_IDS_NOIMPORT
#define __CLRCALL_OR_CDECL __cdecl
#define __CLRCALL_PURE_OR_CDECL __cdecl
#define __CLRCALL_PURE_OR_STDCALL __stdcall
#define __CLR_OR_THIS_CALL
#include <intrin.h>
#include <sal.h>
#include <stddef.h>
#include <wchar.h>
#define _Check_return_
#define _Deref_post_opt_valid_
#define _Post_equal_to_(x)
extern "C" int _get_stream_buffer_pointers(struct _iobuf*, char***, char***, int**);
