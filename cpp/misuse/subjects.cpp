#include "subjects.hpp"

#include <cstdlib>
#include <ebbpool/fixed_pool.hpp>
#include <memory_resource>

#include "../bench/subjects/checked_vectors.hpp"
#include "../bench/subjects/shared_malloc.hpp"
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif
#if MISUSE_HAVE_BOOST
#include <boost/pool/pool.hpp>
#include <boost/version.hpp>
#endif
#if MISUSE_HAVE_FOONATHAN
#include <foonathan/memory/memory_pool.hpp>
#endif

namespace misuse {
namespace {

/// Stands between the program and the optimizer, which may otherwise use that
/// misuse is undefined behaviour.
void* opaque(void* p) noexcept {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}

bool reported_flag = false;

template <class Checks>
class ebb_pool final : public pool {
public:
    explicit ebb_pool(std::size_t capacity) : pool_(capacity) {}
    void* allocate() override { return pool_.allocate(); }
    void deallocate(void* p) override {
        reported_flag = false;
        pool_.deallocate(static_cast<item*>(opaque(p)));
    }
    bool reported() const override { return reported_flag; }

private:
    ebb::fixed_pool<item, Checks> pool_;
};

class checked_vectors_pool final : public pool {
public:
    explicit checked_vectors_pool(std::size_t capacity) : pool_(capacity) {}
    void* allocate() override { return pool_.allocate(); }
    void deallocate(void* p) override { pool_.deallocate(static_cast<object*>(opaque(p))); }

private:
    using object = bench::object<sizeof(item)>;
    bench::checked_vectors<sizeof(item)> pool_;
};

/// malloc and free, under whatever names.
class heap final : public pool {
public:
    heap(void* (*malloc_like)(std::size_t), void (*free_like)(void*)) : malloc_(malloc_like), free_(free_like) {}
    void* allocate() override { return malloc_(sizeof(item)); }
    void deallocate(void* p) override { free_(opaque(p)); }

private:
    void* (*malloc_)(std::size_t);
    void (*free_)(void*);
};

class pmr_pool final : public pool {
public:
    void* allocate() override { return resource_.allocate(sizeof(item), alignof(item)); }
    void deallocate(void* p) override { resource_.deallocate(opaque(p), sizeof(item), alignof(item)); }

private:
    std::pmr::unsynchronized_pool_resource resource_;
};

#if MISUSE_HAVE_BOOST
class boost_pool final : public pool {
public:
    explicit boost_pool(std::size_t capacity) : pool_(sizeof(item), capacity) {}
    void* allocate() override { return pool_.malloc(); }
    void deallocate(void* p) override { pool_.free(opaque(p)); }

private:
    boost::pool<> pool_;
};
#endif

#if MISUSE_HAVE_FOONATHAN
class foonathan_pool final : public pool {
public:
    explicit foonathan_pool(std::size_t capacity)
        : pool_(sizeof(item), nodes::min_block_size(sizeof(item), capacity)) {}
    void* allocate() override { return pool_.allocate_node(); }
    void deallocate(void* p) override { pool_.deallocate_node(opaque(p)); }

private:
    using nodes = foonathan::memory::memory_pool<foonathan::memory::node_pool>;
    nodes pool_;
};
#endif

std::string mimalloc_version() {
    const auto f = reinterpret_cast<int (*)()>(::dlsym(bench::mimalloc_library.library, "mi_version"));
    if (f == nullptr) return "";
    const int v = f();  // 212 is 2.1.2
    return std::to_string(v / 100) + '.' + std::to_string(v / 10 % 10) + '.' + std::to_string(v % 10);
}

std::string jemalloc_version() {
    using mallctl = int (*)(const char*, void*, std::size_t*, void*, std::size_t);
    const auto f = reinterpret_cast<mallctl>(::dlsym(bench::jemalloc_library.library, "mallctl"));
    const char* v = nullptr;
    std::size_t size = sizeof v;
    if (f == nullptr || f("version", &v, &size, nullptr, 0) != 0) return "";
    const std::string s = v;
    return s.substr(0, s.find('-'));
}

std::string libc_version() {
#if defined(__GLIBC__)
    return ::gnu_get_libc_version();
#else
    return "";
#endif
}

std::string standard_library_version() {
#if defined(_GLIBCXX_RELEASE)
    return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#elif defined(_LIBCPP_VERSION)
    return "libc++ " + std::to_string(_LIBCPP_VERSION);
#else
    return "";
#endif
}

/// For allocators of the whole program: there is one heap, and `free(nullptr)`
/// does nothing by contract.
bool legal_for_a_heap(kind k) { return k == kind::null || k == kind::other_pool; }

void add_heaps(std::vector<subject>& all) {
    all.push_back({"glibc malloc", libc_version(), false, false, false,
                   [](std::size_t) { return std::make_unique<heap>(&std::malloc, &std::free); },
                   [](kind k) { return legal_for_a_heap(k) || k == kind::heap; }});
    const auto add_shared = [&](const char* name, std::string version, const bench::shared_malloc& library) {
        all.push_back({name, std::move(version), false, false, false,
                       [&library](std::size_t) { return std::make_unique<heap>(library.allocate, library.deallocate); },
                       legal_for_a_heap});
    };
    if (bench::mimalloc_library.available()) add_shared("mimalloc", mimalloc_version(), bench::mimalloc_library);
    if (bench::jemalloc_library.available()) add_shared("jemalloc", jemalloc_version(), bench::jemalloc_library);
}

}  // namespace

std::vector<subject> subjects() {
    ebb::set_misuse_handler([](const ebb::misuse_info&) noexcept { reported_flag = true; });

    std::vector<subject> all;
    const auto never = [](kind) { return false; };
    all.push_back({"Ebbpool `trap`", "", true, true, true,
                   [](std::size_t n) { return std::make_unique<ebb_pool<ebb::checks::trap>>(n); }, never});
    all.push_back({"Ebbpool `report`", "", true, true, true,
                   [](std::size_t n) { return std::make_unique<ebb_pool<ebb::checks::report>>(n); }, never});
    all.push_back({"usual checked design", "", false, true, true,
                   [](std::size_t n) { return std::make_unique<checked_vectors_pool>(n); }, never});
#if MISUSE_HAVE_BOOST
    std::string boost_version = BOOST_LIB_VERSION;
    for (char& c : boost_version) c = c == '_' ? '.' : c;
    all.push_back({"Boost.Pool", boost_version, false, false, true,
                   [](std::size_t n) { return std::make_unique<boost_pool>(n); }, never});
#endif
#if MISUSE_HAVE_FOONATHAN
    all.push_back({"foonathan memory", MISUSE_FOONATHAN_VERSION, false, false, true,
                   [](std::size_t n) { return std::make_unique<foonathan_pool>(n); }, never});
#endif
    all.push_back({"`std::pmr` pool", standard_library_version(), false, false, false,
                   [](std::size_t) { return std::make_unique<pmr_pool>(); }, never});
    add_heaps(all);
    return all;
}

std::vector<std::string> missing_subjects() {
    std::vector<std::string> missing;
#if !MISUSE_HAVE_BOOST
    missing.emplace_back("Boost.Pool");
#endif
#if !MISUSE_HAVE_FOONATHAN
    missing.emplace_back("foonathan memory");
#endif
#if !MISUSE_HAVE_BOOST_CONTAINER
    missing.emplace_back("Boost's containers");
#endif
#if !MISUSE_HAVE_PROTOBUF
    missing.emplace_back("protobuf's Arena");
#endif
    if (!bench::mimalloc_library.available()) missing.emplace_back("mimalloc");
    if (!bench::jemalloc_library.available()) missing.emplace_back("jemalloc");
    return missing;
}

}  // namespace misuse
