// An object for each thread that uses it, destroyed when the thread ends.
//
// A thread_local object with a destructor is not safe on systems that emulate thread-local storage (MinGW,
// Android before 10, OpenBSD): the storage may be freed before the destructor runs. So the object is on the
// heap, and a thread-specific key of the system destroys it.
#ifndef EBBPOOL_PER_THREAD_HPP
#define EBBPOOL_PER_THREAD_HPP

#include <new>
#include <utility>

#include <ebbpool/compiler.hpp>

#if defined(_WIN32)
// Declared here as in <windows.h>, which would define the macros min and max.
extern "C" {
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall*)(void*));
__declspec(dllimport) int __stdcall FlsFree(unsigned long);
__declspec(dllimport) void* __stdcall FlsGetValue(unsigned long);
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long, void*);
}
#else
#include <pthread.h>
#endif

#if (defined(__MINGW32__) && !defined(__clang__)) || defined(__OpenBSD__) || \
    (defined(__ANDROID__) && __ANDROID_API__ < 29)
#define EBB_EMULATED_TLS 1
#else
#define EBB_EMULATED_TLS 0
#endif

namespace ebb::inline EBB_ABI::detail {

#if defined(_WIN32)
/// A pointer for each thread or fiber.
class thread_key {
public:
    template <void (*End)(void*)>
    static thread_key with() noexcept {
        return thread_key(::FlsAlloc([](void* p) { End(p); }));
    }
    ~thread_key() {
        if (valid()) ::FlsFree(number_);
    }
    [[nodiscard]] bool valid() const noexcept { return number_ != 0xffffffff; }
    [[nodiscard]] void* get() const noexcept { return ::FlsGetValue(number_); }
    bool set(void* p) const noexcept { return ::FlsSetValue(number_, p) != 0; }

private:
    explicit thread_key(unsigned long number) noexcept : number_(number) {}
    unsigned long number_;
};
#else
/// A pointer for each thread.
class thread_key {
public:
    template <void (*End)(void*)>
    static thread_key with() noexcept {
        thread_key k;
        k.valid_ = ::pthread_key_create(&k.number_, [](void* p) { End(p); }) == 0;
        return k;
    }
    ~thread_key() {
        if (valid_) ::pthread_key_delete(number_);
    }
    [[nodiscard]] bool valid() const noexcept { return valid_; }
    [[nodiscard]] void* get() const noexcept { return ::pthread_getspecific(number_); }
    bool set(void* p) const noexcept { return ::pthread_setspecific(number_, p) == 0; }

private:
    thread_key() = default;
    ::pthread_key_t number_{};
    bool valid_ = false;
};
#endif

/// A T for each thread that calls make(). When the thread ends, T::leave() is called.
template <class T>
class per_thread {
public:
    /// Returns the object of the calling thread. If it has none, returns a shared one, which must not be
    /// changed.
    static T& get() noexcept {
#if EBB_EMULATED_TLS
        T* const p = static_cast<T*>(key().get());
        return p != nullptr ? *p : none;
#else
        return *current;
#endif
    }

    /// Returns the object of the calling thread, and creates it if needed. Returns null if there is no memory,
    /// or the object was already destroyed at the thread's end.
    static T* make() noexcept {
        T& mine = get();
        if (&mine != &none) return &mine;
        if (has_left() || !key().valid()) return nullptr;
        T* const made = new (std::nothrow) T;
        if (made == nullptr) return nullptr;
        if (!key().set(made)) {
            delete made;
            return nullptr;
        }
        set(made);
        return made;
    }

private:
    static inline constinit T none{};

    static void end(void* p) noexcept {
        static_cast<T*>(p)->leave();
        delete static_cast<T*>(p);
        set(nullptr);
    }
    // Deleted when a shared library is unloaded, so that ending threads don't call into it.
    static const thread_key& key() noexcept {
        static const thread_key k = thread_key::with<&end>();
        return k;
    }

#if EBB_EMULATED_TLS
    static bool has_left() noexcept { return false; }
    static void set(T*) noexcept {}
#else
    static bool has_left() noexcept { return left; }
    static void set(T* p) noexcept {
        left = p == nullptr;
        current = p != nullptr ? p : &none;
    }
    static inline thread_local constinit T* current = &none;
    static inline thread_local constinit bool left = false;
#endif
};

}  // namespace ebb::inline EBB_ABI::detail

#endif  // EBBPOOL_PER_THREAD_HPP
