#include "subjects.hpp"

#include "subjects/checked_vectors.hpp"
#include "subjects/ebb.hpp"
#include "subjects/floor.hpp"
#include "subjects/glibc.hpp"
#include "subjects/pmr.hpp"
#include "subjects/shared_malloc.hpp"
#if BENCH_HAVE_BOOST
#include "subjects/boost_object_pool.hpp"
#include "subjects/boost_pool.hpp"
#endif
#if BENCH_HAVE_FOONATHAN
#include "subjects/foonathan.hpp"
#endif

namespace bench {
namespace {

template <template <std::size_t> class Pool>
void add(std::vector<subject>& all) {
    if (!Pool<16>::available()) return;
    all.push_back({Pool<16>::name, &play<Pool<16>>, &play<Pool<256>>, &construct<Pool<256>>});
}

}  // namespace

std::vector<subject> subjects() {
    std::vector<subject> all;
    add<floor_pool>(all);
    add<ebb_trap>(all);
    add<ebb_report>(all);
    add<ebb_none>(all);
    add<checked_vectors>(all);
    add<glibc_malloc>(all);
    add<mimalloc>(all);
    add<jemalloc>(all);
    add<tcmalloc>(all);
    add<pmr_pool>(all);
#if BENCH_HAVE_BOOST
    add<boost_pool>(all);
    add<boost_object_pool>(all);
    all.back().most = 1024;
    all.back().fewer_passes = 100;
#endif
#if BENCH_HAVE_FOONATHAN
    add<foonathan_pool>(all);
#endif
    return all;
}

std::vector<std::string> missing_subjects() {
    std::vector<std::string> missing;
    if (!mimalloc<16>::available()) missing.push_back("mimalloc (libmimalloc2.0)");
    if (!jemalloc<16>::available()) missing.push_back("jemalloc (libjemalloc2)");
    if (!tcmalloc<16>::available()) missing.push_back("tcmalloc (libtcmalloc-minimal4)");
#if !BENCH_HAVE_BOOST
    missing.push_back("Boost.Pool (libboost-dev)");
#endif
#if !BENCH_HAVE_PROTOBUF
    missing.push_back("protobuf's Arena (libprotobuf-dev)");
#endif
#if !BENCH_HAVE_FOONATHAN
    missing.push_back("foonathan memory (libfoonathan-memory-dev)");
#endif
    return missing;
}

std::vector<std::string> left_out() {
    std::vector<std::string> all;
    for (const subject& s : subjects())
        if (s.most != 0)
            all.push_back(s.name + " at capacities above " + std::to_string(s.most) +
                          ": a free takes time in proportion to what is free; below, it does one of " +
                          std::to_string(s.fewer_passes) + " of the others' passes");
    return all;
}

int find_subject(const std::vector<subject>& all, const std::string& name) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return static_cast<int>(i);
    return -1;
}

}  // namespace bench
