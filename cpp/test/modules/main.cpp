// Two shared libraries with hidden symbols use each other's pools on one thread. If pools had numbers from a counter of
// each library, the first pools of both would be confused, and slots would be allocated twice.
#include <cstdio>
#include <set>

#include "module.hpp"

namespace {

struct held {
    module_pool* pool;
    std::set<module_item*> out;
};

bool wrong(const char* what) {
    std::fprintf(stderr, "modules: %s\n", what);
    return false;
}

bool take(held& h, module_item* p) {
    if (p == nullptr) return wrong("a pool with free slots said that it is full");
    if (!h.pool->owns(p)) return wrong("a slot of another pool");
    return h.out.insert(p).second || wrong("a slot that was out already");
}

bool run(held& of_a, held& of_b) {
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 200; ++i) {
            if (!take(of_a, a_allocate(of_a.pool)) || !take(of_b, b_allocate(of_b.pool))) return false;
            if (!take(of_a, b_allocate(of_a.pool)) || !take(of_b, a_allocate(of_b.pool))) return false;
        }
        for (held* const h : {&of_a, &of_b}) {
            bool by_a = false;
            for (module_item* const p : h->out) (by_a = !by_a) ? a_deallocate(h->pool, p) : b_deallocate(h->pool, p);
            h->out.clear();
            if (!h->pool->empty()) return wrong("a free that was right did nothing");
        }
    }
    return true;
}

}  // namespace

int main() {
    held of_a{a_make(), {}};
    held of_b{b_make(), {}};
    const bool right = run(of_a, of_b);
    a_destroy(of_a.pool);
    b_destroy(of_b.pool);
    return right ? 0 : 1;
}
