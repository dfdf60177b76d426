#include "failing_new.hpp"
#include <cstddef>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<int> countdown{0};
std::atomic<int> called{0};
std::atomic<long> blocks{0};

void* take(std::size_t bytes, std::size_t alignment) noexcept {
    called.fetch_add(1);
    if (countdown.load() > 0 && countdown.fetch_sub(1) == 1) return nullptr;
    // aligned_alloc requires a multiple of the alignment.
    void* const p = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
    if (p != nullptr) blocks.fetch_add(1);
    return p;
}

void* take_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const p = take(bytes, alignment);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

void give(void* p) noexcept {
    if (p != nullptr) blocks.fetch_sub(1);
    std::free(p);
}

constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

namespace failing_new {

void fail_at(int n) noexcept {
    called = 0;
    countdown = n;
}
int calls() noexcept { return called; }
long outstanding() noexcept { return blocks; }

}  // namespace failing_new

void* operator new(std::size_t n) { return take_or_throw(n, usual); }
void* operator new[](std::size_t n) { return take_or_throw(n, usual); }
void* operator new(std::size_t n, std::align_val_t a) { return take_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return take_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return take(n, usual); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return take(n, usual); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return take(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, std::size_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t) noexcept { give(p); }
void operator delete(void* p, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give(p); }
