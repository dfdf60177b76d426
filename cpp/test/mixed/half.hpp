// Half of a program whose two halves are compiled with different options. Each half makes objects in an arena and in
// pools, which the other half reads and destroys. HALF is its letter.
#ifndef EBBPOOL_TEST_MIXED_HALF_HPP
#define EBBPOOL_TEST_MIXED_HALF_HPP

#include <ebbpool/arena.hpp>
#include <ebbpool/arena_resource.hpp>
#include <ebbpool/handle_pool.hpp>
#include <ebbpool/sync_fixed_pool.hpp>
#include <string>
#include <vector>

namespace mixed {

struct node {
    std::string text;
    node* next;
    ~node() { next = nullptr; }
};

struct state {
    ebb::arena a{1 << 10};
    ebb::arena_resource memory{a};
    ebb::fixed_pool<node> pool{64};
    ebb::handle_pool<node> handles{64};
    ebb::sync_fixed_pool<node> shared{128};
    node* newest = nullptr;
    std::vector<node*> slots, shared_slots;
    std::vector<ebb::handle<node>> names;
    std::pmr::vector<std::pmr::string>* words = nullptr;
};

void a_makes(state&);
void b_makes(state&);
/// Returns the bytes of text that it has read.
std::size_t a_reads(state&);
std::size_t b_reads(state&);

/// The same with types of the library in the functions' names.
void a_makes(ebb::arena&, state&);
void b_makes(ebb::arena&, state&);

}  // namespace mixed

#endif  // EBBPOOL_TEST_MIXED_HALF_HPP
