#pragma once

/// \file
/// Allocators that come as a shared library in place of `malloc`.
///
/// They are opened at run time and not linked: linked, they would take over
/// every `malloc` of the program, the subject "glibc malloc" with it. A call
/// goes through one pointer, as it does through the table of a linked library.

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <ebbpool/annotate.hpp>
#include <initializer_list>

#include "../object.hpp"

namespace bench {

/// The two functions of such a library, if this machine has it.
struct shared_malloc {
    void* (*allocate)(std::size_t) = nullptr;
    void (*deallocate)(void*) = nullptr;
    void* library = nullptr;

    bool available() const noexcept { return allocate != nullptr && deallocate != nullptr; }

    /// Tries the file names in turn, the first that loads is taken.
    static shared_malloc open(std::initializer_list<const char*> files, const char* malloc_name,
                              const char* free_name) {
        shared_malloc m;
        if (EBB_ASAN) return m;  // what such a library keeps for itself would be reported as leaks
        for (const char* file : files) {
            m.library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
            if (m.library != nullptr) break;
        }
        if (m.library == nullptr) return m;
        m.allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(m.library, malloc_name));
        m.deallocate = reinterpret_cast<void (*)(void*)>(::dlsym(m.library, free_name));
        return m;
    }
};

/// Opened before `main`, so that no first call is measured.
inline const shared_malloc mimalloc_library = shared_malloc::open(
    {"libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so.3", "libmimalloc.so"}, "mi_malloc", "mi_free");
inline const shared_malloc jemalloc_library =
    shared_malloc::open({"libjemalloc.so.2", "libjemalloc.so"}, "malloc", "free");
inline const shared_malloc tcmalloc_library =
    shared_malloc::open({"libtcmalloc_minimal.so.4", "libtcmalloc_minimal.so"}, "tc_malloc", "tc_free");

/// Starts the program anew if jemalloc is there but didn't load: it has more
/// thread-local memory than glibc keeps free for libraries that come late, and
/// glibc takes the amount from the environment, at the start only. To be called
/// first in `main`.
inline void restart_with_room_for_jemalloc(char** argv) {
    constexpr const char* variable = "GLIBC_TUNABLES";
    if (jemalloc_library.available() || std::getenv(variable) != nullptr) return;
    ::setenv(variable, "glibc.rtld.optional_static_tls=16384", 1);
    ::execv("/proc/self/exe", argv);  // returns only when it failed; then jemalloc is not here
}

/// mimalloc's own calls, on the default heap.
template <std::size_t Size>
class mimalloc {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "mimalloc";
    static bool available() { return mimalloc_library.available(); }

    explicit mimalloc(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(mimalloc_library.allocate(Size)); }
    void deallocate(value_type* p) noexcept { mimalloc_library.deallocate(p); }
};

template <std::size_t Size>
class jemalloc {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "jemalloc";
    static bool available() { return jemalloc_library.available(); }

    explicit jemalloc(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(jemalloc_library.allocate(Size)); }
    void deallocate(value_type* p) noexcept { jemalloc_library.deallocate(p); }
};

template <std::size_t Size>
class tcmalloc {
public:
    using value_type = object<Size>;
    static constexpr const char* name = "tcmalloc";
    static bool available() { return tcmalloc_library.available(); }

    explicit tcmalloc(std::size_t) {}
    value_type* allocate() noexcept { return static_cast<value_type*>(tcmalloc_library.allocate(Size)); }
    void deallocate(value_type* p) noexcept { tcmalloc_library.deallocate(p); }
};

}  // namespace bench
